import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSparse } from '../../snapshot/manifest.ts'
import { changesKey, etagsKey, gzipType, lostList, type Slot } from '../live/layout.ts'
import { openLive } from '../live/ask.ts'
import type { Comparison } from '../live/options.ts'
import { changeBetween, mergeSorted, type Change, type KeyedLine } from '../manifest/compare.ts'
import { documentComparison } from '../manifest/documents.ts'
import { compareBody, compareWithListing } from '../manifest/listing.ts'
import {
  adviseRepair,
  etagLine,
  fetchList,
  fetchManifest,
  keyLine,
  readThrough,
} from '../manifest/manifest.ts'
import { nothing, ownLine, readNdjson, writeNdjson } from '../manifest/ndjson.ts'
import type { Publish } from './snapshot.ts'

export type Prepared = Awaited<ReturnType<typeof prepare>>

/** @returns what differs from the slot, as a list, and from what is live @throws {Error} if a list of the slot is damaged */
export const prepareChanges = (publish: Publish): Promise<Prepared> => prepare(publish).catch(adviseRepair)

async function prepare(publish: Publish) {
  const { base, snapshot, folder, isRepair, table } = publish
  const lists = await readSlot(publish, base.slot)
  const { head: before, lines, etags } = lists
  const torn = base.torn === null ? nothing() : await tornKeys(publish, base.torn)
  const damaged = isRepair ? damagedKeys(publish, base.slot, lists) : nothing()
  const { head, objects } = await openLive(publish, base.live)
  const { manifest } = snapshot
  // Documents are objects: the files of `status/` differ each day.
  const files = new Set(manifest.head.files.map(({ key }) => key))
  const comparison = documentComparison(table)

  const file = join(folder, 'changes.ndjson.gz')
  const counts = { put: 0, deleted: 0, bytes: 0 }
  const merged = [manifest.lines(), lines(), objects?.() ?? nothing(), torn, damaged] as const
  async function* changes() {
    for await (const { key, values } of mergeSorted(...merged)) {
      const [line, present, live, ...doubts] = values
      const object = files.has(key) ? undefined : line
      if (live !== undefined || object !== undefined) comparison.add(key, live, object)
      const change = changeBetween(key, line, present, ...doubts)
      if (change === null) continue
      if (change.kind === 'put') {
        counts.put++
        counts.bytes += change.bytes
      } else counts.deleted++
      yield change
    }
  }
  await writeNdjson(file, changes())
  const compared: Comparison = { head, documents: objects === null ? null : comparison.end() }
  return { ...counts, file, before, etags, compared }
}

type SlotLists = Awaited<ReturnType<typeof readSlot>>

/** A repair does without damaged lists; without a manifest nothing in the slot is trusted. */
async function readSlot({ store, folder, isRepair }: Publish, slot: Slot) {
  const manifest = await fetchManifest(store, slot, folder, isRepair)
  if (manifest === null) return { head: null, lines: nothing, etags: nothing }
  const etags = await fetchList(store, etagsKey(slot), etagLine, folder, isRepair)
  // All other lists are merged before the slot is written to, this one after it.
  if (etags !== null) await readThrough(etags)
  return { head: manifest.head, lines: manifest.lines, etags: etags ?? nothing }
}

/** @throws {Error} if the snapshot is sparse and lacks a file: it goes on from another slot */
export async function refuseSparse({ out, base }: Publish, { file, before }: Prepared): Promise<void> {
  const sparse = readSparse(out)
  if (sparse === null) return
  for await (const change of readNdjson(file, ownLine<Change>)) {
    if (change.kind === 'delete' || existsSync(join(out, change.key))) continue
    const holds = before === null ? 'holds no snapshot' : `holds ${before.snapshot}`
    const needs = `${base.slot} ${holds} and needs ${change.key}, which is not in the folder`
    const advice = 'build with --since other, or without --since, and publish again'
    throw new Error(`${out} is sparse, it goes on from ${sparse.since}, but ${needs}: ${advice}`)
  }
}

/** Marks the live slot as torn if it is damaged: the next publish into it must not trust its manifest. */
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

/** Yields each object that differs, or may differ, from the slot's manifest, in the order of keys. */
async function* damagedKeys(
  { store, isDeep, concurrency }: Publish,
  slot: Slot,
  { lines, etags }: SlotLists,
) {
  const listed = compareWithListing(store, slot, lines(), etags())
  let batch: (() => Promise<KeyedLine | null>)[] = []
  async function* flush() {
    const found = await Promise.all(batch.map((check) => check()))
    batch = []
    yield* found.filter((one) => one !== null)
  }
  for await (const { key, values } of mergeSorted(listed, lines(), etags())) {
    const [difference, line, etag] = values
    // Without an ETag an object of the right size may still be another one.
    const isDoubtful = difference !== undefined || (line !== undefined && etag === undefined)
    if (isDoubtful) batch.push(() => Promise.resolve({ key }))
    else if (isDeep && line !== undefined) batch.push(() => compareBody(store, slot, line))
    if (batch.length >= concurrency) yield* flush()
  }
  yield* flush()
}

/** @throws {Error} if the list is gone: only the listing of a repair shows what the slot holds */
async function tornKeys({ store, folder, isRepair }: Publish, key: string) {
  const lines = await fetchList(store, key, keyLine, folder, isRepair)
  if (lines !== null) return lines()
  if (isRepair) return nothing()
  const what =
    key === lostList
      ? 'the journal was lost, so nobody knows what the slot holds'
      : `${key}, the list of a publish that was killed, is gone`
  throw new Error(`${store.name}: ${what}: publish with --repair`)
}
