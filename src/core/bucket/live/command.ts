/** First steps of each command that makes a snapshot live: the lease, the wait for late requests, the state of the bucket. */

import { assertUsable } from '../doctor/trial.ts'
import { withFolder } from '../store/files.ts'
import { nullIfDamaged, type ObjectStore } from '../store/store.ts'
import { assertFollowed } from './follow.ts'
import { readJournal } from './journal.ts'
import { withLease } from './lease.ts'
import type { Door, DoorOptions } from './options.ts'
import { findStaged } from './staged.ts'
import type { ManifestHead } from '../../snapshot/manifest.ts'
import { fetchHead } from '../manifest/manifest.ts'
import { readReplaceable } from '../store/read.ts'
import { liveKey, manifestIn, type Slot, slots } from './layout.ts'
import { type Live, LiveDamaged, type LiveObject, readLive } from './live.ts'

/** @param target of a publish, see {@link withLease} @throws {Error} if another process holds the lease */
export const withDoor = <Options extends DoorOptions, T>(
  store: ObjectStore,
  options: Options,
  work: (door: Options & Door) => Promise<T>,
  target?: string,
): Promise<T> =>
  withLease(
    store,
    { ...options, onNew: () => assertUsable(store, options.onWarning) },
    (lease) => withFolder((folder) => work({ ...options, store, lease, folder })),
    target,
  )

export const awaitLateRequests = ({ store, lease, lateSeconds, onWarning }: Door): Promise<void> =>
  lease.awaitLateRequests(lateSeconds, (seconds) => {
    const why = `waiting ${seconds} s, until none of its requests can arrive any more`
    onWarning(`${store.name}: the publish before was killed or not answered: ${why}`)
  })

export type Found = Awaited<ReturnType<typeof findSituation>>

/**
 * Reads under the lease: the holder before may have flipped. `found`: `live.json` as an object of the store. `left`: if `live.json` was
 * removed, edges go on with the last good one, and so with the slot that was probably live.
 */
export async function findSituation(door: Door) {
  const { store, lease, isRepair, slots: count } = door
  const found = await readLiveFor(store, isRepair)
  const { live } = found
  assertFollowed(store, live, door)
  const { staged, hasFile: hasStagedFile } = await findStaged(store, live)
  const left = live === null && !lease.isFirst ? ((await guessLive(store)).live?.slot ?? null) : null
  return {
    found,
    live,
    staged,
    hasStagedFile,
    journal: { changing: lease.torn },
    isRepair,
    left,
    slots: count,
  }
}

/** @throws {LiveDamaged} if `live.json` is damaged, unless this is a repair @throws {Error} if the store fails */
export const readLiveFor = (store: ObjectStore, isRepair: boolean): Promise<LiveObject> =>
  readLive(store).catch((error: unknown) => {
    if (isRepair && error instanceof LiveDamaged) return guessLive(store)
    throw error
  })

/**
 * Takes the slot that the damaged text names for live, else one in which no publish was stopped, else the one with the newest
 * manifest; null if there is no manifest. Edges may go on with the slot that was live, so a wrong guess would cost them their slot.
 */
async function guessLive(store: ObjectStore): Promise<LiveObject> {
  const { text, ...found } = await readReplaceable(store, liveKey)
  const named = slots.find((slot) => new RegExp(`"slot"\\s*:\\s*"${slot}"`).test(text ?? ''))
  const { journal } = await readJournal(store, true)
  const isTorn = (slot: Slot) => journal?.changing[slot] !== undefined
  const held = (await Promise.all(slots.map((slot) => heldIn(store, slot)))).flatMap((one) => one ?? [])
  held.sort(
    (one, other) =>
      Number(other.slot === named) - Number(one.slot === named) ||
      Number(isTorn(one.slot)) - Number(isTorn(other.slot)) ||
      other.since - one.since ||
      // Stores give whole seconds.
      (one.head.snapshot < other.head.snapshot ? 1 : -1),
  )
  const [guess] = held
  return {
    ...found,
    live: guess === undefined ? null : liveOf(guess.slot, guess.head, guess.since),
    isDamaged: true,
  }
}

async function heldIn(store: ObjectStore, slot: Slot) {
  const key = manifestIn(slot)
  const head = await fetchHead(store, key).catch(nullIfDamaged)
  if (head === null) return null
  const object = await store.get(key)
  object?.cancel()
  return object === null ? null : { slot, head, since: object.lastModified.getTime() }
}

function liveOf(slot: Slot, head: ManifestHead, since: number): Live {
  const { snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, freshness } = head
  const figures = { funds, objects, bytes, newestPrice, docsUrl, freshness }
  return {
    format: 1,
    slot,
    snapshot,
    asOf,
    ...figures,
    liveSince: new Date(since).toISOString(),
    earlierDownloads: {},
    previous: null,
  }
}
