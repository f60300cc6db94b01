/** Damage in the slot that is about to stop being live: the publish that writes to it next has to know. */

import { join } from 'node:path'
import type { Slot } from './layout.ts'
import { nothing, writeNdjson } from './ndjson.ts'
import { fetchEtags, fetchManifest } from './prepare.ts'
import { mergeSorted } from './sorted.ts'
import type { ObjectStore } from './store.ts'
import { compareWithListing } from './verify.ts'

interface Keyed {
  readonly key: string
}

/**
 * The keys of a slot's objects that are not those of its manifest.
 * @param folder where lists are kept
 * @returns a file with a line a key; null without damage, or without a manifest, since nothing is trusted then
 */
export async function findRepairs(store: ObjectStore, slot: Slot, folder: string): Promise<string | null> {
  const manifest = await fetchManifest(store, slot, folder, true)
  if (manifest === null) return null
  const etags = await fetchEtags(store, slot, folder, true)

  let found = 0
  const differing = compareWithListing(store, slot, manifest.lines(), etags?.() ?? nothing())
  // Without ETags an object of the right size may be any: then all are doubtful.
  const doubtful =
    etags === null ? mergeSorted<readonly [Keyed, Keyed]>(manifest.lines(), differing) : differing
  async function* keys() {
    for await (const { key } of doubtful) {
      found++
      yield { key }
    }
  }
  const file = join(folder, `${slot}-repairs.ndjson.gz`)
  await writeNdjson(file, keys())
  return found > 0 ? file : null
}
