/**
 * Which folders of downloads `live.json` names, and which one a publish uploads to. Pure. Source: keys.md.
 *
 * Files below `downloads/<folder>/` can be read through an edge only if `live.json` names the folder. So nothing that a
 * publish uploads is public before its flip, and a folder that `live.json` names is never given other bytes.
 */

import { dayFolder, downloadsPrefix } from './layout.ts'
import type { Live, LiveSnapshot } from './live.ts'
import type { Pointed } from './live-pointer.ts'

/** The analysts' files of a snapshot. */
export interface LiveDownloads {
  /** Its name below `downloads/`. */
  readonly folder: string
  /** How many files there are, `SHA256SUMS` included. */
  readonly files: number
  /** Of all files together. */
  readonly bytes: number
  /** SHA-256 of `SHA256SUMS`, in hex: that file is uploaded last and names the digest of every other one. */
  readonly sums: string
}

/**
 * Folders of days other than that of the live snapshot, by month; `Placed` in `routes/pages.ts` says how. Later days are
 * among them after a rollback: edges hide them.
 */
export type EarlierDownloads = Readonly<Record<string, string>>

/** Every edge reads `live.json` again and again: it has to stay small. */
const maxEarlierDays = 400

/**
 * The folder for the files of a snapshot: its id. Another licence or base address makes other files of the same id; if
 * `live.json` names the folder of that id already, these get a folder of their own.
 * @param sums SHA-256 of their `SHA256SUMS`, in hex
 */
export function chooseFolder(snapshot: string, sums: string, live: Live | null): string {
  const named = [live?.downloads, live?.previous?.downloads].flatMap((one) => one ?? [])
  const same = named.find((one) => one.folder.startsWith(snapshot) && one.sums === sums)
  if (same !== undefined) return same.folder
  const taken = [...named.map(({ folder }) => folder), ...earlierFolders(live?.earlierDownloads)]
  return taken.includes(snapshot) ? `${snapshot}-${sums.slice(0, 12)}` : snapshot
}

/** What stays beside the downloads of the next live snapshot: all other days, newest first, as they were live last. */
export function earlierAfter(next: Pick<LiveSnapshot, 'asOf'>, before: Live | null): EarlierDownloads {
  const last = before?.downloads?.folder
  const folders = [...(last === undefined ? [] : [last]), ...earlierFolders(before?.earlierDownloads)]
  const others = folders.filter((folder) => dayOf(folder) !== next.asOf)
  return byMonth(others.sort((one, other) => (dayOf(one) < dayOf(other) ? 1 : -1)).slice(0, maxEarlierDays))
}

/** All folders that are reachable, that of the live snapshot among them. */
export function foldersByMonth({ downloads, earlierDownloads }: Pointed): EarlierDownloads {
  const own = downloads?.folder
  return byMonth([...(own === undefined ? [] : [own]), ...earlierFolders(earlierDownloads)])
}

function byMonth(folders: readonly string[]): EarlierDownloads {
  const months: Record<string, string> = {}
  for (const folder of folders) {
    const month = folder.slice(0, 7)
    const rest = folder.slice(8)
    months[month] = months[month] === undefined ? rest : `${months[month]} ${rest}`
  }
  return months
}

/** The folders in full, newest first. */
export function earlierFolders(earlier: EarlierDownloads = {}): string[] {
  return Object.entries(earlier).flatMap(([month, rests]) =>
    rests.split(' ').map((rest) => `${month}-${rest}`),
  )
}

/** ISO 8601 */
export const dayOf = (folder: string): string => folder.slice(0, 10)

/**
 * Where the downloads of a snapshot lie in the bucket, with a slash at the end. Earlier versions did not name a folder,
 * and put the files into that of the day.
 */
export const prefixOf = ({ asOf, downloads }: Pick<LiveSnapshot, 'asOf' | 'downloads'>): string =>
  downloads === undefined ? dayFolder(asOf) : downloadsPrefix(downloads.folder)

/** `2026-11-20-3f9c2ab4d1e0`, perhaps with the digest of its `SHA256SUMS` behind it. */
export const isFolderOfSnapshot = (name: string): boolean =>
  /^\d{4}-\d\d-\d\d-[0-9a-f]{12}(-[0-9a-f]{12})?$/.test(name)
