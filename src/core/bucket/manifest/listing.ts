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

export async function* listingDifferences(
  expected: AsyncIterable<ExpectedObject>,
  listed: AsyncIterable<ListedObject>,
): AsyncGenerator<ObjectDifference> {
  for await (const { key, values } of mergeSorted(expected, listed)) {
    const [one, object] = values
    const what = differenceOf(one, object, one?.etag)
    if (what !== null) yield { key, what }
  }
}

function differenceOf(
  one: Omit<ExpectedObject, 'etag'> | undefined,
  object: ListedObject | undefined,
  etag: string | undefined,
): ObjectDifference['what'] | null {
  if (object === undefined) return one === undefined ? null : 'missing'
  if (one === undefined) return 'extra'
  if (one.bytes !== undefined && one.bytes !== object.bytes) return 'size'
  return etag !== undefined && bare(etag) !== bare(object.etag) ? 'etag' : null
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
  const listed = listSlot(store, slot, listing)
  for await (const { key, values } of mergeSorted(lines, etags, listed)) {
    const [line, noted, object] = values
    const what = differenceOf(line, object, noted?.etag)
    if (what === null || (what === 'extra' && isBookkeeping(key))) continue
    const isDoubtful = what === 'etag' && !store.areEtagsDigests
    const found =
      isDoubtful && line !== undefined ? await compareBody(store, slot, line, listing) : { key, what }
    if (found !== null) yield found
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
