/** What `import` does without a file: it takes imports back, or marks the load as complete. */

import { accessSync, constants, copyFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { flushFile, flushFolder } from '../../system/durable.ts'
import { removeLeftovers, temporaryName } from '../model/new-database.ts'
import { databaseError } from '../read/open.ts'
import { copiesOf, giveTo, type Backup } from './backup.ts'
import { markComplete, unmark } from './complete.ts'
import { beginWriting, openForWriting, whenFree, type Waiting } from './database.ts'

export interface UndoOptions extends Waiting {
  /** The day whose first import is taken back, with all later ones; undefined: the last import. */
  readonly day: string | undefined
  /** The folder of copies; undefined: beside the database. */
  readonly folder: string | undefined
  /** Whether there is a copy of the database before it goes back to a day. */
  readonly isKept: boolean
  readonly now: Date
}

/**
 * Puts a copy in the place of the database, without its mark of a complete load: one rename of a complete file. The copy of
 * the last import is gone then. To go back to a day is a change like an import: all copies stay, and there is one more.
 * @returns the copy, the time that the database is of, and the copy of the database as it was until now, or null
 * @throws {Error} if there is none, or if others have the database open, as far as SQLite can tell: it stays as it is
 */
export async function undoImport(db: string, options: UndoOptions) {
  const { day, folder, isKept, now } = options
  const held = openForWriting(db)
  const copies = copiesOf(db, folder)
  const { path, home } = copies
  const isMoved = day === undefined && home === dirname(path)
  const temporary = join(dirname(path), temporaryName(path, process.pid))
  let backup: Backup | undefined
  try {
    const name = findCopy(db, copies, day)
    const copy = join(home, name)
    // The copy must go at the end: if it stayed, the next undo would take it again.
    accessSync(home, constants.W_OK)
    const opened = openForWriting(copy)
    try {
      unmark(opened)
    } finally {
      // Closing the copy also moves a log that a reader has left beside it into the file.
      opened.close()
    }
    const backupFolder = day === undefined || !isKept ? null : folder
    backup = await beginWriting(held, { ...options, backup: backupFolder, now }, () => {
      // Leaving WAL mode needs all others gone, and leaves no log that would be taken for that of the restored file.
      held.pragma('journal_mode = DELETE')
      return held.exec('BEGIN EXCLUSIVE')
    })
    const kept = backup?.keep() ?? null
    if (!isMoved) {
      removeLeftovers(path)
      copyFileSync(copy, temporary)
      flushFile(temporary)
    }
    const restored = isMoved ? copy : temporary
    // A copy is its owner's alone. The database stays readable for those who could read it.
    giveTo(restored, statSync(path))
    renameSync(restored, path)
    flushFolder(dirname(path))
    if (!isMoved && day === undefined) rmSync(copy)
    // The next import removes what is too much.
    backup = undefined
    return { copy, time: copies.timeOf(name), kept }
  } catch (error) {
    if (!isMoved) rmSync(temporary, { force: true })
    throw databaseError(db, error)
  } finally {
    backup?.discard()
    held.close()
  }
}

/** @throws {Error} that names the days with copies, if there is none of that day */
function findCopy(db: string, { home, list, dayOf }: ReturnType<typeof copiesOf>, day: string | undefined) {
  const names = list()
  const name = day === undefined ? names.at(-1) : names.find((each) => dayOf(each) === day)
  if (name !== undefined) return name
  if (names.length === 0) throw new Error(`${home} has no copy of ${db}: there is no import to undo`)
  const days = [...new Set(names.map(dayOf))].join(', ')
  throw new Error(`${home} has no copy of ${db} from ${day ?? ''}: there are copies from ${days}`)
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
