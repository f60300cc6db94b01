/** Which characters the bytes of a file stand for: UTF-8 or Windows-1252. */

import { isAscii } from 'node:buffer'
import { createReadStream } from 'node:fs'

export type Encoding = 'utf-8' | 'windows-1252'

export const encodingNames: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
}

export interface EncodingOptions {
  readonly file: string
  /** What was asked for; undefined sniffs. */
  readonly wanted: Encoding | undefined
  readonly onBytes: (count: number) => void
}

/**
 * The encoding of a file, from all of its bytes.
 * @throws {Error} if it has none of the two, could have both, or not the one that is wanted
 */
export async function readEncoding({ file, wanted, onBytes }: EncodingOptions): Promise<Encoding> {
  const tally = tallyBytes()
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
    tally.add(chunk as Buffer)
    onBytes((chunk as Buffer).length)
  }
  tally.end()
  const { lines, sequences } = tally
  // Further down it is a character that a line should not have, as others are.
  if (lines.nul === 1) {
    throw new Error(
      `${file}, line 1: it is not text: save it as CSV in UTF-8 (it may be UTF-16, or a workbook)`,
    )
  }
  if (wanted === 'utf-8' && lines.broken !== undefined) {
    throw new Error(`${file}, line ${lines.broken}: it is not UTF-8: give another --encoding`)
  }
  if (lines.broken === undefined && wanted !== 'windows-1252') return 'utf-8'
  if (lines.undefined1252 !== undefined) {
    const sorts = wanted === undefined ? 'neither UTF-8 nor Windows-1252' : 'not Windows-1252'
    throw new Error(`${file}, line ${lines.undefined1252}: it is ${sorts}`)
  }
  if (wanted === undefined && sequences > 0) {
    throw new Error(
      `${file}, line ${lines.broken ?? 1}: it is not UTF-8, though other parts of the file are (the first in line ` +
        `${lines.sequence ?? 1}): mend it, or say which with --encoding`,
    )
  }
  return 'windows-1252'
}

/** The 32 bytes in which Windows-1252 differs from Latin-1; Node's own decoder has got them wrong in some versions. */
const upper =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

/** One byte is one character, so that chunks can be decoded one by one. */
export function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (letter) => upper.charAt(letter.charCodeAt(0) - 128))
}

/** The five bytes that Windows-1252 does not know. */
const unknownBytes = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

interface Tally {
  /** Where something was first seen, from 1. */
  readonly lines: {
    nul?: number
    broken?: number
    undefined1252?: number
    sequence?: number
  }
  /** Characters of several bytes that are right UTF-8. */
  sequences: number
  readonly add: (chunk: Buffer) => void
  readonly end: () => void
}

function tallyBytes(): Tally {
  let line = 1
  /** Of the character under way: bytes still to come, and what the next one may be. */
  let left = 0
  let [low, high] = [0x80, 0xbf]

  const start = (byte: number): void => {
    low = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80
    high = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf
    if (byte >= 0xc2 && byte <= 0xdf) left = 1
    else if (byte >= 0xe0 && byte <= 0xef) left = 2
    else if (byte >= 0xf0 && byte <= 0xf4) left = 3
    else tally.lines.broken ??= line
  }
  const take = (byte: number): void => {
    if (left > 0) {
      if (byte >= low && byte <= high) {
        left--
        low = 0x80
        high = 0xbf
        if (left === 0) {
          tally.sequences++
          tally.lines.sequence ??= line
        }
        return
      }
      left = 0
      tally.lines.broken ??= line
    }
    if (byte >= 0x80) start(byte)
  }
  const tally: Tally = {
    lines: {},
    sequences: 0,
    add: (chunk) => {
      // Most of what prices are in: nothing to be looked at byte for byte.
      if (left === 0 && isAscii(chunk) && !chunk.includes(0)) {
        line += countLineFeeds(chunk)
        return
      }
      for (const byte of chunk) {
        if (byte >= 0x80 || left > 0) {
          take(byte)
          if (unknownBytes.has(byte)) tally.lines.undefined1252 ??= line
        }
        if (byte === 10) line++
        else if (byte === 0) tally.lines.nul ??= line
      }
    },
    end: () => {
      if (left > 0) tally.lines.broken ??= line
    },
  }
  return tally
}

function countLineFeeds(chunk: Buffer): number {
  let count = 0
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count++
  return count
}
