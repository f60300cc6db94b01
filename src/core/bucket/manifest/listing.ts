import type { ManifestLine } from '../../snapshot/manifest.ts'
import { inSlot, isBookkeeping, slotPrefix, type Slot } from '../live/layout.ts'
import { digestOf } from '../store/read.ts'
import type { CallOptions, ListedObject, ObjectStore } from '../store/store.ts'
import { mergeSorted } from './compare.ts'
import type { EtagLine } from './manifest.ts'

/**
 * - `missing`: expected, but not listed. `extra`: listed, but not expected.
 * - `size`, `etag`: another object than the one that was put. `body`: the bytes have another digest.
 * - `unsigned`, `signature`: checksums without a signature, or with one of no key that is trusted.
 * - `facts`: it names another snapshot, day or figure than the manifest, or than what was signed.
 * - `withdrawn`: a folder of downloads with data that the live snapshot may not give out.
 */
export interface ObjectDifference {
  readonly key: string
  readonly what:
    'missing' | 'extra' | 'size' | 'etag' | 'body' | 'unsigned' | 'signature' | 'facts' | 'withdrawn'
}

/** Absent fields are unknown, and not compared. */
export interface ExpectedObject {
  readonly key: string
  readonly bytes?: number | undefined
  readonly etag?: string | undefined
}

export async function* listingDifferences<T extends ExpectedObject>(
  expected: AsyncIterable<T>,
  listed: AsyncIterable<ListedObject>,
): AsyncGenerator<{ readonly difference: ObjectDifference; readonly line: T | undefined }> {
  for await (const { key, values } of mergeSorted(expected, listed)) {
    const [line, object] = values
    const what = differenceOf(line, object)
    if (what !== null) yield { difference: { key, what }, line }
  }
}

function differenceOf(one: ExpectedObject | undefined, object: ListedObject | undefined) {
  if (one === undefined) return 'extra'
  if (object === undefined) return 'missing'
  if (one.bytes !== undefined && one.bytes !== object.bytes) return 'size'
  return one.etag !== undefined && bare(one.etag) !== bare(object.etag) ? 'etag' : null
}

const bare = (etag: string) => etag.replaceAll('"', '')

type Listing = CallOptions & { readonly onListed?: (listed: number) => void }

/**
 * Differences between a slot's listing and its manifest, in the order of keys, which are without the slot. Where an ETag is no digest,
 * as in a folder that was restored from a backup, another one is a reason to read the body.
 */
export async function* compareWithListing(
  store: ObjectStore,
  slot: Slot,
  lines: AsyncIterable<ManifestLine>,
  etags: AsyncIterable<EtagLine>,
  listing?: Listing,
): AsyncGenerator<ObjectDifference> {
  const expected = withEtags(lines, etags)
  for await (const { difference, line } of listingDifferences(expected, listSlot(store, slot, listing))) {
    if (difference.what === 'extra' && isBookkeeping(difference.key)) continue
    const isDoubtful = difference.what === 'etag' && !store.areEtagsDigests
    const found =
      isDoubtful && line !== undefined ? await compareBody(store, slot, line, listing) : difference
    if (found !== null) yield found
  }
}

async function* withEtags(lines: AsyncIterable<ManifestLine>, etags: AsyncIterable<EtagLine>) {
  for await (const { values } of mergeSorted(lines, etags)) {
    const [line, noted] = values
    if (line !== undefined) yield { ...line, etag: noted?.etag }
  }
}

export async function* listSlot(store: ObjectStore, slot: Slot, { signal, onListed }: Listing = {}) {
  const prefix = slotPrefix(slot)
  let listed = 0
  for await (const object of store.list(prefix, { signal })) {
    onListed?.(++listed)
    yield { ...object, key: object.key.slice(prefix.length) }
  }
}

export async function compareBody(
  store: ObjectStore,
  slot: Slot,
  { key, sha256 }: ManifestLine,
  options?: CallOptions,
): Promise<ObjectDifference | null> {
  const found = await digestOf(store, inSlot(slot, key), options)
  return found === sha256 ? null : { key, what: found === null ? 'missing' : 'body' }
}
