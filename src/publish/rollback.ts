/** `fundpress rollback`: makes the other slot live again. One write. */

import { heldMessage, isHeldByOther, readJournal, type Holder } from './journal.ts'
import { otherSlot, type Slot } from './layout.ts'
import {
  liveSnapshot,
  readLive,
  snapshotOf,
  writeLive,
  type Live,
  type LiveObject,
  type LiveSnapshot,
} from './live.ts'
import { point, type LivePointer } from './live-pointer.ts'
import type { Manifest } from './manifest-reader.ts'
import { nothing } from './ndjson.ts'
import { fetchEtags, fetchManifest } from './prepare.ts'
import { withFolder } from './status.ts'
import { ConditionFailed, type ObjectStore } from './store.ts'
import { compareWithListing } from './verify.ts'

export interface RollbackOptions {
  /** The snapshot that is to be live; null for whatever the other slot holds. */
  readonly to: string | null
  /** Whether the slot is listed first, and compared with its manifest. */
  readonly isChecking: boolean
  readonly isLocking: boolean
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  /** Told what is live, too. */
  readonly pointer?: LivePointer | null
}

/**
 * @returns what is live now
 * @throws {Error} if the other slot does not hold that snapshot, is not whole, or is being written to
 */
export function rollback(store: ObjectStore, options: RollbackOptions): Promise<LiveSnapshot> {
  return withFolder(async (folder) => {
    const { to, isChecking, me, isAlive } = options
    // In this order: a publish that begins after the journal was read finds what is live here.
    const standing = await readLive(store)
    const { live } = standing
    if (live === null) throw new Error(`${store.name}: nothing is live, there is nothing to take back`)
    const slot = otherSlot(live.slot)
    const manifest = await fetchManifest(store, slot, folder)
    if (manifest === null)
      throw new Error(`${store.name}: ${slot} holds no snapshot, there is nothing to go back to`)
    if (to !== null && manifest.head.snapshot !== to) {
      const isLive =
        live.snapshot === to ? `${to} is live already` : `${slot} holds ${manifest.head.snapshot}, not ${to}`
      throw new Error(`${store.name}: ${isLive}`)
    }
    const assertFree = async () => {
      const journal = await readJournal(store)
      if (isHeldByOther(journal, me, isAlive)) throw new Error(heldMessage(store, journal))
      if (journal.journal?.changing[slot] !== undefined)
        throw notWhole(store, slot, 'a publish was stopped in it')
    }
    await assertFree()
    if (isChecking) {
      await assertWhole(store, slot, manifest, folder)
      // The listing took its time.
      await assertFree()
    }
    return makeLive(
      store,
      liveSnapshot(manifest.head, slot, live, standing.now()),
      { ...standing, live },
      options,
    )
  })
}

interface Standing extends LiveObject {
  readonly live: Live
}

async function makeLive(
  store: ObjectStore,
  next: LiveSnapshot,
  { live, condition }: Standing,
  { isLocking, pointer }: RollbackOptions,
): Promise<LiveSnapshot> {
  try {
    const { etag } = await writeLive(store, next, live, isLocking ? condition : undefined)
    // A publish that took the lease since we looked may have begun to write to what is live now.
    const after = await readJournal(store)
    // One that has not said so yet looks at live.json before it does, and gives up.
    if (after.journal?.changing[next.slot] !== undefined) {
      const { live: written } = await readLive(store)
      await writeLive(store, snapshotOf(live), written, isLocking ? { ifMatch: etag } : undefined)
      throw new Error(`${heldMessage(store, after)}: it began at the same moment, nothing was taken back`)
    }
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    throw new Error(`${store.name}: somebody else changed live.json meanwhile; nothing was taken back`, {
      cause: error,
    })
  }
  await point(pointer, next)
  return next
}

/** @throws {Error} that names the first object that differs from the slot's manifest */
async function assertWhole(
  store: ObjectStore,
  slot: Slot,
  manifest: Manifest,
  folder: string,
): Promise<void> {
  const etags = await fetchEtags(store, slot, folder, true)
  for await (const { key, what } of compareWithListing(
    store,
    slot,
    manifest.lines(),
    etags?.() ?? nothing(),
  )) {
    // What is there beside the snapshot harms nobody.
    if (what !== 'extra')
      throw notWhole(store, slot, `${key} is ${what === 'missing' ? 'missing' : 'another one'}`)
  }
}

const notWhole = (store: ObjectStore, slot: Slot, why: string) =>
  new Error(`${store.name}: ${slot} is not whole (${why}): publish again instead`)
