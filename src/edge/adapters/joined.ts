/**
 * A date range as bytes, window by window, for every platform that streams.
 *
 * Only the first and the last window are cut, as text. The windows between them pass through as bytes. The first and the
 * last are read before anything is given out: with the sizes of the others, the length of the answer is known then.
 * No answer mixes two snapshots: each window is given out only after `assertLive` has confirmed that the snapshot was
 * still live when the window had been read.
 */

import type { WindowEntry } from '../../routes/windows.ts'
import type { Resolution } from '../resolve.ts'
import { windowJoiner, windowMarks } from '../range.ts'
import { digitsOf, recordsOf, renumber } from './whole-window.ts'

export interface JoinedBody {
  /** Ascending, at least one. */
  readonly windows: readonly WindowEntry[]
  readonly read: (window: WindowEntry) => Promise<Uint8Array>
}

export type RangeResolution = Extract<Resolution, { kind: 'range' }>

/** Between bytes and texts in which each ASCII character is itself: UTF-8, or Latin-1 of the bytes (faster in Node). */
export interface Codec {
  readonly decode: (bytes: Uint8Array) => string
  readonly encode: (text: string) => Uint8Array<ArrayBuffer>
}

export interface JoinOptions {
  readonly codec: Codec
  /** How many windows may be read at a time, at least one; asked before each read. */
  readonly readsAtATime: () => number
  /** Rejects if what was read just now may belong to another snapshot. */
  readonly assertLive: () => Promise<void>
}

export interface JoinedBytes {
  /** In bytes. @param sizeOf of a window's document @throws {Error} if there is none */
  readonly length: (sizeOf: (window: WindowEntry) => number) => number
  /** @returns the next bytes, or null after the last ones; rejects if a window cannot be read */
  readonly next: () => Promise<Uint8Array<ArrayBuffer> | null>
}

export async function joinedBytes(
  { windows, read }: JoinedBody,
  { from, to, wanted, route }: Pick<RangeResolution, 'from' | 'to' | 'wanted' | 'route'>,
  { codec, readsAtATime, assertLive }: JoinOptions,
): Promise<JoinedBytes> {
  const { decode, encode } = codec
  const { series } = route
  const [head] = windows
  if (series === undefined || head === undefined) throw new Error(`no windows: ${route.path}`)
  const isXml = wanted.format === 'xml'
  const marks = windowMarks(wanted.format, series)
  const [open, close, mark] = [encode(marks.open), encode(marks.close), encode(marks.mark)]

  const [first, ...rest] = await Promise.all([head, ...windows.slice(1).slice(-1)].map(read))
  if (first === undefined) throw new Error(`no windows: ${route.path}`)
  await assertLive()
  const joiner = windowJoiner(wanted.format, series, from, to)
  let start = encode(joiner.add(decode(first)).join(''))
  const middles = windows.slice(1, -1).map((window) => ({ window, before: joiner.pass(window.records) }))
  if (middles[0]?.before === 0) throw new Error('the list of windows is not that of the windows')
  const end = encode([...rest.flatMap((last) => joiner.add(decode(last))), ...joiner.end()].join(''))
  /** What the windows of a fund have in common: all but their records. */
  const around = first.length - recordsOf(first, open, close).length

  const cutLength = start.length + end.length

  const ahead: Promise<Uint8Array>[] = []
  let begun = 0
  let given = 0
  const begin = (): void => {
    const middle = middles[begun++]
    if (middle === undefined) return
    const bytes = read(middle.window)
    // It is awaited later: until then nobody would handle its failure.
    bytes.catch(() => undefined)
    ahead.push(bytes)
  }

  return {
    length: (sizeOf) =>
      middles.reduce((length, { window, before }) => {
        const added = isXml ? digitsOf(before, window.records) - digitsOf(0, window.records) : 1
        return length + sizeOf(window) - around + added
      }, cutLength),
    next: async () => {
      const index = given++ - 1
      while (begun < index + readsAtATime() && begun < middles.length) begin()
      if (index < 0) {
        const opening = start
        // Nothing is held that has been given out.
        start = new Uint8Array()
        return opening
      }
      const middle = middles[index]
      if (middle === undefined) return index === middles.length ? end : null
      const bytes = await ahead.shift()
      if (bytes === undefined) throw new Error('asked again while it was reading')
      await assertLive()
      const records = recordsOf(bytes, open, close)
      return isXml ? renumber(records, mark, middle.before, middle.window.records) : withComma(records)
    },
  }
}

function withComma(records: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(records.length + 1)
  bytes[0] = 0x2c
  bytes.set(records, 1)
  return bytes
}
