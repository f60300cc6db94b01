/** A bucket as the Lambda reads it, with the SDK that its Node brings along. */

import type { BucketReader } from './slot-store.ts'

/** What the SDK's GetObject gives. */
interface GotObject {
  readonly Body: { readonly transformToByteArray: () => Promise<Uint8Array>; readonly destroy: () => void }
  readonly ContentLength: number
  readonly ETag: string
  readonly LastModified: Date
}

/** @param get sends a GetObject; it throws what the SDK throws */
export function lambdaReader(
  get: (key: string, more?: { readonly Range: string; readonly IfMatch: string }) => Promise<GotObject>,
): BucketReader {
  return {
    read: async (key, most) => {
      const got = await get(key).catch(nullIfMissing)
      if (got === null) return null
      const { Body, ContentLength: length, ETag: etag, LastModified: lastModified } = got
      if (length <= most) return { length, body: await bytesOf(got), etag, lastModified }
      Body.destroy()
      return { length, body: null, etag, lastModified }
    },
    readPart: async (key, { first, last }, etag) => {
      const got = await get(key, { Range: `bytes=${first}-${last}`, IfMatch: etag })
      const bytes = await bytesOf(got)
      if (got.ETag !== etag || bytes.length !== last - first + 1)
        throw new Error(`${key} was changed while it was read, or broke off`)
      return [bytes]
    },
  }
}

function nullIfMissing(error: unknown): null {
  const { name } = error as { readonly name?: string }
  if (name === 'NoSuchKey' || name === 'KeyTooLongError') return null
  throw error
}

async function bytesOf({ Body }: GotObject): Promise<Buffer> {
  const { buffer, byteOffset, length } = await Body.transformToByteArray()
  return Buffer.from(buffer, byteOffset, length)
}
