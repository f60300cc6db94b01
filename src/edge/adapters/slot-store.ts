/** One slot of a bucket. Small objects are remembered, and for some seconds which keys have none; large ones are read in parts. */

import { LRUCache } from 'lru-cache'
import type { Store, StoredObject } from '../answer.ts'
import type { ByteRange } from '../byte-range.ts'
import { largeReadsAtATime, mostInMemory, textOf, type NodeBody } from './node-body.ts'
import { objectCache } from './object-cache.ts'
import { queue } from './slots.ts'

/** What the edge needs of a bucket. Both reject if it cannot be read. */
export interface BucketReader {
  /** @returns null if there is no such object; one with more bytes than `most` comes without its body */
  readonly read: (key: string, most: number) => Promise<BucketObject | null>
  /** Exactly these bytes, in pieces. Rejects if the object has another ETag now. */
  readonly readPart: (key: string, part: ByteRange, etag: string) => Promise<readonly Uint8Array[]>
}

export interface BucketObject {
  /** Of all of it, in bytes. */
  readonly length: number
  readonly body: Buffer | null
  /** With its quotation marks. */
  readonly etag: string
  readonly lastModified: Date
}

/** Keys without an object. They take no request to the bucket for a while, nor do they push objects out of memory. */
const missing = { max: 10_000, ttl: 5000 }

/**
 * Reads past any cache of what is live. All that is remembered is of this snapshot.
 * @param place where an object lies in the bucket, or null if it cannot be anywhere
 */
export function slotStore(
  place: (key: string) => string | null,
  liveSince: Date,
  { read, readPart }: BucketReader,
): Store<NodeBody> {
  const cache = objectCache<StoredObject<NodeBody>>(({ body }) => (Buffer.isBuffer(body) ? body.length : 0))
  const absent = new LRUCache<string, true>(missing)
  const inTurn = queue(largeReadsAtATime)

  /** Nothing is held while the client does not read, not even a connection to the bucket. */
  async function* readLarge(key: string, at: string, etag: string, { first, last }: ByteRange) {
    for (let start = first; start <= last; start += mostInMemory) {
      const part = { first: start, last: Math.min(start + mostInMemory - 1, last) }
      try {
        yield* await inTurn(() => readPart(at, part, etag))
      } catch (error) {
        // If it is another object now, the next request finds that one.
        cache.forget(key)
        throw error
      }
    }
  }

  const readStored = async (key: string): Promise<StoredObject<NodeBody> | null> => {
    const at = place(key)
    const object = at === null ? null : await read(at, mostInMemory)
    if (at === null || object === null) {
      absent.set(key, true)
      return null
    }
    const { length, etag, lastModified } = object
    const body = object.body ?? { length, read: (part: ByteRange) => readLarge(key, at, etag, part) }
    // After a rollback older objects are live: a client's copy of the newer ones must not pass for one of these.
    const later = lastModified > liveSince ? lastModified : liveSince
    return { body, etag, lastModified: later.toUTCString() }
  }

  return {
    get: (key) => (absent.has(key) ? Promise.resolve(null) : cache.get(key, () => readStored(key))),
    text: textOf,
  }
}
