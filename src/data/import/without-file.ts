/** What `import` does without a file: it takes the last import back, or marks the load as complete. */

import { accessSync, constants, copyFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { flushFile, flushFolder } from '../../system/durable.ts'
import { removeLeftovers, temporaryName } from '../model/new-database.ts'
import { databaseError } from '../read/open.ts'
import { copiesOf, giveTo } from './backup.ts'
import { markComplete, unmark } from './complete.ts'
import { openForWriting, whenFree, type Waiting } from './database.ts'

/**
 * Puts the newest copy in the place of the database, without its mark of a complete load: one rename of a complete file.
 * @returns the copy, which is gone then, and the time that the database is of
 * @throws {Error} if there is none, or if others have the database open, as far as SQLite can tell: it stays as it is
 */
export async function undoImport(db: string, folder: string | undefined, waiting: Waiting) {
  const held = openForWriting(db)
  const { path, home, list, timeOf } = copiesOf(db, folder)
  const isBeside = home === dirname(path)
  const temporary = join(dirname(path), temporaryName(path, process.pid))
  try {
    const name = list().at(-1)
    if (name === undefined) throw new Error(`${home} has no copy of ${db}: there is no import to undo`)
    const copy = join(home, name)
    // The copy must go at the end: if it stayed, the next undo would take it again.
    accessSync(home, constants.W_OK)
    const opened = openForWriting(copy)
    try {
      unmark(opened)
    } finally {
      // Closing it also moves a log beside it, which somebody who looked at it has left, into the file.
      opened.close()
    }
    if (!isBeside) {
      removeLeftovers(path)
      copyFileSync(copy, temporary)
      giveTo(temporary, statSync(copy))
      flushFile(temporary)
    }
    await whenFree(held, waiting, () => {
      // Leaving WAL mode needs all others gone, and leaves no log that would be taken for that of the restored file.
      held.pragma('journal_mode = DELETE')
      held.exec('BEGIN EXCLUSIVE')
    })
    renameSync(isBeside ? copy : temporary, path)
    flushFolder(dirname(path))
    if (!isBeside) rmSync(copy)
    return { copy, time: timeOf(name) }
  } catch (error) {
    if (!isBeside) rmSync(temporary, { force: true })
    throw databaseError(db, error)
  } finally {
    held.close()
  }
}

/** Marks the load as complete, without an import. @throws {Error} if others keep the database busy */
export async function completeLoad(db: string, now: Date, waiting: Waiting): Promise<void> {
  const opened = openForWriting(db)
  try {
    await whenFree(opened, waiting, () => opened.exec('BEGIN IMMEDIATE'))
    markComplete(opened, now.toISOString())
    opened.exec('COMMIT')
  } catch (error) {
    throw databaseError(db, error)
  } finally {
    opened.close()
  }
}
