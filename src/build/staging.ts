/**
 * The folder that a snapshot is built in, and its exchange with the finished one. Beside `out` lie, for moments,
 * `.out.build-<process>` (being built, or to be removed) and `.out.old-<process>` (whole, being replaced):
 * whatever is killed leaves `out` whole, or its old content under the second name, from where `recoverSnapshot` takes it back.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { dayMs } from '../system/day-number.ts'
import { flushFolder, flushTree } from '../system/durable.ts'
import { isLeftBehind, markOf, thisHolder } from '../system/holder.ts'
import { placeToWrite } from '../system/place.ts'
import { madeFilesKey } from '../downloads/made-files.ts'
import { pages } from '../api/derive/route-table.ts'
import { checksumsKey, manifestKey, sparseKey } from './manifest.ts'
import { shardKey } from './shard.ts'

export type StagedSnapshot = ReturnType<typeof makeStaging>

/**
 * Makes an empty staging folder beside `out`, after cleaning up what killed builds left.
 * @throws {Error} if `out` holds something that is not a snapshot, or lies where no folder can be made
 */
export function makeStaging(out: string) {
  const place = placeToWrite(out, 'folder')
  recoverSnapshot(out)
  const names = namesIn(place)
  if (names.length > 0 && !names.includes(manifestKey)) {
    throw new Error(`${out} holds files but no snapshot: choose another --out, or empty it`)
  }
  const strangers = names.filter((name) => !namesOfSnapshots.includes(name))
  if (strangers.length > 0) {
    const found = strangers.join(', ')
    throw new Error(`${out} holds ${found} beside a snapshot: move that away, or choose another --out`)
  }
  for (const path of leftovers(place, 'build', isGone)) rmSync(path, { recursive: true, force: true })
  const folder = beside(place, 'build')
  const firstMade = makeFolders(folder, out)
  return {
    /** Empty, beside `out`. */
    folder,
    /** Waits until the folder is on the disk, so that no power cut can take it back: comes before `swapIn`. */
    flush: async (signal: AbortSignal) => {
      await flushTree(folder, signal)
      if (firstMade !== undefined) flushFolder(dirname(place), dirname(firstMade))
    },
    /** Puts the finished folder in the place of `out`. Removes the old snapshot once the new name is on the disk. */
    swapIn: () => swap(folder, place),
    /** Removes the folder, and those that were made for it. */
    discard: () => {
      rmSync(folder, { recursive: true, force: true })
      if (firstMade === undefined) return
      try {
        for (let at = dirname(place); at.length >= firstMade.length; at = dirname(at)) rmdirSync(at)
      } catch {
        // Somebody has put something there meanwhile: it stays.
      }
    },
  }
}

/**
 * Makes a folder and those above it: one by one, since Node's own way of making them all never ends in /proc.
 * @returns the first of those above that had to be made
 */
function makeFolders(folder: string, out: string): string | undefined {
  const missing: string[] = []
  for (let at = dirname(folder); !existsSync(at); at = dirname(at)) missing.unshift(at)
  try {
    for (const at of missing) unless(() => mkdirSync(at), ['EEXIST'])
    mkdirSync(folder)
    return missing[0]
  } catch (error) {
    // /proc says ENOENT if nothing can be made there.
    if (codeOf(error) !== 'ENOENT') throw error
    throw new Error(`${out}: no folder can be made in ${dirname(missing[0] ?? folder)}: choose another --out`)
  }
}

/** The names at the top of a snapshot's folder. Source: src/bucket/keys.md. Anything else would be lost when it is replaced. */
const listKeys: readonly string[] = [manifestKey, checksumsKey, madeFilesKey, sparseKey, shardKey]
const namesOfSnapshots: readonly string[] = ['api', 'errors', ...pages, ...listKeys]

/** The names in a folder; none if there is no folder. */
function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Another build of the same folder can come between two of our steps: it is then replaced, too. */
const maxAttempts = 10

/**
 * Two renames, with nothing in between. What was replaced is removed only when the new name is on the disk: else a power
 * cut could undo the rename, but not the removal.
 */
function swap(folder: string, place: string): void {
  const old = beside(place, 'old')
  let replaces: boolean
  for (let attempt = 1; ; attempt++) {
    replaces = renameIfThere(place, old)
    try {
      renameSync(folder, place)
      break
    } catch (error) {
      if (!occupied.includes(codeOf(error)) || attempt === maxAttempts) {
        if (replaces && !existsSync(place)) renameSync(old, place)
        throw error
      }
      if (replaces) removeReplaced([old], place)
    }
  }
  // Under the other name it may be half-removed.
  if (replaces && renameIfThere(old, folder)) removeReplaced([folder], place)
  else flushNames(place)
}

/** Removes snapshots that another one has replaced at `place`. */
function removeReplaced(folders: readonly string[], place: string): void {
  if (folders.length === 0) return
  flushNames(place)
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
}

function flushNames(place: string): void {
  try {
    flushFolder(dirname(place))
  } catch (error) {
    const doubt = 'the disk does not say that it would outlive a power cut: check the disk, then build again'
    throw new Error(`${place} is new, but ${doubt}`, { cause: error })
  }
}

/** Brings back the snapshot of a build that was killed between the two renames, and removes replaced ones. */
export function recoverSnapshot(out: string): void {
  const place = placeToWrite(out, 'folder')
  if (!existsSync(place) && leftovers(place, 'old').length > 0) {
    // A living build needs a moment for its two renames; a number in use again can belong to anything.
    if (leftovers(place, 'old', isGone).length === 0) sleep(200)
    const [old] = leftovers(place, 'old')
    // Somebody may have been quicker, with this one or a newer one.
    if (!existsSync(place) && old !== undefined) unless(() => renameSync(old, place), ['ENOENT', ...occupied])
  }
  removeReplaced(leftovers(place, 'old', isGone), place)
}

type Purpose = 'build' | 'old'

const beside = (place: string, purpose: Purpose, mark = markOf(thisHolder())) =>
  join(dirname(place), `.${basename(place)}.${purpose}-${mark}`)

/** Paths of folders that builds have left, or work in. */
function leftovers(
  place: string,
  purpose: Purpose,
  isWanted: (path: string, mark: string) => boolean = () => true,
): string[] {
  const folder = dirname(place)
  const prefix = basename(beside(place, purpose, ''))
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && /^[\da-f]+(-\d+-\d+)?$/.test(name.slice(prefix.length)))
    .map((name) => join(folder, name))
    .filter((path) => isWanted(path, basename(path).slice(prefix.length)))
}

/** No build works for so long in a container whose processes cannot be seen from here. */

/** Whether the process is no more. What has our own mark is from an earlier build of this process. */
function isGone(path: string, mark: string): boolean {
  if (mark === markOf(thisHolder())) return true
  try {
    return isLeftBehind(path, mark, dayMs)
  } catch (error) {
    // Somebody else has removed it.
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** @returns whether there was something to rename */
const renameIfThere = (from: string, to: string): boolean => unless(() => renameSync(from, to), ['ENOENT'])

/** Errors of a rename to a folder with something in it. */
const occupied: readonly string[] = ['ENOTEMPTY', 'EEXIST']

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? ''

/** @returns false if it failed with one of these codes: another build did it, or undid it, meanwhile */
function unless(work: () => void, codes: readonly string[]): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (codes.includes(codeOf(error))) return false
    throw error
  }
}

const sleep = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
