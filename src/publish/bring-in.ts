/** Under the lease: a snapshot into the slot that is not live, and the flip. */

import { join } from 'node:path'
import { Readable } from 'node:stream'
import { applyChanges } from './apply.ts'
import { etagLines, etagWriter, type EtagLine } from './etags.ts'
import { countsOf, planDownloads, putDownloads, type DownloadsPlan } from './downloads.ts'
import { editionOf } from './edition.ts'
import { closeToOthers, flip, leaveTime } from './flip.ts'
import {
  changesKey,
  checksumsIn,
  downloadEtagsKey,
  downloadsPrefix,
  etagsKey,
  gzipType,
  manifestIn,
  otherSlot,
  type Slot,
} from './layout.ts'
import { LeaseLost, type Lease } from './lease.ts'
import { liveAfter, liveSnapshot, tornSlots, type Live, type LiveObject } from './live.ts'
import { point } from './live-pointer.ts'
import type { Manifest } from './manifest-reader.ts'
import { refuseMistakes } from './mistakes.ts'
import { readNdjson, writeNdjson } from './ndjson.ts'
import { realTime } from './pause.ts'
import type { Change } from './plan.ts'
import { prepareChanges, type Prepared } from './prepare.ts'
import type { PublishOptions } from './publish.ts'
import { refuseSparse } from './refuse-sparse.ts'
import { findRepairs } from './repair.ts'
import { mergeSorted } from './sorted.ts'
import type { ObjectStore } from './store.ts'
import { tellChanges } from './tell-changes.ts'
import { compareWithListing, type Difference } from './verify.ts'

export interface Work {
  /** The snapshot's lists, as they were when this publish began. */
  readonly manifest: Manifest
  readonly manifestFile: string
  readonly checksumsFile: string
  readonly edition: string
  readonly standing: LiveObject
  readonly lease: Lease
  /** For lists that need not fit into memory. */
  readonly folder: string
  /** Puts one of our own files. */
  readonly putFile: (file: string, key: string, type: string) => Promise<void>
}

/** @throws {Error} if the snapshot is most likely a mistake, if somebody else interferes, or if the store fails */
export async function bringIn(store: ObjectStore, options: PublishOptions, work: Work) {
  const { manifest, standing, lease, folder, putFile } = work
  const { live } = standing
  const slot = live === null ? 'blue' : otherSlot(live.slot)
  const { isRepair, isDeep, concurrency } = options
  const unknown = tornSlots({ changing: lease.inherited }, live)[slot] ?? null
  const prepared = await prepareChanges(store, {
    manifest,
    slot,
    unknown,
    folder,
    repair: isRepair ? { isDeep, concurrency } : null,
  })
  refuseMistakes(manifest.head, live, prepared, options)
  await refuseSparse(options.out, slot, prepared)

  // A pointer that a night left behind may still lead readers to the slot that is about to be written to.
  const hasMoved = live !== null && (await point(options.pointer, live))
  // Also if no object changes: what is told of the night does, and the slot is torn until the flip.
  const changes = changesKey(lease.id)
  await putFile(prepared.file, changes, gzipType)
  await lease.declare(slot, changes)
  const sinceRead = sinceLastReaders(live, { isNew: !isRepair && prepared.standing === null, hasMoved })
  const expected = await leaveAlone(store, options, work, slot, sinceRead ?? standing.ageMs)
  const outdated = lease.inherited[slot]
  if (outdated !== undefined) await store.delete([outdated])
  const bytes = await change(store, slot, options, { ...work, prepared })
  if (lease.isUnsettled) await assertUntouched(store, slot, { ...work, prepared })
  if (isRepair && live !== null) await declareDamage(store, live.slot, options, work)
  const isTrusted = unknown === null && !isRepair
  const telling = { ...options, ...work, live, slot, isTrusted }
  const changed = await tellChanges(store, telling, { ...options, ...lease })
  const downloads = await bringDownloads(store, slot, options, work)
  await putFile(work.checksumsFile, checksumsIn(slot), 'text/plain; charset=utf-8')
  await putFile(work.manifestFile, manifestIn(slot), gzipType)

  options.signal.throwIfAborted()
  const now = await lease.assertHeld()
  const told = { before: live, now, changes, edition: work.edition, downloads: downloads.live }
  const next = liveSnapshot(manifest.head, slot, told)
  await flip(store, next, { ...options, expected, lease, flipper: 'publish' })

  // It is live: what fails from here on costs nobody anything.
  try {
    await lease.declare(slot, null)
    await store.delete([changes])
  } catch (error) {
    const reason = error instanceof LeaseLost ? 'the lease was lost' : reasonOf(error)
    options.onWarning(`${next.snapshot} is live, but the notes of this publish are not tidied up: ${reason}`)
  }
  await point(options.pointer, liveAfter(next, live))
  const { put, deleted } = prepared
  return { slot, changed, put, deleted, bytes, downloads: countsOf(downloads) }
}

/**
 * The files for analysts, into a folder that nothing live has.
 * @throws {Error} if the snapshot's folder has come to hold those of another one
 */
async function bringDownloads(
  store: ObjectStore,
  slot: Slot,
  options: PublishOptions,
  { manifest, standing: { live }, edition, lease: { assertFresh }, folder, putFile }: Work,
): Promise<DownloadsPlan> {
  const { out, baseUrl, isDeep, signal, onWarning } = options
  const { asOf, snapshot } = manifest.head
  const assertSame = async () => {
    if ((await editionOf(out, manifest.head, baseUrl)) !== edition)
      throw new Error(`${out} was built anew meanwhile; nothing was flipped, publish again`)
  }
  await assertSame()
  const plan = await planDownloads(store, { out, asOf, snapshot, live, isDeep, signal })
  if (plan.live !== undefined) {
    if (plan.replaced + plan.gone.length > 0) {
      const place = `${store.name}/${downloadsPrefix(plan.live.folder)}`
      const what = `${plan.replaced} replaced, ${plan.gone.length} removed`
      onWarning(`${place} had other files, of a publish that was stopped, or damaged ones: ${what}`)
    }
    const etags = join(folder, 'downloads.ndjson.gz')
    const lines = await putDownloads(store, plan, { ...options, assertFresh })
    await writeNdjson(etags, Readable.from(lines))
    await putFile(etags, downloadEtagsKey(slot), gzipType)
  }
  await assertSame()
  return plan
}

/**
 * How long ago the slot stopped being live, in milliseconds; undefined: when `live.json` was written last.
 * @param isNew whether it holds no snapshot @param hasMoved whether the pointer said something else until now
 */
function sinceLastReaders(
  live: Live | null,
  { isNew, hasMoved }: { readonly isNew: boolean; readonly hasMoved: boolean },
): number | undefined {
  // Somebody may have removed live.json just now: edges find out when they look the next time.
  if (live === null) return isNew ? Infinity : 0
  if (live.previous === null) return Infinity
  return hasMoved ? 0 : undefined
}

/** Waits for readers, and keeps others out. Where that fails nothing has been written, and the slot is what it was. */
async function leaveAlone(
  store: ObjectStore,
  options: PublishOptions,
  { standing, lease }: Work,
  slot: Slot,
  sinceReadMs: number,
): Promise<LiveObject> {
  try {
    const { graceSeconds, signal, time = realTime } = options
    await leaveTime(sinceReadMs, { graceSeconds, signal, time })
    const expected = await closeToOthers(store, { ...options, standing, lease })
    lease.settle()
    return expected
  } catch (error) {
    await lease.declare(slot, lease.inherited[slot] ?? null).catch(() => undefined)
    throw error
  }
}

/**
 * A check of what README.md assumes: no request of a predecessor was carried out after we had waited for them.
 * @throws {Error} if the slot is not what was put
 */
async function assertUntouched(
  store: ObjectStore,
  slot: Slot,
  { manifest, folder, prepared }: Work & { readonly prepared: Prepared },
): Promise<void> {
  const etags = readNdjson(etagsFile(folder)) as AsyncIterable<EtagLine>
  const differing = compareWithListing(store, slot, manifest.lines(), etags)
  const changes = readNdjson(prepared.file) as AsyncIterable<Change>
  for await (const { key, values } of mergeSorted<readonly [Difference, Change]>(differing, changes)) {
    const [difference, ours] = values
    // Strangers in the slot harm nobody; what was deleted must be gone.
    if (difference !== undefined && (difference.what !== 'extra' || ours !== undefined))
      throw new Error(
        `${store.name}: somebody else wrote to ${slot}/${key} meanwhile; nothing was flipped, publish again`,
      )
  }
}

/** What is damaged in the slot that is live would be trusted by the publish that writes to it next. */
async function declareDamage(
  store: ObjectStore,
  slot: Slot,
  { isDeep, concurrency }: PublishOptions,
  { lease, folder, putFile }: Work,
): Promise<void> {
  const damage = await findRepairs(store, slot, folder, { isDeep, concurrency })
  if (damage === null) {
    if (lease.inherited[slot] !== undefined) await lease.declare(slot, null)
    return
  }
  const repairs = changesKey(`${lease.id}-${slot}`)
  await putFile(damage, repairs, gzipType)
  await lease.declare(slot, repairs)
}

const etagsFile = (folder: string) => join(folder, 'etags.ndjson.gz')

/** Puts and deletes, and notes the ETags. @returns bytes that were put */
async function change(
  store: ObjectStore,
  slot: Slot,
  options: PublishOptions,
  { prepared, folder, lease, putFile }: Work & { readonly prepared: Prepared },
) {
  const total = prepared.put + prepared.deleted
  const newEtags = etagWriter(join(folder, 'new-etags.ndjson.gz'))
  let done = 0
  let bytes = 0
  const onDone = (one: Change) => {
    done++
    if (one.kind === 'put') bytes += one.bytes
    options.onProgress?.({ done, of: total, bytes })
  }
  const changes = readNdjson(prepared.file) as AsyncIterable<Change>
  const { assertFresh } = lease
  try {
    await applyChanges(store, changes, { ...options, slot, onDone, onEtag: newEtags.add, assertFresh })
  } finally {
    await newEtags.end()
  }
  await writeNdjson(etagsFile(folder), etagLines(prepared.next(), prepared.etags(), newEtags.read()))
  await putFile(etagsFile(folder), etagsKey(slot), gzipType)
  return bytes
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
