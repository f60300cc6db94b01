/**
 * Writes a ZIP file, and reads one that this file has written. Memory holds an entry's record for the directory, and nothing else:
 * packages for ZIP search all entries for each one, which takes hours with the files of a snapshot of 10,000 funds.
 * Source: PKWARE APPNOTE 6.3.10, with ZIP64.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32, deflateRawSync } from 'node:zlib'
import type { FileSink } from './file-sink.ts'

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
const readableFile = 0o100644 * 2 ** 16
const max16 = 0xffff
const max32 = 0xffffffff

/** A record of numbers, the lowest byte first. @param sizes the bytes of each, a digit each */
function pack(sizes: string, ...values: readonly number[]): Buffer {
  const record = Buffer.alloc(8 * sizes.length)
  let at = 0
  for (const [index, value] of values.entries()) {
    const size = Number(sizes[index])
    if (size === 8) record.writeBigUInt64LE(BigInt(value), at)
    else record.writeUIntLE(value, at, size)
    at += size
  }
  return record.subarray(0, at)
}

/** @param day the time of every entry is its midnight, ISO 8601, from 1980 on */
export function zipInto(sink: FileSink, day: string) {
  const date = dosDate(day)
  let directory: Buffer[] = []
  /** The directory so far, in large pieces: a buffer for each of a million entries takes twice the memory. */
  const packed: Buffer[] = []
  let entries = 0
  /** Adds an entry that is packed already. */
  const copy = (name: string, { crc, bytes, data }: Packed) => {
    const place = sink.bytes()
    const path = Buffer.from(name)
    // What both headers of an entry have, from the version to the length of the name.
    const sizes = [crc, data.length, bytes, path.length] as const
    const common = pack('222224442', versionNeeded, 0, deflated, 0, date, ...sizes)
    for (const part of [pack('4', 0x04034b50), common, pack('2', 0), path, data]) sink.write(part)
    const isFar = place >= max32
    const extra = isFar ? pack('228', 1, 8, place) : Buffer.alloc(0)
    const head = pack('42', 0x02014b50, versionMadeBy)
    const tail = pack('222244', extra.length, 0, 0, 0, readableFile, isFar ? max32 : place)
    directory.push(head, common, tail, path, extra)
    entries++
    if (entries % 1024 === 0) {
      packed.push(Buffer.concat(directory))
      directory = []
    }
  }
  return {
    /** @param name ASCII, with slashes */
    add: (name: string, content: Uint8Array) => {
      copy(name, { crc: crc32(content), bytes: content.length, data: deflateRawSync(content, { level }) })
    },
    copy,
    /** Writes the directory. */
    end: () => {
      const start = sink.bytes()
      for (const records of [...packed, ...directory]) sink.write(records)
      sink.write(endOfDirectory(entries, start, sink.bytes() - start))
    },
  }
}

function endOfDirectory(entries: number, start: number, bytes: number): Buffer {
  const count = Math.min(entries, max16)
  const [shownBytes, shownStart] = [Math.min(bytes, max32), Math.min(start, max32)]
  const end = pack('42222442', 0x06054b50, 0, 0, count, count, shownBytes, shownStart, 0)
  if (entries < max16 && start < max32 && bytes < max32) return end
  const versions = [versionMadeBy, versionNeeded] as const
  const large = pack('4822448888', 0x06064b50, 44, ...versions, 0, 0, entries, entries, bytes, start)
  return Buffer.concat([large, pack('4484', 0x07064b50, 0, start + bytes, 1), end])
}

/** Days before 1980 are its first. */
function dosDate(day: string): number {
  const [year = 1980, month = 1, date = 1] = day.split('-').map(Number)
  return year < 1980 ? (1 << 5) | 1 : ((year - 1980) << 9) | (month << 5) | date
}

export type PreviousZip = ReturnType<typeof openPreviousZip>

/**
 * The ZIP of an earlier snapshot, read in the order of the new one: entries come by name, and unchanged ones are copied without
 * being unpacked.
 * @throws {Error} if the file is not such a ZIP
 */
export function openPreviousZip(path: string) {
  const file = openSync(path, 'r')
  try {
    const { start, end } = directoryOf(file)
    const directory = blocks(file)
    const contents = blocks(file)
    let at = start
    const nameHere = () => {
      if (at >= end) return null
      const length = directory(at, headBytes).readUInt16LE(28)
      return directory(at + headBytes, length).toString('latin1')
    }
    let name = nameHere()
    const advance = () => {
      const head = directory(at, headBytes)
      at += headBytes + head.readUInt16LE(28) + head.readUInt16LE(30)
      name = nameHere()
    }
    return {
      /** The entry of a name, or null. Names have to ascend; its bytes are good until the next one is asked for. */
      entry: (wanted: string): Packed | null => {
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
