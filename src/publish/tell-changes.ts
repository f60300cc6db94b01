/** What a publish says of its night beside the snapshot: found out by comparing it with the live one, then written. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteTable } from '../routes/table.ts'
import { compareNights, type NightComparison } from './compare-nights.ts'
import type { ToldRequests } from './cost.ts'
import type { Slot } from './layout.ts'
import type { Live } from './live.ts'
import type { Manifest } from './manifest-reader.ts'
import { fetchManifest } from './prepare.ts'
import { firstNight, readChanges } from './read-changes.ts'
import {
  countSlotChanges,
  readStandingChanges,
  writeSlotChanges,
  type StandingChanges,
} from './slot-changes.ts'
import type { ObjectStore, WriteOptions } from './store.ts'

export interface Telling {
  readonly manifest: Manifest
  readonly live: Live | null
  /** To be written to. */
  readonly slot: Slot
  /** The snapshot's folder. */
  readonly out: string
  /** For lists that need not fit into memory. */
  readonly folder: string
  readonly table: RouteTable
  /** False where it is not known what stands in the slot. */
  readonly isTrusted: boolean
  /** Told what could not be read, and what follows from it. */
  readonly onWarning: (warning: string) => void
}

interface Prepared {
  readonly standing: StandingChanges
  /** Null where there is nothing to compare, or no way to. */
  readonly compared: NightComparison | null
  /** Whether this snapshot is live already: a repair brings it to the other slot. */
  readonly isSame: boolean
}

async function prepare(store: ObjectStore, telling: Telling): Promise<Prepared> {
  const { manifest, live, slot, isTrusted, folder, table, onWarning } = telling
  const standing = await readStandingChanges(store, { live: live?.slot ?? null, slot, isTrusted, onWarning })
  const isSame = live?.snapshot === manifest.head.snapshot
  if (live === null || isSame) return { standing, compared: null, isSame }
  const before = await fetchManifest(store, live.slot, folder, true)
  if (before?.head.snapshot !== live.snapshot) {
    onWarning(
      `${store.name}: ${live.slot} has no manifest of ${live.snapshot}, so it is not known what changed`,
    )
    return { standing, compared: null, isSame }
  }
  // Objects alone: the files of /status/ are other ones each night.
  return { standing, compared: await compareNights(before.objects(), manifest.objects(), table), isSame }
}

/** What telling asks of the store beyond what is asked here already: the same reads, no write. */
export async function previewTelling(store: ObjectStore, telling: Telling): Promise<ToldRequests> {
  const { standing, compared, isSame } = await prepare(store, telling)
  const counts = countSlotChanges(standing, isSame ? null : telling.manifest.head)
  const documents = (compared?.toRead ?? []).map(({ before, after }) => {
    const isAway = after !== null && !existsSync(join(telling.out, after.key))
    return (before === null ? 0 : 1) + (isAway ? 1 : 0)
  })
  return { ...counts, gets: counts.gets + documents.reduce((sum, count) => sum + count, 0) }
}

/**
 * To be called when the slot holds the snapshot.
 * @returns how many documents differ from those that are live; null where that is not known
 * @throws {Error} if the store fails
 */
export async function tellChanges(
  store: ObjectStore,
  telling: Telling,
  options: {
    readonly baseUrl: string
    readonly cacheControl: string
    readonly concurrency: number
    readonly signal: AbortSignal
    readonly assertFresh: () => void
  },
): Promise<number | null> {
  const { manifest, live } = telling
  const { head } = manifest
  const { signal, assertFresh } = options
  const { standing, compared, isSame } = await prepare(store, telling)
  const read = () =>
    live === null ? firstNight(head) : readChanges(store, head, compared, { ...telling, ...options, live })
  const changes = isSame ? null : await read()
  if (compared !== null && changes !== null && changes.notCompared.length > 0)
    telling.onWarning(
      `${store.name}: ${changes.notCompared.length} documents could not be compared with those that are live, ` +
        `${changes.notCompared[0]} is one of them`,
    )
  const writing: WriteOptions = { signal, assertFresh }
  await writeSlotChanges(store, standing, {
    ...telling,
    ...options,
    ...{ live: live?.slot ?? null, changes, asOf: head.asOf, writing },
  })
  if (changes === null) return 0
  if (live !== null && compared === null) return null
  const { added, removed, changed } = changes.documents
  return added + removed + changed
}
