/** Snapshots that commands name by a slot of the bucket. */

import { readJournal } from '../live/journal.ts'
import { slotToWrite } from '../live/decide.ts'
import { slots, type Slot } from '../live/layout.ts'
import { readLive, tornSlots, type Live } from '../live/live.ts'
import { findStaged } from '../live/staged.ts'
import type { ObjectStore } from '../store/store.ts'
import { fetchManifest, readThrough } from './manifest.ts'

const slotWords = [...slots, 'live', 'other'] as const
type SlotWord = (typeof slotWords)[number]

/** Tests an argument; a folder with the name of a slot is written `./live`. */
export const isSlotWord = (word: string): word is SlotWord => (slotWords as readonly string[]).includes(word)

interface SlotOptions {
  /** `bucket.slots` */
  readonly slots: number
  /** For the fetched manifest. */
  readonly folder: string
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
  const slot = await slotOf(store, word, live, count)
  const manifest = await fetchManifest(store, slot, folder)
  if (manifest === null) return none(`/${slot} holds no snapshot yet`)
  // The build reads the file, and does not know its place in the bucket.
  await readThrough(manifest.lines)
  if (tornSlots((await readJournal(store)).journal, live)[slot] !== undefined)
    return {
      kind: 'torn',
      manifest,
      reason: `${store.name}/${slot} is torn, a publish was stopped in it`,
    } as const
  return { kind: 'whole', manifest } as const
}

async function slotOf(store: ObjectStore, word: SlotWord, live: Live, count: number): Promise<Slot> {
  if (word === 'live') return live.slot
  if (word !== 'other') return word
  return slotToWrite(live, (await findStaged(store, live)).staged, count)
}
