/** The moment a snapshot goes live, and what keeps everybody else from making its slot live before. */

import { setTimeout } from 'node:timers/promises'
import type { ManifestHead } from '../snapshot/manifest.ts'
import type { Lease } from './journal.ts'
import type { Slot } from './layout.ts'
import {
  fence,
  isSameLive,
  liveChanged,
  liveSnapshot,
  readLive,
  writeLive,
  type LiveObject,
  type LiveSnapshot,
} from './live.ts'
import { ConditionFailed, type ObjectStore } from './store.ts'

/** A slot that has just stopped being live is still read from, by edges that have not noticed yet. */
export async function leaveTime(
  { live, ageMs }: LiveObject,
  { graceSeconds, signal }: { readonly graceSeconds: number; readonly signal: AbortSignal },
): Promise<void> {
  // Nothing was live before: the other slot has no readers.
  if (!live?.previous) return
  const wait = graceSeconds * 1000 - ageMs
  if (wait > 0) await setTimeout(wait, undefined, { signal })
}

/**
 * From here on nobody else makes the slot live that is about to be written to.
 * - The lease was never given back: its publish may have sent a flip that has not arrived. A fence stops it.
 * - A rollback began before our lease: it has arrived by now, as a rule, and is seen here. If not, it looks at the
 *   journal once it has, and takes itself back.
 * @returns what the flip has to find
 * @throws {Error} if something else went live
 */
export async function closeToOthers(
  store: ObjectStore,
  {
    isLocking,
    standing,
    lease,
  }: { readonly isLocking: boolean; readonly standing: LiveObject; readonly lease: Lease },
): Promise<LiveObject> {
  // Where nothing is live there are no readers yet.
  if (!isLocking || standing.live === null) return standing
  if (lease.isTakenOver) return fence(store, standing, lease.id)
  const { live } = await readLive(store)
  if (!isSameLive(live, standing.live)) throw liveChanged(store)
  return standing
}

export interface FlipOptions {
  /** False for a store without conditional writes. */
  readonly isLocking: boolean
  /** What stands in `live.json`. */
  readonly expected: LiveObject
  readonly lease: Lease
  /** By the store's clock. */
  readonly now: Date
  readonly onWarning: (warning: string) => void
}

/** The flip: one write. @throws {Error} if somebody else has flipped, or if nobody knows whether this one did */
export async function flip(
  store: ObjectStore,
  head: ManifestHead,
  slot: Slot,
  { isLocking, now, onWarning, expected, lease }: FlipOptions,
): Promise<LiveSnapshot> {
  const next = liveSnapshot(head, slot, expected.live, now)
  try {
    await writeLive(store, next, expected.live, isLocking ? expected.condition : undefined)
    return next
  } catch (error) {
    const standing = await readLive(store).catch(() => null)
    if (isSameLive(standing?.live ?? null, next)) return next
    if (error instanceof ConditionFailed) {
      if (standing?.live?.slot !== slot) throw liveChanged(store, error)
      // A rollback that came late has made the slot live while it was written to. It is whole now, and this night's.
      onWarning('a rollback at the same moment made the slot live that was being written to')
      await lease.assertHeld()
      const later = liveSnapshot(head, slot, standing.live, now)
      await writeLive(store, later, expected.live, standing.condition)
      return later
    }
    // What was sent can still arrive: whoever comes next has to take the lease over, and stop it.
    lease.abandon()
    throw new Error(
      `${reasonOf(error)}; nobody knows whether ${next.snapshot} went live: look at \`fundpress status\`, and publish again`,
      { cause: error },
    )
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
