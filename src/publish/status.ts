/** `fundpress status`: which slot is live, and what the other one holds. Three or four reads. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ManifestHead } from '../snapshot/manifest.ts'
import { readJournal, type Standing } from './journal.ts'
import { otherSlot, type Slot } from './layout.ts'
import { notWhole, readLive, type Live, type LiveObject } from './live.ts'
import { fetchManifest } from './prepare.ts'
import type { ObjectStore } from './store.ts'

/** A slot that is not live. */
export interface OtherSlot {
  readonly slot: Slot
  /** Of its manifest; null if it has none. */
  readonly head: ManifestHead | null
  /** Whether all its objects are those of its manifest, as far as the journal knows. */
  readonly isWhole: boolean
}

export interface Status {
  readonly live: LiveObject
  /** Null while nothing is live. */
  readonly other: OtherSlot | null
  readonly journal: Standing
}

export async function readStatus(store: ObjectStore): Promise<Status> {
  // In this order: a publish that begins after the journal was read finds what is live here.
  const live = await readLive(store)
  const journal = await readJournal(store)
  if (live.live === null) return { live, other: null, journal }
  return { live, other: await readOtherSlot(store, live.live, journal), journal }
}

/** A slot is not whole while a publish changes it, nor after one that was killed. */
async function readOtherSlot(store: ObjectStore, live: Live, { journal }: Standing): Promise<OtherSlot> {
  const slot = otherSlot(live.slot)
  const head = await withFolder(async (folder) => (await fetchManifest(store, slot, folder))?.head ?? null)
  return { slot, head, isWhole: head !== null && notWhole(journal?.changing ?? {}, live)[slot] === undefined }
}

/** A folder for lists that need not fit into memory, removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'fundpress-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
