/** What a publish must change in a slot: the lists of the slot, what of them is in doubt, and the changes. No write. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSparse } from '../../build/manifest.ts'
import { changesKey, etagsKey, gzipType, lostList, type Slot } from '../live/layout.ts'
import { mergeSorted, planChanges, type Change, type KeyedLine } from '../manifest/compare.ts'
import { compareBody, compareWithListing } from '../manifest/listing.ts'
import { adviseRepair, fetchList, fetchManifest, type EtagLine } from '../manifest/manifest.ts'
import { nothing, readNdjson, writeNdjson } from '../manifest/ndjson.ts'
import type { Publish } from './snapshot.ts'

export type Prepared = Awaited<ReturnType<typeof prepare>>

/** @throws {Error} if a list in the bucket is damaged; a repair does without it */
export const prepareChanges = (publish: Publish): Promise<Prepared> => prepare(publish).catch(adviseRepair)

async function prepare(publish: Publish) {
  const { base, snapshot, folder, isRepair } = publish
  const lists = await readSlot(publish, base.slot)
  const { head: before, lines, etags } = lists
  const torn = base.torn === null ? nothing() : await tornKeys(publish, base.torn)
  const damaged = isRepair ? damagedKeys(publish, base.slot, lists) : nothing()

  /** The changes, a line each, gzipped, in the order of keys. */
  const file = join(folder, 'changes.ndjson.gz')
  const counts = { put: 0, deleted: 0, bytes: 0 }
  async function* counted() {
    for await (const change of planChanges(snapshot.manifest.lines(), lines(), torn, damaged)) {
      if (change.kind === 'put') {
        counts.put++
        counts.bytes += change.bytes
      } else counts.deleted++
      yield change
    }
  }
  await writeNdjson(file, counted())
  return { ...counts, file, before, etags }
}

/**
 * What a slot's lists say: the manifest's first line, its lines, and the ETags that are known. A repair does without
 * damaged ones; without a manifest nothing in the slot is trusted.
 */
type SlotLists = Awaited<ReturnType<typeof readSlot>>

async function readSlot({ store, folder, isRepair }: Publish, slot: Slot) {
  const manifest = await fetchManifest(store, slot, folder, isRepair)
  if (manifest === null) return { head: null, lines: nothing, etags: nothing }
  const etags = await fetchList<EtagLine>(store, etagsKey(slot), folder, isRepair)
  return { head: manifest.head, lines: manifest.lines, etags: etags ?? nothing }
}

/**
 * A sparse snapshot holds only the files that one slot lacked when it was built: another slot may need others, too.
 * @throws {Error} if it is sparse, and a file that must be put is not there
 */
export async function refuseSparse({ out, base }: Publish, { file, before }: Prepared): Promise<void> {
  const sparse = readSparse(out)
  if (sparse === null) return
  for await (const change of readNdjson<Change>(file)) {
    if (change.kind === 'delete' || existsSync(join(out, change.key))) continue
    const holds = before === null ? 'holds no snapshot' : `holds ${before.snapshot}`
    const needs = `${base.slot} ${holds} and needs ${change.key}, which is not in the folder`
    const advice = 'build with --since other, or without --since, and publish again'
    throw new Error(`${out} is sparse, it goes on from ${sparse.since}, but ${needs}: ${advice}`)
  }
}

/** Marks the live slot as torn if it is damaged: the publish that writes to it next must not trust its manifest. */
export async function markDamage(publish: Publish, slot: Slot): Promise<void> {
  const { folder, lease, putOwn } = publish
  const lists = await readSlot(publish, slot)
  let found = 0
  async function* keys() {
    if (lists.head === null) return
    for await (const { key } of damagedKeys(publish, slot, lists)) {
      found++
      yield { key }
    }
  }
  const file = join(folder, `${slot}-repairs.ndjson.gz`)
  await writeNdjson(file, keys())
  if (found > 0) {
    const list = changesKey(`${lease.id}-${slot}`)
    await putOwn(file, list, gzipType)
    await lease.markTorn(slot, list)
  } else if (lease.torn[slot] !== undefined) await lease.markTorn(slot, null)
}

/** In the order of keys: each object that differs from the slot's manifest, or that may differ. */
async function* damagedKeys(
  { store, isDeep, concurrency }: Publish,
  slot: Slot,
  { lines, etags }: SlotLists,
) {
  const listed = compareWithListing(store, slot, lines(), etags())
  let batch: (() => Promise<KeyedLine | null>)[] = []
  async function* flush() {
    const found = await Promise.all(batch.map((look) => look()))
    batch = []
    yield* found.filter((one) => one !== null)
  }
  for await (const { key, values } of mergeSorted(listed, lines(), etags())) {
    const [difference, line, etag] = values
    // Without an ETag an object of the right size may be any.
    const isDoubtful = difference !== undefined || (line !== undefined && etag === undefined)
    if (isDoubtful) batch.push(() => Promise.resolve({ key }))
    else if (isDeep && line !== undefined) batch.push(() => compareBody(store, slot, line))
    if (batch.length >= concurrency) yield* flush()
  }
  yield* flush()
}

/** @throws {Error} if the list is gone: then only the listing of a repair tells what the slot holds */
async function tornKeys({ store, folder, isRepair }: Publish, key: string) {
  const lines = await fetchList<KeyedLine>(store, key, folder, isRepair)
  if (lines !== null) return lines()
  // The listing of a repair finds more than the list could say.
  if (isRepair) return nothing()
  const what =
    key === lostList
      ? 'the journal was lost, so nobody knows what the slot holds'
      : `${key}, the list of a publish that was killed, is gone`
  throw new Error(`${store.name}: ${what}: publish with --repair`)
}
