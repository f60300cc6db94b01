/** Before a publish: what stands in the slot, what of it is unknown, and what has to change. No write. */

import { join } from 'node:path'
import type { ManifestHead, ManifestLine } from '../snapshot/manifest.ts'
import { etagsKey, lostList, manifestIn, type Slot } from './layout.ts'
import type { EtagLine } from './etags.ts'
import { download, fetchList, openManifest, type Manifest } from './manifest-reader.ts'
import { Damaged, nothing, writeNdjson } from './ndjson.ts'
import { planChanges } from './plan.ts'
import { mergeSorted } from './sorted.ts'
import type { ObjectStore } from './store.ts'
import { findDamage, type RepairOptions } from './damage.ts'

export interface Prepared {
  /** The changes, a line each, gzipped, in the order of keys. */
  readonly file: string
  readonly put: number
  readonly deleted: number
  readonly bytes: number
  /** The snapshot that the slot's manifest is of, or null. */
  readonly standing: ManifestHead | null
  /** The new manifest's lines. */
  readonly next: () => AsyncIterable<ManifestLine>
  /** The slot's ETags as far as they are known. */
  readonly etags: () => AsyncIterable<EtagLine>
}

export interface PrepareOptions {
  readonly manifest: Manifest
  readonly slot: Slot
  /** What a publish that was killed had said it would change. */
  readonly unknown: string | null
  /** Where lists are kept. */
  readonly folder: string
  /** Compares the slot with a listing too, and with bodies where it is deep; null: trusts its manifest. */
  readonly repair: RepairOptions | null
}

/** @throws {Error} if a list in the bucket is damaged; a repair does without it */
export async function prepareChanges(store: ObjectStore, options: PrepareOptions): Promise<Prepared> {
  try {
    return await prepare(store, options)
  } catch (error) {
    if (!(error instanceof Damaged)) throw error
    throw new Error(`${error.message}: publish with --repair`, { cause: error })
  }
}

async function prepare(store: ObjectStore, options: PrepareOptions): Promise<Prepared> {
  const { manifest, slot, unknown, folder, repair } = options
  const isRepair = repair !== null
  const standing = await fetchManifest(store, slot, folder, isRepair)
  // Without a manifest nothing of the slot is trusted.
  const etags = standing === null ? null : await fetchEtags(store, slot, folder, isRepair)
  // A repair that knows no ETags cannot tell what stands there from what should: it puts everything.
  const isTrusted = standing !== null && (!isRepair || etags !== null)
  const standingLines = () => (isTrusted ? standing.lines() : nothing())

  let doubtful: AsyncIterable<{ readonly key: string }> = nothing()
  if (unknown !== null) doubtful = await unknownKeys(store, unknown, folder, isRepair)
  if (isRepair) {
    const differing = findDamage(store, slot, { lines: standingLines, etags: etags ?? nothing, ...repair })
    doubtful = union(doubtful, differing)
  }

  const file = join(folder, 'changes.ndjson.gz')
  const counts = { put: 0, deleted: 0, bytes: 0 }
  async function* counted() {
    for await (const change of planChanges(manifest.lines(), standingLines(), doubtful)) {
      if (change.kind === 'put') {
        counts.put++
        counts.bytes += change.bytes
      } else counts.deleted++
      yield change
    }
  }
  await writeNdjson(file, counted())
  const known = etags ?? nothing
  return { file, ...counts, standing: standing?.head ?? null, next: manifest.lines, etags: known }
}

/**
 * @param doesWithout whether one that is damaged passes for none
 * @throws {Damaged} else
 */
export async function fetchManifest(
  store: ObjectStore,
  slot: Slot,
  folder: string,
  doesWithout = false,
): Promise<Manifest | null> {
  const file = join(folder, `${slot}-manifest.ndjson.gz`)
  const key = manifestIn(slot)
  const downloaded = await download(store, key, file)
  if (downloaded === null) return null
  try {
    const manifest = await openManifest(file, { label: `${store.name}/${key}`, ...downloaded })
    return (await isIntact(manifest.lines(), doesWithout)) ? manifest : null
  } catch (error) {
    if (doesWithout && error instanceof Damaged) return null
    throw error
  }
}

/** The ETags of a slot's objects, or null without such a list. @param doesWithout as above */
export async function fetchEtags(
  store: ObjectStore,
  slot: Slot,
  folder: string,
  doesWithout = false,
): Promise<(() => AsyncIterable<EtagLine>) | null> {
  const lines = await fetchList<EtagLine>(store, etagsKey(slot), join(folder, `${slot}-etags.ndjson.gz`))
  // Damage is found here, not when half of the slot has been written.
  return lines === null || (await isIntact(lines(), doesWithout)) ? lines : null
}

/** @throws {Error} if the list is gone: without it nothing in the slot can be trusted but by a repair's listing */
async function unknownKeys(store: ObjectStore, key: string, folder: string, isRepair: boolean) {
  const lines = await fetchList<{ readonly key: string }>(store, key, join(folder, 'unknown.ndjson.gz'))
  // What a repair finds by listing is more than what the list could say.
  if (isRepair && (lines === null || !(await isIntact(lines(), true)))) return nothing()
  if (lines !== null) return lines()
  if (key === lostList)
    throw new Error(
      `${store.name}: the journal was lost, so nobody knows what the slot holds: publish with --repair`,
    )
  throw new Error(
    `${store.name}: ${key}, the list of a publish that was killed, is gone: publish with --repair`,
  )
}

/** Whether a list can be read to its end. @throws {Damaged} if not, unless one can do without */
async function isIntact(lines: AsyncIterable<unknown>, doesWithout: boolean): Promise<boolean> {
  const iterator = lines[Symbol.asyncIterator]()
  try {
    while ((await iterator.next()).done !== true);
    return true
  } catch (error) {
    if (doesWithout && error instanceof Damaged) return false
    throw error
  }
}

async function* union(
  one: AsyncIterable<{ readonly key: string }>,
  other: AsyncIterable<{ readonly key: string }>,
) {
  for await (const { key } of mergeSorted<readonly [{ key: string }, { key: string }]>(one, other))
    yield { key }
}
