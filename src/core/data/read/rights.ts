/** Why SQLite cannot open a database: which right this user lacks, of the file or of its folder. */

import { accessSync, constants, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { systemCode } from '../../system/message.ts'
import { readStart } from '../../system/read-start.ts'

/** @returns the rest of a sentence about the file: what this user may not do, who owns it, and what to do */
export function describeRights(file: string): string {
  const folder = dirname(resolve(file))
  const lacking = lackOf(file, constants.R_OK)
  if (lacking !== null) return `${lacking} read it${ownerOf(file)}: give this user the right to`
  const isWal = isInWalMode(file)
  const closed = lackOf(folder, constants.W_OK)
  if (isWal && closed !== null)
    return (
      `it is in WAL mode, in which also readers write to its folder, and ${closed} write there${ownerOf(folder)}: ` +
      'make the folder writable, or leave that mode (PRAGMA journal_mode = delete)'
    )
  const fixed = lackOf(file, constants.W_OK)
  if (fixed !== null)
    return `${fixed} write to it${ownerOf(file)}: run this as its owner, or give it to this user`
  if (closed !== null)
    return (
      `${closed} write to its folder${ownerOf(folder)}, where SQLite keeps a file beside it while it writes: ` +
      'run this as the owner, or give the folder to this user'
    )
  return 'it cannot be opened, though its rights and those of its folder allow it'
}

/** @returns `user 999 may not`, or null if this user may */
function lackOf(path: string, wanted: number): string | null {
  try {
    accessSync(path, wanted)
    return null
  } catch (error) {
    return systemCode(error) === 'EROFS'
      ? 'nobody on this read-only file system can'
      : `${thisUser()} may not`
  }
}

function thisUser(): string {
  const id = process.geteuid?.()
  return id === undefined ? 'this user' : `user ${id}`
}

function ownerOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || process.geteuid === undefined) return ''
  return ` (owner ${found.uid}, mode ${(found.mode & 0o7777).toString(8)})`
}

/** Source: "Database File Format" of SQLite, bytes 18 and 19. */
function isInWalMode(file: string): boolean {
  const [write, read] = readStart(file, 20).subarray(18)
  return write === 2 || read === 2
}
