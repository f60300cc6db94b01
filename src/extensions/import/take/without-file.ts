/** What `import` does without a file: it takes the last load back, or marks the load as complete. */

import { existsSync, realpathSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from 'better-sqlite3'
import { flushFile, flushFolder } from '../../../core/system/durable.ts'
import { databaseError } from '../../../core/data/read/open.ts'
import { copyOf, copyPages } from './backup.ts'
import { markComplete } from '../../../core/data/read/complete.ts'
import { openForWriting, whenFree, type Waiting } from './database.ts'
import { readLoad } from '../../../core/data/read/load.ts'

/**
 * Puts the copy of the database as it was before the last load into its place, with the mark of completeness that it had:
 * one transaction, so that programs that have the database open see one state or the other. The copy is gone then.
 * @returns the time that the database is of, ISO 8601
 * @throws {Error} if there is no copy, or if others keep the database busy: it stays as it is
 */
export async function undoLoad(db: string, waiting: Waiting): Promise<string> {
  const held = openForWriting(db)
  try {
    const path = realpathSync(db)
    let copiedAt = ''
    await whenFree(held, waiting, async () => {
      held.exec('BEGIN EXCLUSIVE')
      copiedAt = findCopy(held)
      held.exec('ROLLBACK')
      await putBack(copyOf(db, copiedAt), held, waiting.signal)
    })
    held.close()
    // Others that have the database open keep its log, which SQLite does not flush.
    if (existsSync(`${path}-wal`)) flushFile(`${path}-wal`)
    flushFolder(dirname(path))
    rmSync(copyOf(db, copiedAt))
    return copiedAt
  } catch (error) {
    throw databaseError(db, error)
  } finally {
    held.close()
  }
}

/** @returns the time of the copy @throws {Error} if there is none */
function findCopy(db: Database): string {
  const load = readLoad(db)
  const nothing = `${db.name}: there is nothing to put back`
  if (load === undefined) throw new Error(`${nothing}: no load has changed it since it was made or put back`)
  if (load.copiedAt === null) throw new Error(`${nothing}: its last load began with --no-backup`)
  const copy = copyOf(db.name, load.copiedAt)
  if (!existsSync(copy)) throw new Error(`${nothing}: ${copy} is gone`)
  return load.copiedAt
}

async function putBack(copy: string, into: Database, signal: AbortSignal): Promise<void> {
  const from = openForWriting(copy)
  try {
    // Pages of a copy in WAL mode would say that the database is in this mode, too.
    from.pragma('journal_mode = DELETE')
    await copyPages(from, into.name, signal)
  } finally {
    from.close()
  }
}

/**
 * Marks the load as complete, without an import.
 * @param day undefined: the newest one of table `price` @returns the day
 * @throws {Error} if others keep the database busy, or if there is no day
 */
export async function completeLoad(
  db: string,
  day: string | undefined,
  now: Date,
  waiting: Waiting,
): Promise<string> {
  const opened = openForWriting(db)
  try {
    await whenFree(opened, waiting, () => opened.exec('BEGIN IMMEDIATE'))
    const loaded = markComplete(opened, day, now.toISOString())
    opened.exec('COMMIT')
    return loaded
  } catch (error) {
    throw databaseError(db, error)
  } finally {
    opened.close()
  }
}
