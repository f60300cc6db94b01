/** The moment a snapshot goes live, and what keeps everybody else from making its slot live before. */

import { setTimeout } from 'node:timers/promises'
import type { ManifestHead } from '../snapshot/manifest.ts'
import { LeaseLost, type Lease } from './journal.ts'
import type { Slot } from './layout.ts'
import type { LiveDownloads } from './live-downloads.ts'
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

/** Dates of HTTP have no parts of a second: an age that is told by two of them can be that much too large. */
const roundingMs = 1000

/** A slot that has just stopped being live is still read from, by edges that have not noticed yet. */
export async function leaveTime(
  { live, ageMs }: Pick<LiveObject, 'live' | 'ageMs'>,
  { graceSeconds, signal }: { readonly graceSeconds: number; readonly signal: AbortSignal },
): Promise<void> {
  // Nothing was live before: the other slot has no readers.
  if (!live?.previous || graceSeconds === 0) return
  const wait = graceSeconds * 1000 + roundingMs - ageMs
  if (wait > 0) await setTimeout(wait, undefined, { signal })
}

/**
 * From here on nobody else makes the slot live that is about to be written to.
 * - The lease before was never given back, or not with ease: a flip that was sent under it may not have arrived yet. A
 *   fence stops it.
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
  if (lease.isUnsettled) return fence(store, standing, lease.id)
  const now = await readLive(store)
  // Also where it says the same again: somebody has flipped and taken back, and edges may have followed.
  const isUntouched = isSameLive(now.live, standing.live) && isSameCondition(now, standing)
  if (!isUntouched) throw liveChanged(store)
  return standing
}

const isSameCondition = ({ condition: one }: LiveObject, { condition: other }: LiveObject) =>
  'ifMatch' in one && 'ifMatch' in other && one.ifMatch === other.ifMatch

export interface FlipOptions {
  /** False for a store without conditional writes. */
  readonly isLocking: boolean
  /** What stands in `live.json`. */
  readonly expected: LiveObject
  readonly lease: Lease
  /** The list that this publish has named in the journal, if it had anything to change. */
  readonly changes: string | undefined
  readonly edition: string
  readonly downloads: LiveDownloads | undefined
  /** By the store's clock. */
  readonly now: Date
  readonly signal: AbortSignal
  readonly onWarning: (warning: string) => void
}

/** The flip: one write. @throws {Error} if somebody else has flipped, or if nobody knows whether this one did */
export async function flip(
  store: ObjectStore,
  head: ManifestHead,
  slot: Slot,
  { isLocking, now, onWarning, expected, lease, changes, edition, downloads, signal }: FlipOptions,
): Promise<LiveSnapshot> {
  const { assertFresh } = lease
  const told = { now, changes, edition, downloads }
  const next = liveSnapshot(head, slot, { ...told, before: expected.live })
  try {
    const condition = isLocking ? expected.condition : undefined
    await writeLive(store, next, expected.live, condition, { assertFresh })
    return next
  } catch (error) {
    const standing = await readLive(store).catch(() => null)
    if (isSameLive(standing?.live ?? null, next)) return next
    if (error instanceof ConditionFailed) {
      if (standing?.live?.slot !== slot) throw liveChanged(store, error)
      // The slot is whole by now, and this night's.
      onWarning('a write that came late had made the slot live already, while it was written to')
      await lease.assertHeld()
      const later = liveSnapshot(head, slot, { ...told, before: standing.live })
      await writeLive(store, later, expected.live, standing.condition, { assertFresh })
      return later
    }
    if (error instanceof LeaseLost) throw error
    const unknown = `nobody knows whether ${next.snapshot} went live: look at \`fundpress status\`, and publish again`
    // Whoever stops a command is told no more than that it was stopped.
    if (signal.aborted) onWarning(unknown)
    throw new Error(`${reasonOf(error)}; ${unknown}`, { cause: error })
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
