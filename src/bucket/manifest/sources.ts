/** Snapshots that commands name: folders, manifest files, slots of the bucket. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { manifestKey, readManifestHead } from '../../build/manifest.ts'
import { readJournal } from '../live/journal.ts'
import { slotToGoBackTo, slotToWrite } from '../live/decide.ts'
import { manifestIn, slots, type Slot } from '../live/layout.ts'
import { readLive, tornSlots, type Live } from '../live/live.ts'
import { findStaged, type Staged } from '../live/staged.ts'
import type { ObjectStore } from '../store/store.ts'
import { fetchManifest, openManifest, type Manifest } from './manifest.ts'

const slotWords = [...slots, 'live', 'other'] as const
type SlotWord = (typeof slotWords)[number]

export interface Source {
  readonly manifest: Manifest
  readonly name: string
  readonly warning: string | null
}

/** Tests an argument; a folder with the name of a slot is written `./live`. */
export const isSlotWord = (word: string): word is SlotWord => (slotWords as readonly string[]).includes(word)

export async function openPath(path: string): Promise<Source> {
  const kind = statSync(path, { throwIfNoEntry: false })
  if (kind === undefined) throw new Error(`${path}: there is no such folder or manifest`)
  if (kind.isDirectory()) await readManifestHead(path)
  const file = kind.isDirectory() ? join(path, manifestKey) : path
  return { manifest: await openManifest(file), name: path, warning: null }
}

interface SlotOptions {
  /** `bucket.slots` */
  readonly slots: number
  /** For the fetched manifest. */
  readonly folder: string
}

/** `other`: what is staged, else what was live before. @throws {Error} if the slot holds no snapshot */
export async function openSlot(
  store: ObjectStore,
  word: SlotWord,
  { slots: count, folder }: SlotOptions,
): Promise<Source> {
  const { live } = await readLive(store)
  const slot = await slotOf(store, word, live, (now, staged) =>
    staged === null ? slotToGoBackTo(now, staged, null, count).slot : staged.slot,
  )
  const manifest = await fetchManifest(store, slot, folder)
  const name = `${store.name}/${slot}`
  if (manifest === null)
    throw new Error(`${store.name}: there is no ${manifestIn(slot)}, ${word} holds no snapshot`)
  const warning = (await isTorn(store, slot, live))
    ? `${name} is torn: a publish is changing it, or was stopped in it; this is what its manifest says`
    : null
  return { manifest, name, warning }
}

/**
 * The manifest of a slot, if any, for a build that continues from it. `other`: the slot that the next publish writes to. A slot is torn if a publish was stopped in it.
 * @throws {Damaged} if it is damaged @throws {Error} if the store fails, or the file cannot be written
 */
export async function fetchSlotManifest(
  store: ObjectStore,
  word: SlotWord,
  { slots: count, folder }: SlotOptions,
) {
  const none = (reason: string) => ({ kind: 'none', reason: store.name + reason }) as const
  const { live } = await readLive(store)
  if (live === null) return none(': nothing is live yet')
  const slot = await slotOf(store, word, live, (now, staged) => slotToWrite(now, staged, count))
  const manifest = await fetchManifest(store, slot, folder)
  if (manifest === null) return none(`/${slot} holds no snapshot yet`)
  if (await isTorn(store, slot, live))
    return {
      kind: 'torn',
      manifest,
      reason: `${store.name}/${slot} is torn, a publish was stopped in it`,
    } as const
  return { kind: 'whole', manifest } as const
}

const isTorn = async (store: ObjectStore, slot: Slot, live: Live | null) =>
  tornSlots((await readJournal(store)).journal, live)[slot] !== undefined

async function slotOf(
  store: ObjectStore,
  word: SlotWord,
  live: Live | null,
  other: (live: Live, staged: Staged | null) => Slot,
): Promise<Slot> {
  if (word !== 'live' && word !== 'other') return word
  if (live === null) throw new Error(`${store.name}: nothing is live: name the slot, such as blue`)
  return word === 'live' ? live.slot : other(live, (await findStaged(store, live)).staged)
}
