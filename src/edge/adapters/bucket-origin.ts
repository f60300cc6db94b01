/** Snapshots in a bucket: the live slot is followed within a few seconds of a flip. */

import { setTimeout } from 'node:timers/promises'
import { placeOf, type Placed } from '../../routes/pages.ts'
import type { RouteTable } from '../../routes/table.ts'
import type { Store, StoredObject } from '../answer.ts'
import type { Origin } from './node.ts'
import { objectCache } from './object-cache.ts'

/** What `live.json` says. Source: keys.md. */
export interface LiveSlot extends Placed {
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

/** What was live at a moment by the clock. */
interface Look {
  readonly live: Live
  readonly at: number
}

export function bucketOrigin({ readLive, read, liveTtlMs, clock }: BucketOriginOptions): Origin {
  let last: Look | undefined
  let looking: Promise<Look> | undefined
  /** A slot is left alone for twice the time after it stopped being live: bucket.graceSeconds. */
  const isSafe = (at: number) => clock() - at < liveTtlMs * 2
  const isFresh = (at: number) => clock() - at < liveTtlMs

  const look = async (): Promise<Look> => {
    const at = clock()
    const found = await readLive()
    const { slot, snapshot, liveSince, table } = found
    const id = `${slot} ${snapshot} ${liveSince.toISOString()}`
    // The cache of a snapshot lives as long as it does: its objects never change.
    const place = (key: string) => placeOf(found, key)
    const live = last?.live.id === id ? last.live : { id, table, store: slotStore(place, liveSince, read) }
    const looked = { live, at }
    // Looks can overtake each other.
    if (last === undefined || at >= last.at) last = looked
    return looked
  }
  const current = async (): Promise<Look> => {
    if (last !== undefined && isFresh(last.at)) return last
    looking ??= look().finally(() => {
      looking = undefined
    })
    const known = last
    const spareMs = known === undefined ? 0 : known.at + liveTtlMs * 1.5 - clock()
    if (known === undefined || spareMs <= 0) return looking
    // A look that fails or takes long need not fail requests, while there is time left to answer in.
    const inTime = setTimeout(spareMs, known, { ref: false })
    return Promise.race([looking.catch(() => known), inTime])
  }

  return {
    pin: async () => {
      const { live, at } = await current()
      const { table, store } = live
      return {
        table,
        store,
        // An answer that took long may have read from a slot that was written to again.
        isStillLive: async () => isSafe(at) || (await look()).live.id === live.id,
      }
    },
  }
}

/**
 * One snapshot's objects, read past any cache of what is live.
 * @param place where an object lies in the bucket, or null if it cannot be anywhere
 */
export function slotStore(
  place: (key: string) => string | null,
  liveSince: Date,
  read: BucketOriginOptions['read'],
): Store<Buffer> {
  const readStored = async (key: string): Promise<StoredObject<Buffer> | null> => {
    const at = place(key)
    const object = at === null ? null : await read(at)
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
