/** What a signature says of itself, before any arithmetic: whose it is, for which region, and from when. */
import { S3Error } from './errors.ts'
import type { S3Settings } from './settings.ts'

interface Scope {
  readonly accessKeyId: string
  /** 20260131 */
  readonly day: string
  readonly region: string
  /** 20260131T235959Z */
  readonly date: string
  /** The signed headers, in lower case. */
  readonly names: readonly string[]
  readonly signature: string
  readonly payload: string
  readonly token: string | undefined
}

export type Signed =
  | (Scope & { readonly kind: 'headers' })
  | (Scope & { readonly kind: 'query'; readonly expiresSeconds: number })

const maxSkewMs = 15 * 60 * 1000

export function verifyScope({ accessKeyId, region, kind }: Signed, settings: S3Settings): void {
  if (accessKeyId !== settings.accessKeyId)
    throw new S3Error(
      'InvalidAccessKeyId',
      'The AWS Access Key Id you provided does not exist in our records.',
      {
        AWSAccessKeyId: accessKeyId,
      },
    )
  if (settings.regionCheck === 'none' || region === settings.region) return
  if (settings.regionCheck === 'redirect')
    throw new S3Error(
      'PermanentRedirect',
      'The bucket you are attempting to access must be addressed using the specified endpoint.',
      { Endpoint: `s3.${settings.region}.amazonaws.com` },
    )
  const wrong = `the region '${region}' is wrong; expecting '${settings.region}'`
  if (kind === 'headers')
    throw new S3Error('AuthorizationHeaderMalformed', `The authorization header is malformed; ${wrong}`, {
      Region: settings.region,
    })
  throw new S3Error(
    'AuthorizationQueryParametersError',
    `Error parsing the X-Amz-Credential parameter; ${wrong}`,
    { Region: settings.region },
  )
}

export function verifyTime(signed: Signed, now: number): void {
  const time = Date.parse(
    signed.date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  )
  if (Number.isNaN(time) || !signed.date.startsWith(signed.day))
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  if (signed.kind === 'query') {
    if (time > now + maxSkewMs) throw new S3Error('AccessDenied', 'Request is not yet valid')
    if (now > time + signed.expiresSeconds * 1000)
      throw new S3Error('AccessDenied', 'Request has expired', { ServerTime: new Date(now).toISOString() })
  } else if (Math.abs(now - time) > maxSkewMs)
    throw new S3Error(
      'RequestTimeTooSkewed',
      'The difference between the request time and the current time is too large.',
      {
        RequestTime: signed.date,
        ServerTime: new Date(now).toISOString(),
        MaxAllowedSkewMilliseconds: String(maxSkewMs),
      },
    )
}

export function verifyToken(token: string | undefined, settings: S3Settings): void {
  if (token !== undefined && settings.expiredTokens.includes(token))
    throw new S3Error('ExpiredToken', 'The provided token has expired.')
  if (token === settings.sessionToken) return
  // Keys of a session do not exist without its token.
  if (token === undefined)
    throw new S3Error(
      'InvalidAccessKeyId',
      'The AWS Access Key Id you provided does not exist in our records.',
    )
  throw new S3Error('InvalidToken', 'The provided token is malformed or otherwise invalid.')
}
