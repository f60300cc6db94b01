/** Snapshots in a bucket: the live slot is followed within a few seconds of a flip. */

import { setTimeout } from 'node:timers/promises'
import { placeOf, type Placed } from '../../routes/pages.ts'
import type { RouteTable } from '../../routes/table.ts'
import type { Store } from '../answer.ts'
import { DamagedLive } from './damaged-live.ts'
import { slotStore, type BucketReader } from './slot-store.ts'
import type { NodeBody } from './node-body.ts'
import type { Origin } from './node.ts'

/** What `live.json` says. Source: keys.md. */
export interface LiveSlot extends Placed {
  readonly liveSince: Date
  readonly table: RouteTable
}

export interface BucketOriginOptions {
  /** @throws {Error} if nothing is live, or the bucket cannot be read */
  readonly readLive: () => Promise<LiveSlot>
  readonly reader: BucketReader
  /** How long an answer may come from the slot that was live before, in milliseconds. */
  readonly liveTtlMs: number
  /** A clock that only goes forward, in milliseconds. */
  readonly clock: () => number
  /** Told each time `live.json` is found damaged, while what was live before is served. */
  readonly onDamaged?: (error: Error) => void
}

interface Live {
  readonly id: string
  readonly table: RouteTable
  readonly store: Store<NodeBody>
}

/** What was live at a moment by the clock. */
interface Look {
  readonly live: Live
  readonly at: number
}

export function bucketOrigin(options: BucketOriginOptions): Origin {
  const { readLive, reader, liveTtlMs, clock, onDamaged } = options
  let last: Look | undefined
  let looking: Promise<Look> | undefined
  /** A slot is left alone for twice the time after it stopped being live: bucket.graceSeconds. */
  const isSafe = (at: number) => clock() - at < liveTtlMs * 2
  const isFresh = (at: number) => clock() - at < liveTtlMs

  const liveOf = (found: LiveSlot): Live => {
    const { slot, snapshot, liveSince, table } = found
    const id = `${slot} ${snapshot} ${liveSince.toISOString()}`
    // The cache of a snapshot lives as long as it does: its objects never change.
    const place = (key: string) => placeOf(found, key)
    return last?.live.id === id ? last.live : { id, table, store: slotStore(place, liveSince, reader) }
  }
  const look = async (): Promise<Look> => {
    const at = clock()
    const known = last
    const live = await readLive().then(liveOf, (error: unknown) => {
      if (!(error instanceof DamagedLive) || known === undefined || at - known.at >= liveTtlMs * 2)
        throw error
      onDamaged?.(error)
      // Still live: within this time nobody has begun to write to its slot, and now nobody does.
      return known.live
    })
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
        isStillLive: async () => isSafe(at) || (await current()).live.id === live.id,
      }
    },
  }
}
