/** Copies of a fund database that a build reads in its place. */

import Database from 'better-sqlite3'
import { createStatement } from '../model/new-database.ts'
import { lackedTables } from './open.ts'

/**
 * Copies what the transaction sees: other connections can read the copy without seeing what is committed meanwhile. Tables
 * that a database of an earlier version lacks are there, empty.
 */
export async function copyDatabase(file: string, db: Database.Database): Promise<void> {
  await db.backup(file, { progress: () => 1 << 14 })
  changeCopy(file, (copy) => {
    for (const table of lackedTables(copy)) copy.exec(createStatement(table))
  })
}

/** @param change is made as a whole, or not at all */
export function changeCopy(file: string, change: (copy: Database.Database) => void): void {
  const copy = new Database(file, { fileMustExist: true })
  try {
    // The copy of a database in WAL mode is in this mode, too: readers would write beside it.
    copy.pragma('journal_mode = DELETE')
    copy.pragma('synchronous = OFF')
    copy.transaction(change)(copy)
  } finally {
    copy.close()
  }
}
