/**
 * The folder that a snapshot is built in, and its exchange with the finished one. Beside `out` lie, for moments,
 * `.out.build-<process>` (being built, or to be removed) and `.out.old-<process>` (whole, being replaced). A kill
 * leaves `out` whole, or its old content under the second name, from where `recoverSnapshot` takes it back.
 */

import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { actionsKey } from '../data/check/live-actions.ts'
import { dayMs } from '../system/day-number.ts'
import { flushFolder, flushTree } from '../system/durable.ts'
import { isLeftBehind, markOf, thisHolder } from '../system/holder.ts'
import { placeToWrite } from '../system/place.ts'
import { madeFilesKey } from './made-files.ts'
import { pages } from '../api/derive/route-table.ts'
import { checksumsKey, manifestKey, signatureKey, sparseKey } from './manifest.ts'
import { statisticsKey } from '../guards/statistics.ts'
import { shardKey } from './shard.ts'
import { factsKey } from './signed-facts.ts'
import { systemCode } from '../system/message.ts'

/**
 * Makes an empty staging folder beside `out`, after removing leftovers of killed builds.
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
    folder,
    /** Flushes the folder to disk, so that no power cut can undo it. Call before `swapIn`. */
    flush: async (signal: AbortSignal) => {
      await flushTree(folder, signal)
      if (firstMade !== undefined) flushFolder(dirname(place), dirname(firstMade))
    },
    /** Puts the finished folder in the place of `out`. Removes the old snapshot once the new name is on the disk. */
    swapIn: () => swap(folder, place),
    discard: () => {
      rmSync(folder, { recursive: true, force: true })
      if (firstMade === undefined) return
      try {
        for (let at = dirname(place); at.length >= firstMade.length; at = dirname(at)) rmdirSync(at)
      } catch {
        // Another program has put something there meanwhile: it stays.
      }
    },
  }
}

/** Makes a folder and its parents: a recursive `mkdirSync` never ends in /proc. @returns the first new parent */
function makeFolders(folder: string, out: string): string | undefined {
  const missing: string[] = []
  for (let at = dirname(folder); !existsSync(at); at = dirname(at)) missing.unshift(at)
  try {
    for (const at of missing) unless(() => mkdirSync(at), ['EEXIST'])
    mkdirSync(folder)
    return missing[0]
  } catch (error) {
    // /proc reports ENOENT if nothing can be made there.
    if (systemCode(error) !== 'ENOENT') throw error
    throw new Error(`${out}: no folder can be made in ${dirname(missing[0] ?? folder)}: choose another --out`)
  }
}

/** The names at the top of a snapshot's folder. Source: src/core/bucket/keys.md. A swap would lose anything else. */
const listKeys: readonly string[] = [
  actionsKey,
  manifestKey,
  checksumsKey,
  signatureKey,
  factsKey,
  statisticsKey,
  madeFilesKey,
  sparseKey,
  shardKey,
]
const namesOfSnapshots: readonly string[] = ['api', 'errors', ...pages, ...listKeys]

function namesIn(place: string): readonly string[] {
  try {
    return readdirSync(place)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return []
    throw error
  }
}

/** Another build of the same folder can come between two steps: its snapshot is then replaced, too. */
const maxAttempts = 10

/**
 * Renames twice, with nothing in between. Removes the replaced folder only when the new name is on the disk: else a
 * power cut could undo the rename, but not the removal.
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
      if (!occupied.includes(systemCode(error)) || attempt === maxAttempts) {
        if (replaces && !existsSync(place)) renameSync(old, place)
        throw error
      }
      if (replaces) removeReplaced([old], place)
    }
  }
  // Under the other name the folder may be half-removed.
  if (replaces && renameIfThere(old, folder)) removeReplaced([folder], place)
  else flushNames(place)
}

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
    // A running build needs a moment for its two renames; its process number may be in use again.
    if (leftovers(place, 'old', isGone).length === 0) sleep(200)
    const [old] = leftovers(place, 'old')
    // Another build may have been quicker, with this folder or a newer one.
    if (!existsSync(place) && old !== undefined) unless(() => renameSync(old, place), ['ENOENT', ...occupied])
  }
  removeReplaced(leftovers(place, 'old', isGone), place)
}

type Purpose = 'build' | 'old'

const beside = (place: string, purpose: Purpose, mark = markOf(thisHolder())) =>
  join(dirname(place), `.${basename(place)}.${purpose}-${mark}`)

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

/** True if the process has ended. A folder with this process's mark is from an earlier build of it. */
function isGone(path: string, mark: string): boolean {
  if (mark === markOf(thisHolder())) return true
  try {
    // No build in another container, whose processes cannot be seen from here, takes a day.
    return isLeftBehind(path, mark, dayMs)
  } catch (error) {
    // Another build has removed it.
    if (systemCode(error) === 'ENOENT') return false
    throw error
  }
}

/** @returns false if there was nothing to rename */
const renameIfThere = (from: string, to: string): boolean => unless(() => renameSync(from, to), ['ENOENT'])

/** Errors of a rename to a folder with something in it. */
const occupied: readonly string[] = ['ENOTEMPTY', 'EEXIST']

/** @returns false on an error with one of these codes: another build has done the work, or undone it */
function unless(work: () => void, codes: readonly string[]): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (codes.includes(systemCode(error))) return false
    throw error
  }
}

const sleep = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
