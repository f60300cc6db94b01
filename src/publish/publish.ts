/**
 * `fundpress publish`: brings a snapshot into the slot that is not live, and makes it live in one write. A publish that
 * is killed at any point is taken up by the next one; the live slot is never written to.
 */

import { randomUUID, createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { checksumsKey, manifestKey, type ManifestHead } from '../snapshot/manifest.ts'
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
import { liveSnapshot, readLive, writeLive, type Live, type LiveObject } from './live.ts'
import { openManifest, type Manifest } from './manifest-reader.ts'
import { readNdjson, writeNdjson } from './ndjson.ts'
import type { Change } from './plan.ts'
import { prepareChanges, type Prepared } from './prepare.ts'
import { findRepairs } from './repair.ts'
import { refuseMistakes, type MistakeLimits } from './mistakes.ts'
import { ConditionFailed, type ObjectStore } from './store.ts'

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
  /** Wall clock, for what is written down. */
  readonly now: () => Date
  readonly signal: AbortSignal
  readonly onProgress?: (progress: {
    readonly done: number
    readonly of: number
    readonly bytes: number
  }) => void
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
  if (live?.snapshot === snapshot && !options.isRepair) return summary(live.slot, {})

  const lease = await takeLease(store, { ...options, id: randomUUID(), seconds: options.leaseSeconds })
  const done = await publishUnder(lease, store, options, manifest)
  return summary(done.slot, done)
}

/** Gives the lease back in any case. */
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
    if (standing.live?.snapshot === manifest.head.snapshot && !options.isRepair)
      return { slot: standing.live.slot }
    const signal = AbortSignal.any([options.signal, lease.lost])
    const done = await bringIn(store, { ...options, signal }, { manifest, standing, lease, folder })
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
}

async function bringIn(
  store: ObjectStore,
  options: PublishOptions,
  { manifest, standing, lease, folder }: Work,
) {
  const { live } = standing
  const slot = live === null ? 'blue' : otherSlot(live.slot)
  // The slot of a publish that was killed after its flip is whole: it flips last.
  const unknown = lease.inherited?.slot === slot ? lease.inherited : null
  const prepared = await prepareChanges(store, {
    manifest,
    slot,
    unknown,
    folder,
    isRepair: options.isRepair,
  })
  refuseMistakes(manifest.head, live, prepared, options)

  const changes = changesKey(lease.id)
  const total = prepared.put + prepared.deleted
  if (total > 0) {
    await putFile(store, changes, prepared.file, gzipType)
    await lease.declare({ slot, keys: changes })
    if (unknown !== null) await store.delete([unknown.keys])
  }
  await leaveTime(standing, options)
  const bytes = await change(store, slot, options, prepared, folder)
  const damage = options.isRepair && live !== null ? await findRepairs(store, live.slot, folder) : null
  options.signal.throwIfAborted()
  await putFile(store, checksumsIn(slot), join(options.out, checksumsKey), 'text/plain; charset=utf-8')
  await putFile(store, manifestIn(slot), join(options.out, manifestKey), gzipType)

  options.signal.throwIfAborted()
  await lease.assertHeld()
  await flip(store, options, manifest.head, slot, standing)
  if (damage === null || live === null) await lease.declare(null)
  else {
    // What was damaged in the slot that was live would be trusted by the publish that writes to it next.
    const repairs = changesKey(`${lease.id}-${live.slot}`)
    await putFile(store, repairs, damage, gzipType)
    await lease.declare({ slot: live.slot, keys: repairs })
  }
  if (total > 0) await store.delete([changes])
  return { slot, put: prepared.put, deleted: prepared.deleted, bytes }
}

/** Puts and deletes, and notes the ETags. @returns bytes that were put */
async function change(
  store: ObjectStore,
  slot: Slot,
  options: PublishOptions,
  prepared: Prepared,
  folder: string,
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
  try {
    await applyChanges(store, changes, { ...options, slot, onDone, onEtag: newEtags.add })
  } finally {
    await newEtags.end()
  }
  if (total > 0) {
    const all = join(folder, 'etags.ndjson.gz')
    await writeNdjson(all, etagLines(prepared.next(), prepared.etags(), newEtags.read()))
    await putFile(store, etagsKey(slot), all, gzipType)
  }
  return bytes
}

/** A slot that has just stopped being live is still read from, by edges that have not noticed yet. */
async function leaveTime(
  { live, ageMs }: LiveObject,
  { graceSeconds, signal }: PublishOptions,
): Promise<void> {
  // Nothing was live before: the other slot has no readers.
  if (!live?.previous) return
  const wait = graceSeconds * 1000 - ageMs
  if (wait > 0) await setTimeout(wait, undefined, { signal })
}

async function flip(
  store: ObjectStore,
  { isLocking, now }: PublishOptions,
  head: ManifestHead,
  slot: Slot,
  { live, condition }: { readonly live: Live | null; readonly condition: LiveObject['condition'] },
): Promise<void> {
  try {
    await writeLive(
      store,
      liveSnapshot(head, slot, now().toISOString()),
      live,
      isLocking ? condition : undefined,
    )
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error
    throw new Error(
      `${store.name}: somebody else changed live.json meanwhile; nothing was flipped, publish again`,
      { cause: error },
    )
  }
}

async function putFile(store: ObjectStore, key: string, file: string, type: string): Promise<void> {
  const body = await readFile(file)
  await store.put({
    key,
    body,
    type,
    cacheControl: noCache,
    sha256: createHash('sha256').update(body).digest('hex'),
  })
}
