/** Verifies requests as S3 does: AWS Signature Version 4, the digest of the body, checksums. */
import { createHash, createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { S3Settings } from './settings.ts'
import { S3Error, type Headers } from './wire.ts'

interface SignedRequest {
  readonly method: string
  /** As on the wire. */
  readonly rawPath: string
  readonly query: ReadonlyMap<string, string>
  readonly headers: Headers
}

const maxSkewMs = 15 * 60 * 1000

/** @throws {S3Error} if the signature does not hold, or covers another body */
export function verifySignature(request: SignedRequest, body: Buffer, settings: S3Settings, now: number) {
  const signed = inHeaders(request.headers)
  const { accessKeyId, region, names } = signed
  if (accessKeyId !== settings.accessKeyId) throw new S3Error('InvalidAccessKeyId')
  if (region !== settings.region)
    throw new S3Error(
      'AuthorizationHeaderMalformed',
      `The authorization header is malformed; the region '${region}' is wrong; expecting '${settings.region}'`,
      { Region: settings.region },
    )
  verifyTime(signed, now)
  verifyToken(signed.token, settings)
  const mustBeSigned = Object.keys(request.headers).filter((name) => /^(host$|x-amz-)/.test(name))
  const unsigned = mustBeSigned.filter((name) => !names.includes(name))
  if (unsigned.length > 0 || !names.includes('host'))
    throw new S3Error('AccessDenied', 'There were headers present in the request which were not signed', {
      HeadersNotSigned: unsigned.join(', '),
    })
  const { signature, ...details } = signatureOf(request, signed, settings.secretAccessKey)
  if (signature !== signed.signature) throw new S3Error('SignatureDoesNotMatch', undefined, details)
  verifyDigest(body, signed.payload)
}

/** Version 4. Source: the S3 API reference, "Authenticating Requests: Using the Authorization Header". */
export function signatureOf(
  request: SignedRequest,
  { day, region, date, names, payload }: Pick<Signature, 'day' | 'region' | 'date' | 'names' | 'payload'>,
  secret: string,
) {
  const CanonicalRequest = canonicalRequest(request, names, payload)
  const scope = `${day}/${region}/s3/aws4_request`
  const StringToSign = ['AWS4-HMAC-SHA256', date, scope, sha256(CanonicalRequest)].join('\n')
  const signature = hmac(signingKey(secret, day, region), StringToSign).toString('hex')
  return { signature, StringToSign, CanonicalRequest }
}

type Signature = ReturnType<typeof inHeaders>

/** What a signature says of itself. */
function inHeaders(headers: Headers) {
  const given = headers['authorization']
  if (given === undefined) throw new S3Error('AccessDenied', 'Access Denied')
  const [, credential = '', names = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,\s]+),\s*SignedHeaders=([^,\s]+),\s*Signature=([0-9a-f]{64})$/.exec(
      given,
    ) ?? []
  return {
    ...scopeOf(credential),
    /** 20260131T235959Z */
    date: headers['x-amz-date'] ?? '',
    /** The signed headers, in lower case. */
    names: names.split(';'),
    signature,
    token: headers['x-amz-security-token'],
    /** The digest of the body, or UNSIGNED-PAYLOAD. */
    payload: headers['x-amz-content-sha256'] ?? '',
  }
}

function scopeOf(credential: string) {
  const [, accessKeyId, day, region] = /^([^/]+)\/(\d{8})\/([^/]*)\/s3\/aws4_request$/.exec(credential) ?? []
  if (accessKeyId !== undefined && day !== undefined && region !== undefined)
    return { accessKeyId, day, region }
  throw new S3Error('AuthorizationHeaderMalformed', 'The authorization header is malformed.')
}

function verifyTime({ date, day }: Signature, now: number): void {
  const time = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(time) || !date.startsWith(day))
    throw new S3Error('AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header')
  if (Math.abs(time - now) <= maxSkewMs) return
  throw new S3Error('RequestTimeTooSkewed', undefined, {
    RequestTime: date,
    ServerTime: new Date(now).toISOString(),
    MaxAllowedSkewMilliseconds: String(maxSkewMs),
  })
}

function verifyToken(token: string | undefined, settings: S3Settings): void {
  if (token !== undefined && settings.expiredTokens.includes(token))
    throw new S3Error('ExpiredToken', 'The provided token has expired.')
  if (token !== undefined) throw new S3Error('InvalidToken')
}

function canonicalRequest(
  { method, rawPath, query, headers }: SignedRequest,
  names: readonly string[],
  payload: string,
) {
  const pairs = [...query].map(([name, value]) => `${encode(name)}=${encode(value)}`)
  const lines = names.map((name) => `${name}:${(headers[name] ?? '').trim().replaceAll(/ +/g, ' ')}\n`)
  const path = decodeURIComponent(rawPath).split('/').map(encode).join('/')
  return [method, path, pairs.sort().join('&'), lines.join(''), names.join(';'), payload].join('\n')
}

/** All but the unreserved characters of RFC 3986. */
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )

const sha256 = (text: string | Buffer): string => hash('sha256', text)

const hmac = (key: Buffer | KeyObject, text: string): Buffer =>
  createHmac('sha256', key).update(text).digest()

/** A day's key signs thousands of requests. */
const signingKeys = new Map<string, KeyObject>()
function signingKey(secret: string, day: string, region: string): KeyObject {
  const name = [secret, day, region].join('/')
  const known = signingKeys.get(name)
  if (known !== undefined) return known
  const bytes = [day, region, 's3', 'aws4_request'].reduce(hmac, Buffer.from(`AWS4${secret}`))
  const made = createSecretKey(bytes)
  signingKeys.set(name, made)
  return made
}

function verifyDigest(body: Buffer, digest: string): void {
  if (digest === 'UNSIGNED-PAYLOAD') return
  if (digest.startsWith('STREAMING-'))
    throw new S3Error('NotImplemented', `x-amz-content-sha256 ${digest} is not implemented`)
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new S3Error('InvalidRequest', 'x-amz-content-sha256 is wrong')
  if (sha256(body) !== digest) throw new S3Error('XAmzContentSHA256Mismatch')
}

const digests: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  'content-md5': (body) => createHash('md5').update(body).digest(),
  'x-amz-checksum-sha256': (body) => createHash('sha256').update(body).digest(),
  'x-amz-checksum-crc32': (body) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(crc32(body))
    return bytes
  },
}

/**
 * Holds a body against every checksum that came with it.
 * @returns those that are kept with the object
 */
export function verifyChecksums(body: Buffer, headers: Headers): Readonly<Record<string, string>> {
  const given = Object.keys(headers).filter((name) => /^(content-md5|x-amz-checksum-(crc|sha).*)$/.test(name))
  for (const name of given) {
    const digest = digests[name]?.(body)
    if (digest === undefined) throw new S3Error('NotImplemented', `${name} is not implemented`)
    const value = Buffer.from(headers[name] ?? '', 'base64')
    if (value.length !== digest.length) throw new S3Error('InvalidDigest', `${name} is no digest`)
    if (!value.equals(digest)) throw new S3Error('BadDigest', `${name} did not match what was received`)
  }
  const kept = given.filter((name) => name !== 'content-md5')
  return Object.fromEntries(kept.map((name) => [name.slice('x-amz-checksum-'.length), headers[name] ?? '']))
}
