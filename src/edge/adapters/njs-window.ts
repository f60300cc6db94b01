/**
 * Cutting and joining windows as bytes. njs takes a millisecond to decode 119 kB, keeps every text until the request
 * ends, and is slow to cut text that is not ASCII: so only dates and keys become text here. Same rules as `../range.ts`.
 *
 * njs 0.7.9 crashes in `Buffer.write` and `Buffer.copy`: they are not used.
 */

import type { Format, Series } from '../../routes/table.ts'
import { windowMarks } from '../range.ts'

/** Which part of a range to make out of some of its windows. */
export interface RangePart {
  /** Days between which the first and the last window of the range are cut; empty where all their records count. */
  readonly from: string
  readonly to: string
  /** Whether the part begins or ends the document. */
  readonly isFirst: boolean
  readonly isLast: boolean
  /** How many records there are in the document before this part. JSON only asks whether there are any. */
  readonly before: number
}

/**
 * @param windows documents of windows that follow each other, one at least; what they hold may be overwritten
 * @returns the bytes between the parts before and after it
 * @throws {Error} if a document is not a window
 */
export function joinBytes(
  format: Format,
  series: Series,
  windows: readonly Buffer[],
  { from, to, isFirst, isLast, before }: RangePart,
): Buffer {
  const { open, close, mark } = windowMarks(format, series)
  const pieces: Buffer[] = []
  let count = before
  windows.forEach((bytes, index) => {
    const isEnd = isLast && index === windows.length - 1
    const { start, end } = listOf(bytes, open, close)
    const first =
      isFirst && index === 0 && from !== ''
        ? find(format, series, bytes, start, end, (date) => date >= from)
        : start
    const after = isEnd && to !== '' ? find(format, series, bytes, first, end, (date) => date > to) : end
    if (isFirst && index === 0) pieces.push(bytes.subarray(0, start))
    if (first < after) {
      if (format === 'json') {
        if (count > 0) pieces.push(comma)
        // The comma after the last record is there if another record followed.
        pieces.push(bytes.subarray(first, bytes[after - 1] === comma[0] ? after - 1 : after))
        count += 1
      } else {
        const renumbered = renumber(bytes.subarray(first, after), mark, count)
        pieces.push(renumbered.bytes)
        count = renumbered.next
      }
    }
    if (isEnd) pieces.push(bytes.subarray(end))
  })
  const [only] = pieces
  const joined = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces)
  return isLast && count === 0 && format === 'xml' ? withoutList(joined, open, close) : joined
}

/** How many records of a window are earlier than a day. @throws {Error} if the document is not a window */
export function recordsBefore(format: Format, series: Series, bytes: Buffer, day: string): number {
  const { open, close, mark } = windowMarks(format, series)
  const { start, end } = listOf(bytes, open, close)
  const first = find(format, series, bytes, start, end, (date) => date >= day)
  let count = 0
  for (let record = start; record >= 0 && record < first; count++) {
    record = bytes.indexOf(mark, record + mark.length)
  }
  return count
}

const comma = Buffer.from(',')

function listOf(
  bytes: Buffer,
  open: string,
  close: string,
): { readonly start: number; readonly end: number } {
  const opened = bytes.indexOf(open)
  const end = bytes.lastIndexOf(close)
  if (opened < 0 || end < opened) throw new Error('not a window')
  return { start: opened + open.length, end }
}

/** Where the first record is whose date the caller looks for; `end` if there is none. Dates ascend. */
function find(
  format: Format,
  series: Series,
  bytes: Buffer,
  start: number,
  end: number,
  isFound: (date: string) => boolean,
): number {
  const { mark } = windowMarks(format, series)
  const tag = '<' + series.date + '>'
  let record = start
  while (record >= 0 && record < end) {
    const date = format === 'json' ? record + mark.length : bytes.indexOf(tag, record) + tag.length
    if (isFound(bytes.toString('utf8', date, date + 10))) return record
    record = bytes.indexOf(mark, date)
  }
  return end
}

/** Room for keys that get longer: up to seven digits. `<item key="0"><d>2020-01-01</d></item>` is the shortest record. */
const keyRoom = 6
const shortestRecord = 37

/** The records of XML with keys from `next` on. Moved inside one buffer: each piece of it would be an object of its own. */
function renumber(
  run: Buffer,
  mark: string,
  next: number,
): { readonly bytes: Buffer; readonly next: number } {
  const room = Math.ceil(run.length / shortestRecord) * keyRoom
  const bytes = Buffer.concat([Buffer.alloc(room), run])
  let to = 0
  let from = room
  let record = bytes.indexOf(mark, from)
  let key = next
  while (record >= 0) {
    const keyAt = record + mark.length
    bytes.copyWithin(to, from, keyAt)
    to += keyAt - from
    const text = String(key)
    for (let digit = 0; digit < text.length; digit++) bytes[to + digit] = text.charCodeAt(digit)
    to += text.length
    key++
    from = bytes.indexOf('"', keyAt)
    record = bytes.indexOf(mark, from)
  }
  bytes.copyWithin(to, from)
  return { bytes: bytes.subarray(0, to + bytes.length - from), next: key }
}

/** An empty list is written as one tag. */
function withoutList(joined: Buffer, open: string, close: string): Buffer {
  const opened = joined.indexOf(open + close)
  const tag = Buffer.from(open.slice(0, -1) + '/>')
  return Buffer.concat([
    joined.subarray(0, opened),
    tag,
    joined.subarray(opened + open.length + close.length),
  ])
}
