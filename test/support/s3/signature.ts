/** AWS Signature Version 4, verified: of headers and of presigned URLs. Says what is to be known of the body. */
import { createHash, createHmac } from 'node:crypto'
import { S3Error } from './errors.ts'
import type { Headers } from './request.ts'
import { verifyScope, verifyTime, verifyToken, type Signed } from './signature-scope.ts'
import type { S3Settings } from './settings.ts'

export interface Unverified {
  readonly method: string
  readonly rawPath: string
  readonly query: ReadonlyMap<string, string>
  readonly headers: Headers
}

const algorithm = 'AWS4-HMAC-SHA256'

/**
 * @returns what x-amz-content-sha256 says, or UNSIGNED-PAYLOAD
 * @throws {S3Error} for whatever does not hold
 */
export function verifySignature(request: Unverified, settings: S3Settings, now: number): string {
  const signed = request.query.has('X-Amz-Signature')
    ? readQuery(request.query)
    : readHeaders(request.headers)
  verifyScope(signed, settings)
  verifyTime(signed, now)
  verifyToken(signed.token, settings)
  verifySignedHeaders(signed, request.headers)
  const canonical = canonicalRequest(request, signed)
  const scope = `${signed.day}/${signed.region}/s3/aws4_request`
  const toSign = [algorithm, signed.date, scope, sha256(canonical)].join('\n')
  const key = signingKey(settings.secretAccessKey, signed.day, signed.region)
  if (createHmac('sha256', key).update(toSign).digest('hex') === signed.signature) return signed.payload
  throw new S3Error(
    'SignatureDoesNotMatch',
    'The request signature we calculated does not match the signature you provided. Check your key and signing method.',
    { AWSAccessKeyId: signed.accessKeyId, StringToSign: toSign, CanonicalRequest: canonical },
  )
}

function readHeaders(headers: Headers): Signed {
  const given = headers['authorization']
  if (given === undefined) throw new S3Error('AccessDenied', 'Access Denied')
  const [, credential = '', signedHeaders, signature] =
    /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
      given,
    ) ?? []
  if (signedHeaders === undefined || signature === undefined)
    throw new S3Error('AuthorizationHeaderMalformed', 'The authorization header is malformed.')
  const date = headers['x-amz-date']
  if (date === undefined)
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  const payload = headers['x-amz-content-sha256']
  if (payload === undefined)
    throw new S3Error('InvalidRequest', 'Missing required header for this request: x-amz-content-sha256')
  const token = headers['x-amz-security-token']
  const names = signedHeaders.split(';')
  return { kind: 'headers', ...readCredential(credential, 'headers'), date, names, signature, payload, token }
}

function readQuery(query: ReadonlyMap<string, string>): Signed {
  const get = (name: string): string => {
    const value = query.get(`X-Amz-${name}`)
    if (value !== undefined && value !== '') return value
    throw malformedQuery(`Query-string authentication version 4 requires the X-Amz-${name} parameter`)
  }
  if (get('Algorithm') !== algorithm) throw malformedQuery(`X-Amz-Algorithm only supports "${algorithm}"`)
  const expires = get('Expires')
  if (!/^\d{1,6}$/.test(expires) || Number(expires) < 1 || Number(expires) > 604_800)
    throw malformedQuery('X-Amz-Expires must be between 1 and 604800 seconds')
  return {
    kind: 'query',
    ...readCredential(get('Credential'), 'query'),
    date: get('Date'),
    expiresSeconds: Number(expires),
    names: get('SignedHeaders').split(';'),
    signature: get('Signature'),
    payload: query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
    token: query.get('X-Amz-Security-Token'),
  }
}

function readCredential(credential: string, from: 'headers' | 'query') {
  const [, accessKeyId, day, region] = /^(.+)\/(\d{8})\/([^/]*)\/s3\/aws4_request$/.exec(credential) ?? []
  if (accessKeyId !== undefined && day !== undefined && region !== undefined)
    return { accessKeyId, day, region }
  if (from === 'query') throw malformedQuery('Error parsing the X-Amz-Credential parameter')
  throw new S3Error(
    'AuthorizationHeaderMalformed',
    'The authorization header is malformed; the Credential is mal-formed.',
  )
}

const malformedQuery = (message: string): S3Error => new S3Error('AuthorizationQueryParametersError', message)

function verifySignedHeaders({ names, kind }: Signed, headers: Headers): void {
  const mustBe = Object.keys(headers).filter((name) => name === 'host' || name.startsWith('x-amz-'))
  // Of a presigned URL S3 lets x-amz-content-sha256 pass.
  const left = mustBe.filter(
    (name) => !names.includes(name) && !(kind === 'query' && name === 'x-amz-content-sha256'),
  )
  if (left.length === 0 && names.includes('host')) return
  throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
    HeadersNotSigned: left.join(', '),
  })
}

function canonicalRequest(
  { method, rawPath, query, headers }: Unverified,
  { names, payload }: Signed,
): string {
  const pairs = [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort((a, b) => (a < b ? -1 : 1))
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}\n`)
  const path = decodeURIComponent(rawPath).split('/').map(encode).join('/')
  return [method, path, pairs.join('&'), lines.join(''), names.join(';'), payload].join('\n')
}

/** All but the unreserved characters of RFC 3986. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const signingKeys = new Map<string, Buffer>()

function signingKey(secret: string, day: string, region: string): Buffer {
  const id = `${secret} ${day} ${region}`
  let key = signingKeys.get(id)
  if (key === undefined) {
    key = Buffer.from(`AWS4${secret}`)
    for (const step of [day, region, 's3', 'aws4_request'])
      key = createHmac('sha256', key).update(step).digest()
    signingKeys.set(id, key)
  }
  return key
}
