/**
 * From an answer to the bytes that go out. `fundpress serve` and the Lambda share it.
 *
 * A body of at most {@link mostInMemory} bytes goes out at once. A longer one goes out while it is read. Its beginning is read
 * first, so that an unreadable object is still a 503.
 */

import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Answer, JoinedBody } from '../core/answer.ts'
import { finish, type ByteRange } from '../core/finish.ts'
import { byteSearch, joinRange, type JoinOptions, type RangeResolution } from '../core/join.ts'
import type { Header, Resolution } from '../core/resolve.ts'
import { chooseCoding, compressed, compressor, type Coding } from './compression.ts'
import { mostInMemory, wholeOf, type LargeBody, type NodeBody } from './objects.ts'
import type { ReaderSlot, ReaderSlots } from './slots.ts'

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The size of a GET's body in bytes; null if nobody knows it yet, and for 204 and 304. */
  readonly length: number | null
  /** Null if there is nothing to send. */
  readonly body: Buffer | Streamed | null
}

/** A body that is sent while it is read. The caller must {@link pour} or {@link discard} it. */
export interface Streamed {
  readonly chunks: Chunks
  readonly coding: Coding
  /** Ends a date range if its client takes too long to read, or loses its slot. */
  readonly signal: AbortSignal | undefined
}

type Chunks = AsyncIterableIterator<Uint8Array, void>

/** How date ranges are joined. */
export interface RangeOptions extends Omit<JoinOptions<Uint8Array>, 'search'> {
  /** A range holds a slot until its last window goes out. */
  readonly slots: ReaderSlots
}

/** All slots for date ranges are taken. The answer is a 503, but nothing has failed. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** How long a client may take to read a date range, in milliseconds. */
const longestRangeMs = 5 * 60_000

/** @throws {Busy} if too many date ranges are in work @throws {Error} if the body cannot be read */
export async function respondWith(
  answered: Answer<NodeBody>,
  resolution: Resolution,
  method: string,
  header: Header,
  range: RangeOptions,
): Promise<Response> {
  const { coding, mayDiffer } = chooseCoding(header('accept-encoding'), answered)
  const finalCoding = { mayDiffer, name: coding === 'identity' ? '' : coding }
  const { status, headers, body, part } = finish(
    answered,
    method,
    header,
    finalCoding,
    ({ length }) => length,
  )
  if (body.kind === 'none' || body.kind === 'text') return wholeResponse({ status, headers, body })
  const used = status === 200 ? coding : 'identity'
  if (method === 'HEAD') {
    const length = body.kind === 'stored' ? body.body.length : null
    return inCoding({ status, headers, length, body: null }, used)
  }
  if (body.kind === 'stored') {
    const length = part === null ? body.body.length : part.last - part.first + 1
    return inCoding({ status, headers, length, body: await contentOf(body.body, part) }, used)
  }
  if (resolution.kind !== 'range') throw new Error('only a date range is joined')
  const slot = range.slots.take()
  if (slot === null) throw new Busy('too many date ranges are in work')
  const chunks = inSlot(slot, joinedChunks(body, resolution, range))
  const signal = AbortSignal.any([slot.lost, AbortSignal.timeout(longestRangeMs)])
  return inCoding({ status, headers, length: null, body: await begun(chunks, mostInMemory, signal) }, used)
}

/** An answer that needs no store. */
export function wholeResponse({ status, headers, body }: Answer<never>): Response {
  const isBare = status === 204 || status === 304
  if (body.kind !== 'text') return { status, headers, length: isBare ? null : 0, body: null }
  const bytes = Buffer.from(body.text)
  return { status, headers, length: bytes.length, body: bytes }
}

/** Sends a body, no faster than the client reads. Rejects if it breaks off: then it must not seem complete. */
export async function pour({ chunks, coding, signal }: Streamed, out: Writable): Promise<void> {
  const options = signal === undefined ? {} : { signal }
  try {
    if (coding === 'identity') await pipeline(chunks, out, options)
    else await pipeline(chunks, compressor(coding), out, options)
  } finally {
    await chunks.return?.()
  }
}

/** Releases what a body holds, if it is not sent. */
export async function discard({ body }: Response): Promise<void> {
  if (body !== null && 'chunks' in body) await body.chunks.return?.()
}

async function contentOf(body: Buffer | LargeBody, part: ByteRange | null): Promise<Buffer | Begun> {
  const { first, last } = part ?? { first: 0, last: body.length - 1 }
  // One chunk shows whether it can be read.
  return Buffer.isBuffer(body) ? body.subarray(first, last + 1) : begun(body.read({ first, last }), 1)
}

type Begun = Pick<Streamed, 'chunks' | 'signal'>

async function inCoding(
  { status, headers: given, length, body }: Omit<Response, 'body'> & { readonly body: Buffer | Begun | null },
  coding: Coding,
): Promise<Response> {
  const isCoded = coding !== 'identity'
  const headers = isCoded ? { ...given, 'Content-Encoding': coding } : given
  if (body === null || !Buffer.isBuffer(body)) {
    const streamed = body === null ? null : { ...body, coding }
    return { status, headers, length: isCoded ? null : length, body: streamed }
  }
  const bytes = isCoded ? await compressed(body, coding) : body
  return { status, headers, length: bytes.length, body: bytes }
}

/** Reads to the end, or until it has this many bytes. */
async function begun(
  chunks: AsyncGenerator<Uint8Array, void>,
  bytes: number,
  signal?: AbortSignal,
): Promise<Buffer | Begun> {
  const first: Uint8Array[] = []
  let length = 0
  while (length < bytes) {
    const { done, value } = await chunks.next()
    if (done === true) return Buffer.concat(first)
    first.push(value)
    length += value.length
  }
  return { chunks: goingOn(first, chunks), signal }
}

/** Not a generator: a generator that has not begun would not end the chunks. */
function goingOn(first: Uint8Array[], chunks: AsyncGenerator<Uint8Array, void>): Chunks {
  return {
    next: async () => {
      const value = first.shift()
      return value === undefined ? chunks.next() : { done: false, value }
    },
    return: () => {
      first.length = 0
      return chunks.return()
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Gives the slot back when the chunks end, whatever the reason. */
async function* inSlot<T>(slot: ReaderSlot, chunks: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    for await (const chunk of chunks) {
      slot.setWaiting(true)
      yield chunk
      slot.setWaiting(false)
    }
  } finally {
    slot.give()
  }
}

async function* joinedChunks(
  { windows, get }: JoinedBody<NodeBody>,
  resolution: RangeResolution,
  range: RangeOptions,
): AsyncGenerator<Uint8Array, void> {
  const source = { windows, get: async (window: (typeof windows)[0]) => wholeOf(await get(window)) }
  const { next } = await joinRange(source, resolution, { ...range, search: byteSearch })
  for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk
}
