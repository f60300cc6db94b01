/** The files of a folder that is a bucket: their versions, how they are written, replaced and removed, and their errors. */

import { createHash, hash } from 'node:crypto'
import { type BigIntStats, createReadStream, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { rmdirSync, rmSync, statSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isFileError, sizeOf, streamedFrom, unreadable } from './files.ts'

/** @returns the SHA-256 of what was copied, in hex @throws {Error} if the file cannot be read */
export const copyFile = async (
  file: string,
  target: string,
  signal: AbortSignal | undefined,
): Promise<string> =>
  (await sizeOf(file)) < streamedFrom ? copySmall(file, target) : copyLarge(file, target, signal)

function copySmall(file: string, target: string): string {
  let body: Buffer
  try {
    body = readFileSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
  writeFileSync(target, body, { flag: 'wx' })
  return hash('sha256', body)
}

/** A file that need not fit into memory. */
async function copyLarge(file: string, target: string, signal: AbortSignal | undefined): Promise<string> {
  const digest = createHash('sha256')
  const source = async function* () {
    try {
      for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
        digest.update(chunk as Buffer)
        yield chunk as Buffer
      }
    } catch (error) {
      throw isFileError(error) ? unreadable(file, error) : error
    }
  }
  await writeFile(target, source(), { flag: 'wx', signal })
  return digest.digest('hex')
}

/** Size and time of the last change, in nanoseconds. No two files that follow each other under a key have the same. */
export const etagOf = ({ size, mtimeNs }: BigIntStats) => `"${size.toString(16)}-${mtimeNs.toString(16)}"`

/**
 * Gives a file a later time than the one that it will replace: clocks of files tick every few milliseconds, on some file
 * systems every two seconds, and may be set back.
 */
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

export function moveTo(temporary: string, target: string): void {
  try {
    renameSync(temporary, target)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(dirname(target), { recursive: true })
    renameSync(temporary, target)
  }
}

export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    // A folder is no object.
    if (!isAbsent(error) && codeOf(error) !== 'EISDIR') throw error
  }
}

/** Removes a folder without entries, and those above it that have no others. */
export function removeEmpty(folder: string, root: string): void {
  for (let at = folder; at.length > root.length; at = dirname(at)) {
    try {
      rmdirSync(at)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') continue
      return
    }
  }
}

/** Files that killed processes were writing: nobody writes for an hour. */
export function removeUnfinished(own: string): void {
  for (const { name } of entriesOf(own)) {
    const file = join(own, name)
    const stat = name.endsWith('.tmp') ? statOf(file) : null
    if (stat !== null && Date.now() - Number(stat.mtimeMs) > 3600 * 1000) rmSync(file, { force: true })
  }
}

/** What is in a folder; none if it is missing. A link counts as what it leads to, as for whoever serves the files. */
export function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const { name } = entry
      const kind = entry.isSymbolicLink() ? statOf(join(folder, name)) : entry
      return { name, isFile: kind?.isFile() === true, isFolder: kind?.isDirectory() === true }
    })
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

export function statOf(path: string): BigIntStats | null {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false }) ?? null
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

export const isAbsent = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(codeOf(error))

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
  EMFILE: 'too many files are open: raise the limit (ulimit -n), or lower --concurrency',
  EIO: 'the disk failed: look at the log of the kernel, and run `fundpress verify --deep` afterwards',
}

/** An error of the file system with its place and a way out. Others as they are. */
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
