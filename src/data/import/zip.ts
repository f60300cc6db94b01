/**
 * The XML parts of a workbook, unpacked within limits, and packed again without compression. The library that reads workbooks
 * believes the sizes that an archive declares, and may find other parts than its directory names: it gets an archive with
 * just what was looked at here.
 */

import { readFileSync, statSync } from 'node:fs'
import { inflateRawSync } from 'node:zlib'
import { zipSync } from 'fflate'

/** All parts together, as they are in memory. */
const maxUnpackedBytes = 128e6
const maxFileBytes = 64e6
const maxParts = 1000

interface Part {
  readonly name: string
  readonly bytes: Buffer
}

/**
 * @returns the XML parts of a workbook: nothing else of it is read
 * @throws {Error} if it is larger than the limits, damaged, encrypted, or no ZIP archive
 */
export function readParts(file: string): readonly Part[] {
  if (statSync(file).size > maxFileBytes) throw new Error(`it is larger than ${megabytes(maxFileBytes)}`)
  const archive = readFileSync(file)
  let left = maxUnpackedBytes
  return entriesOf(archive)
    .filter(({ name }) => name.endsWith('.xml') || name.endsWith('.rels'))
    .map((entry) => {
      const bytes = unpack(archive, entry, left)
      left -= bytes.length
      return { name: entry.name, bytes }
    })
}

const megabytes = (bytes: number) => `${bytes / 1e6} MB`

type Entry = ReturnType<typeof entriesOf>[number]

/** Source: APPNOTE.TXT of PKWARE, 4.3.12 and 4.3.16. */
function entriesOf(archive: Buffer) {
  const end = archive.lastIndexOf('PK\u0005\u0006', undefined, 'latin1')
  if (end < 0) throw new Error('it is incomplete')
  const count = archive.readUInt16LE(end + 10)
  if (count > maxParts) throw new Error(`it has more than ${maxParts} parts`)
  let next = archive.readUInt32LE(end + 16)
  return Array.from({ length: count }, () => {
    const at = next
    if (archive.readUInt32LE(at) !== 0x02014b50) throw new Error('its directory is damaged')
    const nameEnd = at + 46 + archive.readUInt16LE(at + 28)
    next = nameEnd + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32)
    return {
      name: archive.toString('utf8', at + 46, nameEnd),
      flags: archive.readUInt16LE(at + 8),
      method: archive.readUInt16LE(at + 10),
      packedBytes: archive.readUInt32LE(at + 20),
      /** The place of its local header. */
      offset: archive.readUInt32LE(at + 42),
    }
  })
}

function unpack(archive: Buffer, { flags, method, packedBytes, offset }: Entry, most: number): Buffer {
  if ((flags & 1) !== 0) throw new Error('it is encrypted')
  if (archive.readUInt32LE(offset) !== 0x04034b50) throw new Error('it is damaged')
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28)
  const packed = archive.subarray(start, start + packedBytes)
  if (packed.length !== packedBytes) throw new Error('it is incomplete')
  if (method === 0 && packed.length <= most) return packed
  if (method !== 0 && method !== 8) throw new Error(`it is compressed by method ${method}`)
  try {
    // At least 1, because zlib reads 0 as no limit.
    if (method === 8) return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) })
  } catch (error) {
    const isTooLarge = error instanceof RangeError
    if (!isTooLarge) throw new Error('it is damaged', { cause: error })
  }
  throw new Error(`unpacked it is larger than ${megabytes(maxUnpackedBytes)}`)
}

/** @returns an archive of these parts, without compression */
export const packParts = (parts: readonly Part[]): Buffer =>
  Buffer.from(zipSync(Object.fromEntries(parts.map(({ name, bytes }) => [name, bytes])), { level: 0 }))
