/** A damaged `live.json`: what a repair takes for live. Edges go on with the last good one meanwhile. */

import type { ManifestHead } from '../../build/manifest.ts'
import { fetchHead } from '../manifest/manifest.ts'
import { readReplaceable } from '../store/read.ts'
import { Damaged, type ObjectStore } from '../store/store.ts'
import { liveKey, manifestIn, type Slot, slots } from './layout.ts'
import { type Live, LiveDamaged, type LiveObject, readLive } from './live.ts'

/** @throws {LiveDamaged} if it is damaged, and this is no repair @throws {Error} if the store fails */
export const readLiveFor = (store: ObjectStore, isRepair: boolean): Promise<LiveObject> =>
  readLive(store).catch((error: unknown) => {
    if (isRepair && error instanceof LiveDamaged) return guessLive(store)
    throw error
  })

/** The slot that the damaged text names, or else the one whose manifest is the newest; null if no slot has one. */
async function guessLive(store: ObjectStore): Promise<LiveObject> {
  const { text, ...found } = await readReplaceable(store, liveKey)
  const named = slots.find((slot) => new RegExp(`"slot"\\s*:\\s*"${slot}"`).test(text ?? ''))
  const held = (await Promise.all(slots.map((slot) => heldIn(store, slot)))).flatMap((one) => one ?? [])
  held.sort(
    (one, other) =>
      Number(other.slot === named) - Number(one.slot === named) ||
      other.since - one.since ||
      // Stores tell whole seconds.
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
  const head = await fetchHead(store, key).catch((error: unknown) => {
    if (error instanceof Damaged) return null
    throw error
  })
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
    previous: null,
  }
}
