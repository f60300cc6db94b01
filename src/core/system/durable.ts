/**
 * Puts files on the disk for good. A file system keeps new files in memory for up to half a minute, but may write renames and
 * removals earlier: without a flush, a power cut can leave a folder of empty files in the place of a whole one.
 */

import { execFile } from 'node:child_process'
import { chmodSync, closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { placeToWrite } from './place.ts'

export class UnflushedError extends Error {}

/**
 * Waits until all writes below a folder are on the disk: files, folders, and the folder's own name. On Linux `sync -f` flushes the
 * whole file system, in a tenth of the time of flushing each file. Without that command, each file is flushed.
 * @throws {UnflushedError} if the disk did not take everything; the signal's reason if it is aborted
 */
export async function flushTree(folder: string, signal: AbortSignal): Promise<void> {
  if (!(await syncFileSystem(folder, signal))) await flushEach(folder, signal)
  signal.throwIfAborted()
}

/** Waits until the names in a folder are on the disk. @param top also flushes the folders above, up to this one */
export function flushFolder(folder: string, top = folder): void {
  // Windows opens no folders; its file systems write names in their order.
  if (process.platform === 'win32') return
  for (let at = folder; at.length >= top.length; at = dirname(at)) {
    flushFile(at)
    if (at === dirname(at)) return
  }
}

/**
 * Replaces a file: readers see the old text or the new one, also after a power cut or on a full disk. A symbolic link stays one.
 * @param mode of the file; undefined: that of the old one
 * @throws {Error} if something else than a file is there
 */
export function replaceFile(file: string, text: string, mode?: number): void {
  const place = placeToWrite(file, 'file')
  const earlier = statSync(place, { throwIfNoEntry: false })
  const temporary = join(dirname(place), `.${basename(place)}.fundpress-${process.pid}.tmp`)
  try {
    rmSync(temporary, { force: true })
    // `wx` follows no link that another user has put there.
    const permissions = mode ?? earlier?.mode
    writeFileSync(temporary, text, { flag: 'wx', mode: permissions ?? 0o666 })
    if (permissions !== undefined) chmodSync(temporary, permissions)
    flushFile(temporary)
    renameSync(temporary, place)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  flushFolder(dirname(place))
}

/** @returns false where the system has no such command */
async function syncFileSystem(folder: string, signal: AbortSignal): Promise<boolean> {
  // Elsewhere `sync` ignores the option, and does not wait for the disk.
  if (process.platform !== 'linux') return false
  try {
    const env = { ...process.env, LC_ALL: 'C' }
    await promisify(execFile)('sync', ['-f', folder], { env, signal })
    return true
  } catch (error) {
    signal.throwIfAborted()
    const { code, stderr = '' } = error as { readonly code?: unknown; readonly stderr?: string }
    // A text is a code of the system: the command cannot be run. Small versions of it lack the option.
    if (typeof code === 'string' || /usage|option/i.test(stderr)) return false
    throw new UnflushedError(`the disk did not take what was written: ${stderr.trim()}`)
  }
}

/** Files at a time: as many as Node's threads can wait for, and some that are opened meanwhile. */
const lanes = 8

async function flushEach(folder: string, signal: AbortSignal): Promise<void> {
  const paths = pathsIn(folder)
  const lane = async () => {
    for (const path of paths) {
      signal.throwIfAborted()
      const file = await open(path, flags)
      try {
        await file.sync()
      } catch (error) {
        pass(error, path)
      } finally {
        await file.close()
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  flushFolder(folder)
  flushFolder(dirname(folder))
}

function* pathsIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) yield path
    if (!entry.isDirectory()) continue
    yield* pathsIn(path)
    if (process.platform !== 'win32') yield path
  }
}

/** Windows flushes only files that are open for writing. */
const flags = process.platform === 'win32' ? 'r+' : 'r'

export function flushFile(path: string): void {
  const file = openSync(path, flags)
  try {
    fsyncSync(file)
  } catch (error) {
    pass(error, path)
  } finally {
    closeSync(file)
  }
}

/** Ignores file systems that cannot flush a folder, such as those of network shares. @throws all other errors */
function pass(error: unknown, path: string): void {
  const { code = '', message } = error as NodeJS.ErrnoException
  if (['EINVAL', 'ENOTSUP', 'EOPNOTSUPP'].includes(code)) return
  throw code === 'EIO' ? new UnflushedError(`the disk did not take ${path}: ${message}`) : error
}
