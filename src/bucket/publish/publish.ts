/** `fundpress publish`: uploads a snapshot into the slot that is not live, and flips or stages it. `src/bucket/README.md` has the steps. */

import { readChanges } from '../changes/compare.ts'
import { tellChanges } from '../changes/write.ts'
import type { RemovedFolder } from '../live/download-folders.ts'
import { assertFollowed, fence, namesFollower, noteFollower, point, pointStaged } from '../live/flip.ts'
import {
  changesKey,
  checksumsIn,
  gzipType,
  manifestIn,
  noCache,
  otherSlot,
  stagedKey,
} from '../live/layout.ts'
import { roundingMs, withLease } from '../live/lease.ts'
import { type LiveObject, readLive, tornSlots } from '../live/live.ts'
import { assertWhole } from '../live/rollback.ts'
import { findStaged, findWholeStaged, type Staged } from '../live/staged.ts'
import { downloadsState } from '../live/status.ts'
import { adviseRepair, fetchHead } from '../manifest/manifest.ts'
import { withFolder } from '../store/files.ts'
import { noDownloads, uploadDownloads } from './downloads.ts'
import { flipInPublish } from './flip-staged.ts'
import { goLive, prepareFlip, stage } from './go-live.ts'
import { compareWithLive, refuseLosses } from './loss.ts'
import type { Publish, PublishOptions } from './options.ts'
import { clearWithdrawn, hasCleared, newlyRestricted } from './removal.ts'
import { markDamage, prepareChanges, type Prepared, refuseSparse } from './prepare.ts'
import { assertUnchanged, copySnapshot, identifySnapshot, type Identity, namesSnapshot } from './snapshot.ts'
import { assertUntouched, uploadChanges } from './upload.ts'
import { realTime } from '../store/retry.ts'
import type { ObjectStore } from '../store/store.ts'

export type PublishSummary = Awaited<ReturnType<typeof publish>>

/**
 * What a publish has done. `hasFlipped`: false if just this was live already, or if it was staged. `isStaged`: whether it is staged,
 * `hasStaged`: by this publish. `changed`: documents that differ from those that were live before; null if that is not known. `news`: what
 * people must hear of; null if nothing was live, or nothing is new. `put`, `deleted`: objects that differed from those in the slot, which
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
  // A stage waits for late requests in any case: they may remove staged.json.
  const target = options.isStaging === true ? {} : { target: `${identity.snapshot} ${identity.edition}` }
  const live = await readLive(store)
  assertFollowed(store, live.live, options)
  // A publish that was killed after its flip may have left withdrawn downloads.
  const isSettled =
    live.live === null || (namesFollower(live.live, options.pointer) && (await hasCleared(store, live.live)))
  const done =
    (isSettled ? await liveAlready(live, identity, options) : null) ??
    (await stagedAlready(store, live, identity, options)) ??
    (await withLease(store, { ...options, ...target }, (lease) =>
      withFolder((folder) => publishUnder({ ...options, store, lease, folder }, identity)),
    ))
  const seconds = (performance.now() - started) / 1000
  return { ...identity, ...done, requests: store.requests(), seconds }
}

/** There is nothing to do if just this is live, except for a repair. */
async function liveAlready({ live }: LiveObject, identity: Identity, options: PublishOptions) {
  const { isRepair, pointer } = options
  if (isRepair || !namesSnapshot(live, identity)) return null
  await point(pointer, live)
  return { slot: live.slot, ...nothingDone() }
}

/** There is nothing to stage if just this is staged, except for a repair. */
async function stagedAlready(
  store: ObjectStore,
  { live }: LiveObject,
  identity: Identity,
  { isRepair, isStaging, pointer }: PublishOptions,
) {
  const staged = isRepair || isStaging !== true ? null : await findWholeStaged(store, live)
  if (!namesSnapshot(staged, identity)) return null
  await pointStaged(pointer, staged)
  return { slot: staged.slot, ...nothingDone(), isStaged: true }
}

function nothingDone() {
  const counts = { changed: 0, news: null, put: 0, deleted: 0, bytes: 0, downloads: noDownloads, allowed: [] }
  return {
    hasFlipped: false,
    hasStaged: false,
    isStaged: false,
    ...counts,
    removed: new Array<RemovedFolder>(),
  }
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
    // Who may only stage may not write live.json: the next flip notes the follower.
    if (begun.isStaging !== true) await noteFollower(store, live, begun)
    return { ...done, removed: await clearWithdrawn(store, live.live, begun) }
  }
  const slot = live.live === null ? 'blue' : otherSlot(live.live.slot)
  const torn = tornSlots({ changing: lease.torn }, live.live)[slot] ?? null
  const { staged, hasFile: hasStagedFile } = await findStaged(store, live.live)
  const base = { live, slot, torn, isTrusted: torn === null && !isRepair, hasStagedFile }
  const isFlip = base.isTrusted && begun.isStaging !== true && namesSnapshot(staged, identity)
  if (isFlip && (await isHeld(store, staged))) {
    // A check of the README's first assumption.
    if (lease.isUnsettled) await assertWhole(store, slot, snapshot.manifest, folder)
    return flipInPublish({ ...begun, snapshot, base }, staged)
  }
  const putOwn: Publish['putOwn'] = async (file, key, type) => {
    await store.putFile(file, { key, type, cacheControl: noCache }, lease.writing)
  }
  return carryOut({ ...begun, snapshot, base, putOwn })
}

/** Whether the bucket holds what `staged.json` says, as far as two small reads can tell. */
async function isHeld(store: ObjectStore, staged: Staged): Promise<boolean> {
  const head = await fetchHead(store, manifestIn(staged.slot)).catch(adviseRepair)
  const downloads = await downloadsState(store, staged)
  return head?.snapshot === staged.snapshot && (downloads === 'whole' || downloads === 'none')
}

/** The steps of a publish. Each may fail or be killed: the README says what that leaves. */
async function carryOut(publish: Publish) {
  const { lease, out, baseUrl, base, snapshot, isRepair, isStaging = false } = publish
  const { slot } = base
  const { manifest, edition } = snapshot
  const { live: before } = base.live

  const uploaded = await prepareChanges(publish)
  const compared = await compareWithLive(publish)
  const changes = await readChanges(publish, compared.documents)
  const losses = await refuseLosses(publish, compared, changes.corrected)
  const allowed = [...(manifest.head.allowed ?? []), ...losses]
  await refuseSparse(publish, uploaded)
  const restricted = newlyRestricted(publish, compared.head)
  const list = changesKey(lease.id)
  const expected = await reserveSlot(publish, uploaded, list)
  const bytes = await uploadChanges(publish, uploaded)
  if (lease.isUnsettled) await assertUntouched(publish, uploaded)
  if (isRepair && before !== null) await markDamage(publish, before.slot)
  const told = await tellChanges(publish, compared, changes, allowed)
  await assertUnchanged(out, snapshot, baseUrl)
  const downloads = await uploadDownloads(publish)
  await assertUnchanged(out, snapshot, baseUrl)
  await publish.putOwn(snapshot.checksumsFile, checksumsIn(slot), 'text/plain; charset=utf-8')
  await publish.putOwn(snapshot.manifestFile, manifestIn(slot), gzipType)
  const brought = { changes: list, edition, downloads: downloads.live }
  const prepared = await prepareFlip(publish, brought, restricted)
  if (isStaging) await stage(publish, prepared.next)
  else await goLive(publish, prepared, expected)
  const { put, deleted } = uploaded
  const done = { ...told, put, deleted, bytes, downloads: downloads.counts, allowed }
  const removed = isStaging ? [] : prepared.removed
  return { slot, hasFlipped: !isStaging, hasStaged: isStaging, isStaged: isStaging, ...done, removed }
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
    // A stage has not fenced: the flip will.
    if (publish.isStaging !== true) lease.settle()
  } catch (error) {
    await lease.markTorn(slot, outdated ?? null).catch(() => undefined)
    throw error
  }
  // From here on the slot changes. What is staged goes after the slot is marked: else a rollback could make that snapshot live.
  if (base.hasStagedFile) await store.delete([stagedKey], lease.writing)
  await pointStaged(publish.pointer, null)
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
