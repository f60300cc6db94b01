/**
 * A gzip file of lines whose first line is known last: the others are compressed while they are digested, then the file
 * is put together. Source of the forms: RFC 1951 (stored blocks), RFC 1952.
 */

import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { constants, crc32, createDeflateRaw } from 'node:zlib'

/** Compressed lines in a file of their own. */
export interface CompressedLines {
  readonly file: string
  /** CRC-32 of the lines. */
  readonly crc: number
  /** Length of the lines. */
  readonly bytes: number
}

/** @param lines ASCII @param file a new file */
export async function compressLines(lines: AsyncIterable<string>, file: string): Promise<CompressedLines> {
  let crc = 0
  let bytes = 0
  async function* counted() {
    for await (const some of lines) {
      const chunk = Buffer.from(some, 'latin1')
      crc = crc32(chunk, crc)
      bytes += chunk.length
      yield chunk
    }
  }
  // It is digests for the most part, which do not get smaller, however long one tries.
  const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED, chunkSize: 1 << 18 })
  await pipeline(counted, deflate, createWriteStream(file, { flags: 'wx' }))
  return { file, crc, bytes }
}

/** Writes a gzip file of a first line, with its line feed, and the compressed ones after it. */
export async function writeGzip(path: string, firstLine: string, lines: CompressedLines): Promise<void> {
  const first = Buffer.from(firstLine)
  const crc = crcOfBoth(crc32(first), lines.crc, lines.bytes)
  async function* parts() {
    yield gzipHeader
    for (let at = 0; at < first.length; at += largestStored)
      yield storedBlock(first.subarray(at, at + largestStored))
    yield* createReadStream(lines.file) as AsyncIterable<Buffer>
    yield littleEndian(crc, (first.length + lines.bytes) >>> 0)
  }
  await pipeline(parts, createWriteStream(path, { flags: 'wx' }))
}

/** Deflate, no name, no time, fastest, no system. */
const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 255])

const largestStored = 0xffff

/** A block that is not compressed, and not the last one. */
function storedBlock(content: Buffer): Buffer {
  const head = Buffer.alloc(5)
  head.writeUInt16LE(content.length, 1)
  head.writeUInt16LE(content.length ^ 0xffff, 3)
  return Buffer.concat([head, content])
}

const zeros = Buffer.alloc(1 << 16)

/**
 * CRC-32 of two texts one after the other, of which only the CRCs are known. A CRC is linear: that of the first, carried
 * over as many zeros as the second is long, differs from the wanted one by that of the second.
 */
function crcOfBoth(first: number, second: number, secondBytes: number): number {
  let carried = first
  let none = 0
  for (let left = secondBytes; left > 0; left -= zeros.length) {
    const some = left < zeros.length ? zeros.subarray(0, left) : zeros
    carried = crc32(some, carried)
    none = crc32(some, none)
  }
  return (carried ^ none ^ second) >>> 0
}

function littleEndian(...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(numbers.length * 4)
  for (const [index, number] of numbers.entries()) buffer.writeUInt32LE(number, index * 4)
  return buffer
}
