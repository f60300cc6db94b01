/** What a repair doubts in a slot: all that differs from its manifest, and all that nobody can tell. */

import type { ManifestLine } from '../snapshot/manifest.ts'
import type { EtagLine } from './etags.ts'
import type { Slot } from './layout.ts'
import { mergeSorted } from './sorted.ts'
import type { ObjectStore } from './store.ts'
import { compareBody, compareWithListing, type Difference } from './verify.ts'

export interface RepairOptions {
  /** Reads and hashes every body, too. */
  readonly isDeep: boolean
  /** Bodies at a time. */
  readonly concurrency: number
}

export interface Inspected extends RepairOptions {
  /** Of the slot's manifest, from the first one on each time. */
  readonly lines: () => AsyncIterable<ManifestLine>
  readonly etags: () => AsyncIterable<EtagLine>
}

/** In the order of keys. */
export async function* findDamage(
  store: ObjectStore,
  slot: Slot,
  { lines, etags, isDeep, concurrency }: Inspected,
): AsyncGenerator<{ readonly key: string }> {
  const listed = compareWithListing(store, slot, lines(), etags())
  const rows = mergeSorted<readonly [Difference, ManifestLine, EtagLine]>(listed, lines(), etags())
  let batch: (() => Promise<{ readonly key: string } | null>)[] = []
  const read = async () => {
    const found = await Promise.all(batch.map((look) => look()))
    batch = []
    return found.filter((one) => one !== null)
  }
  for await (const { key, values } of rows) {
    const [difference, line, etag] = values
    // Without an ETag an object of the right size may be any.
    const isDoubtful = difference !== undefined || (line !== undefined && etag === undefined)
    if (isDoubtful) batch.push(() => Promise.resolve({ key }))
    else if (isDeep && line !== undefined) batch.push(() => compareBody(store, slot, line))
    if (batch.length >= concurrency) yield* await read()
  }
  yield* await read()
}
