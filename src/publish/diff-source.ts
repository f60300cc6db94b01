/** Where the snapshots of `fundpress diff` come from: folders, manifest files, slots of the bucket. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { manifestKey, readManifestHead } from '../snapshot/manifest.ts'
import { readJournal } from './journal.ts'
import { manifestIn, otherSlot, slots, type Slot } from './layout.ts'
import { tornSlots, readLive, type Live } from './live.ts'
import { openManifest, type Manifest } from './manifest-reader.ts'
import { fetchManifest } from './prepare.ts'
import type { ObjectStore } from './store.ts'

const slotWords = [...slots, 'live', 'other'] as const
export type SlotWord = (typeof slotWords)[number]

export interface Source {
  readonly manifest: Manifest
  /** For people: the path, or the slot's place. */
  readonly name: string
  /** What to know of it before one relies on it, or null. */
  readonly warning: string | null
}

/** Whether an argument names a slot; a folder of that name is written `./live`. */
export const isSlotWord = (word: string): word is SlotWord => (slotWords as readonly string[]).includes(word)

/** @throws {Error} if there is no snapshot, or a damaged one */
export async function openPath(path: string): Promise<Source> {
  const kind = statSync(path, { throwIfNoEntry: false })
  if (kind === undefined) throw new Error(`${path}: there is no such folder or manifest`)
  if (kind.isDirectory()) await readManifestHead(path)
  const file = kind.isDirectory() ? join(path, manifestKey) : path
  return { manifest: await openManifest(file), name: path, warning: null }
}

/** @param folder where the manifest is kept @throws {Error} if the slot holds no snapshot */
export async function openSlot(store: ObjectStore, word: SlotWord, folder: string): Promise<Source> {
  const { live } = await readLive(store)
  const slot = slotOf(store, word, live)
  const manifest = await fetchManifest(store, slot, folder)
  const name = `${store.name}/${slot}`
  if (manifest === null)
    throw new Error(`${store.name}: there is no ${manifestIn(slot)}, ${word} holds no snapshot`)
  const { journal } = await readJournal(store)
  const warning =
    tornSlots(journal, live)[slot] !== undefined
      ? `${name} is not whole: a publish is changing it, or was stopped in it; this is what its manifest says`
      : null
  return { manifest, name, warning }
}

export function slotOf(store: ObjectStore, word: SlotWord, live: Live | null): Slot {
  if (word !== 'live' && word !== 'other') return word
  if (live === null) throw new Error(`${store.name}: nothing is live: name the slot, blue or green`)
  return word === 'live' ? live.slot : otherSlot(live.slot)
}
