/** Bodies that a store sends have limits, and end: whoever answers in its place must not hold a command for ever, or fill its memory. */

import { Endless } from './errors.ts'

interface BodyLimits {
  /** Milliseconds to wait for the body in all, beside those that its size takes. */
  readonly waitMs: number
  readonly maxBytes?: number
}

/** Bytes a second, below the slowest line: a command reads many bodies at a time. */
const slowest = 2048

/** Yields a body. Only waiting for the store counts. @throws {Endless} if it is too large or too slow */
export async function* limitBody(
  body: AsyncIterable<Uint8Array>,
  what: string,
  { waitMs, maxBytes = Infinity }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  let bytes = 0
  let waitedMs = 0
  try {
    for (;;) {
      const askedAt = performance.now()
      const next = await chunks.next()
      waitedMs += performance.now() - askedAt
      if (next.done === true) return
      bytes += next.value.length
      if (bytes > maxBytes) throw tooLarge(what, maxBytes)
      if (waitedMs > waitMs + (bytes / slowest) * 1000) throw tooSlow(what, bytes, waitedMs)
      yield next.value
    }
  } finally {
    await chunks.return?.()
  }
}

const advice =
  'the store, or what answers in its place, is of no use like this: check the network, and --endpoint'

const tooLarge = (what: string, maxBytes: number) =>
  new Endless(`${what} has more than ${maxBytes} bytes: ${advice}`)

const tooSlow = (what: string, bytes: number, waitedMs: number) =>
  new Endless(`${what} came too slowly, ${bytes} bytes in ${Math.round(waitedMs / 1000)} s: ${advice}`)

/** Yields a part of a body, and ends there. @param first of its bytes @param last both included */
export async function* cutBody(
  body: AsyncIterable<Uint8Array>,
  { first, last }: { readonly first: number; readonly last: number },
): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const chunk of body) {
    const from = Math.max(first - at, 0)
    const to = Math.min(last + 1 - at, chunk.length)
    if (to > from) yield chunk.subarray(from, to)
    at += chunk.length
    if (at > last) return
  }
}
