/**
 * `staged.json`: the snapshot of `publish --stage` in the other slot, which `flip` makes live. It has the shape of the `live.json`
 * that a flip would write: an edge that shows the staged snapshot reads it instead.
 */

import type { ObjectStore } from '../store/store.ts'
import { fetchHead } from '../manifest/manifest.ts'
import { readJournal } from './journal.ts'
import { manifestIn, stagedKey } from './layout.ts'
import { type Live, LiveDamaged, type LiveSnapshot, readLive, readLiveFile } from './live.ts'
import { snapshotsIn, tornSlots } from './live.ts'

/** `liveSince`: time of the stage. `previous`: what was live then. */
export type Staged = Live

/**
 * Counts `staged.json` only beside what was live when it was written: a publish that was killed while it removed the file, or after
 * its flip, may have left an old one.
 * @returns null if none counts @throws {LiveDamaged} if it is damaged @throws {Error} if the store fails
 */
export async function readStaged(store: ObjectStore, live: Live | null): Promise<Staged | null> {
  return beside((await readLiveFile(store, stagedKey)).live, live)
}

/** Passes a damaged `staged.json`. @returns `hasFile`: true also for a file that is damaged or does not count */
export async function findStaged(store: ObjectStore, live: Live | null) {
  try {
    const { live: staged } = await readLiveFile(store, stagedKey)
    return { staged: beside(staged, live), hasFile: staged !== null }
  } catch (error) {
    if (!(error instanceof LiveDamaged)) throw error
    return { staged: null, hasFile: true }
  }
}

/** @returns null if the slot is torn: a publish is writing to it, or was stopped there */
export async function findWholeStaged(store: ObjectStore, live: Live | null): Promise<Staged | null> {
  const { staged } = await findStaged(store, live)
  if (staged === null) return null
  return tornSlots((await readJournal(store)).journal, live)[staged.slot] === undefined ? staged : null
}

/** Finds this snapshot in a slot: staged, live, or live before. @throws {Error} if no slot holds it, or the slot is torn */
export async function findSnapshot(store: ObjectStore, snapshot: string): Promise<LiveSnapshot> {
  const { live } = await readLive(store)
  const { staged } = await findStaged(store, live)
  if (live?.snapshot === snapshot && staged?.snapshot !== snapshot) return live
  const [, ...former] = live === null ? [] : snapshotsIn(live)
  // What was in the slot of a staged snapshot is gone.
  const others = [staged ?? [], former.filter(({ slot }) => slot !== staged?.slot)].flat()
  const other = others.find((one) => one.snapshot === snapshot)
  const held = [live ?? [], others].flat().map((one) => one.snapshot)
  const refused = (why: string) => new Error(`${store.name}: ${why}`)
  if (other === undefined)
    throw refused(`no slot holds ${snapshot}, but ${held.join(' and ') || 'there is none at all'}`)
  // This order matters: a publish marks the slot as torn before it changes it.
  const head = await fetchHead(store, manifestIn(other.slot))
  const { journal } = await readJournal(store)
  if (head?.snapshot !== snapshot || tornSlots(journal, live)[other.slot] !== undefined)
    throw refused(`${other.slot} does not hold ${snapshot} any more: a publish takes its place`)
  return other
}

function beside(staged: Staged | null, live: Live | null): Staged | null {
  const isBeside = staged !== null && staged.previous?.liveSince === live?.liveSince
  return isBeside && staged.slot !== live?.slot ? staged : null
}
