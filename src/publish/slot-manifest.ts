/** The manifest of a slot as a file, for a build that goes on from it. */

import { join } from 'node:path'
import { slotOf, type SlotWord } from './diff-source.ts'
import { readJournal } from './journal.ts'
import { manifestIn, type Slot } from './layout.ts'
import { tornSlots, readLive, type Live } from './live.ts'
import { download } from './manifest-reader.ts'
import { assertUnpacks } from './ndjson.ts'
import type { ObjectStore } from './store.ts'

export type SlotManifest =
  | { readonly kind: 'fetched'; readonly file: string; readonly slot: Slot; readonly live: Live }
  /** There is nothing to rely on; `reason` says why. */
  | { readonly kind: 'none'; readonly reason: string }

/** @param folder where the manifest is kept @throws {Error} if the store fails, or the file cannot be written */
export async function fetchSlotManifest(
  store: ObjectStore,
  word: SlotWord,
  folder: string,
): Promise<SlotManifest> {
  const { live } = await readLive(store)
  if (live === null) return { kind: 'none', reason: `${store.name}: nothing is live yet` }
  const slot = slotOf(store, word, live)
  const { journal } = await readJournal(store)
  // The publish puts anew what a stopped one may have changed: it needs those files.
  if (tornSlots(journal, live)[slot] !== undefined)
    return { kind: 'none', reason: `${store.name}/${slot} is not whole, a publish was stopped in it` }
  const file = join(folder, `${slot}-manifest.ndjson.gz`)
  const key = manifestIn(slot)
  const downloaded = await download(store, key, file)
  if (downloaded !== null) {
    // The build unpacks it onto the disk.
    await assertUnpacks(file, { label: `${store.name}/${key}`, ...downloaded })
    return { kind: 'fetched', file, slot, live }
  }
  return { kind: 'none', reason: `${store.name}/${slot} holds no snapshot yet` }
}
