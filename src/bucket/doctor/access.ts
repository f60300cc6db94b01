/** The doctor tries to reach the bucket: credentials, region, address. */

import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { codeOf, statusOf } from '../store/errors.ts'
import type { S3Store } from '../store/s3.ts'
import { lineOf, ok, problem, warning, type Diagnosis } from './diagnosis.ts'

/** The service that gives out a role's credentials may not answer. */
const credentialsMs = 8000
const soonMs = 3600 * 1000

/** How the SDK marks the source of credentials, and what people call it. The first mark counts. */
const sources: readonly (readonly [mark: string, name: string])[] = [
  ['CREDENTIALS_ENV_VARS', 'the environment variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'],
  ['CREDENTIALS_STS_ASSUME_ROLE_WEB_ID', 'a web identity (OIDC role)'],
  ['CREDENTIALS_STS_ASSUME_ROLE', 'an assumed role'],
  ['CREDENTIALS_SSO', 'a single sign-on profile'],
  ['CREDENTIALS_PROCESS', 'a credential process'],
  ['CREDENTIALS_HTTP', "the container's role"],
  ['CREDENTIALS_IMDS', "the machine's role"],
  ['CREDENTIALS_PROFILE', 'a profile of the AWS config files'],
]

/** Never tells the credentials, only their kind. */
export async function diagnoseCredentials({ client }: S3Store, now: () => Date): Promise<Diagnosis> {
  const what = 'credentials'
  try {
    const found: object & { readonly expiration?: Date } = await within(client.config.credentials())
    const marks = '$source' in found ? Object.keys(found.$source as object) : []
    const [, name = 'the default chain'] =
      sources.find(([mark]) => marks.some((one) => one.startsWith(mark))) ?? []
    const leftMs = (found.expiration?.getTime() ?? Infinity) - now().getTime()
    if (leftMs <= 0) return problem(what, `from ${name}, and they have expired: get new ones`)
    if (leftMs < soonMs && marks.some((mark) => mark.startsWith('CREDENTIALS_ENV_VARS')))
      return warning(what, `from ${name}, they end in ${Math.ceil(leftMs / 60_000)} min`)
    return ok(what, `from ${name}`)
  } catch {
    const ways = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile (AWS_PROFILE), or a role'
    return problem(what, `none were found: ${ways}`)
  }
}

/** One listing of at most one key: its refusals name the reason, those of a HEAD have no body to do so. */
export async function* diagnoseBucket(store: S3Store): AsyncGenerator<Diagnosis> {
  const { client, bucket, name, fullKey } = store
  const advice = (error: unknown) => lineOf(store.advise(error, 'list', 'journal/'))
  let region = ''
  try {
    region = await within(Promise.resolve(client.config.region()))
  } catch (error) {
    yield problem('region', advice(error))
    return
  }
  try {
    await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: fullKey('journal/'), MaxKeys: 1 }))
    yield ok('bucket', `${name} answers, in region ${region}`)
  } catch (error) {
    // The other rights are tried all the same: a user who lacks several learns of all.
    if (codeOf(error) === 'AccessDenied') yield ok('bucket', `${name} answers, in region ${region}`)
    else if (statusOf(error) === 404 && codeOf(error) !== 'NoSuchBucket')
      yield problem('bucket', `${name}: what answers is no S3 store: check --endpoint and --path-style`)
    else yield problem('bucket', advice(error))
  }
}

async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${credentialsMs / 1000} s`)), credentialsMs)
  })
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer))
}
