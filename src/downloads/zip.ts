/**
 * A ZIP file, written as it grows. Of an entry nothing but its record for the directory at the end is held: packages for
 * ZIP look through all entries for each one, which takes hours with as many files as a snapshot of 10,000 funds has.
 * Source: PKWARE APPNOTE 6.3.10, with ZIP64.
 */

import { crc32, deflateRawSync } from 'node:zlib'
import type { FileSink } from './file-sink.ts'

export interface Zip {
  /** @param name ASCII, with slashes */
  readonly add: (name: string, content: Uint8Array) => void
  /** The same of content that is packed already. */
  readonly copy: (name: string, packed: Packed) => void
  /** Writes the directory. */
  readonly end: () => void
}

/** An entry's content as it lies in a ZIP, packed by this very code. */
export interface Packed {
  /** CRC-32 of the content. */
  readonly crc: number
  /** Of the content. */
  readonly bytes: number
  readonly data: Uint8Array
}

/** Levels above it take twice the time for a tenth of the bytes. */
const level = 3
const deflated = 8
/** 4.5 knows ZIP64. */
const versionNeeded = 45
const versionMadeBy = (3 << 8) | versionNeeded
const readableFile = 0o100644 << 16
const max16 = 0xffff
const max32 = 0xffffffff

/** @param day the time of every entry is its midnight, ISO 8601, from 1980 on */
export function zipInto(sink: FileSink, day: string): Zip {
  const date = dosDate(day)
  let directory: Buffer[] = []
  const packed: Buffer[] = []
  let entries = 0
  const copy: Zip['copy'] = (name, { crc, bytes, data }) => {
    const place = sink.bytes()
    const path = Buffer.from(name)
    const common = Buffer.alloc(22)
    common.writeUInt16LE(deflated, 0)
    common.writeUInt16LE(date, 4)
    common.writeUInt32LE(crc, 6)
    common.writeUInt32LE(data.length, 10)
    common.writeUInt32LE(bytes, 14)
    common.writeUInt16LE(path.length, 18)
    const local = Buffer.alloc(8)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(versionNeeded, 4)
    for (const part of [local, common, path, data]) sink.write(part)
    directory.push(directoryRecord(common, path, place))
    entries++
    if (directory.length === 1024) {
      packed.push(Buffer.concat(directory))
      directory = []
    }
  }
  return {
    add: (name, content) => {
      copy(name, {
        crc: crc32(content),
        bytes: content.length,
        data: deflateRawSync(content, { level }),
      })
    },
    copy,
    end: () => {
      const start = sink.bytes()
      for (const records of [...packed, ...directory]) sink.write(records)
      sink.write(endOfDirectory(entries, start, sink.bytes() - start))
    },
  }
}

/** @param common what both headers of an entry have: from the method of compression to the length of its extra field */
function directoryRecord(common: Buffer, path: Buffer, place: number): Buffer {
  const isFar = place >= max32
  const head = Buffer.alloc(10)
  head.writeUInt32LE(0x02014b50, 0)
  head.writeUInt16LE(versionMadeBy, 4)
  head.writeUInt16LE(versionNeeded, 6)
  const described = Buffer.from(common)
  const tail = Buffer.alloc(14)
  tail.writeUInt32LE(readableFile >>> 0, 6)
  tail.writeUInt32LE(isFar ? max32 : place, 10)
  if (!isFar) return Buffer.concat([head, described, tail, path])
  const extra = Buffer.alloc(12)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(8, 2)
  extra.writeBigUInt64LE(BigInt(place), 4)
  described.writeUInt16LE(extra.length, 20)
  return Buffer.concat([head, described, tail, path, extra])
}

function endOfDirectory(entries: number, start: number, bytes: number): Buffer {
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(Math.min(entries, max16), 8)
  end.writeUInt16LE(Math.min(entries, max16), 10)
  end.writeUInt32LE(Math.min(bytes, max32), 12)
  end.writeUInt32LE(Math.min(start, max32), 16)
  if (entries < max16 && start < max32 && bytes < max32) return end
  const large = Buffer.alloc(56)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE(versionMadeBy, 12)
  large.writeUInt16LE(versionNeeded, 14)
  large.writeBigUInt64LE(BigInt(entries), 24)
  large.writeBigUInt64LE(BigInt(entries), 32)
  large.writeBigUInt64LE(BigInt(bytes), 40)
  large.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + bytes), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([large, locator, end])
}

/** Days before 1980 are its first. */
function dosDate(day: string): number {
  const [year = 1980, month = 1, date = 1] = day.split('-').map(Number)
  return year < 1980 ? (1 << 5) | 1 : ((year - 1980) << 9) | (month << 5) | date
}
