/** From the core's answer to a Response: conditional requests, HEAD, byte ranges, streams. */

import { folderKey, windowKey } from '../../../routes/keys.ts'
import { fetchesAtATime, type Answer, type Body } from '../../answer.ts'
import { byteRange, contentRange, type ByteRange } from '../../byte-range.ts'
import { mayBeCoded, varyByCoding } from '../../coding.ts'
import { isNotModified, notModifiedHeaders } from '../../conditional.ts'
import type { Resolution } from '../../resolve.ts'
import { joinedBytes, type RangeResolution } from '../joined.ts'
import type { WorkerBody, WorkerStore } from './store.ts'
import { gather, streamed, utf8 } from './streamed.ts'

export interface RespondOptions {
  /** Told how many objects will be read. */
  readonly expectReads: (reads: number) => void
  readonly sizes: WorkerStore['sizes']
  /** Rejects if what was read just now may be another snapshot's. */
  readonly assertLive: () => Promise<void>
  /** Told of what fails when the answer is under way already. */
  readonly onFailure: (error: unknown) => void
  /** Goes on with work while the answer is given out. */
  readonly defer: (work: Promise<unknown>) => void
}

type Headers = Readonly<Record<string, string>>

/** @throws {Error} if R2 fails */
export async function respond(
  request: Request,
  answered: Answer<WorkerBody>,
  resolution: Resolution,
  options: RespondOptions,
): Promise<Response> {
  const { status, body } = answered
  if (body.kind === 'none' || body.kind === 'text') return withoutStore(request, { ...answered, body })
  const size = body.kind === 'stored' ? body.body.size : null
  const headers = withVary(answered, size)
  if (status === 200 && isKnown(request, headers)) {
    return new Response(null, { status: 304, headers: notModifiedHeaders(headers) })
  }
  if (body.kind === 'stored') {
    return partOf(request, headers, body.body) ?? whole(request, status, headers, body.body)
  }
  if (request.method === 'HEAD' || resolution.kind !== 'range') return new Response(null, { status, headers })
  return new Response(await joinedBody(body, resolution, options), { status, headers })
}

async function joinedBody(
  { windows, read }: Extract<Body<WorkerBody>, { kind: 'joined' }>,
  resolution: RangeResolution,
  { expectReads, sizes, assertLive, defer, onFailure }: RespondOptions,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const { route, values, wanted } = resolution
  // The sizes are one more.
  expectReads(windows.length + 1)
  const join = () =>
    joinedBytes({ windows, read: async (window) => (await read(window)).body.bytes() }, resolution, {
      codec: utf8,
      readsAtATime: () => fetchesAtATime,
      assertLive,
    })
  // What is read in one go anyway need not be streamed.
  if (windows.length <= fetchesAtATime) return gather(await join())
  const [joined, sizesByKey] = await Promise.all([join(), sizes(folderKey(route, values))])
  const length = await joined.length(({ year }) => {
    const key = windowKey(route, values, year, wanted.format)
    const size = sizesByKey.get(key)
    if (size === undefined) throw new Error(`no document: ${key}`)
    return size
  })
  const { stream, done } = streamed(length, joined, onFailure)
  defer(done)
  return stream
}

/** An answer that is there in full. */
export function withoutStore({ method }: Request, { status, headers, body }: Answer<never>): Response {
  if (body.kind !== 'text') return new Response(null, { status, headers })
  const bytes = new TextEncoder().encode(body.text)
  return method === 'HEAD'
    ? headOnly(status, headers, bytes.length)
    : new Response(bytes, { status, headers })
}

async function whole(
  request: Request,
  status: number,
  headers: Headers,
  body: WorkerBody,
): Promise<Response> {
  if (request.method === 'HEAD') return headOnly(status, headers, body.size)
  return new Response(await body.stream(), { status, headers })
}

/** The part of a file that was asked for; null where all of it is to be given. */
function partOf(request: Request, headers: Headers, body: WorkerBody): Promise<Response> | null {
  if (headers['Accept-Ranges'] !== 'bytes') return null
  const { method } = request
  const [range, ifRange] = ['Range', 'If-Range'].map((name) => request.headers.get(name) ?? undefined)
  const wanted = byteRange(
    { method, range, ifRange },
    {
      length: body.size,
      etag: headers['ETag'] ?? '',
      lastModified: headers['Last-Modified'] ?? '',
    },
  )
  if (wanted === null) return null
  const all = { ...headers, 'Content-Range': contentRange(wanted, body.size) }
  return wanted === 'outside'
    ? Promise.resolve(new Response(null, { status: 416, headers: all }))
    : part(all, body, wanted)
}

async function part(headers: Headers, body: WorkerBody, range: ByteRange): Promise<Response> {
  return new Response(await body.part(range), { status: 206, headers })
}

/** An answer to HEAD tells the length of the body that it does not have. */
const headOnly = (status: number, headers: Headers, length: number) =>
  new Response(null, { status, headers: { ...headers, 'Content-Length': String(length) } })

function isKnown({ headers: asked }: Request, headers: Headers): boolean {
  const conditions = {
    ifNoneMatch: asked.get('If-None-Match') ?? undefined,
    ifModifiedSince: asked.get('If-Modified-Since') ?? undefined,
  }
  return isNotModified(conditions, headers['ETag'] ?? '', headers['Last-Modified'] ?? '')
}

/** Cloudflare compresses what the client accepts and makes the ETag a weak one; caches behind it have to know. */
function withVary({ status, headers }: Answer<WorkerBody>, size: number | null): Headers {
  if (status !== 200 || !mayBeCoded(headers['Content-Type'] ?? '', size)) return headers
  return { ...headers, Vary: varyByCoding(headers['Vary']) }
}
