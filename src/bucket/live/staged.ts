/**
 * `staged.json`: the snapshot that `publish --stage` has put into the other slot, and that `flip` makes live. It has the shape of
 * `live.json`, as a flip would write it: an edge that shows the staged snapshot reads it instead of that file.
 */

import type { ObjectStore } from '../store/store.ts'
import { fetchHead } from '../manifest/manifest.ts'
import { readJournal } from './journal.ts'
import { manifestIn, stagedKey } from './layout.ts'
import { type Live, LiveDamaged, type LiveSnapshot, readLive, readLiveFile, tornSlots } from './live.ts'

/** `liveSince`: when it was staged. `previous`: what was live then. */
export type Staged = Live

/**
 * The staged snapshot, or null. The file counts only beside what was live when it was written: a publish that was killed
 * while it removed the file, or after its flip, may have left an old one.
 * @throws {LiveDamaged} if it is damaged @throws {Error} if the store fails
 */
export async function readStaged(store: ObjectStore, live: Live | null): Promise<Staged | null> {
  return beside((await readLiveFile(store, stagedKey)).live, live)
}

/**
 * The same for commands that a damaged file must not stop.
 * @returns `hasFile`: whether there is a file, also one that is damaged or does not count
 */
export async function findStaged(store: ObjectStore, live: Live | null) {
  try {
    const { live: staged } = await readLiveFile(store, stagedKey)
    return { staged: beside(staged, live), hasFile: staged !== null }
  } catch (error) {
    if (!(error instanceof LiveDamaged)) throw error
    return { staged: null, hasFile: true }
  }
}

/** The staged snapshot if its slot is not torn: if it is, a publish is writing to it, or was stopped there. */
export async function findWholeStaged(store: ObjectStore, live: Live | null): Promise<Staged | null> {
  const { staged } = await findStaged(store, live)
  if (staged === null) return null
  return tornSlots((await readJournal(store)).journal, live)[staged.slot] === undefined ? staged : null
}

/**
 * The snapshot with this id, if a slot holds it: it is staged (perhaps with another edition than the live one), live, or was
 * live before.
 * @throws {Error} if no slot does, or if that slot is torn
 */
export async function findSnapshot(store: ObjectStore, snapshot: string): Promise<LiveSnapshot> {
  const { live } = await readLive(store)
  const { staged } = await findStaged(store, live)
  if (live?.snapshot === snapshot && staged?.snapshot !== snapshot) return live
  const other = staged ?? live?.previous ?? null
  const held = [live, other].flatMap((one) => one?.snapshot ?? [])
  const refused = (why: string) => new Error(`${store.name}: ${why}`)
  if (other?.snapshot !== snapshot)
    throw refused(`no slot holds ${snapshot}, but ${held.join(' and ') || 'there is none at all'}`)
  // In this order: a publish marks the slot as torn before it changes it.
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
