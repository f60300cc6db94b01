/**
 * Writes a ZIP file, and reads one that this file has written. Memory holds an entry's record for the directory, and nothing else:
 * packages for ZIP search all entries for each one, which takes hours with the files of a snapshot of 10,000 funds.
 * Source: PKWARE APPNOTE 6.3.10, with ZIP64.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
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

/** An entry's packed content, as it is in a ZIP of this code. */
export interface Packed {
  /** CRC-32 of the content. */
  readonly crc: number
  /** Length of the content. */
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

export interface PreviousZip {
  /** The entry of a name, or null. Names have to ascend; its bytes are good until the next one is asked for. */
  readonly entry: (name: string) => Packed | null
  readonly close: () => void
}

/**
 * The ZIP of an earlier snapshot, read in the order of the new one: entries come by name, and unchanged ones are copied without
 * being unpacked.
 * @throws {Error} if the file is not such a ZIP
 */
export function openPreviousZip(path: string): PreviousZip {
  const file = openSync(path, 'r')
  try {
    const { start, end } = directoryOf(file)
    const directory = blocks(file)
    const contents = blocks(file)
    let at = start
    const nextName = () => {
      const length = directory(at, headBytes).readUInt16LE(28)
      return directory(at + headBytes, length).toString('latin1')
    }
    let name = at < end ? nextName() : null
    const advance = () => {
      const head = directory(at, headBytes)
      at += headBytes + head.readUInt16LE(28) + head.readUInt16LE(30)
      name = at < end ? nextName() : null
    }
    return {
      entry: (wanted) => {
        while (name !== null && name < wanted) advance()
        if (name !== wanted) return null
        const head = directory(at, headBytes)
        const [crc, packed, bytes] = [head.readUInt32LE(16), head.readUInt32LE(20), head.readUInt32LE(24)]
        const near = head.readUInt32LE(42)
        const length = head.readUInt16LE(28)
        // For an entry beyond 4 GiB the extra field has the place, and nothing else.
        const place =
          near < max32 ? near : Number(directory(at + headBytes + length + 4, 8).readBigUInt64LE())
        return { crc, bytes, data: contents(place + localBytes + length, packed) }
      },
      close: () => {
        closeSync(file)
      },
    }
  } catch (error) {
    closeSync(file)
    throw error
  }
}

const headBytes = 46
const localBytes = 30
const endBytes = 22
const locatorBytes = 20

/** The place of the directory. Source: APPNOTE 4.3.14 to 4.3.16; our files end without a comment. */
function directoryOf(file: number): { readonly start: number; readonly end: number } {
  const read = blocks(file)
  const { size } = fstatSync(file)
  const last = read(size - endBytes, endBytes)
  if (last.readUInt32LE(0) !== 0x06054b50) throw new Error('the file is not a ZIP')
  const [bytes, start] = [last.readUInt32LE(12), last.readUInt32LE(16)]
  const locator = read(size - endBytes - locatorBytes, locatorBytes)
  if (locator.readUInt32LE(0) !== 0x07064b50) return { start, end: start + bytes }
  const large = read(Number(locator.readBigUInt64LE(8)), 56)
  const largeStart = Number(large.readBigUInt64LE(48))
  return { start: largeStart, end: largeStart + Number(large.readBigUInt64LE(40)) }
}

const blockBytes = 1 << 18

/** Reads pieces of a file that mostly follow one another. A piece is good until the next one is asked for. */
function blocks(file: number): (start: number, length: number) => Buffer {
  let block = Buffer.alloc(0)
  let from = 0
  return (start, length) => {
    if (start < from || start + length > from + block.length) {
      const space = Buffer.allocUnsafeSlow(Math.max(length, blockBytes))
      block = space.subarray(0, readSync(file, space, 0, space.length, start))
      from = start
      if (block.length < length) throw new Error('it ends too early')
    }
    return block.subarray(start - from, start - from + length)
  }
}
