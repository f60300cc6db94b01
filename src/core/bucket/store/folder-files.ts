/** The files of a folder that is a bucket: versions, writing, replacement, removal, and errors. */

import { createHash, hash } from 'node:crypto'
import {
  type BigIntStats,
  chmodSync,
  constants,
  copyFileSync,
  createReadStream,
  createWriteStream,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { inFolderBelow, linkRefused, realFolder, type OpenFolder } from '../../system/below.ts'
import { isFileError, sizeOf, streamedFrom, unreadable } from './files.ts'
import { setImmediate } from 'node:timers/promises'
import { diskOf, lackOn, megabytes } from '../../system/disk.ts'
import type { ListedObject } from './store.ts'
import { systemCode } from '../../system/message.ts'

/**
 * Copies files into a folder. A copy shares the blocks of its file where the file system can do that (Btrfs, XFS): a change of one
 * leaves the other as it is, as with no hard link.
 * @returns how to copy a file under a new name, which gives the SHA-256 of the copy in hex, and throws an Error if the file cannot be read
 */
export function copierInto(folder: OpenFolder) {
  let canClone = true
  let usualMode: number | undefined
  const clone = (file: string, name: string): boolean => {
    if (!canClone) return false
    try {
      folder.within((at) => {
        const copy = join(at, name)
        writeFileSync(copy, '', { flag: 'wx' })
        usualMode ??= statSync(copy).mode
        copyFileSync(file, copy, constants.COPYFILE_FICLONE_FORCE)
        // It has got the rights of the file.
        chmodSync(copy, usualMode)
      })
      return true
    } catch {
      // The copy by bytes finds every other reason again.
      canClone = false
      folder.within((at) => rmSync(join(at, name), { force: true }))
      return false
    }
  }
  return (file: string, name: string, signal: AbortSignal | undefined): Promise<string> | string => {
    const size = sizeOf(file)
    const isCloned = clone(file, name)
    if (size >= streamedFrom) return (isCloned ? digestOfClone : copyLarge)(file, folder, name, signal)
    const body = isCloned ? folder.within((at) => readFileSync(join(at, name))) : readAll(file)
    if (!isCloned) folder.within((at) => writeFileSync(join(at, name), body, { flag: 'wx' }))
    return hash('sha256', body)
  }
}

function readAll(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
}

async function digestOfClone(
  file: string,
  folder: OpenFolder,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const digest = createHash('sha256')
  const fd = folder.within((at) => openSync(join(at, name), 'r'))
  for await (const chunk of createReadStream(file, { ...large, fd, signal })) digest.update(chunk as Buffer)
  return digest.digest('hex')
}

const large = { highWaterMark: 1024 * 1024 }

async function copyLarge(
  file: string,
  folder: OpenFolder,
  name: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const digest = createHash('sha256')
  const source = async function* () {
    try {
      for await (const chunk of createReadStream(file, large)) {
        digest.update(chunk as Buffer)
        yield chunk as Buffer
      }
    } catch (error) {
      throw isFileError(error) ? unreadable(file, error) : error
    }
  }
  const target = folder.within((at) => openSync(join(at, name), 'wx'))
  await pipeline(source, createWriteStream(folder.path, { fd: target }), { signal })
  return digest.digest('hex')
}

/** Size and time of the last change, in nanoseconds. Successive files under a key differ in it. */
export const etagOf = ({ size, mtimeNs }: BigIntStats) => `"${size.toString(16)}-${mtimeNs.toString(16)}"`

/** Makes a file newer than its predecessor: clocks of files tick every few ms, or every 2 s, and may be set back. */
export function makeNewer(file: string, before: BigIntStats | null): BigIntStats {
  let stat = statSync(file, { bigint: true })
  for (const stepMs of [2, 1000, 2000]) {
    if (before === null || stat.mtimeNs > before.mtimeNs) return stat
    const seconds = (Number(before.mtimeNs / 1_000_000n) + stepMs) / 1000
    utimesSync(file, seconds, seconds)
    stat = statSync(file, { bigint: true })
  }
  return stat
}

/** @param key relative to the root; of a link, the link itself is removed */
export function removeFile(root: string, key: string): void {
  try {
    inFolderBelow(root, dirname(key), (at) => {
      unlinkSync(join(at, basename(key)))
    })
  } catch (error) {
    // A folder is no object.
    if (!isAbsent(error) && systemCode(error) !== 'EISDIR') throw error
  }
}

/** Removes an empty folder, and those above that it leaves empty. @param folder relative to the root */
export function removeEmpty(root: string, folder: string): void {
  for (let path = folder; path !== '.'; path = dirname(path)) {
    try {
      inFolderBelow(root, dirname(path), (at) => rmdirSync(join(at, basename(path))))
    } catch (error) {
      if (systemCode(error) !== 'ENOENT') return
    }
  }
}

/** Removes files that killed processes were writing: no write takes an hour. */
export function removeUnfinished(own: OpenFolder): void {
  own.within((at) => {
    for (const name of readdirSync(at).filter((one) => one.endsWith('.tmp'))) {
      const file = join(at, name)
      const changed = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity
      if (Date.now() - changed > 3600 * 1000) rmSync(file, { force: true })
    }
  })
}

interface Entry {
  /** Ends with a slash for a folder. */
  readonly name: string
  readonly stat: BigIntStats | null
}

/** None if the folder is missing. @param isWanted other entries may be links @throws {Error} for a link */
export function entriesOf(root: string, folder: string, isWanted: (name: string) => boolean): Entry[] {
  const fileAt = (at: string, name: string): Entry[] => {
    const stat = statOf(join(at, name))
    return stat?.isFile() === true ? [{ name, stat }] : []
  }
  try {
    return inFolderBelow(realFolder(root), folder, (at) =>
      readdirSync(at, { withFileTypes: true }).flatMap((entry): Entry[] => {
        const isFolder = entry.isDirectory()
        const name = isFolder ? `${entry.name}/` : entry.name
        if (!isWanted(name)) return []
        return isFolder ? [{ name, stat: null }] : fileAt(at, name)
      }),
    )
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

export function statOf(path: string): BigIntStats | null {
  let stat: BigIntStats | undefined
  try {
    stat = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  } catch (error) {
    if (!isAbsent(error)) throw error
  }
  if (stat?.isSymbolicLink() === true) throw linkRefused(path)
  return stat ?? null
}

export const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(systemCode(error))

const denied = 'this user may not do that: change the owner or the rights of the folder (chown, chmod)'
const full = 'the disk is full: make room, and publish again'
const advices: Readonly<Record<string, string>> = {
  EACCES: denied,
  EPERM: denied,
  EROFS: 'the file system is read-only: mount it so that it can be written to',
  ENOSPC: full,
  EDQUOT: 'the quota of this user is used up: raise it or make room, and publish again',
  ENOENT: 'a folder above it is missing: make it (mkdir -p)',
  ENOTDIR: 'a file is where a folder must be: remove it',
  EISDIR: 'a folder is where a file must be: remove it',
  EXDEV: 'a folder in it is on another disk: the whole bucket must be on one file system',
  EMFILE: 'too many files are open: raise the limit (ulimit -n), or lower bucket.concurrency',
  EIO: 'the disk failed: look at the log of the kernel, and run `fundpress verify --deep` afterwards',
}

/** Adds place and advice to an error of the file system. Other errors stay as they are. */
export function withAdvice(error: unknown, name: string, doing: string, key: string): unknown {
  if (!isFileError(error)) return error
  const { code = '', path } = error
  const where = path === undefined ? '' : `${path}: `
  return new Error(
    `${name}: could not ${doing} ${key}: ${where}${advices[code] ?? error.message} (${code})`,
    {
      cause: error,
    },
  )
}

/** Room that stays free for lists and other programs: in bytes, and as a share of a small disk. */
const margin = { bytes: 100e6, share: 0.05 }

/** A replaced file gives its room back. @throws {Error} with the free and the needed bytes */
export async function assertRoomBelow(
  name: string,
  root: string,
  puts: AsyncIterable<Pick<ListedObject, 'key' | 'bytes'>>,
): Promise<void> {
  const disk = await diskOf(root)
  const onDisk = (bytes: number) => Math.ceil(bytes / disk.blockBytes) * disk.blockBytes
  let bytes = 0
  let files = 0
  let seen = 0
  for await (const put of puts) {
    // Timers, such as that of the lease, have their turn.
    if (++seen % 1000 === 0) await setImmediate()
    const before = statOf(join(root, put.key))
    if (before === null) files++
    bytes += Math.max(0, onDisk(put.bytes) - onDisk(Number(before?.size ?? 0)))
  }
  const spared = Math.min(margin.bytes, margin.share * disk.bytes)
  const lack = bytes === 0 ? null : lackOn(disk, bytes + spared, files)
  if (lack === null) return
  throw new Error(
    `${name}: the disk is too full for this publish: ${lack} (${megabytes(spared)} of them stay free): ` +
      'make room, or move the bucket to a larger disk. Nothing was uploaded',
  )
}
