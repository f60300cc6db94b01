/**
 * Joins yearly windows to a date range. Every platform uses this code and supplies only the bytes of the windows.
 *
 * Nothing is parsed: records are cut out between marks, and only the item keys of XML are written anew.
 * `api/encode/series.ts` tells why no value can forge a mark.
 */

import type { WindowEntry } from '../../api/routes/keys.ts'
import { seriesMarks } from '../../api/routes/series.ts'
import type { Format, Series } from '../../api/routes/table.ts'
import { placeOfRange, type JoinedBody, type Place, type WindowPart } from './answer.ts'

/** How a runtime searches bytes for ASCII text, and makes text of bytes. Each place is an index, or -1. */
export interface Search<B extends Uint8Array> {
  readonly find: (bytes: B, text: string, from: number) => number
  readonly findLast: (bytes: B, text: string) => number
  readonly text: (bytes: B, from: number, to: number) => string
  /** Any text, in UTF-8. */
  readonly encode: (text: string) => Uint8Array
  /** Room for the records of one window, whatever is in it. */
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
  findLast: (bytes, text) => {
    let at = bytes.length - text.length
    while (at >= 0 && !isAt(bytes, at, text)) at--
    return at
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

const notAWindow = () => new Error('not a window')

/** The records of a window in the bytes at hand. */
export interface Records<B extends Uint8Array> extends Place {
  readonly bytes: B
}

/** Which part of a range is made of the records at hand. */
export interface RangePart {
  /** The days between which the first and the last records are cut; empty if all of them count. */
  readonly from: string
  readonly to: string
  /** What the document has before its first record, and after its last one; null if the part does not begin, or end, it. */
  readonly head: Uint8Array | null
  readonly tail: Uint8Array | null
  /** How many records the document has before this part. */
  readonly before: number
}

/** Joins windows of one series in one format. Each function throws if a document is not a window. */
export function windowJoiner<B extends Uint8Array>(
  { find, findLast, text, encode, alloc }: Search<B>,
  format: Format,
  series: Series,
) {
  const isXml = format === 'xml'
  const isCsv = format === 'csv'
  const { open, close, mark, dated } = seriesMarks(format, series)

  /** The place of the first record whose date the caller looks for, by halves: dates ascend; `end` if there is none. */
  const findRecord = ({ bytes, start, end }: Records<B>, isFound: (date: string) => boolean): number => {
    let low = start
    let high = end
    let found = end
    while (low < high) {
      const middle = high - low > worthHalving ? (low + high) >> 1 : low
      const record = find(bytes, mark, middle)
      if (record < 0 || record >= high) high = middle
      else {
        const at = isXml ? find(bytes, dated, record) + dated.length : record + mark.length
        if (!isFound(text(bytes, at, at + 10))) low = record + mark.length
        else {
          found = record
          // Between the middle and the record begins no other one.
          high = middle
        }
      }
    }
    return found
  }
  const firstFrom = (run: Records<B>, day: string) => findRecord(run, (date) => date >= day)
  const firstAfter = (run: Records<B>, day: string) => findRecord(run, (date) => date > day)
  /** The keys of a window count from 0: how many of its records are before this one. */
  const keyOf = (bytes: B, record: number) => {
    const at = record + mark.length
    return Number(text(bytes, at, find(bytes, '"', at)))
  }
  /** A copy of XML records, with keys from `key` on. @returns also the next key */
  const renumbered = (run: Records<B>, key: number) => {
    const length = run.end - run.start
    // Room for longer keys: the records move from the end of the array to its begin.
    const room = Math.ceil(length / shortestRecord) * keyRoom
    const bytes = alloc(room + length)
    bytes.set(run.bytes.subarray(run.start, run.end), room)
    let records = key
    let old = keyOf(bytes, room)
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
      record = find(bytes, mark, from)
    }
    bytes.copyWithin(moved, from)
    return { bytes: bytes.subarray(0, moved + bytes.length - from), records }
  }

  /** Else the offsets are those of another document, and would cut records in two. */
  const isBetweenRecords = ({ bytes, start, end }: Records<B>): boolean => {
    const isAt = (at: number, what: string) => text(bytes, at, at + what.length) === what
    return (
      (start === end || isAt(start, mark)) && (end === bytes.length || isAt(end, mark) || isAt(end, close))
    )
  }

  /** @param before how many records there are already @returns how many there are then; for JSON and CSV only whether there are any */
  const pushRecords = (pieces: Uint8Array[], { bytes, start, end }: Records<B>, before: number): number => {
    if (isXml) {
      const numbered = renumbered({ bytes, start, end }, before)
      pieces.push(numbered.bytes)
      return numbered.records
    }
    if (before > 0 && !isCsv) pieces.push(comma)
    // In JSON, a comma follows the last record if another record followed it.
    const isBeforeComma = !isCsv && bytes[end - 1] === comma[0]
    pieces.push(bytes.subarray(start, isBeforeComma ? end - 1 : end))
    return before + 1
  }

  /**
   * The same as `join`, before it is one array.
   * @returns `pieces`: parts of the windows, what stands around them, and at most one array of `alloc`
   */
  const joinPieces = (
    run: Records<B>,
    { from, to, head, tail, before }: RangePart,
  ): { readonly pieces: readonly Uint8Array[]; readonly records: number } => {
    if (!isBetweenRecords(run)) throw notAWindow()
    const { bytes, start, end } = run
    const pieces: Uint8Array[] = head === null ? [] : [head]
    const first = from === '' ? start : firstFrom(run, from)
    const after = to === '' ? end : firstAfter({ bytes, start: first, end }, to)
    const records = first < after ? pushRecords(pieces, { bytes, start: first, end: after }, before) : before
    if (tail !== null) pieces.push(tail)
    if (records > 0 || !isXml || head === null || tail === null) return { pieces, records }
    // XML writes an empty list as one tag.
    const tag = encode('<' + series.list + '/>')
    return { pieces: [head.subarray(0, -open.length), tag, tail.subarray(close.length)], records }
  }

  return {
    joinPieces,
    /** Where a whole window's records lie. */
    recordsIn: (bytes: B): Records<B> => {
      const opened = find(bytes, open || mark, 0)
      const end = findLast(bytes, close)
      const start = opened + open.length
      if (opened < 0 || end < start) throw notAWindow()
      return { bytes, start, end }
    },
    /**
     * @param run of one window
     * @returns `records`: how many the document has up to the end of this part; for JSON and CSV only whether there are any
     */
    join: (run: Records<B>, part: RangePart) => {
      const { pieces, records } = joinPieces(run, part)
      return { bytes: concat(pieces), records }
    },
  }
}

/** A key has at most seven digits, so it grows by six. The shortest record: `<item key="0"><d>2020-01-01</d></item>`. */
const keyRoom = 6
/** A shorter piece, in bytes, is searched record by record. */
const worthHalving = 1000
const shortestRecord = 37
const quote = 0x22

/** Copies pieces into one array. */
export function concat(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(lengthOf(pieces))
  let at = 0
  pieces.forEach((piece) => {
    all.set(piece, at)
    at += piece.length
  })
  return all
}

const lengthOf = (pieces: readonly Uint8Array[]) => pieces.reduce((length, piece) => length + piece.length, 0)

const comma = /* @__PURE__ */ new Uint8Array([0x2c])

export interface JoinOptions {
  /** How many windows may be read at a time, at least one; asked before each read. */
  readonly readsAtATime: () => number
  /** Rejects if what was read just now may belong to another snapshot. */
  readonly assertLive: () => Promise<void>
  /** Waits until there is time for the next window: others may be busy too. */
  readonly turn?: () => Promise<void>
  /** A faster search than that of all platforms. */
  readonly search?: Search<Uint8Array>
}

/**
 * Joins a range window by window. A window is given out only after `assertLive` has confirmed that the snapshot was still live
 * when the window had been read, so no answer mixes two snapshots. Rejects if the first window cannot be read.
 */
export async function joinRange<S>(
  { windows, around, get, range }: JoinedBody<S>,
  bytesOf: (stored: S) => Promise<Uint8Array>,
  { readsAtATime, assertLive, turn, search = byteSearch }: JoinOptions,
) {
  const { from, to, wanted, route } = range
  const { format } = wanted
  const { series } = route
  const last = windows.length - 1
  if (series === undefined || last < 0) throw new Error('no windows: ' + route.path)

  const joiner = windowJoiner(search, format, series)
  const runOf = async (part: Promise<WindowPart<S>>): Promise<Records<Uint8Array>> => {
    const { body, records } = await part
    const bytes = body === null ? new Uint8Array(0) : await bytesOf(body)
    if (records !== null || body === null) return Object.assign({ bytes, start: 0, end: 0 }, records)
    return joiner.recordsIn(bytes)
  }
  /** What is being read or has been taken, by index. */
  const reads: (Promise<Records<Uint8Array>> | 'taken' | undefined)[] = []
  const take = async (index: number): Promise<Records<Uint8Array>> => {
    // The window before it may still be on its way to the client: it counts, too.
    const atATime = index === 0 ? readsAtATime() : Math.max(readsAtATime() - 1, 1)
    for (let ahead = index; ahead < Math.min(index + atATime, last + 1); ahead++) {
      if (reads[ahead] !== undefined) continue
      const read = runOf(get(windows[ahead] as WindowEntry))
      // It is awaited later: until then nobody would handle its failure.
      read.catch(() => undefined)
      reads[ahead] = read
    }
    const run = await (reads[index] as Promise<Records<Uint8Array>>)
    reads[index] = 'taken'
    await assertLive()
    return run
  }
  const join = (run: Records<Uint8Array>, index: number, before: number) => {
    const { bytes, start, end } = run
    const { first, last: newest, records } = windows[index] as WindowEntry
    const [isFirst, isLast] = [index === 0, index === last]
    const joined = joiner.joinPieces(run, {
      from: isFirst && first < from ? from : '',
      to: isLast && to < newest ? to : '',
      head: !isFirst ? null : around === null ? bytes.subarray(0, start) : search.encode(around.head),
      tail: !isLast ? null : around === null ? bytes.subarray(end) : search.encode(around.tail),
      before,
    })
    if (format === 'xml' && !isFirst && !isLast && joined.records !== before + records) throw notAWindow()
    return joined
  }

  const first = await take(0)
  const opening = join(first, 0, 0)
  if (opening.records === 0 && last > 0) throw new Error('the window list and the windows differ')
  /** What the windows of a fund have in common: all but their records. */
  const common = first.bytes.length - (first.end - first.start)
  const sizeOfRecords = (window: WindowEntry, sizeOf: (window: WindowEntry) => number) => {
    const place = around && placeOfRange(window, range)
    return place === null ? sizeOf(window) - common : place.end - place.start
  }
  const before = [0, opening.records]
  for (let index = 1; index < last; index++)
    before.push((before[index] as number) + (windows[index] as WindowEntry).records)

  const headLength = lengthOf(opening.pieces)
  /** What was joined before its turn: the first part, and perhaps the last. Nothing is held that has been given out. */
  const early: (Promise<readonly Uint8Array[]> | undefined)[] = [Promise.resolve(opening.pieces)]
  const joinAt = async (index: number) => join(await take(index), index, before[index] as number).pieces
  return {
    /**
     * How many bytes there will be, to be asked once. To tell, the last window is read before its turn.
     * @param sizeOf the size of a window's document, in bytes; asked only if the window list is of an earlier version
     */
    length: async (sizeOf: (window: WindowEntry) => number) => {
      if (last === 0) return headLength
      early[last] = joinAt(last)
      const length = lengthOf(await early[last])
      return windows.slice(1, last).reduce((sum, window, index) => {
        const key = before[index + 1] as number
        const { records } = window
        const added =
          format === 'xml' ? digitsOf(key, records) - digitsOf(0, records) : format === 'csv' ? 0 : 1
        return sum + sizeOfRecords(window, sizeOf) + added
      }, headLength + length)
    },
    /** To be read once. Throws if a window cannot be read. `alloc` is asked again only for the chunks of the next window. */
    async *chunks(): AsyncGenerator<Uint8Array, void> {
      for (let index = 0; index <= last; index++) {
        if (index > 0 && turn !== undefined) await turn()
        const pieces = early[index] || joinAt(index)
        early[index] = undefined
        yield* await pieces
      }
    },
  }
}

/** How many decimal digits the numbers from `first` on have together. */
export function digitsOf(first: number, count: number): number {
  let digits = count
  for (let power = 10; power < first + count; power *= 10) digits += first + count - Math.max(first, power)
  return digits
}
