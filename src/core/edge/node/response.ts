/**
 * Turns an answer into bytes, for `fundpress serve` and the Lambda.
 *
 * A body of at most {@link mostInMemory} bytes goes out at once. A longer one goes out while it is read. Its beginning is read
 * first, so that an unreadable object is still a 503.
 */

import type { Writable } from 'node:stream'
import { finished, pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Answer, JoinedBody } from '../core/answer.ts'
import { finish, mayBeCoded, type ByteRange } from '../core/finish.ts'
import { joinRange, type JoinOptions } from '../core/join.ts'
import { qualityOf } from '../core/negotiate.ts'
import type { Header } from '../core/resolve.ts'
import { byteSearch, type Search } from '../core/window.ts'
import { mostInMemory, oncePerBody, wholeOf, type LargeBody, type NodeBody } from './objects.ts'
import type { LongPlace, ReaderSlot } from './slots.ts'

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Bytes of a GET's body; null while unknown, and for 204 and 304. */
  readonly length: number | null
  readonly body: Buffer | Streamed | null
  /** Of a long answer, until its request leaves its place. */
  readonly slot?: ReaderSlot | undefined
}

/** A body that is sent while it is read. The caller must {@link pour} or {@link discard} it. */
interface Streamed extends Begun {
  readonly coding: Coding
}

interface Begun {
  readonly first: Uint8Array[]
  /** Each chunk is valid until the next one. */
  readonly rest: AsyncGenerator<Uint8Array, void>
}

export interface SendOptions extends JoinOptions {
  /** A date range, and a file that is not in memory, takes a slot there. Null: no limit. */
  readonly place: (() => LongPlace) | null
}

/** @throws {Busy} if too many long answers are in work @throws {Error} if the body cannot be read */
export async function respondWith(
  answered: Answer<NodeBody>,
  method: string,
  header: Header,
  options: SendOptions,
): Promise<Response> {
  const { coding, mayDiffer } = chooseCoding(header('accept-encoding'), answered)
  const finalCoding = { mayDiffer, name: coding === 'identity' ? '' : coding }
  const finished = finish(answered, method, header, finalCoding, ({ length }) => length)
  const { status, headers, body, part } = finished
  if (body.kind === 'none' || body.kind === 'text') return wholeResponse({ status, headers, body })
  const used = status === 200 ? coding : 'identity'
  const isStored = body.kind === 'stored'
  const { first, last } = part ?? { first: 0, last: isStored ? body.body.length - 1 : 0 }
  const head = { status, headers, length: isStored ? last - first + 1 : null }
  if (method === 'HEAD') return inCoding({ ...head, body: null }, used)
  if (isStored && Buffer.isBuffer(body.body))
    return inCoding({ ...head, body: partOf(body.body, { first, last }) }, used)
  const slot = await options.place?.().take()
  const content = await (isStored
    ? begun((body.body as LargeBody).read({ first, last }), 1)
    : begun(joined(body, options), mostInMemory))
  return { ...(await inCoding({ ...head, body: content }, used)), slot }
}

/** The chunks of a date range. After the first {@link mostInMemory} bytes, windows take turns in the same memory. */
async function* joined(body: JoinedBody<NodeBody>, options: JoinOptions): AsyncGenerator<Uint8Array, void> {
  let given = 0
  let room = Buffer.alloc(0)
  const alloc = (length: number) => {
    if (given < mostInMemory || room.length < length) room = Buffer.allocUnsafeSlow(length)
    return room.subarray(0, length)
  }
  const range = await joinRange(body, wholeOf, { ...options, search: { ...bufferSearch, alloc } })
  for await (const chunk of range.chunks()) {
    given += chunk.length
    yield chunk
  }
}

export function wholeResponse({ status, headers, body }: Answer<never>): Response {
  const isBare = status === 204 || status === 304
  if (body.kind !== 'text') return { status, headers, length: isBare ? null : 0, body: null }
  const bytes = Buffer.from(body.text)
  return { status, headers, length: bytes.length, body: bytes }
}

/** Sends a body, no faster than the client reads. Rejects if the body breaks off: then it must not seem complete. */
export async function pour({ body: { first, rest, coding }, slot }: Pouring, out: Writable): Promise<void> {
  const send = async (to: Writable) => {
    for (let chunk = first.shift(); chunk !== undefined; chunk = first.shift()) await sent(chunk, to)
    for await (const chunk of rest) await sent(chunk, to)
    to.end()
  }
  const sent = async (chunk: Uint8Array, to: Writable) => {
    slot?.setWaiting(true)
    await written(chunk, to)
    slot?.setWaiting(false)
  }
  const compress = coding === 'identity' ? null : compressor(coding)
  try {
    if (compress === null) await Promise.all([send(out), finished(out)])
    else await Promise.all([send(compress), pipeline(compress, out)])
  } catch (error) {
    for (const stream of [compress, out]) stream?.destroy()
    throw error
  } finally {
    await rest.return()
  }
}

type Pouring = Response & { readonly body: Streamed }

export const isPouring = (response: Response): response is Pouring =>
  response.body !== null && 'rest' in response.body

/** Resolves when the memory of the chunk may be used again. Rejects if the stream closes before. */
async function written(chunk: Uint8Array, to: Writable): Promise<void> {
  const gone = () => Object.assign(new Error('the client has gone'), { code: 'ERR_STREAM_PREMATURE_CLOSE' })
  if (to.destroyed) throw gone()
  await new Promise<void>((resolve, reject) => {
    const onClose = () => {
      reject(gone())
    }
    to.once('close', onClose)
    to.write(chunk, (error) => {
      to.off('close', onClose)
      if (error === null || error === undefined) resolve()
      else reject(error)
    })
  })
}

export async function discard({ body }: Response): Promise<void> {
  if (body !== null && 'rest' in body) await body.rest.return()
}

const partOf = (body: Buffer, { first, last }: ByteRange) =>
  last - first + 1 === body.length ? body : body.subarray(first, last + 1)

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

/** Reads to the end, or up to this many bytes, which stay valid. */
async function begun(rest: Begun['rest'], bytes: number): Promise<Buffer | Begun> {
  const first: Uint8Array[] = []
  let length = 0
  while (length < bytes) {
    const { done, value } = await rest.next()
    if (done === true)
      return first[0] !== undefined && first.length === 1 ? asBuffer(first[0]) : Buffer.concat(first)
    first.push(value)
    length += value.length
  }
  return { first, rest }
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

/** Bytes. A longer file goes out as it is: compressing it for each client costs too much. CloudFront has the same limit. */
const mostCompressed = 10_000_000
/** A date range of more windows is long: it goes out while it is read. */
const mostWindowsAtOnce = 3

/** `mayDiffer`: another client could get another coding. */
function chooseCoding(
  acceptEncoding: string | undefined,
  { headers, body }: Answer<NodeBody>,
): { readonly coding: Coding; readonly mayDiffer: boolean } {
  const length = body.kind === 'joined' ? null : body.kind === 'stored' ? body.body.length : 0
  const mayDiffer = mayBeCoded(headers['Content-Type'] ?? '', length) && (length ?? 0) <= mostCompressed
  if (!mayDiffer || acceptEncoding === undefined) return { coding: 'identity', mayDiffer }
  const quality = (coding: Coding) => qualityOf(acceptEncoding, coding, codingSpecificity)
  // Brotli holds up to 2 MB for each client that reads slowly, gzip 0.3 MB: a body that is compressed while it goes out gets gzip.
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

const compressor = (coding: Exclude<Coding, 'identity'>) =>
  coding === 'gzip' ? createGzip(gzipOptions) : createBrotliCompress({ params: brotliParams })
