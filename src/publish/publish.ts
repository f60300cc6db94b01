/**
 * `fundpress publish`: brings a snapshot into the slot that is not live, and makes it live in one write. A publish that
 * is killed at any point is taken up by the next one; the live slot is never written to.
 */

import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checksumsKey, manifestKey } from '../snapshot/manifest.ts'
import { applyChanges } from './apply.ts'
import { etagLines, etagWriter } from './etags.ts'
import { takeLease, type Holder, type Lease } from './journal.ts'
import {
  changesKey,
  checksumsIn,
  etagsKey,
  gzipType,
  manifestIn,
  noCache,
  otherSlot,
  type Slot,
} from './layout.ts'
import { closeToOthers, flip, leaveTime } from './flip.ts'
import { readLive, type LiveObject } from './live.ts'
import { point, type LivePointer } from './live-pointer.ts'
import { openManifest, type Manifest } from './manifest-reader.ts'
import { readNdjson, writeNdjson } from './ndjson.ts'
import type { Change } from './plan.ts'
import { prepareChanges, type Prepared } from './prepare.ts'
import { findRepairs } from './repair.ts'
import { refuseMistakes, type MistakeLimits } from './mistakes.ts'
import type { ObjectStore } from './store.ts'

export interface PublishOptions extends MistakeLimits {
  /** The snapshot's folder. */
  readonly out: string
  /** Of the objects in the slots. */
  readonly cacheControl: string
  readonly concurrency: number
  /** Puts a second at most, or null. */
  readonly maxRate: number | null
  /** Compares the slot with a listing too, instead of trusting its manifest. */
  readonly isRepair: boolean
  /** False for a store without conditional writes. */
  readonly isLocking: boolean
  readonly leaseSeconds: number
  /** How long a slot that was live is left alone, for readers that still read from it. */
  readonly graceSeconds: number
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  /** Told what is live, too. */
  readonly pointer?: LivePointer | null
  readonly signal: AbortSignal
  readonly onProgress?: (progress: {
    readonly done: number
    readonly of: number
    readonly bytes: number
  }) => void
  /** Told what failed after the snapshot went live, and what follows from it. */
  readonly onWarning: (warning: string) => void
}

export interface PublishSummary {
  readonly snapshot: string
  readonly slot: Slot
  /** False where this snapshot was live already. */
  readonly hasFlipped: boolean
  readonly put: number
  readonly deleted: number
  /** Of the bodies that were put. */
  readonly bytes: number
  readonly requests: Readonly<Record<string, number>>
  readonly seconds: number
}

/**
 * @throws {Error} if somebody else publishes, if the snapshot is most likely a mistake, or if the store fails: what is
 * live stays live, and the next publish takes up what was begun
 */
export async function publish(store: ObjectStore, options: PublishOptions): Promise<PublishSummary> {
  const started = performance.now()
  const manifest = await openManifest(join(options.out, manifestKey))
  const { snapshot } = manifest.head
  const summary = (slot: Slot, done: Partial<PublishSummary>): PublishSummary => ({
    snapshot,
    slot,
    hasFlipped: false,
    put: 0,
    deleted: 0,
    bytes: 0,
    ...done,
    requests: store.requests(),
    seconds: (performance.now() - started) / 1000,
  })
  const { live } = await readLive(store)
  if (live?.snapshot === snapshot && !options.isRepair) {
    await point(options.pointer, live)
    return summary(live.slot, {})
  }

  const lease = await takeLease(store, { ...options, id: randomUUID(), seconds: options.leaseSeconds })
  const done = await publishUnder(lease, store, options, manifest)
  return summary(done.slot, done)
}

/** Gives the lease back in any case but one: a flip whose outcome nobody knows. */
async function publishUnder(
  lease: Lease,
  store: ObjectStore,
  options: PublishOptions,
  manifest: Manifest,
): Promise<Partial<PublishSummary> & { readonly slot: Slot }> {
  let folder: string | undefined
  try {
    folder = await mkdtemp(join(tmpdir(), 'fundpress-publish-'))
    // Read anew under the lease: whoever held it before may have flipped.
    const standing = await readLive(store)
    if (standing.live?.snapshot === manifest.head.snapshot && !options.isRepair) {
      await point(options.pointer, standing.live)
      return { slot: standing.live.slot }
    }
    const signal = AbortSignal.any([options.signal, lease.lost])
    const putFile: Work['putFile'] = async (file, key, type) => {
      const { assertFresh } = lease
      await store.putFile(file, { key, type, cacheControl: noCache }, { signal, assertFresh })
    }
    const work = { manifest, standing, lease, folder, putFile }
    const done = await bringIn(store, { ...options, signal }, work)
    return { ...done, hasFlipped: true }
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    // The lease ends by itself too, a little later.
    await lease.release().catch(() => undefined)
  }
}

interface Work {
  readonly manifest: Manifest
  readonly standing: LiveObject
  readonly lease: Lease
  /** For lists that need not fit into memory. */
  readonly folder: string
  /** Puts one of our own files. */
  readonly putFile: (file: string, key: string, type: string) => Promise<void>
}

async function bringIn(store: ObjectStore, options: PublishOptions, work: Work) {
  const { manifest, standing, lease, folder, putFile } = work
  const { live } = standing
  const slot = live === null ? 'blue' : otherSlot(live.slot)
  const unknown = lease.inherited[slot] ?? null
  const prepared = await prepareChanges(store, {
    manifest,
    slot,
    unknown,
    folder,
    isRepair: options.isRepair,
  })
  refuseMistakes(manifest.head, live, prepared, options)

  // A pointer that a night left behind may still lead readers to the slot that is about to be written to.
  const hasMoved = live !== null && (await point(options.pointer, live))
  const changes = changesKey(lease.id)
  const total = prepared.put + prepared.deleted
  if (total > 0) {
    await putFile(prepared.file, changes, gzipType)
    await lease.declare(slot, changes)
    if (unknown !== null) await store.delete([unknown])
  }
  await leaveTime(hasMoved ? { ...standing, ageMs: 0 } : standing, options)
  const expected = await closeToOthers(store, { ...options, standing, lease })
  const bytes = await change(store, slot, options, { ...work, prepared })
  if (options.isRepair && live !== null) await declareDamage(store, live.slot, work)
  await putFile(join(options.out, checksumsKey), checksumsIn(slot), 'text/plain; charset=utf-8')
  await putFile(join(options.out, manifestKey), manifestIn(slot), gzipType)

  options.signal.throwIfAborted()
  const now = await lease.assertHeld()
  const next = await flip(store, manifest.head, slot, { ...options, expected, lease, now })

  // It is live: what fails from here on costs the next publish some work, and nobody else anything.
  try {
    await lease.declare(slot, null)
    if (total > 0) await store.delete([changes])
  } catch (error) {
    options.onWarning(`${reasonOf(error)}: ${next.snapshot} is live all the same; the next publish tidies up`)
  }
  await point(options.pointer, next)
  return { slot, put: prepared.put, deleted: prepared.deleted, bytes }
}

/** What is damaged in the slot that is live would be trusted by the publish that writes to it next. */
async function declareDamage(
  store: ObjectStore,
  slot: Slot,
  { lease, folder, putFile }: Work,
): Promise<void> {
  const damage = await findRepairs(store, slot, folder)
  if (damage === null) return
  const repairs = changesKey(`${lease.id}-${slot}`)
  await putFile(damage, repairs, gzipType)
  await lease.declare(slot, repairs)
}

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
  if (total > 0) {
    const all = join(folder, 'etags.ndjson.gz')
    await writeNdjson(all, etagLines(prepared.next(), prepared.etags(), newEtags.read()))
    await putFile(all, etagsKey(slot), gzipType)
  }
  return bytes
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
