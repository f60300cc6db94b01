/** The errors of an S3 store and of the network, with advice. No secret gets into a message. */

import { ConditionFailed, ConditionsUnknown } from './store.ts'

/** `name`: s3://bucket/prefix. */
interface BucketPlace {
  readonly name: string
  readonly bucket: string
  readonly endpoint: string | null
}

interface Failure {
  readonly name?: string
  readonly Code?: string
  readonly code?: string
  readonly message?: string
  readonly Region?: string
  readonly Endpoint?: string
  readonly triedSeconds?: number
  readonly $metadata?: { readonly httpStatusCode?: number }
}

export const statusOf = (error: unknown): number | undefined => (error as Failure).$metadata?.httpStatusCode

export const codeOf = (error: unknown): string => {
  const { Code, code, name } = error as Failure
  return Code ?? code ?? name ?? ''
}

export const failureOf = (error: unknown): string => {
  const status = statusOf(error)
  return `the store ${status === undefined ? 'did not answer' : `answered ${status}`} (${codeOf(error)})`
}

/** Code of an address without a listener: no byte was sent. */
export const refusedCode = 'ECONNREFUSED'

/** Code of an answer that is no store's: the message says what was answered. */
const foreignCode = 'ForeignAnswer'

/** @param says `200, text/html` */
export const foreignAnswer = (says: string, status: number): Error =>
  Object.assign(new Error(says), { name: foreignCode, $metadata: { httpStatusCode: status } })

const isForeign = (error: unknown): boolean => codeOf(error) === foreignCode

/** An answer beyond its limits: to ask again is of no use. Edges take it for none, by its name. */
export class Endless extends Error {
  override readonly name = 'NoAnswer'
}

/** True if the store has said no for good: it has no such operation, or does not take a part of the request. */
export function isFinalRefusal(error: unknown): boolean {
  const status = statusOf(error) ?? 0
  return (status >= 400 && status < 500 && status !== 408 && status !== 429) || status === 501
}

export const isMissing = (error: unknown): boolean =>
  codeOf(error) === 'NoSuchKey' ||
  (statusOf(error) === 404 && codeOf(error) !== 'NoSuchBucket' && !isForeign(error))

const rights = {
  // AWS answers 403, not 404, to a reader that may not list.
  read: 's3:GetObject and s3:ListBucket (without it an object that is not there is denied too)',
  write: 's3:PutObject',
  list: 's3:ListBucket',
  delete: 's3:DeleteObject',
}
export type Doing = keyof typeof rights

/** Adds place and advice to an error. Our own errors stay as they are. */
export function explained(error: unknown, place: BucketPlace, doing: Doing, key: string): unknown {
  if (error instanceof ConditionFailed || error instanceof ConditionsUnknown || error instanceof Endless)
    return error
  if (!(error instanceof Error)) return error
  const code = codeOf(error)
  // An error without a code is ours, with one exception: the SDK gives this one no name.
  if (code === 'Error' && !lacksRegion(error)) return error
  const advice = adviceOn(error, place, doing)
  const reason = advice === undefined ? `${code}, ${said(error)}` : `${advice} (${code})`
  const message = `${place.name}: could not ${doing} ${key}: ${reason}`
  return isPassing(error)
    ? unanswered(message, bareCause(error))
    : new Error(message, { cause: bareCause(error) })
}

const said = ({ message }: Error) => message.replaceAll(/\s+/g, ' ').slice(0, 200)

/** The error of a store that refuses connections, hangs or fails. Edges know it by its name. */
export const unanswered = (message: string, cause: unknown): Error =>
  Object.assign(new Error(message, { cause }), { name: 'NoAnswer' })

const isPassing = (error: unknown): boolean => {
  const status = statusOf(error)
  if (status === undefined || isForeign(error)) return true
  return status === 429 || (status >= 500 && status !== 501)
}

/** Keeps code and stack: the error itself quotes the store's answer, which can show a session token. */
export function bareCause(error: unknown): Error {
  const code = codeOf(error)
  const cause = new Error(code)
  if (!(error instanceof Error)) return cause
  // A stack begins with the message, which may have several lines.
  const frames = (error.stack ?? '')
    .replaceAll(error.message, '')
    .split('\n')
    .filter((line) => /^ {4}at .*(:\d+:\d+|<anonymous>|native|index \d+)\)?$/.test(line))
  cause.stack = [code, ...frames].join('\n')
  return cause
}

export const noCredentials =
  'no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile, or a role'

const triedFor = ({ triedSeconds }: Failure) =>
  triedSeconds === undefined ? '' : ` (tried for ${triedSeconds} s)`

const lacksRegion = ({ message }: Error) => message.includes('Region is missing')

function adviceOn(error: Error, { name, bucket, endpoint }: BucketPlace, doing: Doing): string | undefined {
  if (lacksRegion(error)) return 'no region: set --region or AWS_REGION'
  const code = codeOf(error)
  const status = statusOf(error)
  const at = endpoint ?? 'AWS'
  const denied = `access denied: the credentials need ${rights[doing]} on ${name}`
  const cut = `${at} cut the connection again and again`
  const { Endpoint: endpointOfBucket } = error as Failure
  const elsewhere = endpointOfBucket === undefined ? '' : `, ${endpointOfBucket}`
  const region = (error as Failure).Region ?? /expecting '([^']+)'/.exec(error.message)?.[1]
  const advices: Readonly<Record<string, string>> = {
    NoSuchBucket: `there is no bucket ${bucket} at ${at}: create it, or check its name and region`,
    AccessDenied: denied,
    InvalidAccessKeyId: 'the access key is not known there: check the credentials and the endpoint',
    SignatureDoesNotMatch: 'the secret key is wrong: check the credentials',
    'ExpiredToken ExpiredTokenException TokenRefreshRequired':
      'the credentials have expired: get new ones and publish again',
    InvalidToken: 'the session token is not valid: get new credentials',
    CredentialsProviderError: noCredentials,
    RequestTimeTooSkewed: "this machine's clock is wrong: set it",
    BadDigest:
      'the body does not have the digest of the manifest: the snapshot was changed after its build, build it again',
    InvalidDigest: 'the store refused the digest of the body',
    XAmzContentSHA256Mismatch:
      'the body does not have the digest of the manifest: it was changed on its way, or its file after the build: build the snapshot again',
    XAmzContentChecksumMismatch:
      'the body does not have the digest of the manifest: build the snapshot again',
    'AuthorizationHeaderMalformed PermanentRedirect IllegalLocationConstraintException': `the bucket is in another region${region === undefined ? '' : `, ${region}`}: set --region`,
    [refusedCode]: `${at} cannot be reached: nothing listens there${triedFor(error)}, check --endpoint`,
    [foreignCode]: `something between here and the bucket answered with a page (${error.message}): a login page or a proxy is in the place of ${at}. Nothing in the bucket needs a repair: check the network of this machine (HTTPS_PROXY, a portal), and --endpoint`,
    TemporaryRedirect: `${at} sends requests for this bucket to another address for now${elsewhere}: a new bucket is known everywhere after some hours, until then set --region to its region`,
    ENOTFOUND: `${at} cannot be reached: its name is not known, check --endpoint and --region`,
    EAI_AGAIN: `${at} cannot be reached: no name service`,
    'ECONNRESET EPIPE': cut,
    ETIMEDOUT: `${at} does not answer`,
    TimeoutError: `${at} does not answer in time`,
    SlowDown: `the store is overloaded and kept answering ${status} SlowDown${triedFor(error)}: try again later, or with a lower bucket.maxRate`,
  }
  const known = Object.entries(advices).find(([codes]) => codes.split(' ').includes(code))
  if (known !== undefined) return known[1]
  if (status === 403) return denied
  if (status === 501) return `the store answered 501: it has no such operation: ${said(error)}`
  if (status === 429)
    return `the store kept answering 429${triedFor(error)}, it limits the rate of requests (${said(error)}): try again later, or with a lower bucket.maxRate`
  if (status !== undefined && status >= 500)
    return `the store kept answering ${status}${triedFor(error)}: try again later`
  return /socket hang up|aborted/.test(error.message) ? cut : undefined
}
