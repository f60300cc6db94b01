/**
 * The documents.zip of an earlier night, read along with the new one: entries come in the order of their names, and what
 * of them did not change is copied without being unpacked. It is one of `zip.ts`, of the same version.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { Packed } from './zip.ts'

export interface PreviousZip {
  /** The entry of a name, or null. Names have to ascend; its bytes are good until the next one is asked for. */
  readonly entry: (name: string) => Packed | null
  readonly close: () => void
}

/** @throws {Error} if it is no such ZIP */
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
        // Of an entry beyond 4 GiB the extra field has the place, and nothing else.
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
const max32 = 0xffffffff

/** Where the directory is. Source: APPNOTE 4.3.14 to 4.3.16; our files end without a comment. */
function directoryOf(file: number): { readonly start: number; readonly end: number } {
  const read = blocks(file)
  const { size } = fstatSync(file)
  const last = read(size - endBytes, endBytes)
  if (last.readUInt32LE(0) !== 0x06054b50) throw new Error('it is no ZIP')
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
