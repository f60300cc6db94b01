/** Joins yearly windows to a date range, for every platform. */

import type { WindowEntry } from '../../api/routes/keys.ts'
import type { Format } from '../../api/routes/table.ts'
import type { JoinedBody } from './answer.ts'
import { placeOfRange } from './answer.ts'
import { byteSearch, cutRecords, notAWindow, windowKind, type Records, type Search } from './window.ts'

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

export interface JoinOptions {
  /** Limit of windows at a time, at least one; asked before each read. */
  readonly readsAtATime: () => number
  /** Rejects if the last read may belong to another snapshot. */
  readonly assertLive: () => Promise<void>
  /** Waits for time for the next window: other requests may be busy. */
  readonly turn?: () => Promise<void>
  readonly search?: Search<Uint8Array>
}

/**
 * Joins a range window by window. A window is given out only after `assertLive` has confirmed that the snapshot was still live
 * after the read, so no answer mixes two snapshots. Rejects if the first window cannot be read.
 */
export async function joinRange<S>(
  body: JoinedBody<S>,
  bytesOf: (stored: S) => Promise<Uint8Array>,
  options: JoinOptions,
) {
  const { windows, around, range } = body
  const { format } = range.wanted
  const { series } = range.route
  const last = windows.length - 1
  if (series === undefined || last < 0) throw new Error('no windows: ' + range.route.path)
  const { turn, search = byteSearch } = options
  const kind = windowKind(search, format, series)
  const take = windowReader(body, bytesOf, options)

  const join = (run: Records<Uint8Array>, index: number, before: number) => {
    const { first, last: newest, records } = windows[index] as WindowEntry
    const isFirst = index === 0
    const isLast = index === last
    const joined = cutRecords(kind, run, {
      from: isFirst && first < range.from ? range.from : '',
      to: isLast && range.to < newest ? range.to : '',
      head: isFirst ? search.encode(around.head) : null,
      tail: isLast ? search.encode(around.tail) : null,
      before,
    })
    if (format === 'xml' && !isFirst && !isLast && joined.records !== before + records) throw notAWindow()
    return joined
  }

  const opening = join(await take(0), 0, 0)
  if (opening.records === 0 && last > 0) throw new Error('the window list and the windows differ')
  const before = [0, opening.records]
  for (let index = 1; index < last; index++)
    before.push((before[index] as number) + (windows[index] as WindowEntry).records)

  const headLength = lengthOf(opening.pieces)
  /** Parts that were joined before their turn: the first, and perhaps the last. Parts that were given out are dropped. */
  const early: (Promise<readonly Uint8Array[]> | undefined)[] = [Promise.resolve(opening.pieces)]
  const joinAt = async (index: number) => join(await take(index), index, before[index] as number).pieces
  return {
    /** Length of all chunks; call once. It reads the last window before its turn. */
    length: async () => {
      if (last === 0) return headLength
      early[last] = joinAt(last)
      const tailLength = lengthOf(await early[last])
      return windows.slice(1, last).reduce((sum, window, index) => {
        const { start, end } = placeOfRange(window, range)
        return sum + end - start + addedBytes(format, window.records, before[index + 1] as number)
      }, headLength + tailLength)
    },
    /** To be read once. Throws if a window cannot be read. `alloc` is called again only for the chunks of the next window. */
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

/** @returns gives the records of the window with this index, each once; reads some of the next ones ahead */
function windowReader<S>(
  { windows, get }: JoinedBody<S>,
  bytesOf: (stored: S) => Promise<Uint8Array>,
  { readsAtATime, assertLive }: JoinOptions,
): (index: number) => Promise<Records<Uint8Array>> {
  const read = async (window: WindowEntry): Promise<Records<Uint8Array>> => {
    const { body, start, end } = await get(window)
    return { bytes: body === null ? new Uint8Array(0) : await bytesOf(body), start, end }
  }
  const reads: (Promise<Records<Uint8Array>> | 'taken' | undefined)[] = []
  return async (index) => {
    // The window before may still be on its way to the client: it counts, too.
    const atATime = index === 0 ? readsAtATime() : Math.max(readsAtATime() - 1, 1)
    for (let ahead = index; ahead < Math.min(index + atATime, windows.length); ahead++) {
      if (reads[ahead] !== undefined) continue
      const begun = read(windows[ahead] as WindowEntry)
      // The promise is awaited later: until then its failure would end the process.
      begun.catch(() => undefined)
      reads[ahead] = begun
    }
    const run = await (reads[index] as Promise<Records<Uint8Array>>)
    reads[index] = 'taken'
    await assertLive()
    return run
  }
}

/** Bytes that the records of a window gain behind `before` others: by their keys in XML, by a comma in JSON. */
const addedBytes = (format: Format, records: number, before: number) =>
  format === 'xml' ? digitsOf(before, records) - digitsOf(0, records) : format === 'csv' ? 0 : 1

function digitsOf(first: number, count: number): number {
  let digits = count
  for (let power = 10; power < first + count; power *= 10) digits += first + count - Math.max(first, power)
  return digits
}
