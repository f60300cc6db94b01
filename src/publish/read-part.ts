/** Objects as a server reads them: small ones as a whole, large ones in parts. */

import { wholeObject } from './manifest-reader.ts'
import type { FetchedObject, ObjectStore } from './store.ts'

/**
 * @param most bytes of an object that is given with its body
 * @returns null if there is no such object @throws {Error} if it keeps breaking off
 */
export function readUpTo(
  store: ObjectStore,
  key: string,
  most: number,
): Promise<{
  readonly length: number
  readonly body: Buffer | null
  readonly etag: string
  readonly lastModified: Date
} | null> {
  return wholeObject(store, key, undefined, async (object) => {
    const { bytes, etag, lastModified } = object
    if (bytes !== null && bytes > most) {
      object.cancel()
      return { length: bytes, body: null, etag, lastModified }
    }
    const body = await bodyOf(object)
    return { length: body.length, body, etag, lastModified }
  })
}

/**
 * A part of an object that is there with this ETag.
 * @param part first and last byte, both included
 * @throws {Error} if the object is gone or another one, or keeps breaking off
 */
export async function readPart(
  store: ObjectStore,
  key: string,
  part: { readonly first: number; readonly last: number },
  etag: string,
): Promise<readonly Uint8Array[]> {
  const chunks = await wholeObject(store, key, { part, ifMatch: etag }, async (object) =>
    object.etag === etag ? chunksOf(object) : null,
  )
  const length = chunks?.reduce((sum, chunk) => sum + chunk.length, 0)
  if (chunks !== null && length === part.last - part.first + 1) return chunks
  throw new Error(`${store.name}: ${key} was changed while it was read`)
}

const bodyOf = async (object: Pick<FetchedObject, 'body'>) => Buffer.concat(await chunksOf(object))

async function chunksOf({ body }: Pick<FetchedObject, 'body'>): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return chunks
}
