/** CSV as lines of cells: its encoding (UTF-8, UTF-16 or Windows-1252), its delimiter, and reading it without holding it. */

import { isAscii, isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { parse, type CsvError, type Options } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { readStart } from '../../system/read-start.ts'
import type { CellLines, LineVisitor } from './layout.ts'

const delimiters = [';', ',', '\t'] as const
export type Delimiter = (typeof delimiters)[number]

/** The header must lie within this. */
const headerBytes = 1 << 18
const lineCharacters = 1 << 20

/** A first line that tells Excel the delimiter: `sep=;`. */
const delimiterHint = /^\ufeff?"?sep=([;,\t])"?(?:\r\n|\n|\r|$)/i

/**
 * @param asked for; undefined sniffs @param isName whether a cell of the header names a column
 * @throws {Error} if the file is empty, or its first line cannot be read
 */
export function openCsv(
  file: string,
  encoding: Encoding,
  asked: Delimiter | undefined,
  isName: (text: string) => boolean,
): CellLines {
  const whole = decoderOf(encoding)(readStart(file, headerBytes))
  const [hint = '', hinted] = delimiterHint.exec(whole) ?? []
  const hasHint = hint !== ''
  const start = whole.slice(hint.length)
  const wanted = asked ?? (hinted as Delimiter | undefined)
  const tries = (wanted === undefined ? delimiters : [wanted]).map((delimiter) => {
    const { header, error } = firstLine(start, delimiter)
    return { delimiter, header, error, known: header.filter(isName).length }
  })
  // The first that knows most names, or else has most cells.
  const { delimiter, header, error } = tries.reduce((one, other) =>
    (other.known - one.known || other.header.length - one.header.length) > 0 ? other : one,
  )
  // With the wrong delimiter, a quotation mark may be in the middle of a cell.
  if (error !== undefined) throw new Error(`${file}, line 1: it cannot be read as CSV`, { cause: error })
  if (header.length === 0) throw new Error(`${file} is empty`)
  const blank = /^\ufeff?((?:\r\n|\n|\r)*)/.exec(start)?.[1]?.match(lineBreak)?.length ?? 0
  const shown = delimiter === '\t' ? 'tab' : delimiter
  return {
    header,
    headerLine: (hasHint ? 2 : 1) + blank,
    form: `${encodingNames[encoding]}, delimiter ${shown}${hasHint ? ' (line 1 is sep=)' : ''}`,
    read: (visitor) => readLines(file, encoding, delimiter, hasHint ? 2 : 1, visitor),
  }
}

const lineBreak = /\r\n|\n|\r/g

function options(delimiter: Delimiter): Options {
  return {
    bom: true,
    delimiter,
    max_record_size: lineCharacters,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
  }
}

function firstLine(start: string, delimiter: Delimiter): { header: readonly string[]; error?: unknown } {
  try {
    return { header: parseSync(start, { ...options(delimiter), to: 1 })[0] ?? [] }
  } catch (error) {
    return { header: [], error }
  }
}

/** @param headLines lines of cells that are not given to the visitor */
async function readLines(
  file: string,
  encoding: Encoding,
  delimiter: Delimiter,
  headLines: number,
  visitor: LineVisitor,
): Promise<void> {
  const counter = lineCounter()
  let left = headLines
  let lastBroken = 0
  const parser = parse({
    ...options(delimiter),
    on_record: (cells: string[], { lines }) => {
      const line = counter.firstLineOf(cells, lines)
      if (left > 0) left--
      // Spreadsheets write an empty line as delimiters only.
      else if (cells.some((cell) => cell !== '')) visitor.line(cells, line)
      return null
    },
    // Reading goes on only if the end of the line can still be found.
    skip_records_with_error: true,
    on_skip: (error) => {
      const line = counter.lineNow(error)
      if (error?.code !== 'INVALID_OPENING_QUOTE') throw unreadable(file, line, error)
      // A line with several broken cells is one bad line.
      if (line !== lastBroken)
        visitor.broken('a quotation mark inside a cell that is not in quotation marks itself', line)
      lastBroken = line
    },
  })
  await pipeline(decodedChunks(file, encoding, visitor.bytes), parser.resume())
}

async function* decodedChunks(file: string, encoding: Encoding, onBytes: LineVisitor['bytes']) {
  const decode = decoderOf(encoding)
  // The parser decodes UTF-8 itself.
  for await (const chunk of chunksOf(file, onBytes)) yield encoding === 'utf-8' ? chunk : decode(chunk)
}

async function* chunksOf(file: string, onBytes: LineVisitor['bytes']): AsyncGenerator<Buffer> {
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    onBytes(chunk.length)
    yield chunk
  }
}

const unreadableReasons: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'text after a closing quotation mark: inside a cell it is written twice',
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark that is never closed',
  CSV_MAX_RECORD_SIZE: `a line of more than ${lineCharacters} characters: a quotation mark before it is never closed`,
}

function unreadable(file: string, line: number, error: CsvError | undefined): Error {
  const reason = unreadableReasons[error?.code ?? ''] ?? 'it cannot be read as CSV'
  const message = `${file}, line ${line}: ${reason}; so the beginning of the next line cannot be found`
  return new Error(message, { cause: error })
}

/** The parser gives the last line of a record, and counts a CR LF inside a cell as two lines. */
function lineCounter() {
  let previous = 0
  let twice = 0
  return {
    firstLineOf: (cells: readonly string[], counted: number): number => {
      const end = counted - twice
      // Most records are one line: there is nothing to count.
      if (end === previous + 1) {
        previous = end
        return end
      }
      const breaks = cells.flatMap((cell) => cell.match(lineBreak) ?? [])
      const pairs = breaks.filter((each) => each === '\r\n').length
      twice += pairs
      previous = end - pairs
      return previous - breaks.length
    },
    lineNow: (error: CsvError | undefined): number => Number(error?.['lines'] ?? 0) - twice,
  }
}

const encodingNames = {
  'utf-8': 'UTF-8',
  'windows-1252': 'Windows-1252',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
} as const
export type Encoding = keyof typeof encodingNames

/**
 * The encoding of a file, from all of its bytes.
 * @param wanted the encoding that was asked for; undefined sniffs
 * @throws {Error} if it has none of them, could have several, or not the one that is wanted
 */
export async function readEncoding(
  file: string,
  wanted: Encoding | undefined,
  onBytes: (count: number) => void,
): Promise<Encoding> {
  const wide = wideEncodingOf(file)
  if (wide !== undefined && wanted !== undefined)
    throw new Error(`${file}, line 1: it is UTF-16: leave --encoding out`)
  if (wide !== undefined) return readWide(file, wide, onBytes)
  const { nul, broken, undefined1252, sequence } = await lookAtBytes(file, onBytes)
  const refusal = (line: number, what: string) => new Error(`${file}, line ${line}: it is ${what}`)
  // Further down a NUL is a character that a line should not have, like others.
  if (nul === 1)
    throw refusal(1, 'not text: save it as CSV in UTF-8 (it may be UTF-16 without a mark, or a workbook)')
  if (wanted === 'utf-8' && broken !== undefined) throw refusal(broken, 'not UTF-8: give another --encoding')
  if (broken === undefined && wanted !== 'windows-1252') return 'utf-8'
  const sorts = wanted === undefined ? 'neither UTF-8 nor Windows-1252' : 'not Windows-1252'
  if (undefined1252 !== undefined) throw refusal(undefined1252, sorts)
  const others = `though other parts of the file are (the first in line ${sequence})`
  if (wanted === undefined && sequence !== undefined)
    throw refusal(broken ?? 1, `not UTF-8, ${others}: fix it, or name the encoding with --encoding`)
  return 'windows-1252'
}

/** UTF-16 is known by the mark at its beginning, as Excel writes it (Unicode text). */
function wideEncodingOf(file: string): 'utf-16le' | 'utf-16be' | undefined {
  const mark = readStart(file, 2).toString('hex')
  return mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : undefined
}

/** @throws {Error} that names the line of a broken character, which is decoded to U+FFFD */
async function readWide<Wide extends Encoding>(
  file: string,
  encoding: Wide,
  onBytes: (count: number) => void,
): Promise<Wide> {
  const decoder = new TextDecoder(encoding)
  let line = 1
  const look = (text: string): void => {
    const broken = /[\0\ufffd]/.exec(text)
    const before = broken === null ? text : text.slice(0, broken.index)
    line += before.split('\n').length - 1
    if (broken !== null) throw new Error(`${file}, line ${line}: it is not UTF-16, as its first bytes say`)
  }
  for await (const chunk of chunksOf(file, onBytes)) look(decoder.decode(chunk, { stream: true }))
  look(decoder.decode())
  return encoding
}

/** Decodes a file, one piece after the other. */
function decoderOf(encoding: Encoding): (bytes: Buffer) => string {
  if (encoding === 'windows-1252') return decodeWindows1252
  const decoder = new TextDecoder(encoding)
  return (bytes) => decoder.decode(bytes, { stream: true })
}

/** The 32 bytes in which Windows-1252 differs from Latin-1; Node's own decoder has got them wrong in some versions. */
const upper =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178'

/** One byte is one character, so that chunks can be decoded one by one. */
function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\u0080-\u009f]/g, (letter) => upper.charAt(letter.charCodeAt(0) - 128))
}

/** The five bytes that Windows-1252 does not know. */
const unknownBytes = new Set([0x81, 0x8d, 0x8f, 0x90, 0x9d])

/**
 * The lines, from 1, in which something is first seen: `broken` is not UTF-8, `sequence` a character of several bytes that
 * is right UTF-8.
 */
async function lookAtBytes(file: string, onBytes: (count: number) => void) {
  const seen: Partial<Record<'nul' | 'broken' | 'undefined1252' | 'sequence', number>> = {}
  let line = 1
  const lookAtLine = (bytes: Buffer): void => {
    if (bytes.includes(0)) seen.nul ??= line
    if (isAscii(bytes)) return
    if (bytes.some((byte) => unknownBytes.has(byte))) seen.undefined1252 ??= line
    const isWhole = isUtf8(bytes)
    if (!isWhole) seen.broken ??= line
    // U+FFFD is what a broken character is decoded to.
    const hasRight = isWhole || /[^\0-\x7f\ufffd]/.test(bytes.toString()) || bytes.includes('\ufffd')
    if (hasRight) seen.sequence ??= line
  }
  const look = (bytes: Buffer): void => {
    // Most files of prices are ASCII: there is nothing to look at line by line.
    const isPlain = isAscii(bytes) && !bytes.includes(0)
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      if (!isPlain) lookAtLine(bytes.subarray(start, end))
      line++
      start = end + 1
    }
    if (!isPlain) lookAtLine(bytes.subarray(start))
  }
  let rest = Buffer.alloc(0)
  for await (const chunk of chunksOf(file, onBytes)) {
    const bytes = Buffer.concat([rest, chunk])
    // The last character may be cut: it begins at the last byte that does not continue another one. It has at most four.
    const start = Math.max(0, bytes.length - 4)
    const last = bytes.subarray(start).findLastIndex((byte) => (byte & 0xc0) !== 0x80)
    const cut = last < 0 ? bytes.length : start + last
    look(bytes.subarray(0, cut))
    rest = bytes.subarray(cut)
  }
  look(rest)
  return seen
}
