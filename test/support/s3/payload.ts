/** The body of a request: unpacked from the chunks that the SDKs stream in, and held against what was said of it. */
import { createHash } from 'node:crypto'
import { verifyChecksums, type Checksums } from './checksums.ts'
import { S3Error } from './errors.ts'
import type { Headers } from './request.ts'
import type { Operation } from './route.ts'

export interface Payload {
  readonly body: Buffer
  readonly checksums: Checksums
}

/**
 * @param received as it came
 * @param digest x-amz-content-sha256, as signed
 * @throws {S3Error} where anything does not match
 */
export function readPayload(
  received: Buffer,
  digest: string,
  headers: Headers,
  operation: Operation,
): Payload {
  if (operation === 'PutObject' || operation === 'UploadPart') requireLength(headers)
  const { body, trailers } = unpack(received, digest, headers)
  const checksums =
    // There the headers tell of the whole object, not of the list of its parts.
    operation === 'CompleteMultipartUpload' ? {} : verifyChecksums(body, { ...headers, ...trailers })
  return { body, checksums }
}

function requireLength(headers: Headers): void {
  if (headers['content-length'] ?? headers['x-amz-decoded-content-length']) return
  throw new S3Error('MissingContentLength', 'You must provide the Content-Length HTTP header.')
}

function unpack(
  received: Buffer,
  digest: string,
  headers: Headers,
): { body: Buffer; trailers: Readonly<Record<string, string>> } {
  if (digest === 'UNSIGNED-PAYLOAD') return { body: received, trailers: {} }
  if (digest === 'STREAMING-UNSIGNED-PAYLOAD-TRAILER') return unpackChunks(received, headers)
  if (digest.startsWith('STREAMING-'))
    throw new S3Error('NotImplemented', `x-amz-content-sha256 ${digest} is not implemented`)
  if (!/^[0-9a-f]{64}$/.test(digest))
    throw new S3Error(
      'InvalidArgument',
      'x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER or a valid sha256 value.',
      { ArgumentName: 'x-amz-content-sha256', ArgumentValue: digest },
    )
  const actual = createHash('sha256').update(received).digest('hex')
  if (actual === digest) return { body: received, trailers: {} }
  throw new S3Error(
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    { ClientComputedContentSHA256: digest, S3ComputedContentSHA256: actual },
  )
}

/** aws-chunked: `size CRLF bytes CRLF` again and again, `0 CRLF`, then trailers as `name:value CRLF`, then CRLF. */
function unpackChunks(received: Buffer, headers: Headers) {
  const chunks: Buffer[] = []
  let at = 0
  const readLine = (): string => {
    const end = received.indexOf('\r\n', at)
    if (end < 0) throw incomplete()
    const line = received.toString('latin1', at, end)
    at = end + 2
    return line
  }
  for (;;) {
    const size = /^([0-9a-f]{1,8})(;.*)?$/i.exec(readLine())?.[1]
    if (size === undefined) throw incomplete()
    const bytes = Number.parseInt(size, 16)
    if (bytes === 0) break
    chunks.push(received.subarray(at, at + bytes))
    at += bytes
    if (readLine() !== '') throw incomplete()
  }
  const trailers: Record<string, string> = {}
  for (let line = readLine(); line !== ''; line = readLine()) {
    const [, name = '', value = ''] = /^([\w-]+):\s*(.*?)\s*$/.exec(line) ?? []
    trailers[name.toLowerCase()] = value
  }
  const body = Buffer.concat(chunks)
  if (at !== received.length || String(body.length) !== headers['x-amz-decoded-content-length'])
    throw incomplete()
  const announced = headers['x-amz-trailer'] ?? ''
  if (Object.keys(trailers).join(',') !== announced.toLowerCase().replaceAll(' ', ''))
    throw new S3Error(
      'MalformedTrailerError',
      'The request contained trailing data that was not well-formed.',
    )
  return { body, trailers }
}

const incomplete = (): S3Error =>
  new S3Error(
    'IncompleteBody',
    'The request body terminated unexpectedly, or is not of the length that was given.',
  )
