/**
 * From an answer to the bytes that go out. `fundpress serve` and the Lambda share it.
 *
 * A body of at most {@link mostInMemory} bytes goes out at once. A longer one goes out while it is read. Its beginning is read
 * first, so that an unreadable object is still a 503.
 */

import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Answer } from '../core/answer.ts'
import { finish, mayBeCoded, type ByteRange } from '../core/finish.ts'
import { byteSearch, joinRange, type JoinOptions, type Search } from '../core/join.ts'
import { qualityOf } from '../core/negotiate.ts'
import type { Header } from '../core/resolve.ts'
import { mostInMemory, oncePerBody, wholeOf, type NodeBody } from './objects.ts'
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
export interface Streamed extends Begun {
  readonly coding: Coding
}

interface Begun {
  /** What has been read. */
  readonly first: Uint8Array[]
  readonly rest: AsyncGenerator<Uint8Array, void>
  /** Ends a date range if its client takes too long to read, or loses its slot. */
  readonly signal: AbortSignal | undefined
}

/** How date ranges are joined. */
export interface RangeOptions extends JoinOptions {
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
  method: string,
  header: Header,
  range: RangeOptions,
): Promise<Response> {
  const { coding, mayDiffer } = chooseCoding(header('accept-encoding'), answered)
  const finalCoding = { mayDiffer, name: coding === 'identity' ? '' : coding }
  const finished = finish(answered, method, header, finalCoding, ({ length }) => length)
  const { status, headers, body, part } = finished
  if (body.kind === 'none' || body.kind === 'text') return wholeResponse({ status, headers, body })
  const used = status === 200 ? coding : 'identity'
  if (body.kind === 'stored') {
    const { first, last } = part ?? { first: 0, last: body.body.length - 1 }
    const sent = method === 'HEAD' ? null : await contentOf(body.body, { first, last })
    return inCoding({ status, headers, length: last - first + 1, body: sent }, used)
  }
  if (method === 'HEAD') return inCoding({ status, headers, length: null, body: null }, used)
  const slot = range.slots.take()
  if (slot === null) throw new Busy('too many date ranges are in work')
  const chunks = inSlot(slot, async function* () {
    yield* (await joinRange(body, wholeOf, { ...range, search: bufferSearch })).chunks()
  })
  const limit = () => AbortSignal.any([slot.lost, AbortSignal.timeout(longestRangeMs)])
  return inCoding({ status, headers, length: null, body: await begun(chunks, mostInMemory, limit) }, used)
}

/** An answer that needs no store. */
export function wholeResponse({ status, headers, body }: Answer<never>): Response {
  const isBare = status === 204 || status === 304
  if (body.kind !== 'text') return { status, headers, length: isBare ? null : 0, body: null }
  const bytes = Buffer.from(body.text)
  return { status, headers, length: bytes.length, body: bytes }
}

/** Sends a body, no faster than the client reads. Rejects if it breaks off: then it must not seem complete. */
export async function pour({ first, rest, coding, signal }: Streamed, out: Writable): Promise<void> {
  const options = signal === undefined ? {} : { signal }
  const chunks = async function* () {
    for (let chunk = first.shift(); chunk !== undefined; chunk = first.shift()) yield chunk
    yield* rest
  }
  try {
    if (coding === 'identity') await pipeline(chunks, out, options)
    else await pipeline(chunks, compressor(coding), out, options)
  } finally {
    await rest.return()
  }
}

/** Releases what a body holds, if it is not sent. */
export async function discard({ body }: Response): Promise<void> {
  if (body !== null && 'rest' in body) await body.rest.return()
}

/** One chunk of a large body shows whether it can be read. */
const contentOf = async (body: NodeBody, part: ByteRange) =>
  !Buffer.isBuffer(body)
    ? begun(body.read(part), 1)
    : part.last - part.first + 1 === body.length
      ? body
      : body.subarray(part.first, part.last + 1)

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

/** Reads to the end, or until it has this many bytes. @param limit what ends the reading of the rest */
async function begun(rest: Begun['rest'], bytes: number, limit?: () => AbortSignal): Promise<Buffer | Begun> {
  const first: Uint8Array[] = []
  let length = 0
  while (length < bytes) {
    const { done, value } = await rest.next()
    if (done === true)
      return first[0] !== undefined && first.length === 1 ? asBuffer(first[0]) : Buffer.concat(first)
    first.push(value)
    length += value.length
  }
  return { first, rest, signal: limit?.() }
}

/** Gives the slot back when the chunks end, whatever the reason. */
async function* inSlot<T>(slot: ReaderSlot, read: () => AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    for await (const chunk of read()) {
      slot.setWaiting(true)
      yield chunk
      slot.setWaiting(false)
    }
  } finally {
    slot.give()
  }
}

const asBuffer = (bytes: Uint8Array) =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)

/** Windows are Buffers, which find text without a call for each of its last bytes. */
const bufferSearch: Search<Uint8Array> = {
  ...byteSearch,
  find: (bytes, text, from) => asBuffer(bytes).indexOf(text, from, 'latin1'),
  text: (bytes, from, to) => asBuffer(bytes).toString('latin1', from, to),
  encode: (text) => Buffer.from(text),
}

type Coding = 'br' | 'gzip' | 'identity'

/** In bytes. A longer file goes out as it is: compressing it for each client costs too much. CloudFront has the same limit. */
const mostCompressed = 10_000_000
/** A date range of more windows is long: it goes out while it is read. */
const mostWindowsAtOnce = 3

/** The coding of an answer, and whether it could have been another one for another client. */
function chooseCoding(
  acceptEncoding: string | undefined,
  { headers, body }: Answer<NodeBody>,
): { readonly coding: Coding; readonly mayDiffer: boolean } {
  const length = body.kind === 'joined' ? null : body.kind === 'stored' ? body.body.length : 0
  const mayDiffer = mayBeCoded(headers['Content-Type'] ?? '', length) && (length ?? 0) <= mostCompressed
  if (!mayDiffer || acceptEncoding === undefined) return { coding: 'identity', mayDiffer }
  const quality = (coding: Coding) => qualityOf(acceptEncoding, coding, codingSpecificity)
  // Brotli holds up to 2 MB for each client that reads slowly, gzip 0.3 MB: what is not compressed at once gets gzip only.
  const isLong =
    body.kind === 'joined' ? body.windows.length > mostWindowsAtOnce : (length ?? 0) > mostInMemory
  const best = isLong || quality('gzip') > quality('br') ? 'gzip' : 'br'
  const isWanted = quality(best) > 0 && quality(best) >= quality('identity')
  return { coding: isWanted ? best : 'identity', mayDiffer }
}

const codingSpecificity = (range: string, coding: Coding) => (range === coding ? 2 : range === '*' ? 1 : 0)

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

const gzipOptions = { level: 6 }
/** The default, 11, is for files that are compressed once. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 5 }

const gzipped = oncePerBody((bytes) => gzipAsync(bytes, gzipOptions))
const brotlied = oncePerBody((bytes) =>
  brotliAsync(bytes, { params: { ...brotliParams, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
)

const compressed = (bytes: Buffer, coding: Exclude<Coding, 'identity'>) =>
  coding === 'gzip' ? gzipped(bytes) : brotlied(bytes)

/** The same for a body that goes out while it is read. */
const compressor = (coding: Exclude<Coding, 'identity'>) =>
  coding === 'gzip' ? createGzip(gzipOptions) : createBrotliCompress({ params: brotliParams })
