/** `fundpress status`: which slot is live, and what the other one holds. Five or six reads. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ManifestHead } from '../snapshot/manifest.ts'
import { readJournal, type Standing } from './journal.ts'
import { downloadsState, type DownloadsState } from './downloads-state.ts'
import { downloadsPrefix, manifestIn, otherSlot, type Slot } from './layout.ts'
import { tornSlots, readLive, type Live, type LiveObject } from './live.ts'
import { fetchHead } from './manifest-reader.ts'
import { Damaged } from './ndjson.ts'
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
  /** Whether documents and downloads are those of the snapshot that `live.json` names; null while nothing is live. */
  readonly consistency: Consistency | null
  /** Null while nothing is live. */
  readonly other: OtherSlot | null
  readonly journal: Standing
}

export async function readStatus(store: ObjectStore): Promise<Status> {
  // In this order: a publish that begins after the journal was read finds what is live here.
  const live = await readLive(store)
  const journal = await readJournal(store)
  if (live.live === null) return { live, consistency: null, other: null, journal }
  const consistency = await readConsistency(store, live.live)
  return { live, consistency, other: await readOtherSlot(store, live.live, journal), journal }
}

export interface Consistency {
  /** The snapshot that the manifest in the live slot is of; null: there is none. */
  readonly documents: string | null
  readonly downloads: DownloadsState
}

/** Two small reads: the beginning of the live slot's manifest, and the checksums of its downloads. */
async function readConsistency(store: ObjectStore, live: Live): Promise<Consistency> {
  const head = await fetchHead(store, manifestIn(live.slot)).catch((error: unknown) => {
    if (error instanceof Damaged) return null
    throw error
  })
  return { documents: head?.snapshot ?? null, downloads: await downloadsState(store, live) }
}

/** In words what is not of the live snapshot; empty if all is. */
export function contradictions(
  { slot, snapshot, downloads }: Live,
  { documents, downloads: state }: Consistency,
): string[] {
  const wrong: string[] = []
  if (documents !== snapshot)
    wrong.push(
      `live.json names ${snapshot}, but ${slot} holds ${documents ?? 'no manifest that can be read'}`,
    )
  const place = downloadsPrefix(downloads?.folder ?? '')
  if (state === 'missing') wrong.push(`the downloads of ${snapshot} are missing (${place})`)
  if (state === 'other') wrong.push(`${place} does not hold the downloads of ${snapshot}`)
  return wrong
}

/** A slot is not whole while a publish changes it, nor after one that was killed. */
async function readOtherSlot(store: ObjectStore, live: Live, { journal }: Standing): Promise<OtherSlot> {
  const slot = otherSlot(live.slot)
  const head = await withFolder(async (folder) => (await fetchManifest(store, slot, folder))?.head ?? null)
  return { slot, head, isWhole: head !== null && tornSlots(journal, live)[slot] === undefined }
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
