/** `fundpress publish`: uploads a snapshot into the slot that is not live, and flips. `src/bucket/README.md` has the steps. */

import { tellChanges } from '../changes/write.ts'
import type { RemovedFolder } from '../live/download-folders.ts'
import { assertFollowed, fence, flip, liveAfter, namesFollower, noteFollower, point } from '../live/flip.ts'
import { changesKey, checksumsIn, gzipType, manifestIn, noCache, otherSlot } from '../live/layout.ts'
import { LeaseLost, roundingMs, withLease } from '../live/lease.ts'
import { type Live, type LiveObject, readLive, tornSlots } from '../live/live.ts'
import { withFolder } from '../store/files.ts'
import { noDownloads, uploadDownloads } from './downloads.ts'
import { compareWithLive, refuseLosses } from './loss.ts'
import type { Publish, PublishOptions } from './options.ts'
import { clearWithdrawn, findRemoved, hasCleared, newlyRestricted, removeFolders } from './removal.ts'
import { markDamage, prepareChanges, type Prepared, refuseSparse } from './prepare.ts'
import { assertUnchanged, copySnapshot, identifySnapshot, type Identity, isLiveAlready } from './snapshot.ts'
import { assertUntouched, uploadChanges } from './upload.ts'
import { realTime } from '../store/retry.ts'
import type { ObjectStore } from '../store/store.ts'
import { messageOf } from '../../system/message.ts'

export type PublishSummary = Awaited<ReturnType<typeof publish>>

/**
 * What a publish has done. `hasFlipped`: false if just this was live already. `changed`: documents that differ from those
 * that were live before; null if that is not known. `put`, `deleted`: objects that differed from those in the slot, which
 * held a snapshot older than the live one; `bytes`: the size of those that were put. No figure but `downloads` counts the
 * analysts' files. `allowed`: what an operator has allowed, in the build or in the publish.
 */
type Done = Awaited<ReturnType<typeof carryOut>>

/**
 * @throws {Refusal} if a guard refuses the snapshot @throws {Error} if another process holds the lease, or the store fails: what
 * is live stays live, and the next publish continues
 */
export async function publish(store: ObjectStore, options: PublishOptions) {
  const started = performance.now()
  const identity = await identifySnapshot(options.out, options.baseUrl)
  const target = `${identity.snapshot} ${identity.edition}`
  const live = await readLive(store)
  assertFollowed(store, live.live, options)
  // A publish that was killed after its flip may have left withdrawn downloads.
  const isSettled =
    live.live === null || (namesFollower(live.live, options.pointer) && (await hasCleared(store, live.live)))
  const done =
    (isSettled ? await liveAlready(live, identity, options) : null) ??
    (await withLease(store, { ...options, target }, (lease) =>
      withFolder((folder) => publishUnder({ ...options, store, lease, folder }, identity)),
    ))
  const seconds = (performance.now() - started) / 1000
  return { ...identity, ...done, requests: store.requests(), seconds }
}

/** There is nothing to do if just this is live, except for a repair. */
async function liveAlready({ live }: LiveObject, identity: Identity, options: PublishOptions) {
  const { isRepair, pointer } = options
  if (isRepair || !isLiveAlready(live, identity)) return null
  await point(pointer, live)
  const { slot } = live
  const nothing = { changed: 0, put: 0, deleted: 0, bytes: 0, downloads: noDownloads, allowed: [] }
  return { slot, hasFlipped: false, ...nothing, removed: new Array<RemovedFolder>() }
}

type Begun = Omit<Publish, 'snapshot' | 'base' | 'putOwn'>

async function publishUnder(begun: Begun, identity: Identity): Promise<Done> {
  const { store, lease, folder, out, baseUrl, isRepair, lateSeconds, onWarning } = begun
  const snapshot = await copySnapshot(out, folder, baseUrl, identity)
  await lease.awaitLateRequests(lateSeconds, (seconds) => {
    const why = `waiting ${seconds} s, until none of its requests can arrive any more`
    onWarning(`${store.name}: the publish before was killed or not answered: ${why}`)
  })
  // Read again under the lease: the holder before may have flipped.
  const live = await readLive(store)
  assertFollowed(store, live.live, begun)
  const done = await liveAlready(live, identity, begun)
  if (done !== null && live.live !== null) {
    await noteFollower(store, live, begun)
    return { ...done, removed: await clearWithdrawn(store, live.live, begun) }
  }
  const slot = live.live === null ? 'blue' : otherSlot(live.live.slot)
  const torn = tornSlots({ changing: lease.torn }, live.live)[slot] ?? null
  const base = { live, slot, torn, isTrusted: torn === null && !isRepair }
  const putOwn: Publish['putOwn'] = async (file, key, type) => {
    await store.putFile(file, { key, type, cacheControl: noCache }, lease.writing)
  }
  return carryOut({ ...begun, snapshot, base, putOwn })
}

/** The steps of a publish. Each may fail or be killed: the README says what that leaves. */
async function carryOut(publish: Publish) {
  const { store, lease, out, baseUrl, base, snapshot, isRepair } = publish
  const { slot } = base
  const { manifest, edition } = snapshot
  const { live: before } = base.live

  const prepared = await prepareChanges(publish)
  const compared = await compareWithLive(publish)
  const allowed = [...(manifest.head.allowed ?? []), ...(await refuseLosses(publish, compared))]
  await refuseSparse(publish, prepared)
  const restricted = newlyRestricted(publish, compared.head)
  const changes = changesKey(lease.id)
  const expected = await reserveSlot(publish, prepared, changes)
  const bytes = await uploadChanges(publish, prepared)
  if (lease.isUnsettled) await assertUntouched(publish, prepared)
  if (isRepair && before !== null) await markDamage(publish, before.slot)
  const changed = await tellChanges(publish, compared.documents, allowed)
  await assertUnchanged(out, snapshot, baseUrl)
  const downloads = await uploadDownloads(publish)
  await assertUnchanged(out, snapshot, baseUrl)
  await publish.putOwn(snapshot.checksumsFile, checksumsIn(slot), 'text/plain; charset=utf-8')
  await publish.putOwn(snapshot.manifestFile, manifestIn(slot), gzipType)
  const removed = await findRemoved(
    publish,
    { ...manifest.head, downloads: downloads.live },
    before,
    restricted,
  )

  lease.writing.signal.throwIfAborted()
  const now = await lease.assertHeld()
  const keyValueStore = publish.pointer?.name
  const brought = { changes, edition, downloads: downloads.live, keyValueStore }
  const next = liveAfter(manifest.head, slot, brought, { now, before }, removed)
  await flip(store, next, expected, publish)
  await tidyUp(publish, next)
  await removeFolders(publish, next, removed)
  const { put, deleted } = prepared
  const done = { changed, put, deleted, bytes, downloads: downloads.counts, allowed, removed }
  return { slot, hasFlipped: true, ...done }
}

/**
 * Marks the slot as torn, also if no object changes, since the files of `changes/` do. Then waits for its last readers, and
 * keeps the flips of others out. If that fails, nothing has been written, and the slot is what it was.
 * @returns what the flip must find
 */
async function reserveSlot(publish: Publish, prepared: Prepared, changes: string): Promise<LiveObject> {
  const { store, lease, base, isRepair, graceSeconds, time = realTime } = publish
  const { slot } = base
  const { live } = base.live
  // After a publish that failed, the pointer may still lead readers to the slot that is about to be written to.
  const hasMoved = live !== null && (await point(publish.pointer, live))
  await publish.putOwn(prepared.file, changes, gzipType)
  await lease.markTorn(slot, changes)
  const outdated = lease.torn[slot]
  let expected: LiveObject
  try {
    const ageMs = sinceLastReaders(base.live, hasMoved, !isRepair && prepared.before === null)
    const wait = graceSeconds * 1000 + roundingMs - ageMs
    if (graceSeconds > 0 && wait > 0) await time.pause(wait, lease.writing.signal)
    expected = await fence(store, base.live, publish)
    lease.settle()
  } catch (error) {
    await lease.markTorn(slot, outdated ?? null).catch(() => undefined)
    throw error
  }
  if (outdated !== undefined) await store.delete([outdated])
  return expected
}

/** How long ago the slot stopped being live, in milliseconds. @param isEmpty whether it holds no snapshot */
function sinceLastReaders({ live, ageMs }: LiveObject, hasMoved: boolean, isEmpty: boolean): number {
  // Somebody may have removed live.json just now: edges notice it when they look the next time.
  if (live === null) return isEmpty ? Infinity : 0
  if (live.previous === null) return Infinity
  return hasMoved ? 0 : ageMs
}

/** The snapshot is live: no reader suffers from what fails here. */
async function tidyUp({ store, lease, base, pointer, onWarning }: Publish, live: Live): Promise<void> {
  try {
    await lease.markTorn(base.slot, null)
    if (live.changes !== undefined) await store.delete([live.changes])
  } catch (error) {
    const reason = error instanceof LeaseLost ? 'the lease was lost' : messageOf(error)
    onWarning(`${live.snapshot} is live, but the notes of this publish are not tidied up: ${reason}`)
  }
  await point(pointer, live)
}
