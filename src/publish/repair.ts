/** Damage in the slot that is about to stop being live: the publish that writes to it next has to know. */

import { join } from 'node:path'
import type { Slot } from './layout.ts'
import { nothing, writeNdjson } from './ndjson.ts'
import { fetchEtags, fetchManifest } from './prepare.ts'
import type { ObjectStore } from './store.ts'
import { findDamage, type RepairOptions } from './damage.ts'

/**
 * The keys of a slot's objects that are not those of its manifest.
 * @param folder where lists are kept
 * @returns a file with a line a key; null without damage, or without a manifest, since nothing is trusted then
 */
export async function findRepairs(
  store: ObjectStore,
  slot: Slot,
  folder: string,
  options: RepairOptions,
): Promise<string | null> {
  const manifest = await fetchManifest(store, slot, folder, true)
  if (manifest === null) return null
  const etags = await fetchEtags(store, slot, folder, true)

  let found = 0
  const { lines } = manifest
  const differing = findDamage(store, slot, { lines, etags: etags ?? nothing, ...options })
  async function* keys() {
    for await (const { key } of differing) {
      found++
      yield { key }
    }
  }
  const file = join(folder, `${slot}-repairs.ndjson.gz`)
  await writeNdjson(file, keys())
  return found > 0 ? file : null
}
