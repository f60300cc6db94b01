/**
 * A date range as bytes, window by window, for every platform that streams.
 *
 * Only the first and the last window are cut, as text. The windows between them pass through as bytes. No answer mixes two snapshots: each window is given out only after `assertLive` has confirmed that the snapshot was
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
  /** Waits until there is time for the next window: others may be busy too. */
  readonly turn?: () => Promise<void>
}

export interface JoinedBytes {
  /**
   * How many bytes there will be: for this the last window is read before its turn.
   * @param sizeOf of a window's document, in bytes
   */
  readonly length: (sizeOf: (window: WindowEntry) => number) => Promise<number>
  /** @returns the next bytes, or null after the last ones; rejects if a window cannot be read */
  readonly next: () => Promise<Uint8Array<ArrayBuffer> | null>
}

export async function joinedBytes(
  { windows, read }: JoinedBody,
  { from, to, wanted, route }: Pick<RangeResolution, 'from' | 'to' | 'wanted' | 'route'>,
  { codec, readsAtATime, assertLive, turn }: JoinOptions,
): Promise<JoinedBytes> {
  const { decode, encode } = codec
  const { series } = route
  const [head] = windows
  if (series === undefined || head === undefined) throw new Error(`no windows: ${route.path}`)
  const isXml = wanted.format === 'xml'
  const marks = windowMarks(wanted.format, series)
  const [open, close, mark] = [encode(marks.open), encode(marks.close), encode(marks.mark)]

  /** The windows after the first. Those that are being read have their promises here. */
  const later = windows.slice(1)
  const reading = new Map<WindowEntry, Promise<Uint8Array>>()
  const begin = (window: WindowEntry): Promise<Uint8Array> => {
    const bytes = reading.get(window) ?? read(window)
    reading.set(window, bytes)
    // It may be awaited later: until then nobody would handle its failure.
    bytes.catch(() => undefined)
    return bytes
  }
  let begun = 0
  /** @param index which of the later windows is needed next */
  const readAhead = (index: number): void => {
    const wanted = later.slice(0, index + readsAtATime() - 1).slice(Math.max(begun, index))
    // The last one may have been read before its turn.
    wanted
      .filter((window) => end === undefined || window !== later.at(-1))
      .forEach((window) => {
        void begin(window)
      })
    begun = Math.max(begun, index) + wanted.length
  }
  const take = async (window: WindowEntry): Promise<Uint8Array> => {
    const bytes = await begin(window)
    reading.delete(window)
    await assertLive()
    return bytes
  }

  let end: Promise<Uint8Array<ArrayBuffer>> | undefined
  readAhead(0)
  const first = await take(head)
  const joiner = windowJoiner(wanted.format, series, from, to)
  let start = encode(joiner.add(decode(first)).join(''))
  const middles = later.slice(0, -1).map((window) => ({ window, before: joiner.pass(window.records) }))
  if (middles[0]?.before === 0) throw new Error('the list of windows is not that of the windows')
  /** What the windows of a fund have in common: all but their records. */
  const around = first.length - recordsOf(first, open, close).length
  const startLength = start.length

  const cutEnd = async (): Promise<Uint8Array<ArrayBuffer>> => {
    const last = later.at(-1)
    const pieces = last === undefined ? [] : joiner.add(decode(await take(last)))
    return encode([...pieces, ...joiner.end()].join(''))
  }
  let given = 0

  return {
    length: async (sizeOf) => {
      end ??= cutEnd()
      const { length: endLength } = await end
      return middles.reduce((length, { window, before }) => {
        const added = isXml ? digitsOf(before, window.records) - digitsOf(0, window.records) : 1
        return length + sizeOf(window) - around + added
      }, startLength + endLength)
    },
    next: async () => {
      const index = given++ - 1
      if (index < 0) {
        const opening = start
        // Nothing is held that has been given out.
        start = new Uint8Array()
        return opening
      }
      if (index > middles.length) return null
      if (later.length > 0) await turn?.()
      readAhead(index)
      const middle = middles[index]
      if (middle === undefined) return (end ??= cutEnd())
      const records = recordsOf(await take(middle.window), open, close)
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
