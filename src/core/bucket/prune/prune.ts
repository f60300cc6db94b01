/** `fundpress prune`: lists the bucket's garbage, and removes it under the lease. */

import { AbortMultipartUploadCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3'
import { isHeldByOther, readJournal, type Journal } from '../live/journal.ts'
import {
  journalKey,
  liveKey,
  slotPrefix,
  slots,
  downloadsPrefix,
  downloadsRoot,
  isBookkeeping,
  isScratchKey,
  manifestIn,
  type Slot,
} from '../live/layout.ts'
import { withLease, type LeaseOptions } from '../live/lease.ts'
import { readLive, snapshotsIn, tornSlots, type Live } from '../live/live.ts'
import { findStaged, type Staged } from '../live/staged.ts'
import { bareCause, codeOf, isMissing, statusOf } from '../store/errors.ts'
import { withFolder } from '../store/files.ts'
import type { FolderStore } from '../store/folder.ts'
import type { S3Store } from '../store/s3.ts'
import { countFiles } from '../../snapshot/manifest.ts'
import { dayMs } from '../../system/day-number.ts'
import {
  dayOf,
  earlierFolders,
  isExpired,
  isFolderOfSnapshot,
  type Retention,
} from '../live/download-folders.ts'
import { mergeSorted } from '../manifest/compare.ts'
import { listSlot } from '../manifest/listing.ts'
import { fetchList, fetchManifest, keyLine, readThrough } from '../manifest/manifest.ts'
import { nothing } from '../manifest/ndjson.ts'
import { hasAny } from '../store/read.ts'
import { Damaged, keysPerDelete, type ObjectStore } from '../store/store.ts'

interface PruneOptions
  extends LeaseOptions, Pick<BucketState, 'retention' | 'slots' | 'today' | 'onListed' | 'onNote'> {
  /** False: nothing is removed. */
  readonly isReal: boolean
  readonly now: () => Date
  /** A returned promise is awaited. */
  readonly onFound: (garbage: Garbage) => unknown
}

/** Holds the lease during the removal. @throws {Error} if a publish is under way and something would be removed */
export async function prune(store: S3Store | FolderStore, options: PruneOptions): Promise<void> {
  if (!options.isReal) {
    const isHeld = isHeldByOther(await readJournal(store), options.me, options.isAlive)
    await walk(store, options, { isHeld, isUnsettled: false }, () => Promise.resolve())
    return
  }
  await withLease(store, options, ({ isUnsettled, writing }) =>
    walk(store, options, { isHeld: false, isUnsettled }, async (batch) => {
      writing.assertFresh()
      const keys = batch.filter(({ kind }) => kind !== 'upload').map(({ key }) => key)
      await store.delete(keys, writing)
      if (store.kind === 'folder') return
      for (const upload of batch.filter(({ kind }) => kind === 'upload')) {
        writing.assertFresh()
        await abortUpload(store, upload, writing.signal)
      }
    }),
  )
}

async function walk(
  store: S3Store | FolderStore,
  options: PruneOptions,
  others: Pick<BucketState, 'isHeld' | 'isUnsettled'>,
  remove: (batch: readonly Garbage[]) => Promise<void>,
): Promise<void> {
  const { signal, onFound } = options
  const now = options.now()
  const { live } = await readLive(store)
  const { staged } = await findStaged(store, live)
  const { journal } = await readJournal(store)
  let batch: Garbage[] = []
  const take = async (found: AsyncIterable<Garbage>) => {
    for await (const garbage of found) {
      signal.throwIfAborted()
      await onFound(garbage)
      batch.push(garbage)
      if (batch.length < keysPerDelete) continue
      await remove(batch)
      batch = []
    }
  }
  await withFolder((folder) =>
    take(findGarbage(store, { ...options, ...others, live, staged, journal, now, folder })),
  )
  if (store.kind === 's3') await take(oldUploads(store, now, signal, options.onNote))
  if (batch.length > 0) await remove(batch)
}

/** Limits uploads to our places: a bucket without a prefix can hold foreign ones. */
const ours = [...slots.map(slotPrefix), 'journal/', 'downloads/', liveKey, journalKey]

/** Finds unfinished multipart uploads: no listing of objects shows them, and their parts cost storage. */
async function* oldUploads(store: S3Store, now: Date, signal: AbortSignal, onNote: (note: string) => void) {
  const start = store.fullKey('')
  try {
    for await (const { Key = '', UploadId = '', Initiated = now } of listUploads(store, start, signal)) {
      const key = Key.slice(start.length)
      // A younger upload may still be under way.
      const isOld = now.getTime() - Initiated.getTime() > dayMs
      if (isOld && ours.some((place) => key.startsWith(place)))
        yield { kind: 'upload', key, bytes: 0, uploadId: UploadId } satisfies Garbage
    }
  } catch (error) {
    signal.throwIfAborted()
    const status = statusOf(error)
    // Without a status the network failed: no sign that the store does not list uploads.
    if (status === undefined || status === 500 || status > 501) throw store.advise(error, 'list', 'uploads')
    const reason = status === 403 ? 'no right to ask (s3:ListBucketMultipartUploads)' : codeOf(error)
    onNote(`unfinished uploads are not known: the store does not list them, ${reason}`)
  }
}

async function* listUploads({ client, bucket }: S3Store, start: string, signal: AbortSignal) {
  let marker: { readonly KeyMarker?: string; readonly UploadIdMarker?: string } = {}
  do {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: start, ...marker })
    const page = await client.send(command, { abortSignal: signal })
    yield* page.Uploads ?? []
    const { IsTruncated, NextKeyMarker: KeyMarker = '', NextUploadIdMarker: UploadIdMarker = '' } = page
    marker = IsTruncated === true ? { KeyMarker, UploadIdMarker } : {}
  } while (marker.KeyMarker)
}

async function abortUpload(store: S3Store, { key, uploadId }: Garbage, signal: AbortSignal): Promise<void> {
  try {
    const upload = { Bucket: store.bucket, Key: store.fullKey(key), UploadId: uploadId }
    await store.client.send(new AbortMultipartUploadCommand(upload), { abortSignal: signal })
  } catch (error) {
    signal.throwIfAborted()
    if (isMissing(error)) return
    if (statusOf(error) !== 403) throw store.advise(error, 'delete', `the unfinished upload of ${key}`)
    const failed = `${store.name}: the upload of ${key} could not be aborted (${codeOf(error)})`
    throw new Error(`${failed}: the credentials need s3:AbortMultipartUpload`, { cause: bareCause(error) })
  }
}

/**
 * - `unknown`: in a slot, and in no manifest. `unused`: in a slot that `bucket.slots` does not name any more. `changes`: the list of a publish, and in no journal.
 * - `scratch`: left by a `check` that was killed. `upload`: multipart, begun long ago, never finished.
 * - `download`: of an expired day. `replaced`: a download that was never live, or that another one of the same day replaced.
 */
export interface Garbage {
  readonly kind: 'unknown' | 'unused' | 'changes' | 'scratch' | 'upload' | 'download' | 'replaced'
  readonly key: string
  /** 0 if unknown. */
  readonly bytes: number
  readonly uploadId?: string
}

interface BucketState {
  readonly live: Live | null
  readonly journal: Journal | null
  readonly staged: Staged | null
  readonly isHeld: boolean
  /** Requests of a publish that was killed may still be carried out. */
  readonly isUnsettled: boolean
  readonly now: Date
  readonly today: string
  readonly retention: Retention
  /** `bucket.slots` */
  readonly slots: number
  readonly folder: string
  /** Progress of the listing of a slot; `of` is an estimate. */
  readonly onListed: (slot: Slot, done: number, of: number) => void
  readonly onNote: (note: string) => void
}

async function* findGarbage(store: ObjectStore, state: BucketState): Found {
  const { live, isHeld, onNote } = state
  if (live === null) onNote('nothing is live: the slots are left alone')
  else {
    for (const slot of slots) {
      if (!isHeld || slot === live.slot) yield* slotGarbage(store, slot, live, state)
      else if (!isLeft(slot, live, state)) onNote(`${slot} is left alone: a publish is under way in it`)
    }
  }
  if (isHeld) onNote('lists of changes are left alone: a publish is under way')
  yield* journalGarbage(store, state)
  yield* downloadGarbage(store, state)
}

type Found = AsyncGenerator<Garbage>

async function* slotGarbage(store: ObjectStore, slot: Slot, live: Live, state: BucketState): Found {
  const known = await knownObjects(store, slot, live, state)
  if (typeof known === 'string') {
    state.onNote(`${slot} is left alone: ${known}`)
    return
  }
  const listed = listSlot(store, slot, {
    onListed: (count) => state.onListed(slot, count, Math.max(count, known.objects)),
  })
  const prefix = slotPrefix(slot)
  // Foreign objects may have such a prefix: only a manifest says that they are ours. So it goes last.
  const isUnused = known.hasManifest && isLeft(slot, live, state)
  const last: Garbage[] = []
  for await (const { key, values } of mergeSorted(known.keys, listed)) {
    const [expected, object] = values
    if (object === undefined) continue
    const garbage = { key: prefix + key, bytes: object.bytes }
    const isManifest = garbage.key === manifestIn(slot)
    if (isUnused) {
      if (isManifest) last.push({ kind: 'unused', ...garbage })
      else yield { kind: 'unused', ...garbage }
    } else if (expected === undefined) {
      // Without a manifest the other bookkeeping is useless, too.
      const isOurs = isManifest || (known.hasManifest && isBookkeeping(key))
      if (!isOurs) yield { kind: 'unknown', ...garbage }
    }
  }
  yield* last
}

/** True for a slot beyond `bucket.slots` that `live.json` does not name any more. */
const isLeft = (slot: Slot, live: Live, { staged, slots: count }: BucketState) =>
  slots.indexOf(slot) >= count && ![...snapshotsIn(live), staged].some((one) => one?.slot === slot)

/**
 * @returns a text: why the expected objects are unknown. Else the number of objects in the manifest or `live.json`, and the keys of
 * the manifest with those that an unfinished publish may have put already
 */
async function knownObjects(store: ObjectStore, slot: Slot, live: Live, { journal, folder }: BucketState) {
  const isLive = live.slot === slot
  const unfinished = tornSlots(journal, live)[slot]
  const manifest = await damageAsText(fetchWhole(store, slot, folder))
  if (typeof manifest === 'string') return `its manifest cannot be read (${manifest})`
  if (manifest === null) {
    if (isLive) return 'it is live, and its manifest is missing: publish with --repair'
    if (unfinished !== undefined)
      return 'a publish was stopped in it, and it has no manifest yet: publish again'
    const named = snapshotsIn(live).find((one) => one.slot === slot)
    if (named === undefined && (await hasAny(store, slotPrefix(slot))))
      return 'it has no manifest, and nothing was live in it'
    return { hasManifest: false, objects: named?.objects ?? 0, keys: nothing() }
  }
  const { head, lines } = manifest
  const count = await countOf(lines())
  const objects = countFiles(head)
  if (count !== objects) return `its manifest lists ${count} objects and says ${objects}`
  if (isLive && head.snapshot !== live.snapshot)
    return `its manifest is that of ${head.snapshot}, live is ${live.snapshot}: publish with --repair`
  if (unfinished === undefined) return { hasManifest: true, objects, keys: lines() }
  const changes = await damageAsText(fetchChanges(store, unfinished, folder))
  if (typeof changes === 'string') return `a publish was stopped in it, and ${changes}: publish with --repair`
  if (changes === null)
    return `a publish was stopped in it, and its list ${unfinished} is gone: publish with --repair`
  return { hasManifest: true, objects, keys: mergeSorted(lines(), changes()) }
}

// Objects that are in no list are removed: no list may end early.
async function fetchWhole(store: ObjectStore, slot: Slot, folder: string) {
  const manifest = await fetchManifest(store, slot, folder)
  if (manifest !== null) await readThrough(manifest.lines)
  return manifest
}

async function fetchChanges(store: ObjectStore, key: string, folder: string) {
  const lines = await fetchList(store, key, keyLine, folder)
  if (lines !== null) await readThrough(lines)
  return lines
}

const damageAsText = <T>(work: Promise<T>): Promise<T | string> =>
  work.catch((error: unknown) => {
    if (error instanceof Damaged) return error.message
    throw error
  })

async function countOf(lines: AsyncIterable<unknown>): Promise<number> {
  const iterator = lines[Symbol.asyncIterator]()
  let count = 0
  while ((await iterator.next()).done !== true) count++
  return count
}

/** Finds lists of changes that the journal does not name, unless a publish may be about to name them; and old scratch keys. */
async function* journalGarbage(store: ObjectStore, { journal, isHeld, now }: BucketState): Found {
  const named = Object.values(journal?.changing ?? {})
  for await (const { key, bytes, lastModified } of store.list('journal/')) {
    if (isScratchKey(key)) {
      // `check` takes a moment: after an hour it was killed.
      if (now.getTime() - lastModified.getTime() > 3600 * 1000) yield { kind: 'scratch', key, bytes }
    } else if (key.endsWith('.changes.ndjson.gz') && !named.includes(key) && !isHeld)
      yield { kind: 'changes', key, bytes }
  }
}

/**
 * - Folders that `live.json` does not name although it names another one of that day, and those of later days than the
 *   live one: of publishes that were killed, and of replaced snapshots. Only those older than a day, and only while no
 *   publish can still name them. An unnamed folder of an earlier day may have been live: whoever removes `live.json` removes the names.
 * - Folders of expired days.
 *
 * The downloads of the live snapshot, of those before it in a slot and of the staged one always stay, and so do those on a legal hold.
 * Folders with other names are foreign.
 */
async function* downloadGarbage(store: ObjectStore, state: BucketState): Found {
  const { live, staged, retention, today, now, isHeld, isUnsettled } = state
  const kept = [...(live === null ? [] : snapshotsIn(live)), staged].flatMap(
    (one) => one?.downloads?.folder ?? [],
  )
  const named = new Set([...earlierFolders(live?.earlierDownloads), ...kept])
  const namedDays = new Set([...named].filter(isFolderOfSnapshot).map(dayOf))

  const isLater = (folder: string) => live !== null && dayOf(folder) >= live.asOf
  const isReplaced = (folder: string) =>
    !named.has(folder) && (namedDays.has(dayOf(folder)) || isLater(folder)) && !isHeld && !isUnsettled
  const folders = (await store.folders(downloadsRoot)).filter(isFolderOfSnapshot)
  for (const folder of folders) {
    if (kept.includes(folder) || retention.keep.includes(dayOf(folder))) continue
    const kind = isExpired(folder, retention, { all: folders, named }, today)
      ? 'download'
      : isReplaced(folder)
        ? 'replaced'
        : null
    if (kind === null) continue
    for await (const { key, bytes, lastModified } of store.list(downloadsPrefix(folder)))
      // A publish without a lease may be uploading younger files.
      if (kind === 'download' || now.getTime() - lastModified.getTime() > dayMs) yield { kind, key, bytes }
  }
}
