/** Checks the connection to the bucket, and settings of the bucket that would do harm. */

import { GetBucketLifecycleConfigurationCommand, GetBucketVersioningCommand } from '@aws-sdk/client-s3'
import { type LifecycleRule, ListObjectsV2Command } from '@aws-sdk/client-s3'
import { journalKey, liveKey, slotPrefix, slots } from '../live/layout.ts'
import { codeOf, statusOf } from '../store/errors.ts'
import type { S3Store } from '../store/s3.ts'
import { lineOf, ok, problem, warning, type Diagnosis } from './diagnosis.ts'

/** Limits the wait: the service that gives out a role's credentials may not answer. */
const credentialsMs = 8000

/** The SDK's marks of the source of credentials, and their names for users. The first mark counts. */
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

/** Reports the kind of the credentials, never the credentials. */
export async function diagnoseCredentials({ client }: S3Store, now: () => Date): Promise<Diagnosis> {
  const what = 'credentials'
  try {
    const found: object & { readonly expiration?: Date } = await within(client.config.credentials())
    const marks = '$source' in found ? Object.keys(found.$source as object) : []
    const isMarked = (mark: string) => marks.some((one) => one.startsWith(mark))
    const [, name = 'the default chain'] = sources.find(([mark]) => isMarked(mark)) ?? []
    const leftMs = (found.expiration?.getTime() ?? Infinity) - now().getTime()
    if (leftMs <= 0) return problem(what, `from ${name}, and they have expired: get new ones`)
    if (leftMs < 3600 * 1000 && isMarked('CREDENTIALS_ENV_VARS'))
      return warning(what, `from ${name}, they end in ${Math.ceil(leftMs / 60_000)} min`)
    return ok(what, `from ${name}`)
  } catch {
    const ways = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile (AWS_PROFILE), or a role'
    return problem(what, `none were found: ${ways}`)
  }
}

/** Lists at most one key: the refusal of a listing names the reason, a HEAD's has no body. */
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
    // The other rights are tried all the same: the user learns of each right that is missing.
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

export async function* diagnoseSettings(store: S3Store): AsyncGenerator<Diagnosis> {
  const { client, bucket } = store
  let rules: readonly LifecycleRule[] = []
  const lifecycle = await asked('lifecycle', 's3:GetLifecycleConfiguration', async () => {
    const { Rules = [] } = await client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }))
    rules = Rules.filter(({ Status }) => Status === 'Enabled')
    return diagnoseLifecycle(rules, store)
  })
  yield await asked('versioning', 's3:GetBucketVersioning', async () => {
    const { Status } = await client.send(new GetBucketVersioningCommand({ Bucket: bucket }))
    return diagnoseVersioning(Status ?? 'off', rules, store)
  })
  yield lifecycle
}

/** Passes a missing right to ask: a publish does not ask either. */
async function asked(what: string, right: string, ask: () => Promise<Diagnosis>): Promise<Diagnosis> {
  try {
    return await ask()
  } catch (error) {
    const code = codeOf(error)
    if (code === 'NoSuchLifecycleConfiguration') return ok(what, 'no rules')
    const reason = statusOf(error) === 403 ? `no right to ask (${right})` : `the store does not say (${code})`
    return ok(what, `not known: ${reason}`)
  }
}

function diagnoseVersioning(status: string, rules: readonly LifecycleRule[], { fullKey }: S3Store) {
  const what = 'versioning'
  if (status !== 'Enabled') return ok(what, status === 'off' ? 'off' : 'suspended')
  const places = slots.map((slot) => fullKey(slotPrefix(slot)))
  const coversAll = (rule: LifecycleRule) => places.every((place) => place.startsWith(prefixOf(rule)))
  const covers = rules.filter((rule) => isPlain(rule) && coversAll(rule))
  const days = covers.flatMap((rule) => rule.NoncurrentVersionExpiration?.NoncurrentDays ?? [])
  if (days.length > 0) {
    const first = Math.min(...days)
    return ok(what, `enabled; old versions end after ${first} ${first === 1 ? 'day' : 'days'}`)
  }
  const kept =
    'what a publish replaces or deletes stays as an old version and is paid for, more of it each night'
  const advice = 'add one with NoncurrentVersionExpiration, or suspend versioning'
  return warning(what, `enabled: ${kept}, until a lifecycle rule ends it: ${advice}`)
}

function diagnoseLifecycle(rules: readonly LifecycleRule[], { fullKey }: S3Store): Diagnosis {
  const what = 'lifecycle'
  const ours = [...slots.map(slotPrefix), liveKey, journalKey, 'journal/'].map(fullKey)
  const reasons = rules.flatMap((rule) => {
    const prefix = prefixOf(rule)
    const hits = ours.filter((key) => key.startsWith(prefix) || prefix.startsWith(key))
    // Our objects have no tags: a rule for tags never means them.
    const effect = effectOf(rule)
    if (hits.length === 0 || hasTags(rule) || effect === null) return []
    return [`rule ${JSON.stringify(rule.ID ?? prefix)} ${effect} under ${hits.join(', ')}`]
  })
  const advice = 'live objects would go or could not be read: limit it to another prefix'
  if (reasons.length > 0) return problem(what, `${reasons.join('; ')}: ${advice}`)
  if (rules.length === 0) return ok(what, 'no rules')
  return ok(what, `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}, none touches what is live`)
}

/** The effect of a rule on current objects, or null. Ends of old versions and of unfinished uploads are welcome. */
function effectOf({ Expiration, Transitions = [] }: LifecycleRule): string | null {
  if (Expiration?.Days !== undefined) return `deletes objects after ${Expiration.Days} days`
  if (Expiration?.Date !== undefined)
    return `deletes objects on ${Expiration.Date.toISOString().slice(0, 10)}`
  const classes = Transitions.map(({ StorageClass = '' }) => StorageClass)
  const frozen = classes.find((name) => name === 'GLACIER' || name === 'DEEP_ARCHIVE')
  return frozen === undefined ? null : `moves objects to ${frozen}`
}

/** Reads `Prefix` beside the filter, too: some stores still write rules in the form of before 2016. */
const prefixOf = (rule: LifecycleRule) =>
  rule.Filter?.Prefix ?? rule.Filter?.And?.Prefix ?? (rule as { readonly Prefix?: string }).Prefix ?? ''

const hasTags = ({ Filter }: LifecycleRule) =>
  Filter?.Tag !== undefined || (Filter?.And?.Tags ?? []).length > 0

const isPlain = (rule: LifecycleRule) =>
  !hasTags(rule) &&
  [rule.Filter, rule.Filter?.And].every(
    (filter) => filter?.ObjectSizeGreaterThan === undefined && filter?.ObjectSizeLessThan === undefined,
  )
