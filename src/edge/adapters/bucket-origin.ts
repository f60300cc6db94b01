/** Snapshots in a bucket: the live slot is followed within a few seconds of a flip. */

import type { RouteTable } from '../../routes/table.ts'
import type { Store, StoredObject } from '../answer.ts'
import type { Origin } from './node.ts'
import { objectCache } from './object-cache.ts'

/** What `live.json` says. Source: keys.md. */
export interface LiveSlot {
  readonly slot: string
  readonly snapshot: string
  readonly liveSince: Date
  readonly table: RouteTable
}

/** An object as the bucket gives it. */
export interface BucketObject {
  readonly body: Buffer
  /** With its quotation marks. */
  readonly etag: string
  readonly lastModified: Date
}

export interface BucketOriginOptions {
  /** @throws {Error} if nothing is live, or the bucket cannot be read */
  readonly readLive: () => Promise<LiveSlot>
  /** @returns null if there is no such object */
  readonly read: (key: string) => Promise<BucketObject | null>
  /** How long an answer may come from the slot that was live before, in milliseconds. */
  readonly liveTtlMs: number
  /** A clock that only goes forward, in milliseconds. */
  readonly clock: () => number
}

interface Live {
  readonly id: string
  readonly table: RouteTable
  readonly store: Store<Buffer>
}

export function bucketOrigin({ readLive, read, liveTtlMs, clock }: BucketOriginOptions): Origin {
  let live: Live | undefined
  let readAt = -Infinity
  let reading: Promise<Live> | undefined

  const refresh = async (): Promise<Live> => {
    const startedAt = clock()
    const { slot, snapshot, liveSince, table } = await readLive()
    const id = `${slot} ${snapshot} ${liveSince.toISOString()}`
    // The cache of a snapshot lives as long as it does: its objects never change.
    if (live?.id !== id) live = { id, table, store: slotStore(slot, liveSince, read) }
    readAt = startedAt
    return live
  }
  const current = async (): Promise<Live> => {
    if (live !== undefined && clock() - readAt < liveTtlMs) return live
    reading ??= refresh()
      .catch((error: unknown) => {
        // One failed look need not fail requests: slots are left alone for twice the time after a flip.
        if (live !== undefined && clock() - readAt < liveTtlMs * 1.5) return live
        throw error
      })
      .finally(() => {
        reading = undefined
      })
    return reading
  }

  return {
    pin: async () => {
      const { table, store } = await current()
      // The slot that was live is left alone for a while after a flip: what was pinned stays whole.
      return { table, store, isStillLive: () => Promise.resolve(true) }
    },
  }
}

function slotStore(slot: string, liveSince: Date, read: BucketOriginOptions['read']): Store<Buffer> {
  const readStored = async (key: string): Promise<StoredObject<Buffer> | null> => {
    const object = await read(`${slot}/${key}`)
    if (object === null) return null
    const { body, etag, lastModified } = object
    // After a rollback older objects are live: a client's copy of the newer ones must not pass for one of these.
    const later = lastModified > liveSince ? lastModified : liveSince
    return { body, etag, lastModified: later.toUTCString() }
  }
  const cache = objectCache<StoredObject<Buffer>>(({ body }) => body.length)
  return {
    get: (key) => cache.get(key, () => readStored(key)),
    text: (body) => Promise.resolve(body.toString('latin1')),
  }
}
