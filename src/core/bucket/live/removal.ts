/**
 * Removes downloads of earlier days: those with data that may no longer be given out, and expired ones. The flip hides them, then they
 * are deleted. The list follows from the bucket alone, so the publish after a killed one completes it: the journal names the
 * restrictions for which all folders were searched.
 */

import type { RestrictedFunds } from '../../api/contract/fund.ts'
import type { ManifestHead } from '../../snapshot/manifest.ts'
import { restrictedBeside } from '../../guards/going-back.ts'
import { messageOf } from '../../system/message.ts'
import { allFolders, dayOf, isExpired, isFolderOfSnapshot, type RemovedFolder } from './download-folders.ts'
import { readJournal } from './journal.ts'
import { downloadsPrefix, downloadsRoot, manifestIn } from './layout.ts'
import { type Lease, type LeaseOptions, withLease } from './lease.ts'
import { type Live, type LiveSnapshot, readLive, snapshotsIn } from './live.ts'
import { findStaged } from './staged.ts'
import { fetchHead } from '../manifest/manifest.ts'
import { realTime } from '../store/retry.ts'
import type { CallOptions, ObjectStore } from '../store/store.ts'
import type { Door, DoorOptions } from './options.ts'
import { hash } from 'node:crypto'
import { inParallel } from '../store/in-parallel.ts'
import { readPart, readUpTo } from '../store/read.ts'

type Removal = Pick<DoorOptions, 'retention' | 'today' | 'graceSeconds' | 'time' | 'onWarning'> & {
  readonly store: ObjectStore
  readonly lease: Lease
}

/** True if no earlier downloads hold what the live snapshot may not give out, as far as publishes know. */
export async function hasCleared(store: ObjectStore, { restricted }: Live): Promise<boolean> {
  return restricted === undefined || (await readJournal(store)).journal?.searched === restricted
}

/**
 * Restrictions for which a publish must search the earlier downloads. The journal then calls them searched only if this holds for
 * the new snapshot, too.
 * @param live the first line of the live manifest; null if nothing is live, or if it cannot be read
 */
export function newlyRestricted(
  { lease, isRepair }: Pick<Door, 'lease' | 'isRepair'>,
  { restricted = {} }: ManifestHead,
  live: ManifestHead | null,
): RestrictedFunds {
  const searched = isRepair ? undefined : lease.searched()
  if (searched === digestOfRestricted(restricted)) return {}
  lease.noteSearched(undefined)
  const known = live?.restricted ?? {}
  return searched === digestOfRestricted(known) ? restrictedBeside(restricted, known) : restricted
}

/**
 * Reads only: one listing of the folders, none without a reason to search.
 * @param next live, or about to be: an as-of date in the future makes nothing expire early
 * @param live what is live now @param former snapshots to which a rollback can go back: their downloads do not expire
 */
export async function findRemoved(
  { store, lease, retention, today }: Pick<Removal, 'store' | 'lease' | 'retention' | 'today'>,
  next: Pick<LiveSnapshot, 'asOf' | 'downloads'>,
  live: Live | null,
  former: readonly LiveSnapshot[],
  restricted: RestrictedFunds,
): Promise<RemovedFolder[]> {
  if (hasNone(restricted) && retention.keepDays === null) return []
  const { signal } = lease.writing
  const folders = (await store.folders(downloadsRoot, { signal })).filter(isFolderOfSnapshot)
  const others = folders.filter((folder) => folder !== next.downloads?.folder)
  const named = new Set([...allFolders(next), ...allFolders(live)])
  const isOld = (folder: string) =>
    isExpired(folder, retention, { all: folders, named }, next.asOf < today ? next.asOf : today) &&
    !former.some((one) => folder === one.downloads?.folder)
  const expired = others.filter(isOld).map((folder): RemovedFolder => {
    return { folder, why: 'expired', isins: [], isHeld: false }
  })
  const young = others.filter((folder) => !isOld(folder))
  const withdrawn = await findWithdrawn(store, restricted, young, { signal })
  const gone = [...withdrawn].map(([folder, isins]): RemovedFolder => {
    return { folder, why: 'withdrawn', isins, isHeld: retention.keep.includes(dayOf(folder)) }
  })
  return [...expired, ...gone].sort((one, other) => (one.folder < other.folder ? -1 : 1))
}

/**
 * Deletes the folders after the flip. If the snapshot before is among them, it first waits until no edge reads
 * `downloads/latest/` there.
 * @throws {Error} if withdrawn data could not be deleted: the next publish deletes them
 */
export async function removeFolders(removal: Removal, live: Live, removed: readonly RemovedFolder[]) {
  const { store, lease, graceSeconds, time = realTime, onWarning } = removal
  const { signal } = lease.writing
  const latest = live.previous?.downloads?.folder
  const isLatest = removed.some(({ folder, isHeld }) => folder === latest && !isHeld)
  const withdrawn = removed.filter(({ why }) => why === 'withdrawn')
  try {
    if (isLatest && graceSeconds > 0) await time.pause(graceSeconds * 1000, signal)
    for (const { folder, isHeld } of removed) if (!isHeld) await removeFolder(store, lease, folder)
  } catch (error) {
    const reason = `${store.name}: ${live.snapshot} is live, but earlier downloads could not be removed: ${messageOf(error)}`
    if (withdrawn.length > 0) throw new Error(`${reason}; publish again`, { cause: error })
    onWarning(reason)
  }
  // Held folders must go when the legal hold ends.
  lease.noteSearched(withdrawn.some(({ isHeld }) => isHeld) ? undefined : live.restricted)
}

async function removeFolder(store: ObjectStore, { writing }: Lease, folder: string): Promise<void> {
  const keys: string[] = []
  for await (const { key } of store.list(downloadsPrefix(folder), writing)) keys.push(key)
  await store.delete(keys, writing)
}

/** Completes the removal of a publish that was killed after its flip. */
export async function clearWithdrawn(store: ObjectStore, live: Live, removal: Omit<Removal, 'store'>) {
  const { lease, retention } = removal
  if (live.restricted === undefined || lease.searched() === live.restricted) return []
  const head = await fetchHead(store, manifestIn(live.slot))
  const all = { ...removal, store, retention: { ...retention, keepDays: null } }
  const found = await findRemoved(all, live, live, snapshotsIn(live).slice(1), head?.restricted ?? {})
  // A staged snapshot may give out again what the live one withholds. Its downloads have no readers before its flip.
  const { staged } = await findStaged(store, live)
  const removed = found.filter(({ folder }) => folder !== staged?.downloads?.folder)
  await removeFolders(all, live, removed)
  if (removed.length < found.length) lease.noteSearched(undefined)
  return removed
}

/** Completes the removal without a publish: for a nightly run with nothing to do. */
export async function clearAlone(
  store: ObjectStore,
  live: Live,
  options: LeaseOptions & Omit<Removal, 'store' | 'lease'>,
) {
  if (await hasCleared(store, live)) return []
  return withLease(store, options, async (lease) => {
    const now = await readLive(store)
    const removed = now.live === null ? [] : await clearWithdrawn(store, now.live, { ...options, lease })
    // Late requests were not waited for: they may still bring files.
    if (lease.isUnsettled) lease.noteSearched(undefined)
    return removed
  })
}

type Kind = keyof RestrictedFunds

/** Files that show whether a folder holds data of a fund. Their first column is the ISIN, ascending. */
const filesOf: Readonly<Record<Kind, readonly string[]>> = {
  data: ['funds'],
  prices: ['prices'],
  performance: ['performance_years', 'performance_periods', 'performance_line', 'performance_launch'],
}

/** Limits memory: each search may hold a file. */
const foldersAtATime = 8
const wholeBytes = 8 * 2 ** 20

/** @returns 12 hex digits; undefined if no fund is restricted */
export const digestOfRestricted = (restricted: RestrictedFunds = {}) =>
  hasNone(restricted) ? undefined : hash('sha256', JSON.stringify(restricted)).slice(0, 12)

const hasNone = (restricted: RestrictedFunds) => Object.keys(restricted).length === 0

/**
 * Finds folders with data of restricted funds. A folder that lacks a file counts: it may be foreign, or have lost a part.
 * @param folders names below `downloads/` @returns ISINs by folder
 */
export async function findWithdrawn(
  store: ObjectStore,
  restricted: RestrictedFunds,
  folders: readonly string[],
  options: CallOptions,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>()
  if (hasNone(restricted)) return found
  await inParallel(folders, foldersAtATime, async (folder) => {
    options.signal?.throwIfAborted()
    const held = new Set<string>()
    for (const [kind, isins] of Object.entries(restricted)) {
      for (const name of filesOf[kind as Kind]) {
        const lookUp = await openCsv(store, `${downloadsPrefix(folder)}${name}.csv`, options)
        for (const isin of isins) if (!held.has(isin) && (await lookUp(isin))) held.add(isin)
      }
    }
    if (held.size > 0) found.set(folder, [...held].sort())
  })
  return found
}

/** Reads all of a short file, and a long one by bisection. @returns a test for lines of a fund */
async function openCsv(store: ObjectStore, key: string, options: CallOptions) {
  const file = await readUpTo(store, key, wholeBytes)
  options.signal?.throwIfAborted()
  if (file === null) return () => Promise.resolve(true)
  const { length, body, etag } = file
  const isIn = (bytes: Buffer, isin: string) => bytes.includes(`\n${isin},`)
  if (body !== null) return (isin: string) => Promise.resolve(isIn(body, isin))
  const read = async (first: number, count: number) => {
    const last = Math.min(first + count, length) - 1
    return Buffer.concat(await readPart(store, key, { first, last }, etag))
  }
  return async (isin: string) => {
    // The fund's first line, if any, begins after `low`, and at the first line after `high` at the latest.
    let low = 0
    let high = length
    while (high - low > maxPart) {
      const middle = Math.floor((low + high) / 2)
      const text = (await read(middle, maxLine)).toString('latin1')
      const isBefore = text.slice(text.indexOf('\n') + 1, text.indexOf('\n') + 1 + isin.length) < isin
      if (isBefore && middle + maxLine < length) low = middle
      else high = middle
    }
    return isIn(await read(low, maxPart + maxLine), isin)
  }
}

const maxPart = 64 * 1024
const maxLine = 2048
