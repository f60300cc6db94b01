/** Copies of a fund database that a build reads in its place. */

import Database from 'better-sqlite3'

/** Copies what the transaction sees: other connections can read the copy without seeing what is committed meanwhile. */
export async function copyDatabase(file: string, db: Database.Database): Promise<void> {
  await db.backup(file, { progress: () => 1 << 14 })
  changeCopy(file, () => undefined)
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
