/**
 * The folders of downloads that `live.json` names, and the folder that a publish uploads to. Pure. Edges give out files only of named
 * folders, so nothing is public before its flip, and a named folder never gets other bytes.
 */

import type { listShapes } from '../../api/contract/list-shapes.ts'
import type { ValueOf } from '../../api/contract/shape.ts'
import { addDays } from '../../system/days.ts'

/** Analysts' files of a snapshot; `folder` is a name below `downloads/`, `files` counts `SHA256SUMS`, too. */
export interface LiveDownloads {
  readonly folder: string
  readonly files: number
  readonly bytes: number
  /** SHA-256 of `SHA256SUMS`, in hex: this file is uploaded last and names the digest of every other one. */
  readonly sums: string
}

/** Folders of other days, by month: see `Placed` in `routes/pages.ts`. After a rollback edges hide the later ones. */
export type FoldersByMonth = Readonly<Record<string, string>>

interface WithDownloads {
  readonly downloads?: LiveDownloads | undefined
}

interface NamedFolders {
  readonly downloads?: LiveDownloads | undefined
  readonly earlierDownloads?: FoldersByMonth | undefined
  readonly previous?: WithDownloads | null | undefined
  readonly older?: readonly WithDownloads[] | undefined
}

/** Keeps `live.json` small: every edge reads it again and again. */
const maxEarlierDays = 400

/**
 * Names the folder for the files of a snapshot: its id. Another licence or base address makes other files for the same id; if
 * `live.json` names the folder of this id already, the digest is added.
 * @param sums SHA-256 of their `SHA256SUMS`, in hex
 */
export function chooseFolder(snapshot: string, sums: string, live: NamedFolders | null): string {
  const snapshots = [live, live?.previous, ...(live?.older ?? [])]
  const named = snapshots.flatMap((one) => one?.downloads ?? [])
  const same = named.find((one) => one.folder.startsWith(snapshot) && one.sums === sums)
  if (same !== undefined) return same.folder
  const taken = [...named.map(({ folder }) => folder), ...earlierFolders(live?.earlierDownloads)]
  return taken.includes(snapshot) ? `${snapshot}-${sums.slice(0, 12)}` : snapshot
}

/**
 * The folders of all other days that stay after the next flip, newest first, as each day was live last. The day of a folder
 * with withdrawn data gets a name without a folder: CloudFront's KeyValueStore needs each month that changes.
 */
export function earlierAfter(
  next: { readonly asOf: string },
  before: NamedFolders | null,
  removed: readonly RemovedFolder[] = [],
): FoldersByMonth {
  const named = allFolders(before)
  const isGone = (folder: string, why: RemovedFolder['why']) =>
    removed.some((one) => one.folder === folder && one.why === why)
  const withdrawn = removed.flatMap(({ folder, why }) =>
    why === 'withdrawn' && named.includes(folder) ? [dayOf(folder) + hiddenSuffix] : [],
  )
  const stays = (folder: string) => !isGone(folder, 'withdrawn') && !isGone(folder, 'expired')
  const others = [...named.filter(stays), ...withdrawn].filter((folder) => dayOf(folder) !== next.asOf)
  others.sort((one, other) => (dayOf(one) < dayOf(other) ? 1 : -1))
  return byMonth(others.filter((folder, at) => at < maxEarlierDays || folder.endsWith(hiddenSuffix)))
}

/** Ends the name of a day whose downloads may not be read: no folder has such a name. */
const hiddenSuffix = '-0'

/**
 * `keep`: days whose downloads stay because of a legal hold. `keepMonthEnds`: those of the last day of each month stay, too.
 */
export interface Retention {
  /** Age in days from which downloads are expired; null: never. */
  readonly keepDays: number | null
  readonly keep: readonly string[]
  readonly keepMonthEnds: boolean
}

/** All folders of downloads, which tell the last day of a month, and those that `live.json` names. */
interface KnownFolders {
  readonly all: readonly string[]
  readonly named: ReadonlySet<string>
}

/** @param today ISO 8601 */
export function isExpired(
  folder: string,
  { keepDays, keep, keepMonthEnds }: Retention,
  { all, named }: KnownFolders,
  today: string,
): boolean {
  const day = dayOf(folder)
  if (keepDays === null || keep.includes(day) || day >= addDays(today, -keepDays)) return false
  // A folder without a name may come from a killed publish: no named day expires because of it.
  const later = named.has(folder) ? [...named] : all
  return !keepMonthEnds || later.some((other) => dayOf(other) > day && isSameMonth(dayOf(other), day))
}

const isSameMonth = (one: string, other: string) => one.slice(0, 7) === other.slice(0, 7)

export interface RemovedFolder {
  readonly folder: string
  /** `withdrawn`: its data may no longer be given out. `expired`: older than `downloads.keepDays`. */
  readonly why: 'withdrawn' | 'expired'
  /** The withdrawn funds, ascending. */
  readonly isins: readonly string[]
  /** A legal hold: the files stay in the bucket, and no edge gives them out. */
  readonly isHeld: boolean
}

export const foldersByMonth = (live: NamedFolders): FoldersByMonth => byMonth(allFolders(live))

/** The list of the days that edges give out, and of those that they no longer do: `download-days` of the contract. */
export function downloadDays(live: { readonly asOf: string } & NamedFolders): DownloadDays {
  const folders = allFolders(live).filter((folder) => dayOf(folder) <= live.asOf)
  const isHidden = (folder: string) => folder.endsWith(hiddenSuffix)
  return {
    format: 1,
    as_of: live.asOf,
    days: folders.filter((folder) => !isHidden(folder)).map(dayOf),
    withdrawn: folders.filter(isHidden).map(dayOf),
  }
}

type DownloadDays = ValueOf<typeof listShapes.downloadDays>

export const allFolders = (live: NamedFolders | null) =>
  [live?.downloads?.folder ?? [], earlierFolders(live?.earlierDownloads)].flat()

function byMonth(folders: readonly string[]): FoldersByMonth {
  const months = Map.groupBy(folders, (folder) => folder.slice(0, 7))
  return Object.fromEntries(
    [...months].map(([month, some]) => [month, some.map((folder) => folder.slice(8)).join(' ')]),
  )
}

export const earlierFolders = (earlier: FoldersByMonth = {}): string[] =>
  Object.entries(earlier).flatMap(([month, rests]) => rests.split(' ').map((rest) => `${month}-${rest}`))

/** ISO 8601 */
export const dayOf = (folder: string): string => folder.slice(0, 10)

/** `2026-11-20-3f9c2ab4d1e0`, with or without the digest of its `SHA256SUMS` at the end. @param name below `downloads/` */
export const isFolderOfSnapshot = (name: string): boolean =>
  /^\d{4}-\d\d-\d\d-[0-9a-f]{12}(-[0-9a-f]{12})?$/.test(name)
