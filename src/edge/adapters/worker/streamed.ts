/** A joined range as the body of a Response: all of it at once, or a stream that breaks if a window fails. */

import type { Codec, JoinedBytes } from '../joined.ts'

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

/**
 * As it is read: an error breaks the stream, so that nobody takes a part for the whole. The length has to be known:
 * workerd ends a chunked answer that fails as if it were whole (its issue 6818); one of a known length breaks off.
 */
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

/** The web's way between bytes and text. */
export const utf8: Codec = {
  decode: (bytes) => decoder.decode(bytes),
  encode: (text) => encoder.encode(text),
}
