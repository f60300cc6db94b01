/** The checksums that S3 takes with a body: as headers, as trailers, and on parts. All in base64. */
import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { S3Error } from './errors.ts'

export const algorithms = ['crc32', 'crc32c', 'sha1', 'sha256'] as const
export type Algorithm = (typeof algorithms)[number]
export type Checksums = Readonly<Partial<Record<Algorithm, string>>>

const lengths: Readonly<Record<Algorithm, number>> = { crc32: 4, crc32c: 4, sha1: 20, sha256: 32 }

export const checksumHeader = (algorithm: Algorithm): string => `x-amz-checksum-${algorithm}`

export function checksumOf(algorithm: Algorithm, body: Buffer): string {
  if (algorithm === 'sha1' || algorithm === 'sha256')
    return createHash(algorithm).update(body).digest('base64')
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(algorithm === 'crc32' ? crc32(body) : crc32c(body))
  return bytes.toString('base64')
}

export const md5 = (body: Buffer): Buffer => createHash('md5').update(body).digest()

export const parseAlgorithm = (name: string | undefined): Algorithm | undefined =>
  algorithms.find((algorithm) => algorithm === name?.toLowerCase())

/**
 * Holds a body against every checksum that came with it, in headers or trailers.
 * @returns those that are to be kept with the object
 * @throws {S3Error} BadDigest, InvalidDigest or InvalidRequest
 */
export function verifyChecksums(
  body: Buffer,
  headers: Readonly<Record<string, string | undefined>>,
): Checksums {
  verifyMd5(body, headers['content-md5'])
  const given = Object.keys(headers).filter((name) => /^x-amz-checksum-(crc|sha)/.test(name))
  if (given.length > 1)
    throw new S3Error(
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    )
  const [header] = given
  const announced = headers['x-amz-sdk-checksum-algorithm']
  if (header === undefined) {
    if (announced === undefined) return {}
    throw new S3Error(
      'InvalidRequest',
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.',
    )
  }
  const algorithm = parseAlgorithm(header.slice('x-amz-checksum-'.length))
  if (algorithm === undefined) throw new S3Error('NotImplemented', `${header} is not implemented`)
  if (announced !== undefined && parseAlgorithm(announced) !== algorithm)
    throw new S3Error('InvalidRequest', 'Value for x-amz-sdk-checksum-algorithm header is invalid.')
  const value = headers[header] ?? ''
  if (!isBase64(value, lengths[algorithm]))
    throw new S3Error('InvalidRequest', `Value for ${header} header is invalid.`)
  const name = algorithm.toUpperCase()
  if (value !== checksumOf(algorithm, body))
    throw new S3Error('BadDigest', `The ${name} you specified did not match the calculated checksum.`)
  return { [algorithm]: value }
}

function verifyMd5(body: Buffer, given: string | undefined): void {
  if (given === undefined) return
  if (!isBase64(given, 16)) throw new S3Error('InvalidDigest', 'The Content-MD5 you specified was invalid.')
  if (md5(body).toString('base64') !== given)
    throw new S3Error('BadDigest', 'The Content-MD5 you specified did not match what we received.')
}

function isBase64(text: string, bytes: number): boolean {
  const decoded = Buffer.from(text, 'base64')
  return decoded.length === bytes && decoded.toString('base64') === text
}

const castagnoli = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1
  return value
})

function crc32c(body: Buffer): number {
  let value = 0xffffffff
  for (const byte of body) value = (value >>> 8) ^ (castagnoli[(value ^ byte) & 0xff] ?? 0)
  return (value ^ 0xffffffff) >>> 0
}
