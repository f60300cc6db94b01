/** Turns the core's answer into a Response. Cloudflare compresses. */

import { fetchesAtATime, type Answer, type JoinedBody } from '../../../core/edge/core/answer.ts'
import { finish, mayBeCoded } from '../../../core/edge/core/finish.ts'
import { concat, joinRange, type JoinOptions } from '../../../core/edge/core/join.ts'
import { byteSearch } from '../../../core/edge/core/window.ts'
import type { WorkerBody, WorkerStore } from './store.ts'

interface RespondOptions extends Pick<JoinOptions, 'assertLive'> {
  readonly store: WorkerStore
  /** Called for a failure after the begin of the answer. */
  readonly onFailure: (error: unknown) => void
  readonly defer: (work: Promise<unknown>) => void
}

export async function respond(
  request: Request,
  answered: Answer<WorkerBody>,
  options: RespondOptions,
): Promise<Response> {
  const { method } = request
  const header = (name: string) => request.headers.get(name) ?? undefined
  const { kind } = answered.body
  const size = kind === 'stored' ? answered.body.body.size : kind === 'text' ? 0 : null
  // Cloudflare weakens the ETag of a compressed answer. Caches behind it need `Vary`.
  const coding = { mayDiffer: mayBeCoded(answered.headers['Content-Type'] ?? '', size), name: '' }
  const { status, headers, body, part } = finish(answered, method, header, coding, (stored) => stored.size)
  if (body.kind === 'none' || body.kind === 'text') return withoutStore(request, { status, headers, body })
  if (body.kind === 'joined') {
    const joined = method === 'HEAD' ? null : await joinedBody(body, options)
    return new Response(joined, { status, headers })
  }
  const stored = body.body
  if (method === 'HEAD') return headOnly(status, headers, stored.size)
  return new Response(await (part === null ? stored.stream() : stored.part(part)), { status, headers })
}

const encoder = new TextEncoder()
export const workerSearch = { ...byteSearch, encode: (text: string) => encoder.encode(text) }

async function joinedBody(
  body: JoinedBody<WorkerBody>,
  { store, assertLive, defer, onFailure }: RespondOptions,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  const { length: windows } = body.windows
  store.expect(windows)
  const options = { readsAtATime: () => fetchesAtATime, assertLive, search: workerSearch }
  const joined = await joinRange(body, (stored) => stored.bytes(), options)
  if (windows <= fetchesAtATime) return gather(joined.chunks())
  const { stream, done } = streamed(await joined.length(), joined.chunks(), onFailure)
  defer(done)
  return stream
}

export async function gather(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = []
  for await (const chunk of chunks) pieces.push(chunk)
  return concat(pieces)
}

declare const FixedLengthStream: new (length: number) => {
  readonly readable: ReadableStream<Uint8Array>
  readonly writable: WritableStream<Uint8Array>
}

/**
 * Streams chunks as they are read: an error breaks the stream, so that no client takes a part for the whole. The length has to be
 * known: workerd ends a chunked answer that fails as if it were whole (its issue 6818); one of a known length breaks off.
 */
export function streamed(
  length: number,
  chunks: AsyncIterable<Uint8Array>,
  onFailure: (error: unknown) => void,
): { readonly stream: ReadableStream<Uint8Array>; readonly done: Promise<void> } {
  const { readable, writable } = new FixedLengthStream(length)
  const writer = writable.getWriter()
  const write = async () => {
    try {
      for await (const chunk of chunks) await writer.write(chunk)
      await writer.close()
    } catch (error) {
      onFailure(error)
      await writer.abort(error)
    }
  }
  // A broken stream cannot be broken again.
  return { stream: readable, done: write().catch(() => undefined) }
}

export function withoutStore({ method }: Request, { status, headers, body }: Answer<never>): Response {
  if (body.kind !== 'text') return new Response(null, { status, headers })
  const bytes = new TextEncoder().encode(body.text)
  return method === 'HEAD'
    ? headOnly(status, headers, bytes.length)
    : new Response(bytes, { status, headers })
}

/** An answer to HEAD has the length of a GET's body. */
const headOnly = (status: number, headers: Readonly<Record<string, string>>, length: number) =>
  new Response(null, { status, headers: { ...headers, 'Content-Length': String(length) } })
