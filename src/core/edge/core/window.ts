/**
 * Cuts records out of yearly windows, whose bytes are never parsed: records lie between marks, and only the item keys of XML are
 * written anew. `api/encode/series.ts` explains why no value can forge a mark.
 */

import { seriesMarks } from '../../api/routes/series.ts'
import type { Format, Series } from '../../api/routes/table.ts'

/** A runtime's search for ASCII text in bytes, and its conversions. A place is an index, or -1. */
export interface Search<B extends Uint8Array> {
  readonly find: (bytes: B, text: string, from: number) => number
  readonly text: (bytes: B, from: number, to: number) => string
  /** Any text, in UTF-8. */
  readonly encode: (text: string) => Uint8Array
  /** Room for the records of one window, with any content. */
  readonly alloc: (length: number) => B
}

/** Searches for the last byte of a text, which runtimes do fast, and compares the others. */
export const byteSearch: Search<Uint8Array> = {
  find: (bytes, text, from) => {
    const last = text.length - 1
    const byte = text.charCodeAt(last)
    let at = bytes.indexOf(byte, from + last)
    while (at >= 0 && !isAt(bytes, at - last, text)) at = bytes.indexOf(byte, at + 1)
    return at < 0 ? -1 : at - last
  },
  text: (bytes, from, to) => {
    let text = ''
    for (let at = from; at < to; at++) text += String.fromCharCode(bytes[at] as number)
    return text
  },
  encode: (text) => {
    const escaped = encodeURIComponent(text)
    const bytes: number[] = []
    for (let at = 0; at < escaped.length; at++) {
      const isEscape = escaped.charAt(at) === '%'
      bytes.push(isEscape ? parseInt(escaped.slice(at + 1, at + 3), 16) : escaped.charCodeAt(at))
      if (isEscape) at += 2
    }
    return new Uint8Array(bytes)
  },
  alloc: (length) => new Uint8Array(length),
}

function isAt(bytes: Uint8Array, at: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false
  }
  return true
}

interface WindowKind<B extends Uint8Array> extends ReturnType<typeof seriesMarks> {
  readonly search: Search<B>
  readonly format: Format
  readonly list: string
}

export const windowKind = <B extends Uint8Array>(
  search: Search<B>,
  format: Format,
  series: Series,
): WindowKind<B> => Object.assign({ search, format, list: series.list }, seriesMarks(format, series))

/** `end` is not included. */
export interface Place {
  readonly start: number
  readonly end: number
}

export interface Records<B extends Uint8Array> extends Place {
  readonly bytes: B
}

interface RangePart {
  /** The days between which the first and the last records are cut; empty for no cut. */
  readonly from: string
  readonly to: string
  /** The document before its first record, and after its last one; null if the part does not begin, or end, the document. */
  readonly head: Uint8Array | null
  readonly tail: Uint8Array | null
  /** Number of records in the document before this part. */
  readonly before: number
}

export const notAWindow = () => new Error('not a window')

/**
 * Makes a part of a range from the records of one window.
 * @returns `pieces`: parts of the window, head and tail, and at most one array of `alloc`; `records`: number of records up to the end
 * of this part, for JSON and CSV only zero or not
 * @throws {Error} if the bytes are not those of a window
 */
export function cutRecords<B extends Uint8Array>(
  kind: WindowKind<B>,
  run: Records<B>,
  { from, to, head, tail, before }: RangePart,
): { readonly pieces: readonly Uint8Array[]; readonly records: number } {
  if (!isBetweenRecords(kind, run)) throw notAWindow()
  const { bytes, start, end } = run
  const pieces: Uint8Array[] = head === null ? [] : [head]
  const first = from === '' ? start : findRecord(kind, run, (date) => date >= from)
  const rest = { bytes, start: first, end }
  const after = to === '' ? end : findRecord(kind, rest, (date) => date > to)
  const records =
    first < after ? pushRecords(kind, pieces, { bytes, start: first, end: after }, before) : before
  if (tail !== null) pieces.push(tail)
  if (records > 0 || kind.format !== 'xml' || head === null || tail === null) return { pieces, records }
  const { open, close, list, search } = kind
  const tag = search.encode('<' + list + '/>')
  return { pieces: [head.subarray(0, -open.length), tag, tail.subarray(close.length)], records }
}

/** Checks the offsets: those of another document would cut records in two. */
function isBetweenRecords<B extends Uint8Array>(
  { search, mark, close }: WindowKind<B>,
  { bytes, start, end }: Records<B>,
): boolean {
  const has = (at: number, what: string) => search.text(bytes, at, at + what.length) === what
  return (start === end || has(start, mark)) && (end === bytes.length || has(end, mark) || has(end, close))
}

/** Finds the first record whose date is wanted, by halves: dates ascend. @returns its place, or `end` */
function findRecord<B extends Uint8Array>(
  { search, format, mark, dated }: WindowKind<B>,
  { bytes, start, end }: Records<B>,
  isWanted: (date: string) => boolean,
): number {
  let low = start
  let high = end
  let found = end
  while (low < high) {
    const middle = high - low > worthHalving ? (low + high) >> 1 : low
    const record = search.find(bytes, mark, middle)
    if (record < 0 || record >= high) high = middle
    else {
      const at = format === 'xml' ? search.find(bytes, dated, record) + dated.length : record + mark.length
      if (!isWanted(search.text(bytes, at, at + 10))) low = record + mark.length
      else {
        found = record
        high = middle
      }
    }
  }
  return found
}

/** @returns the number of records; for JSON and CSV only zero or not */
function pushRecords<B extends Uint8Array>(
  kind: WindowKind<B>,
  pieces: Uint8Array[],
  run: Records<B>,
  before: number,
): number {
  const { bytes, start, end } = run
  if (kind.format === 'xml') {
    const numbered = renumbered(kind, run, before)
    pieces.push(numbered.bytes)
    return numbered.records
  }
  const isCsv = kind.format === 'csv'
  if (before > 0 && !isCsv) pieces.push(comma)
  // In JSON, a comma follows the last record if another record followed it.
  const isBeforeComma = !isCsv && bytes[end - 1] === comma[0]
  pieces.push(bytes.subarray(start, isBeforeComma ? end - 1 : end))
  return before + 1
}

/** A copy of XML records, with keys from `key` on. @returns `records`: the next key */
function renumbered<B extends Uint8Array>(
  { search, mark }: WindowKind<B>,
  run: Records<B>,
  key: number,
): { readonly bytes: Uint8Array; readonly records: number } {
  const length = run.end - run.start
  // Room for longer keys: the records move from the end of the array to its begin.
  const room = Math.ceil(length / shortestRecord) * keyRoom
  const bytes = search.alloc(room + length)
  bytes.set(run.bytes.subarray(run.start, run.end), room)
  const firstKey = room + mark.length
  let old = Number(search.text(bytes, firstKey, search.find(bytes, '"', firstKey)))
  let records = key
  let from = room
  let record = room
  let moved = 0
  while (record >= 0) {
    const keyAt = record + mark.length
    bytes.copyWithin(moved, from, keyAt)
    moved += keyAt - from
    from = keyAt + String(old).length
    if (bytes[from] !== quote) throw notAWindow()
    const digits = String(records)
    for (let digit = 0; digit < digits.length; digit++) bytes[moved + digit] = digits.charCodeAt(digit)
    moved += digits.length
    records++
    old++
    record = search.find(bytes, mark, from)
  }
  bytes.copyWithin(moved, from)
  return { bytes: bytes.subarray(0, moved + bytes.length - from), records }
}

/** A key has at most seven digits, so it grows by six. The shortest record: `<item key="0"><d>2020-01-01</d></item>`. */
const keyRoom = 6
const shortestRecord = 37
/** Limit in bytes: a shorter piece is searched record by record. */
const worthHalving = 1000
const quote = 0x22
const comma = /* @__PURE__ */ new Uint8Array([0x2c])
