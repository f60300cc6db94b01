/**
 * Which folders of downloads `live.json` names, and which one a publish uploads to. Pure. Edges give out files only of the
 * folders that it names, so nothing is public before its flip, and such a folder never gets other bytes.
 */

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
  readonly previous?: { readonly downloads?: LiveDownloads | undefined } | null
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

/** The folders of all other days that stay after the next flip, newest first, as each day was live last. */
export function earlierAfter(next: { readonly asOf: string }, before: NamedFolders | null): FoldersByMonth {
  const others = allFolders(before).filter((folder) => dayOf(folder) !== next.asOf)
  return byMonth(others.sort((one, other) => (dayOf(one) < dayOf(other) ? 1 : -1)).slice(0, maxEarlierDays))
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

/** `2026-11-20-3f9c2ab4d1e0`, perhaps followed by the digest of its `SHA256SUMS`. */
export const isFolderOfSnapshot = (name: string): boolean =>
  /^\d{4}-\d\d-\d\d-[0-9a-f]{12}(-[0-9a-f]{12})?$/.test(name)
