/** Before a publish: what stands in the slot, what of it is unknown, and what has to change. No write. */

import { join } from 'node:path'
import type { ManifestHead, ManifestLine } from '../snapshot/manifest.ts'
import { etagsKey, manifestIn, type Slot } from './layout.ts'
import type { EtagLine } from './etags.ts'
import { download, openManifest, type Manifest } from './manifest-reader.ts'
import { nothing, readNdjson, writeNdjson } from './ndjson.ts'
import { planChanges } from './plan.ts'
import { mergeSorted } from './sorted.ts'
import type { ObjectStore } from './store.ts'
import { compareWithListing } from './verify.ts'

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
  readonly unknown: { readonly keys: string } | null
  /** Where lists are kept. */
  readonly folder: string
  readonly isRepair: boolean
}

export async function prepareChanges(store: ObjectStore, options: PrepareOptions): Promise<Prepared> {
  const { manifest, slot, unknown, folder, isRepair } = options
  const standing = await fetchManifest(store, slot, folder)
  const etagsFile = join(folder, 'standing-etags.ndjson.gz')
  // Without a manifest nothing of the slot is trusted.
  const hasEtags = standing !== null && (await download(store, etagsKey(slot), etagsFile))
  const etags = () => (hasEtags ? (readNdjson(etagsFile) as AsyncIterable<EtagLine>) : nothing())
  // A repair that knows no ETags cannot tell what stands there from what should: it puts everything.
  const standingLines = () => (isRepair && !hasEtags ? nothing() : (standing?.lines() ?? nothing()))

  let doubtful: AsyncIterable<{ readonly key: string }> = nothing()
  if (unknown !== null) doubtful = await unknownKeys(store, unknown.keys, folder, isRepair)
  if (isRepair) {
    const differing = compareWithListing(store, slot, standingLines(), etags())
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
  return { file, ...counts, standing: standing?.head ?? null, next: manifest.lines, etags }
}

export async function fetchManifest(
  store: ObjectStore,
  slot: Slot,
  folder: string,
): Promise<Manifest | null> {
  const file = join(folder, `${slot}-manifest.ndjson.gz`)
  return (await download(store, manifestIn(slot), file)) ? openManifest(file) : null
}

/** @throws {Error} if the list is gone: without it nothing in the slot can be trusted but by a repair's listing */
async function unknownKeys(store: ObjectStore, key: string, folder: string, isRepair: boolean) {
  const file = join(folder, 'unknown.ndjson.gz')
  if (await download(store, key, file)) return readNdjson(file) as AsyncIterable<{ readonly key: string }>
  if (isRepair) return nothing()
  throw new Error(
    `${store.name}: ${key}, the list of a publish that was killed, is gone: publish with --repair`,
  )
}

async function* union(
  one: AsyncIterable<{ readonly key: string }>,
  other: AsyncIterable<{ readonly key: string }>,
) {
  for await (const { key } of mergeSorted<readonly [{ key: string }, { key: string }]>(one, other))
    yield { key }
}
