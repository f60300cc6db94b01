/**
 * A date range as bytes, window by window: at no time more of them in memory than are fetched at a time.
 *
 * Only the first and the last window are cut, as text; what is between them passes through as bytes. These two are read
 * before anything is given out, so that with the sizes of the others the length of the answer is known. It has to be:
 * workerd ends a chunked answer that fails as if it were whole (its issue 6818), one of a known length breaks off.
 */

import type { WindowEntry } from '../../../routes/windows.ts'
import { fetchesAtATime, type Body } from '../../answer.ts'
import { windowJoiner, windowMarks } from '../../range.ts'
import type { Resolution } from '../../resolve.ts'
import type { WorkerBody } from './store.ts'
import { digitsOf, recordsOf, renumber } from './whole-window.ts'

export type JoinedBody = Pick<Extract<Body<WorkerBody>, { kind: 'joined' }>, 'windows' | 'read'>
export type RangeResolution = Extract<Resolution, { kind: 'range' }>

export interface JoinedBytes {
  /** In bytes. @param sizeOf of a window's document @throws {Error} if there is none */
  readonly length: (sizeOf: (window: WindowEntry) => number) => number
  /** @returns the next bytes, or null after the last ones; rejects if there are none to be had */
  readonly next: () => Promise<Uint8Array<ArrayBuffer> | null>
}

/** @param assertLive rejects if what was read just now may be another snapshot's */
export async function joinedBytes(
  { windows, read }: JoinedBody,
  { from, to, wanted, route }: Pick<RangeResolution, 'from' | 'to' | 'wanted' | 'route'>,
  assertLive: () => Promise<void>,
): Promise<JoinedBytes> {
  const { series } = route
  const [head] = windows
  if (series === undefined || head === undefined) throw new Error(`no windows: ${route.path}`)
  const isXml = wanted.format === 'xml'
  const marks = windowMarks(wanted.format, series)
  const [open, close, mark] = [encode(marks.open), encode(marks.close), encode(marks.mark)]
  const bytesOf = async (window: WindowEntry) => (await read(window)).body.bytes()

  const [first, ...rest] = await Promise.all([head, ...windows.slice(1).slice(-1)].map(bytesOf))
  if (first === undefined) throw new Error(`no windows: ${route.path}`)
  await assertLive()
  const joiner = windowJoiner(wanted.format, series, from, to)
  const start = encode(joiner.add(decoder.decode(first)).join(''))
  const middles = windows.slice(1, -1).map((window) => ({ window, before: joiner.pass(window.records) }))
  if (middles[0]?.before === 0) throw new Error('the list of windows is not that of the windows')
  const end = encode([...rest.flatMap((last) => joiner.add(decoder.decode(last))), ...joiner.end()].join(''))
  /** What the windows of a fund have in common: all but their records. */
  const around = first.length - recordsOf(first, open, close).length

  const ahead: Promise<Uint8Array<ArrayBuffer>>[] = []
  const begin = (): void => {
    const middle = middles[begun++]
    if (middle === undefined) return
    const bytes = bytesOf(middle.window)
    // It is waited for later: until then nobody would hear that it failed.
    bytes.catch(() => undefined)
    ahead.push(bytes)
  }
  let begun = 0
  let given = 0

  return {
    length: (sizeOf) =>
      middles.reduce((length, { window, before }) => {
        const added = isXml ? digitsOf(before, window.records) - digitsOf(0, window.records) : 1
        return length + sizeOf(window) - around + added
      }, start.length + end.length),
    next: async () => {
      const index = given++ - 1
      while (begun < Math.max(index, 0) + fetchesAtATime && begun < middles.length) begin()
      if (index < 0) return start
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

/** All of it at once. */
export async function gather({ next }: JoinedBytes): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for (let chunk = await next(); chunk !== null; chunk = await next()) {
    chunks.push(chunk)
    length += chunk.length
  }
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  return all
}

declare const FixedLengthStream: new (length: number) => {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array>
}

/** As it is read: an error breaks the stream, so that nobody takes a part for the whole. */
export function streamed(
  length: number,
  { next }: JoinedBytes,
  onFailure: (error: unknown) => void,
): { readonly stream: ReadableStream<Uint8Array>; readonly done: Promise<void> } {
  const { readable, writable } = new FixedLengthStream(length)
  const writer = writable.getWriter()
  const write = async () => {
    try {
      for (let chunk = await next(); chunk !== null; chunk = await next()) await writer.write(chunk)
      await writer.close()
    } catch (error) {
      onFailure(error)
      await writer.abort(error)
    }
  }
  // A stream that is broken already cannot be broken again.
  return { stream: readable, done: write().catch(() => undefined) }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const encode = (text: string) => encoder.encode(text)

function withComma(records: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(records.length + 1)
  bytes[0] = 0x2c
  bytes.set(records, 1)
  return bytes
}
