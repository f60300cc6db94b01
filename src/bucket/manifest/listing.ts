/** Compares a listing of the bucket with what it should show, and bodies with their digests. */

import type { ManifestLine } from '../../build/manifest.ts'
import { inSlot, isBookkeeping, slotPrefix, type Slot } from '../live/layout.ts'
import { digestOf } from '../store/read.ts'
import type { CallOptions, ListedObject, ObjectStore } from '../store/store.ts'
import { compareManifests, mergeSorted } from './compare.ts'
import type { EtagLine } from './manifest.ts'

/**
 * - `missing`: expected, but not listed. `extra`: listed, but not expected.
 * - `size`, `etag`: another object than the one that was put. `body`: the bytes have another digest.
 */
export interface ObjectDifference {
  readonly key: string
  readonly what: 'missing' | 'extra' | 'size' | 'etag' | 'body'
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
  const rows = compareManifests(expected, listed, (one, object) => differenceOf(one, object) === null)
  for await (const { key, before, after, change } of rows) {
    if (change === 'added') yield { key, what: 'extra' }
    else if (before === undefined || after === undefined) yield { key, what: 'missing' }
    else if (change !== null) yield { key, what: differenceOf(before, after) ?? 'size' }
  }
}

function differenceOf({ bytes, etag }: ExpectedObject, object: ListedObject): 'size' | 'etag' | null {
  if (bytes !== undefined && bytes !== object.bytes) return 'size'
  return etag !== undefined && bare(etag) !== bare(object.etag) ? 'etag' : null
}

const bare = (etag: string) => etag.replaceAll('"', '')

export interface Listing extends CallOptions {
  /** Hears how many objects the listing has had so far. */
  readonly onListed?: (listed: number) => void
}

/** Differences between a slot's listing and its manifest, in the order of keys. Keys are without the slot. */
export async function* compareWithListing(
  store: ObjectStore,
  slot: Slot,
  lines: AsyncIterable<ManifestLine>,
  etags: AsyncIterable<EtagLine>,
  { signal, onListed }: Listing = {},
): AsyncGenerator<ObjectDifference> {
  const listed = listSlot(store, slot, { signal, onListed })
  for await (const difference of listingDifferences(withEtags(lines, etags), listed))
    if (difference.what !== 'extra' || !isBookkeeping(difference.key)) yield difference
}

async function* withEtags(
  lines: AsyncIterable<ManifestLine>,
  etags: AsyncIterable<EtagLine>,
): AsyncGenerator<ExpectedObject> {
  for await (const { key, values } of mergeSorted<readonly [ManifestLine, EtagLine]>(lines, etags)) {
    const [line, noted] = values
    if (line !== undefined) yield { key, bytes: line.bytes, etag: noted?.etag }
  }
}

/** The objects of a slot, with their keys inside it. */
export async function* listSlot(
  store: ObjectStore,
  slot: Slot,
  { signal, onListed = () => undefined }: { [K in keyof Listing]: Listing[K] | undefined } = {},
): AsyncGenerator<ListedObject> {
  const prefix = slotPrefix(slot)
  let listed = 0
  for await (const object of store.list(prefix, { signal })) {
    onListed(++listed)
    yield { ...object, key: object.key.slice(prefix.length) }
  }
}

/** Whether an object's body has the digest of the manifest; a missing one differs too. */
export async function compareBody(
  store: ObjectStore,
  slot: Slot,
  line: ManifestLine,
  options?: CallOptions,
): Promise<ObjectDifference | null> {
  const sha256 = await digestOf(store, inSlot(slot, line.key), options)
  if (sha256 === null) return { key: line.key, what: 'missing' }
  return sha256 === line.sha256 ? null : { key: line.key, what: 'body' }
}
