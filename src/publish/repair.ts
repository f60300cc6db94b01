/** Damage in the slot that is about to stop being live: the publish that writes to it next has to know. */

import { join } from 'node:path'
import { etagsKey, type Slot } from './layout.ts'
import type { EtagLine } from './etags.ts'
import { download } from './manifest-reader.ts'
import { nothing, readNdjson, writeNdjson } from './ndjson.ts'
import { fetchManifest } from './prepare.ts'
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
  const manifest = await fetchManifest(store, slot, folder)
  if (manifest === null) return null
  const etagsFile = join(folder, `${slot}-etags.ndjson.gz`)
  const hasEtags = await download(store, etagsKey(slot), etagsFile)
  const etags = hasEtags ? (readNdjson(etagsFile) as AsyncIterable<EtagLine>) : nothing()

  let found = 0
  const differing = compareWithListing(store, slot, manifest.lines(), etags)
  // Without ETags an object of the right size may be any: then all are doubtful.
  const doubtful = hasEtags ? differing : mergeSorted<readonly [Keyed, Keyed]>(manifest.lines(), differing)
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
