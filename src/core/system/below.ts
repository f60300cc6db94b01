/**
 * Files and folders below a root, reached without following a link: a user with the right to write below the root cannot lead a
 * program with other rights elsewhere. The root itself may be a link, or lie behind one.
 *
 * Node has no `openat`. On Linux the system gives the path of each open file, and `/proc/self/fd/<number>` is an open
 * folder: the checked file is the used one. Elsewhere a path is checked, then used: a link may take its place in between.
 */

import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs'
import { realpathSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { systemCode } from './message.ts'

const descriptors = '/proc/self/fd'
const hasDescriptors = process.platform === 'linux' && existsSync(descriptors)
const pathOfOpen = (descriptor: number) => readlinkSync(`${descriptors}/${descriptor}`)

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants
/** Opens a pipe without waiting for its writer. */
const fileFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK

/** The path of a folder behind all links, as a root for the functions here. */
export function realFolder(folder: string): string {
  if (!hasDescriptors) return realpathSync(folder)
  const descriptor = openSync(folder, O_RDONLY | O_DIRECTORY)
  try {
    return pathOfOpen(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * @param root of `realFolder` @param path of plain names, relative to the root
 * @returns the descriptor for reading; it may be no regular file @throws {Error} that names a link on the way
 */
export function openBelow(root: string, path: string): number {
  const full = placeOf(root, path)
  try {
    return openChecked(full, fileFlags)
  } catch (error) {
    throw reasonFor(error, root, full)
  }
}

/** The same, for reading in other threads. */
export async function openHandleBelow(root: string, path: string): Promise<FileHandle> {
  const full = placeOf(root, path)
  let handle: FileHandle | undefined
  try {
    handle = await open(full, fileFlags)
    assertPlace(handle.fd, full)
    return handle
  } catch (error) {
    await handle?.close()
    throw reasonFor(error, root, full)
  }
}

/** A folder that stays the opened one, even if another takes its place. */
export interface OpenFolder {
  readonly path: string
  /** @param work gets a path of the folder that holds until `work` returns. Its errors name the folder as `path`. */
  readonly within: <T>(work: (at: string) => T) => T
  readonly close: () => void
}

/**
 * Parameters as for {@link openBelow}; the path '' is the root.
 * @param isMade makes the folder if it is missing, with those above @throws {Error} that names a link on the way
 */
export function openFolderBelow(root: string, path: string, isMade = false): OpenFolder {
  const full = placeOf(root, path)
  try {
    if (isMade && full !== root && lstatSync(full, { throwIfNoEntry: false }) === undefined)
      inFolderBelow(root, dirname(path), (parent) => makeFolder(join(parent, basename(path))), true)
    return openFolder(full)
  } catch (error) {
    throw reasonFor(error, root, full)
  }
}

/** Opens a folder for a moment. Parameters as for {@link openFolderBelow}. */
export function inFolderBelow<T>(root: string, path: string, work: (at: string) => T, isMade = false): T {
  const folder = openFolderBelow(root, path, isMade)
  try {
    return folder.within(work)
  } finally {
    folder.close()
  }
}

export const linkRefused = (link: string) =>
  new Error(`${link} is a symbolic link, which is not followed here: remove it`)

function placeOf(root: string, path: string): string {
  const full = resolve(join(root, path))
  if (full === root || full.startsWith(join(root, sep))) return full
  throw new Error(`${full} does not lie below ${root}`)
}

function openChecked(full: string, flags: number): number {
  const descriptor = openSync(full, flags)
  try {
    assertPlace(descriptor, full)
    return descriptor
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

/** Accepts a file that was removed or replaced after it was opened. */
function assertPlace(descriptor: number, full: string): void {
  const place = hasDescriptors ? pathOfOpen(descriptor) : realpathSync(full)
  if (place !== full && place !== `${full} (deleted)`)
    throw new Error(`${full} was moved while it was being opened`)
}

function openFolder(path: string): OpenFolder {
  if (!hasDescriptors) {
    if (realpathSync(path) !== path) throw new Error(`${path} lies behind a link`)
    return { path, within: (work) => work(path), close: () => undefined }
  }
  const descriptor = openChecked(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  const at = `${descriptors}/${descriptor}`
  let isOpen = true
  return {
    path,
    within: (work) => {
      // The number of a closed descriptor may be that of another file.
      if (!isOpen) throw new Error(`${path} is not in use any more`)
      try {
        return work(at)
      } catch (error) {
        throw withNames(error, at, path)
      }
    },
    close: () => {
      if (isOpen) closeSync(descriptor)
      isOpen = false
    },
  }
}

function withNames(error: unknown, at: string, path: string): unknown {
  if (!(error instanceof Error)) return error
  const { path: place } = error as NodeJS.ErrnoException
  error.message = error.message.replaceAll(`${at}/`, `${path}/`)
  return place?.startsWith(`${at}/`) === true
    ? Object.assign(error, { path: path + place.slice(at.length) })
    : error
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
}

/** The error, or the first link on the way, which explains it. */
function reasonFor(error: unknown, root: string, full: string): unknown {
  if (systemCode(error) === 'ENOENT') return error
  let link: string | undefined
  for (let at = full; at.length > root.length; at = dirname(at)) if (isLink(at)) link = at
  return link === undefined ? error : linkRefused(link)
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}
