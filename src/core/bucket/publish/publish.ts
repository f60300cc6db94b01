/** `fundpress publish`: uploads a snapshot into the other slot, then flips or stages. `src/core/bucket/README.md` has the steps. */

import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { News } from '../changes/news.ts'
import { readChanges } from '../changes/compare.ts'
import { announce } from '../changes/announce.ts'
import { askGuards } from '../live/ask.ts'
import { awaitLateRequests, findSituation, withDoor, readLiveFor } from '../live/command.ts'
import { decide } from '../live/decide.ts'
import { fence, goLive, noteFollower, stage } from '../live/door.ts'
import type { RemovedFolder } from '../live/download-folders.ts'
import { assertFollowed, namesFollower, point, pointStaged } from '../live/follow.ts'
import { changesKey, checksumsIn, gzipType, inSlot, manifestIn, noCache } from '../live/layout.ts'
import { type Slot, stagedKey } from '../live/layout.ts'
import { roundingMs } from '../live/lease.ts'
import type { Live, LiveObject } from '../live/live.ts'
import type { Arrival, Door } from '../live/options.ts'
import { clearWithdrawn, hasCleared, newlyRestricted } from '../live/removal.ts'
import { findWholeStaged } from '../live/staged.ts'
import { downloadsState } from '../live/status.ts'
import type { Change } from '../manifest/compare.ts'
import { adviseRepair, fetchHead } from '../manifest/manifest.ts'
import { ownLine, readNdjson } from '../manifest/ndjson.ts'
import type { AllowedObjection } from '../../guards/guards.ts'
import { type DownloadCounts, findDownloads, noDownloads, uploadDownloads } from './downloads.ts'
import { flip } from './flip-staged.ts'
import { assertUnchanged, copySnapshot, identifySnapshot, namesSnapshot } from './snapshot.ts'
import type { Publish, PublishOptions, Identity } from './snapshot.ts'
import { markDamage, prepareChanges, type Prepared, refuseSparse } from './prepare.ts'
import { deletedBy, etagsOf, putAgain, uploadChanges } from './upload.ts'
import { orIfMissing } from '../store/files.ts'
import { realTime } from '../store/retry.ts'
import type { ObjectStore } from '../store/store.ts'

/** What has become of the snapshot. `already …`: it was before this command, which had nothing to upload. */
export type PublishOutcome = 'flipped' | 'staged' | 'already live' | 'already staged'

interface Done {
  readonly slot: Slot
  readonly outcome: PublishOutcome
  /** Number of documents that differ from the former live ones; null if unknown. */
  readonly changed: number | null
  /** Null if nothing was live, or nothing is new. */
  readonly news: News | null
  /** Number of objects that differed from the slot's, which held a snapshot older than the live one. */
  readonly put: number
  readonly deleted: number
  /** Size of the put objects. */
  readonly bytes: number
  /** Number of damaged objects that were put again. */
  readonly mended: number
  /** Counts the analysts' files, which no other number does. */
  readonly downloads: DownloadCounts
  /** Exceptions in the build and the publish. */
  readonly allowed: readonly AllowedObjection[]
  readonly removed: readonly RemovedFolder[]
}

export interface PublishSummary extends Identity, Done {
  readonly requests: Readonly<Record<string, number>>
  readonly seconds: number
}

/** @throws {Refusal} by a guard @throws {Error} after which what is live stays live, and the next publish continues */
export async function publish(store: ObjectStore, options: PublishOptions): Promise<PublishSummary> {
  const started = performance.now()
  const identity = await identifySnapshot(options.out, options.baseUrl)
  // A stage waits for late requests in any case: they may remove `staged.json`.
  const target = options.isStaging === true ? undefined : targetOf(identity, options)
  const done =
    (await nothingToDo(store, identity, options)) ??
    (await withDoor(store, options, (door) => publishUnder(door, identity), target))
  const seconds = (performance.now() - started) / 1000
  return { ...identity, ...done, requests: store.requests(), seconds }
}

/** Names all that a publish writes: two with the same one put the same bytes. Exceptions are published in `changes/`, and signed. */
function targetOf(
  { snapshot, edition }: Identity,
  { override, signing, cacheControl }: PublishOptions,
): string {
  const { allow, isForced, reason } = override
  const keys = signing.key?.publicKeys ?? []
  return [
    snapshot,
    edition,
    hash('sha256', JSON.stringify([allow, isForced, reason, keys, cacheControl])),
  ].join(' ')
}

const candidateOf = (identity: Identity, { isStaging = false }: PublishOptions) =>
  ({ kind: 'snapshot', isThis: (named: Live) => namesSnapshot(named, identity), isStaging }) as const

/** Compares without the lease. @returns null if there is something to do */
async function nothingToDo(
  store: ObjectStore,
  identity: Identity,
  options: PublishOptions,
): Promise<Done | null> {
  const { isRepair, isStaging, pointer } = options
  const { live } = await readLiveFor(store, isRepair)
  assertFollowed(store, live, options)
  const readsStaged = !isRepair && isStaging === true && !namesSnapshot(live, identity)
  const staged = readsStaged ? await findWholeStaged(store, live) : undefined
  const unread = { hasStagedFile: false, journal: { changing: {} }, held: undefined }
  const decision = decide(candidateOf(identity, options), {
    live,
    staged,
    isRepair,
    slots: options.slots,
    ...unread,
  })
  if (decision.kind !== 'nothing') return null
  const { named, isStaged } = decision
  if (isStaged) return alreadyStaged(options, named)
  // A publish that was killed after its flip may have left withdrawn downloads.
  if (!namesFollower(named, pointer) || !(await hasCleared(store, named))) return null
  tellNothing(options, named.slot, 'live')
  await point(pointer, named)
  return { slot: named.slot, outcome: 'already live', ...nothingDone }
}

async function alreadyStaged(options: PublishOptions, staged: Live): Promise<Done> {
  tellNothing(options, staged.slot, 'staged')
  await pointStaged(options.pointer, staged)
  return { slot: staged.slot, outcome: 'already staged', ...nothingDone }
}

const tellNothing = ({ onPlan }: PublishOptions, slot: Slot, state: 'live' | 'staged') =>
  onPlan?.({ slot, state, put: 0, deleted: 0, bytes: 0 })

const nothingDone: Omit<Done, 'slot' | 'outcome'> = {
  changed: 0,
  news: null,
  put: 0,
  deleted: 0,
  bytes: 0,
  mended: 0,
  downloads: noDownloads,
  allowed: [],
  removed: [],
}

async function publishUnder(door: PublishOptions & Door, identity: Identity): Promise<Done> {
  const { store, lease, folder, out, baseUrl, pointer } = door
  const snapshot = await copySnapshot(out, folder, baseUrl, identity)
  await awaitLateRequests(door)
  const found = await findSituation(door)
  const { staged, hasStagedFile } = found
  const held = namesSnapshot(staged, identity) ? await heldOf(store, staged) : undefined
  const decision = decide(candidateOf(identity, door), { ...found, held })
  const putOwn: Publish['putOwn'] = async (file, key, type) => {
    await store.putFile(file, { key, type, cacheControl: noCache }, lease.writing)
  }
  const publishInto = (into: Pick<Publish['base'], 'slot' | 'torn' | 'isTrusted'>): Publish => {
    return { ...door, snapshot, base: { ...into, live: found.found, hasStagedFile }, putOwn }
  }
  switch (decision.kind) {
    case 'nothing': {
      const { named, isStaged } = decision
      // Another attempt has staged it since the look without the lease.
      if (isStaged) return alreadyStaged(door, named)
      tellNothing(door, named.slot, 'live')
      // A stage may lack the right to write `live.json`: the next flip notes the follower.
      if (door.isStaging !== true) await noteFollower(store, found.found, door)
      await point(pointer, named)
      const removed = await clearWithdrawn(store, named, door)
      return { slot: named.slot, outcome: 'already live', ...nothingDone, removed }
    }
    case 'flip': {
      if (staged === null) throw new Error(`${store.name}: nothing is staged`)
      tellNothing(door, decision.slot, 'staged')
      const publish = publishInto({ slot: decision.slot, torn: null, isTrusted: true })
      const { manifest } = snapshot
      const mend = putAgain(publish, null)
      const { mended, done } = await flip(door, found, staged, { manifest, mend })
      return { slot: decision.slot, ...nothingDone, ...done, mended }
    }
    case 'publish':
      return carryOut(publishInto(decision))
    case 'refusal':
      throw new Error(`${store.name}: ${decision.why}`)
    default:
      return decision satisfies never
  }
}

/** The snapshot in the other slot with its downloads, as far as two small reads show. */
async function heldOf(store: ObjectStore, staged: Live): Promise<string | null> {
  const head = await fetchHead(store, manifestIn(staged.slot)).catch(adviseRepair)
  const downloads = await downloadsState(store, staged)
  return downloads === 'whole' || downloads === 'none' ? (head?.snapshot ?? null) : null
}

async function carryOut(publish: Publish): Promise<Done> {
  const { lease, out, baseUrl, base, snapshot, isRepair, isStaging = false, override } = publish
  const { slot, live } = base
  const { manifest, edition } = snapshot

  const uploaded = await prepareChanges(publish)
  publish.onPlan?.({
    slot,
    state: 'new',
    put: uploaded.put,
    deleted: uploaded.deleted,
    bytes: uploaded.bytes,
  })
  const { compared } = uploaded
  const read = await readChanges(publish, compared)
  const kind = isStaging ? 'stage' : 'publish'
  const folderTexts = (key: string) => readFile(join(out, key), 'utf8').catch(orIfMissing(null))
  const asking = { kind, manifest, live, slot, compared, folderTexts } as const
  const asked = await askGuards(publish, { ...asking, read })
  const allowed = [...(manifest.head.allowed ?? []), ...asked.allowed]
  await refuseSparse(publish, uploaded)
  await assertRoom(publish, uploaded)
  const restricted = newlyRestricted(publish, manifest.head, compared.head)
  const changes = changesKey(lease.id)
  const fenced = await reserveSlot(publish, uploaded, changes)
  const bytes = await uploadChanges(publish, uploaded)
  if (isRepair && live.live !== null) await markDamage(publish, live.live.slot)
  const { written, changed, news } = await announce(publish, compared, read, allowed)
  await assertUnchanged(out, snapshot, baseUrl)
  const downloads = await uploadDownloads(publish)
  await assertUnchanged(out, snapshot, baseUrl)
  await publish.putOwn(snapshot.checksumsFile, checksumsIn(slot), 'text/plain; charset=utf-8')
  await publish.putOwn(snapshot.manifestFile, manifestIn(slot), gzipType)
  const arrival: Arrival = {
    kind: 'publish',
    slot,
    manifest,
    live,
    asked,
    restricted,
    fenced,
    brought: { changes, edition, downloads: downloads.live },
    hasStagedFile: false,
    written,
    reason: override.reason,
    etags: () => etagsOf(publish),
    deleted: () => deletedBy(uploaded),
    mend: putAgain(publish, uploaded),
  }
  const { mended, removed } = await (isStaging ? stage : goLive)(publish, arrival)
  return {
    slot,
    outcome: isStaging ? 'staged' : 'flipped',
    changed,
    news,
    put: uploaded.put,
    deleted: uploaded.deleted,
    bytes,
    mended,
    downloads: downloads.counts,
    allowed,
    removed,
  }
}

async function assertRoom(publish: Publish, prepared: Prepared): Promise<void> {
  await publish.store.assertRoom?.(putsOf(publish, prepared))
}

async function* putsOf(publish: Publish, { file }: Prepared) {
  for await (const change of readNdjson(file, ownLine<Change>))
    if (change.kind === 'put') yield { key: inSlot(publish.base.slot, change.key), bytes: change.bytes }
  const { files, prefix } = await findDownloads(publish)
  for (const { key, bytes } of files) yield { key: prefix + key, bytes }
}

/**
 * Marks the slot as torn, also if no object changes, since the files of `changes/` do. Waits for its last readers, then
 * fences. After a failure nothing has been written, and the slot is what it was.
 * @returns what the flip must find
 */
async function reserveSlot(publish: Publish, prepared: Prepared, changes: string): Promise<LiveObject> {
  const { store, lease, base, isRepair, graceSeconds, time = realTime } = publish
  const { slot } = base
  const { live } = base.live
  // After a publish that failed, the pointer may still lead readers to the slot that is about to change.
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
    // A stage sets no fence: the flip does.
    if (publish.isStaging !== true) lease.settle()
  } catch (error) {
    await lease.markTorn(slot, outdated ?? null).catch(() => undefined)
    throw error
  }
  // From here on the slot changes. `staged.json` goes after the mark: else a rollback could make the staged snapshot live.
  if (base.hasStagedFile) await store.delete([stagedKey], lease.writing)
  await pointStaged(publish.pointer, null)
  if (outdated !== undefined) await store.delete([outdated])
  return expected
}

/** Milliseconds since the slot stopped being live. @param isEmpty true if it holds no snapshot */
function sinceLastReaders(
  { live, ageMs, isDamaged }: LiveObject,
  hasMoved: boolean,
  isEmpty: boolean,
): number {
  // `live.json` may have been removed just now: edges notice when they read it the next time.
  if (live === null) return isEmpty ? Infinity : 0
  if (isDamaged) return 0
  if (live.previous === null) return Infinity
  return hasMoved ? 0 : ageMs
}
