/**
 * `staged.json`: the snapshot that `publish --stage` has put into the other slot, and that `flip` makes live. It has the shape of
 * `live.json`, as a flip would write it: an edge that shows the staged snapshot reads it instead of that file.
 */

import type { ObjectStore } from '../store/store.ts'
import { stagedKey } from './layout.ts'
import { type Live, readLiveFile } from './live.ts'

/** `liveSince`: when it was staged. `previous`: what was live then. */
export type Staged = Live

/**
 * The staged snapshot, or null. The file counts only beside what was live when it was written: a publish that was killed
 * while it removed the file, or after its flip, may have left an old one.
 * @throws {LiveDamaged} if it is damaged @throws {Error} if the store fails
 */
export async function readStaged(store: ObjectStore, live: Live | null): Promise<Staged | null> {
  const { live: staged } = await readLiveFile(store, stagedKey)
  const isBeside = staged !== null && staged.previous?.liveSince === live?.liveSince
  return isBeside && staged.slot !== live?.slot ? staged : null
}
