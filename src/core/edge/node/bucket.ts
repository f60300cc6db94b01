/**
 * Snapshots in a bucket. The origin follows the live slot within some seconds of a flip. It keeps small objects and, for some
 * seconds, keys without an object; it reads large objects in parts.
 */

import { setTimeout } from 'node:timers/promises'
import pLimit from 'p-limit'
import { placeOf } from '../../api/routes/pages.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import type { Store, StoredObject } from '../core/answer.ts'
import type { ByteRange } from '../core/finish.ts'
import { followLive, idOf, lastModifiedOf, type FollowOptions, type ReadLive } from '../core/live.ts'
import type { LiveSlot } from '../core/live-file.ts'
import { isStillStaged, type ReadStaged } from '../core/preview.ts'
import { largeReadsAtATime, mostInMemory, objectCache, reading, type NodeBody } from './objects.ts'
import type { Origin, Pointer } from './server.ts'

interface BucketOriginOptions extends Omit<FollowOptions, 'sleep'> {
  readonly readLive: ReadLive
  readonly readStaged: ReadStaged
  readonly pointer: () => Pointer
  readonly reader: BucketReader
  /** `docsUrl` comes from the live snapshot. */
  readonly table: Omit<RouteTable, 'docsUrl'>
}

export function bucketOrigin(given: BucketOriginOptions): Origin {
  const { readLive, readStaged, pointer, reader, table, ...options } = given
  const follower = followLive({
    ...options,
    sleep: (ms) => setTimeout(ms, undefined, { ref: false }),
  })
  const storeOfLive = lastStore((live) => ({
    read: async (key, most) => {
      follower.assertReachable()
      const object = await reader.read(key, most)
      await follower.confirm({ live }, readLive)
      return object
    },
    readPart: async (key, part, etag) => {
      follower.assertReachable()
      const pieces = await reader.readPart(key, part, etag)
      // An ETag shows that it is the same object.
      if (etag === null) await follower.confirm({ live }, readLive)
      return pieces
    },
  }))
  const storeOfStaged = lastStore(() => reader)
  return {
    pointer,
    pin: async () => {
      const look = await follower.current(readLive)
      return {
        table: { ...table, docsUrl: look.live.docsUrl },
        store: storeOfLive(look.live),
        live: liveOf(look.live),
        isStillLive: () => follower.isStillLive(look, readLive),
      }
    },
    pinStaged: async () => {
      const staged = await readStaged()
      return (
        staged && {
          table: { ...table, docsUrl: staged.docsUrl },
          store: storeOfStaged(staged),
          live: liveOf(staged),
          isStillLive: () => isStillStaged(staged, readStaged),
          staged,
        }
      )
    },
  }
}

const liveOf = ({ snapshot, liveSince }: LiveSlot) => ({ snapshot, since: liveSince })

/** Keeps the store of one snapshot, whose objects never change, until another one is asked for. */
function lastStore(readerOf: (live: LiveSlot) => BucketReader): (live: LiveSlot) => Store<NodeBody> {
  let last: { readonly id: string; readonly store: Store<NodeBody> } | undefined
  return (live) => {
    const id = idOf(live)
    if (last?.id !== id)
      last = { id, store: slotStore((key) => placeOf(live, key), new Date(live.liveSince), readerOf(live)) }
    return last.store
  }
}

/** Both reject if the bucket cannot be read. */
export interface BucketReader {
  /** @returns null if there is no such object; an object above `most` bytes comes without its body */
  readonly read: (key: string, most: number) => Promise<BucketObject | null>
  /** These bytes, in pieces. Rejects if the object has another ETag; null: any. */
  readonly readPart: (key: string, part: ByteRange, etag: string | null) => Promise<Uint8Array[]>
}

interface BucketObject {
  readonly length: number
  readonly body: Buffer | null
  /** As the store gives it. */
  readonly etag: string
  readonly lastModified: Date
}

/**
 * The object's ETag as HTTP has it: strong, since these are the bytes of one upload. Some stores leave the quotation marks out, and
 * proxies weaken what passes through them. The store itself is asked with its own. Source: RFC 9110, 8.8.3.
 */
const entityTag = (etag: string) =>
  `"${etag
    .replace(/^W\//, '')
    .replaceAll('"', '')
    .replaceAll(/[^\x21-\x7e]/g, '_')}"`

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array) => Buffer.from(buffer, byteOffset, length)

export type SlotStore = Required<Store<NodeBody>>

/** @param place the place of a key in the bucket, or null if there is none */
export function slotStore(
  place: (key: string) => string | null,
  liveSince: Date,
  { read, readPart }: BucketReader,
): SlotStore {
  const cache = objectCache((body) => (Buffer.isBuffer(body) ? body.length : 0))
  const inTurn = pLimit(largeReadsAtATime)

  /** Holds nothing while the client does not read, not even a connection to the bucket. */
  async function* readLarge(key: string, at: string, etag: string, { first, last }: ByteRange) {
    for (let start = first; start <= last; start += mostInMemory) {
      const part = { first: start, last: Math.min(start + mostInMemory - 1, last) }
      try {
        const pieces = await inTurn(() => readPart(at, part, etag))
        for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield piece
      } catch (error) {
        // If the object was replaced, the next request reads the new one.
        cache.forget(key)
        throw error
      }
    }
  }

  const readStored = async (key: string): Promise<StoredObject<NodeBody> | null> => {
    const at = place(key)
    const object = at === null ? null : await read(at, mostInMemory)
    if (at === null || object === null) return null
    const { length, etag, lastModified } = object
    const body = object.body ?? { length, read: (part: ByteRange) => readLarge(key, at, etag, part) }
    return {
      body,
      etag: entityTag(etag),
      lastModified: lastModifiedOf(lastModified.getTime(), liveSince.getTime()),
    }
  }

  const readSlice = async (key: string, part: ByteRange): Promise<StoredObject<NodeBody>> => {
    const at = place(key)
    if (at === null) throw new Error(`no document: ${key}`)
    const pieces = await readPart(at, part, null)
    const [only = Buffer.alloc(0)] = pieces
    return { body: pieces.length === 1 ? bufferOf(only) : Buffer.concat(pieces), etag: '', lastModified: '' }
  }
  return {
    get: (key) => cache.get(key, () => readStored(key)),
    slice: async (key, first, last) => {
      const whole = cache.known(key)?.body
      if (Buffer.isBuffer(whole)) return whole.subarray(first, last + 1)
      const slice = await cache.get(`${key} ${first}-${last}`, () => readSlice(key, { first, last }))
      if (slice === null) throw new Error(`no document: ${key}`)
      return slice.body
    },
    ...reading,
  }
}
