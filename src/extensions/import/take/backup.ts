/** The copy of a database as it was before a load: beside it, for its owner alone. At most one is there. */

import { chownSync, readdirSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { flushFile, flushFolder } from '../../../core/system/durable.ts'
import { messageOf } from '../../../core/system/message.ts'
import { makePrivateFile } from '../../../core/system/private.ts'
import { removeLeftovers, temporaryName } from '../../../core/data/model/new-database.ts'
import { changeCopy } from '../../../core/data/read/copy.ts'
import { databaseError, isBusy } from '../../../core/data/read/open.ts'
import { forgetLoad } from '../../../core/data/read/load.ts'

/** 8 MB: large enough to be fast, small enough to hear a signal soon. */
const pagesAtOnce = 2000

/** `funds.sqlite.2026-11-22T20-05-33.123Z.backup` @param copiedAt ISO 8601; it may come from a damaged database */
export function copyOf(db: string, copiedAt: string): string {
  const time = new Date(copiedAt).toISOString().replaceAll(':', '-')
  return `${realpathSync(db)}.${time}.backup`
}

/**
 * Copies all pages into a file in one transaction of its own. Programs that have the file open see the old or the new pages.
 * @throws {SqliteError} SQLITE_BUSY if another program is in the way: nothing was copied
 */
export async function copyPages(from: Database.Database, file: string, signal: AbortSignal): Promise<void> {
  const progress = () => {
    signal.throwIfAborted()
    return pagesAtOnce
  }
  const { totalPages } = await from.backup(file, { progress })
  // better-sqlite3 takes a locked database for one without pages.
  if (totalPages === 0) throw new Database.SqliteError('database is locked', 'SQLITE_BUSY')
}

export type Backup = Awaited<ReturnType<typeof makeBackup>>

/**
 * A copy of a database, flushed to the disk, under a temporary name: `keep` names it, `discard` removes it.
 * @param db not in a transaction
 * @throws {SqliteError} SQLITE_BUSY if another program is in the way
 * @throws {Error} if it cannot be written; nothing is left behind
 */
export async function makeBackup(db: Database.Database, now: Date, signal: AbortSignal) {
  const path = realpathSync(db.name)
  const copiedAt = now.toISOString()
  const copy = copyOf(path, copiedAt)
  const temporary = join(dirname(path), temporaryName(path, process.pid))
  let file = temporary
  const discard = () => {
    for (const each of [file, `${file}-journal`]) rmSync(each, { force: true })
  }
  try {
    removeLeftovers(path)
    makePrivateFile(temporary)
    await copyPages(db, temporary, signal)
    changeCopy(temporary, forgetLoad)
    const { uid, gid } = statSync(path)
    if (process.getuid?.() === 0) chownSync(temporary, uid, gid)
    flushFile(temporary)
  } catch (error) {
    discard()
    if (signal.aborted || isBusy(error)) throw error
    const reason = databaseError(temporary, error)
    const advice = 'make room beside it, or do without a copy (--no-backup)'
    throw new Error(`no copy of ${db.name} could be made, ${advice}: ${messageOf(reason)}`, { cause: reason })
  }
  let isKept = false
  return {
    /** Names the copy, before the import commits. @returns the time in its name, ISO 8601 */
    keep: (): string => {
      renameSync(temporary, copy)
      file = copy
      flushFolder(dirname(copy))
      return copiedAt
    },
    /** To be called after the commit: the copy stays. */
    release: () => {
      isKept = true
    },
    /** Removes the copy, unless it was released. */
    discard: () => {
      if (!isKept) discard()
    },
  }
}

/** Removes the copies of loads before, after the import has committed. @param kept null: no copy is of use any more */
export function removeOtherCopies(db: string, kept: string | null): void {
  const path = realpathSync(db)
  const start = `${basename(path)}.`
  const form = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.backup$/
  for (const name of readdirSync(dirname(path))) {
    const file = join(dirname(path), name)
    if (name.startsWith(start) && form.test(name.slice(start.length)) && file !== kept)
      rmSync(file, { force: true })
  }
}
