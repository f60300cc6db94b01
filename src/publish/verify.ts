/** `fundpress verify`: a slot against its manifest, by listing, and by reading bodies where that is asked for. */

import type { ManifestLine } from '../snapshot/manifest.ts'
import type { EtagLine } from './etags.ts'
import { inSlot, isBookkeeping, slotPrefix, type Slot } from './layout.ts'
import { digestOf } from './manifest-reader.ts'
import { mergeSorted } from './sorted.ts'
import type { CallOptions, ListedObject, ObjectStore } from './store.ts'

/**
 * - `missing`: in the manifest, not in the slot. `extra`: in the slot, no manifest knows it.
 * - `size`, `etag`: another object than the one that was put. `body`: the bytes have another digest.
 */
export interface Difference {
  readonly key: string
  readonly what: 'missing' | 'extra' | 'size' | 'etag' | 'body'
}

export interface Listing extends CallOptions {
  /** Told how many objects the listing has had so far. */
  readonly onListed?: (listed: number) => void
}

/** Differences between a slot's listing and its manifest, in the order of keys. Keys are without the slot. */
export async function* compareWithListing(
  store: ObjectStore,
  slot: Slot,
  lines: AsyncIterable<ManifestLine>,
  etags: AsyncIterable<EtagLine>,
  { signal, onListed = () => undefined }: Listing = {},
): AsyncGenerator<Difference> {
  const listed = withoutSlot(store.list(slotPrefix(slot), { signal }), slot, onListed)
  const rows = mergeSorted<readonly [ManifestLine, ListedObject, EtagLine]>(lines, listed, etags)
  for await (const { key, values } of rows) {
    const [line, object, etag] = values
    if (line === undefined) {
      if (object !== undefined && !isBookkeeping(key)) yield { key, what: 'extra' }
    } else if (object === undefined) yield { key, what: 'missing' }
    else if (object.bytes !== line.bytes) yield { key, what: 'size' }
    else if (etag !== undefined && bare(object.etag) !== bare(etag.etag)) yield { key, what: 'etag' }
  }
}

/** Whether an object's body has the digest of the manifest; a missing one differs too. */
export async function compareBody(
  store: ObjectStore,
  slot: Slot,
  line: ManifestLine,
  options?: CallOptions,
): Promise<Difference | null> {
  const sha256 = await digestOf(store, inSlot(slot, line.key), options)
  if (sha256 === null) return { key: line.key, what: 'missing' }
  return sha256 === line.sha256 ? null : { key: line.key, what: 'body' }
}

async function* withoutSlot(
  objects: AsyncIterable<ListedObject>,
  slot: Slot,
  onListed: (listed: number) => void,
): AsyncGenerator<ListedObject> {
  const prefix = slotPrefix(slot)
  let listed = 0
  for await (const object of objects) {
    onListed(++listed)
    yield { ...object, key: object.key.slice(prefix.length) }
  }
}

const bare = (etag: string) => etag.replaceAll('"', '')
