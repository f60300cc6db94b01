/** `fundpress rollback`: makes the other slot live again. One write. */

import { heldMessage, isHeldByOther, readJournal, type Holder } from './journal.ts'
import { liveSnapshot, readLive, snapshotOf, writeLive, type LiveSnapshot } from './live.ts'
import { readStatus } from './status.ts'
import { ConditionFailed, type ObjectStore } from './store.ts'

export interface RollbackOptions {
  /** The snapshot that is to be live; null for whatever the other slot holds. */
  readonly to: string | null
  readonly isLocking: boolean
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly now: () => Date
}

/**
 * @returns what is live now
 * @throws {Error} if the other slot does not hold that snapshot, is not whole, or is being written to
 */
export async function rollback(store: ObjectStore, options: RollbackOptions): Promise<LiveSnapshot> {
  const { to, isLocking, me, isAlive, now } = options
  const { live, other, journal } = await readStatus(store)
  if (live.live === null || other === null)
    throw new Error(`${store.name}: nothing is live, there is nothing to take back`)
  if (isHeldByOther(journal, me, isAlive)) throw new Error(heldMessage(store, journal))
  const { slot, head, isWhole } = other
  if (head === null)
    throw new Error(`${store.name}: ${slot} holds no snapshot, there is nothing to go back to`)
  if (to !== null && head.snapshot !== to) {
    const isLive =
      live.live.snapshot === to ? `${to} is live already` : `${slot} holds ${head.snapshot}, not ${to}`
    throw new Error(`${store.name}: ${isLive}`)
  }
  if (!isWhole)
    throw new Error(
      `${store.name}: ${slot} is not whole (a publish was stopped in it, or it is damaged): publish again instead`,
    )

  const next = liveSnapshot(head, slot, now().toISOString())
  try {
    const { etag } = await writeLive(store, next, live.live, isLocking ? live.condition : undefined)
    // A publish that took the lease since we looked may have begun to write to what is live now.
    const after = await readJournal(store)
    const isTouched = after.journal?.changing?.slot === slot
    if (!isTouched && !isHeldByOther(after, me, isAlive)) return next
    const { live: written } = await readLive(store)
    await writeLive(store, snapshotOf(live.live), written, isLocking ? { ifMatch: etag } : undefined)
    throw new Error(`${heldMessage(store, after)}: it began at the same moment, nothing was taken back`)
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    throw new Error(`${store.name}: somebody else changed live.json meanwhile; nothing was taken back`, {
      cause: error,
    })
  }
}
