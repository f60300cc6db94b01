/** Compares a listing of the bucket with what it should show, and bodies with their digests. */

import type { ManifestLine } from '../../build/manifest.ts'
import { inSlot, isBookkeeping, slotPrefix, type Slot } from '../live/layout.ts'
import { digestOf } from '../store/read.ts'
import type { CallOptions, ListedObject, ObjectStore } from '../store/store.ts'
import { mergeSorted } from './compare.ts'
import type { EtagLine } from './manifest.ts'

/**
 * - `missing`: expected, but not listed. `extra`: listed, but not expected.
 * - `size`, `etag`: another object than the one that was put. `body`: the bytes have another digest.
 * - `withdrawn`: a folder of downloads that holds something that the live snapshot may not give out.
 */
export interface ObjectDifference {
  readonly key: string
  readonly what: 'missing' | 'extra' | 'size' | 'etag' | 'body' | 'withdrawn'
}

/** An object as a listing should show it, as far as that is known. */
export interface ExpectedObject {
  readonly key: string
  readonly bytes?: number | undefined
  readonly etag?: string | undefined
}

/** How a listing differs from what it should show, in the order of keys. */
export async function* listingDifferences(
  expected: AsyncIterable<ExpectedObject>,
  listed: AsyncIterable<ListedObject>,
): AsyncGenerator<ObjectDifference> {
  for await (const { key, values } of mergeSorted(expected, listed)) {
    const [one, object] = values
    if (one === undefined) yield { key, what: 'extra' }
    else if (object === undefined) yield { key, what: 'missing' }
    else if (one.bytes !== undefined && one.bytes !== object.bytes) yield { key, what: 'size' }
    else if (one.etag !== undefined && bare(one.etag) !== bare(object.etag)) yield { key, what: 'etag' }
  }
}

const bare = (etag: string) => etag.replaceAll('"', '')

/** `onListed` is called with the number of objects that the listing has had so far. */
type Listing = CallOptions & { readonly onListed?: (listed: number) => void }

/** Differences between a slot's listing and its manifest, in the order of keys. Keys are without the slot. */
export async function* compareWithListing(
  store: ObjectStore,
  slot: Slot,
  lines: AsyncIterable<ManifestLine>,
  etags: AsyncIterable<EtagLine>,
  listing?: Listing,
): AsyncGenerator<ObjectDifference> {
  for await (const difference of listingDifferences(withEtags(lines, etags), listSlot(store, slot, listing)))
    if (difference.what !== 'extra' || !isBookkeeping(difference.key)) yield difference
}

async function* withEtags(lines: AsyncIterable<ManifestLine>, etags: AsyncIterable<EtagLine>) {
  for await (const { key, values } of mergeSorted(lines, etags)) {
    const [line, noted] = values
    if (line !== undefined) yield { key, bytes: line.bytes, etag: noted?.etag }
  }
}

/** The objects of a slot, with their keys inside it. */
export async function* listSlot(store: ObjectStore, slot: Slot, { signal, onListed }: Listing = {}) {
  const prefix = slotPrefix(slot)
  let listed = 0
  for await (const object of store.list(prefix, { signal })) {
    onListed?.(++listed)
    yield { ...object, key: object.key.slice(prefix.length) }
  }
}

/** Whether an object's body has the digest of the manifest; a missing one differs too. */
export async function compareBody(
  store: ObjectStore,
  slot: Slot,
  { key, sha256 }: ManifestLine,
  options?: CallOptions,
): Promise<ObjectDifference | null> {
  const found = await digestOf(store, inSlot(slot, key), options)
  return found === sha256 ? null : { key, what: found === null ? 'missing' : 'body' }
}
