/**
 * From an answer to what goes out: content coding, conditional requests, byte ranges. For Node, wherever it runs.
 *
 * What is not longer than {@link mostInMemory} goes out at once. All else goes out while it is read; its beginning is
 * read first, so that an object that cannot be read is still a 503.
 */

import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Answer, Body } from '../answer.ts'
import { byteRange, contentRange, type ByteRange } from '../byte-range.ts'
import { isNotModified, notModifiedHeaders } from '../conditional.ts'
import type { Resolution } from '../resolve.ts'
import { chooseCoding, compress, compressor, withCoding, type Coding } from './compression.ts'
import { joinedBytes, type Codec, type JoinOptions, type RangeResolution } from './joined.ts'
import { mostInMemory, wholeOf, type LargeBody, type NodeBody } from './node-body.ts'
import type { ReaderSlot, ReaderSlots } from './slots.ts'

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Of the body that a GET has, in bytes; null where it is not known, and for 204 and 304. */
  readonly length: number | null
  /** Null where nothing is to be sent. */
  readonly body: Buffer | Streamed | null
}

/** A body that is sent while it is read. To be sent by {@link pour}, or given back by {@link discard}. */
export interface Streamed {
  readonly chunks: Chunks
  readonly coding: Coding
  /** Ends a date range that its client takes too long to read, or that another one takes the slot of. */
  readonly signal: AbortSignal | undefined
}

type Chunks = AsyncIterableIterator<Uint8Array, void>

/** The relevant request headers; names in lower case. */
export interface AskedHeaders {
  readonly 'accept-encoding'?: string | undefined
  readonly 'if-none-match'?: string | undefined
  readonly 'if-modified-since'?: string | undefined
  readonly 'if-range'?: string | undefined
  readonly range?: string | undefined
}

/** How date ranges are put together. */
export interface RangeOptions extends Omit<JoinOptions, 'codec'> {
  /** How many may be in work: a range takes one until its last window is on its way. */
  readonly slots: ReaderSlots
}

/** All slots for date ranges are taken: an answer of 503, which is no failure. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** How long a client may take to read a date range, in milliseconds. */
const longestRangeMs = 5 * 60_000

/** @throws {Busy} if too many date ranges are in work @throws {Error} if what is to be sent cannot be read */
export async function finish(
  answered: Answer<NodeBody>,
  resolution: Resolution,
  request: { readonly method: string; readonly headers: AskedHeaders },
  range: RangeOptions,
): Promise<Response> {
  const isHead = request.method === 'HEAD'
  const { status, headers, coding } = headOf(answered, request.headers)
  const { body } = answered
  if (status === 304) return { status, headers, length: null, body: null }
  if (body.kind === 'joined') {
    if (resolution.kind !== 'range') throw new Error('only a date range is put together')
    if (isHead) return { status, headers, length: null, body: null }
    const slot = range.slots.take()
    if (slot === null) throw new Busy('too many date ranges are in work')
    const chunks = inSlot(slot, joinedChunks(body, resolution, range))
    const signal = AbortSignal.any([slot.lost, AbortSignal.timeout(longestRangeMs)])
    const joined = await begun(chunks, mostInMemory, signal)
    return inCoding({ status, headers, length: null, body: joined }, coding)
  }
  if (body.kind !== 'stored') return whole({ status, headers, body })
  const { length } = body.body
  const part = partOf(status, coding, headers, length, request)
  if (isHead) return { status, headers, length: coding === 'identity' ? length : null, body: null }
  if (part === null) return inCoding({ status, headers, length, body: await contentOf(body.body) }, coding)
  const all = { ...headers, 'Content-Range': contentRange(part, length) }
  if (part === 'outside') return { status: 416, headers: all, length: 0, body: null }
  const ofPart = { status: 206, headers: all, length: part.last - part.first + 1 }
  return inCoding({ ...ofPart, body: await contentOf(body.body, part) }, coding)
}

/** An answer that needs no store. */
export function whole({ status, headers, body }: Answer<never>): Response {
  if (body.kind !== 'text') return { status, headers, length: status === 204 ? null : 0, body: null }
  const bytes = Buffer.from(body.text)
  return { status, headers, length: bytes.length, body: bytes }
}

/** Sends a body, no faster than it is taken. Rejects if it breaks off: then it must not seem to be whole. */
export async function pour({ chunks, coding, signal }: Streamed, out: Writable): Promise<void> {
  const options = signal === undefined ? {} : { signal }
  try {
    if (coding === 'identity') await pipeline(chunks, out, options)
    else await pipeline(chunks, compressor(coding), out, options)
  } finally {
    await chunks.return?.()
  }
}

/** Gives back what a body holds that is not going to be sent. */
export async function discard({ body }: Response): Promise<void> {
  if (body !== null && 'chunks' in body) await body.chunks.return?.()
}

function headOf(answered: Answer<NodeBody>, asked: AskedHeaders) {
  const { status, headers } = answered
  if (status !== 200) return { status, headers, coding: 'identity' as const }
  const { coding, mayDiffer } = chooseCoding(asked['accept-encoding'], answered)
  const all = mayDiffer ? withCoding(headers, coding) : headers
  const conditions = { ifNoneMatch: asked['if-none-match'], ifModifiedSince: asked['if-modified-since'] }
  if (isNotModified(conditions, all['ETag'] ?? '', all['Last-Modified'] ?? '')) {
    return { status: 304, headers: notModifiedHeaders(all), coding: 'identity' as const }
  }
  return { status, headers: all, coding }
}

/** The bytes that were asked for; null for all of them. */
function partOf(
  status: number,
  coding: Coding,
  headers: Response['headers'],
  length: number,
  { method, headers: asked }: { readonly method: string; readonly headers: AskedHeaders },
): ByteRange | 'outside' | null {
  if (status !== 200 || coding !== 'identity' || headers['Accept-Ranges'] !== 'bytes') return null
  return byteRange(
    { method, range: asked.range, ifRange: asked['if-range'] },
    { length, etag: headers['ETag'] ?? '', lastModified: headers['Last-Modified'] ?? '' },
  )
}

async function contentOf(body: Buffer | LargeBody, part?: ByteRange): Promise<Buffer | Begun> {
  const { first, last } = part ?? { first: 0, last: body.length - 1 }
  // One chunk shows whether it can be read.
  return Buffer.isBuffer(body) ? body.subarray(first, last + 1) : begun(body.read({ first, last }), 1)
}

type Begun = Pick<Streamed, 'chunks' | 'signal'>

async function inCoding(
  response: Omit<Response, 'body'> & { readonly body: Buffer | Begun },
  coding: Coding,
): Promise<Response> {
  const { body } = response
  if (!Buffer.isBuffer(body)) {
    const length = coding === 'identity' ? response.length : null
    return { ...response, length, body: { ...body, coding } }
  }
  const bytes = coding === 'identity' ? body : await compress(body, coding)
  return { ...response, length: bytes.length, body: bytes }
}

/** Reads until all is there, or as many bytes as are to be held at least. */
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

/** Not a generator: one that was not begun would not end the chunks. */
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

/** Gives the slot back when the chunks end, however they do. */
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
  { windows, read }: Extract<Body<NodeBody>, { kind: 'joined' }>,
  resolution: RangeResolution,
  range: RangeOptions,
): AsyncGenerator<Uint8Array, void> {
  const source = { windows, read: async (window: (typeof windows)[0]) => wholeOf((await read(window)).body) }
  const { next } = await joinedBytes(source, resolution, { ...range, codec: latin1 })
  for (let chunk = await next(); chunk !== null; chunk = await next()) yield chunk
}

const latin1: Codec = {
  decode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'),
  encode: (text) => Buffer.from(text, 'latin1'),
}
