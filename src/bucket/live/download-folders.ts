/**
 * Which folders of downloads `live.json` names, and which one a publish uploads to. Pure. Edges give out files only of the
 * folders that it names, so nothing is public before its flip, and such a folder never gets other bytes.
 */

import { isDay } from '../../api/routes/values.ts'
import { addDays } from '../../system/days.ts'
import { dayFolder, downloadsPrefix } from './layout.ts'

/** The analysts' files of a snapshot; `folder` is a name below `downloads/`, `files` counts `SHA256SUMS`, too. */
export interface LiveDownloads {
  readonly folder: string
  readonly files: number
  readonly bytes: number
  /** SHA-256 of `SHA256SUMS`, in hex: that file is uploaded last and names the digest of every other one. */
  readonly sums: string
}

/**
 * Folders of other days than that of the live snapshot, by month; `Placed` in `routes/pages.ts` explains the form. After
 * a rollback later days are among them: edges hide these.
 */
export type FoldersByMonth = Readonly<Record<string, string>>

/** The part of `live.json` that names folders. */
interface NamedFolders {
  readonly downloads?: LiveDownloads | undefined
  readonly earlierDownloads?: FoldersByMonth | undefined
  readonly previous?: { readonly downloads?: LiveDownloads | undefined } | null | undefined
}

/** Every edge reads `live.json` again and again: it must stay small. */
const maxEarlierDays = 400

/**
 * The folder for the files of a snapshot: its id. Another licence or base address makes other files for the same id; if
 * `live.json` names the folder of that id already, these get a folder of their own.
 * @param sums SHA-256 of their `SHA256SUMS`, in hex
 */
export function chooseFolder(snapshot: string, sums: string, live: NamedFolders | null): string {
  const named = [live?.downloads, live?.previous?.downloads].flatMap((one) => one ?? [])
  const same = named.find((one) => one.folder.startsWith(snapshot) && one.sums === sums)
  if (same !== undefined) return same.folder
  const taken = [...named.map(({ folder }) => folder), ...earlierFolders(live?.earlierDownloads)]
  return taken.includes(snapshot) ? `${snapshot}-${sums.slice(0, 12)}` : snapshot
}

/**
 * The folders of all other days that stay after the next flip, newest first, as each day was live last. The day of a folder
 * with withdrawn data gets a name that no folder has: an edge would look for the folder of an earlier version otherwise,
 * and CloudFront's KeyValueStore must hear of each month that changes.
 */
export function earlierAfter(
  next: { readonly asOf: string },
  before: NamedFolders | null,
  removed: readonly RemovedFolder[] = [],
): FoldersByMonth {
  const named = allFolders(before)
  const days = new Set(named.map(dayOf))
  const isGone = (folder: string, why: RemovedFolder['why']) =>
    removed.some((one) => one.folder === folder && one.why === why)
  const withdrawn = removed.flatMap(({ folder, why }) => {
    const isServed = named.includes(folder) || (folder === dayOf(folder) && !days.has(folder))
    return why === 'withdrawn' && isServed ? [dayOf(folder) + hiddenSuffix] : []
  })
  const stays = (folder: string) => !isGone(folder, 'withdrawn') && !isGone(folder, 'expired')
  const others = [...named.filter(stays), ...withdrawn].filter((folder) => dayOf(folder) !== next.asOf)
  others.sort((one, other) => (dayOf(one) < dayOf(other) ? 1 : -1))
  return byMonth(others.filter((folder, at) => at < maxEarlierDays || folder.endsWith(hiddenSuffix)))
}

/** Ends the name that a day has while nobody may read its downloads: there is no such folder. */
const hiddenSuffix = '-0'

/** How long downloads stay. `keep`: days whose downloads nobody removes, because of a legal hold. */
export interface Retention {
  /** Downloads older than this number of days are expired; null: none is. */
  readonly keepDays: number | null
  readonly keep: readonly string[]
}

/** @param today ISO 8601 */
export function isExpired(folder: string, { keepDays, keep }: Retention, today: string): boolean {
  if (keepDays === null || keep.includes(dayOf(folder))) return false
  return dayOf(folder) < addDays(today, -keepDays)
}

/** A folder of downloads that a publish removes. */
export interface RemovedFolder {
  readonly folder: string
  /** `withdrawn`: it holds something that may no longer be given out. `expired`: it is older than `downloads.keepDays`. */
  readonly why: 'withdrawn' | 'expired'
  /** The funds that are withdrawn, ascending. */
  readonly isins: readonly string[]
  /** A legal hold: the files stay in the bucket, and no edge gives them out. */
  readonly isHeld: boolean
}

/** All folders that are reachable, that of the live snapshot among them. */
export const foldersByMonth = (live: NamedFolders): FoldersByMonth => byMonth(allFolders(live))

const allFolders = (live: NamedFolders | null) =>
  [live?.downloads?.folder ?? [], earlierFolders(live?.earlierDownloads)].flat()

function byMonth(folders: readonly string[]): FoldersByMonth {
  const months = Map.groupBy(folders, (folder) => folder.slice(0, 7))
  return Object.fromEntries(
    [...months].map(([month, some]) => [month, some.map((folder) => folder.slice(8)).join(' ')]),
  )
}

/** The folders in full, newest first. */
export const earlierFolders = (earlier: FoldersByMonth = {}): string[] =>
  Object.entries(earlier).flatMap(([month, rests]) => rests.split(' ').map((rest) => `${month}-${rest}`))

/** ISO 8601 */
export const dayOf = (folder: string): string => folder.slice(0, 10)

/**
 * The place of a snapshot's downloads in the bucket, with a slash at the end. Earlier versions did not name a folder,
 * and put the files into that of the day.
 */
export const prefixOf = ({ asOf, downloads }: { readonly asOf: string } & NamedFolders): string =>
  downloads === undefined ? dayFolder(asOf) : downloadsPrefix(downloads.folder)

/** Whether a name below `downloads/` is that of a folder of ours, that of an earlier version included. */
export const isOurFolder = (name: string): boolean => isDay(name) || isFolderOfSnapshot(name)

/** `2026-11-20-3f9c2ab4d1e0`, perhaps followed by the digest of its `SHA256SUMS`. */
export const isFolderOfSnapshot = (name: string): boolean =>
  /^\d{4}-\d\d-\d\d-[0-9a-f]{12}(-[0-9a-f]{12})?$/.test(name)
