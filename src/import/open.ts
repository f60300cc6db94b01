/** Opening the fund database for writing, with errors that say which file and what to do. */

import Database from 'better-sqlite3'
import { checkSchema } from '../source/check-schema.ts'
import { openFunds, readable } from '../source/open.ts'

/** Pages that wait for the commit: what a night changes fits in here. */
const cacheKibibytes = 65_536

/** @throws {Error} if the file is missing, is not a database, or has another schema */
export function openForWriting(file: string): Database.Database {
  mustBeReadable(file)
  const db = new Database(file, { fileMustExist: true })
  try {
    const [wrong] = checkSchema(db)
    if (wrong !== undefined) {
      throw new Error(`${file} does not have the schema: ${wrong.table}: ${wrong.message}`)
    }
    // Nothing that was reported as taken is lost in a power cut, in WAL mode and when a journal has just been removed.
    db.pragma('synchronous = EXTRA')
    db.pragma(`cache_size = -${cacheKibibytes}`)
    return db
  } catch (error) {
    db.close()
    throw readable(file, error)
  }
}

function mustBeReadable(file: string): void {
  try {
    openFunds(file).close()
  } catch (error) {
    if (!wasInterrupted(error)) throw error
    // What an interrupted writer has left is taken back by whoever opens the database for writing next.
    const db = new Database(file, { fileMustExist: true })
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get()
    } finally {
      db.close()
    }
    openFunds(file).close()
  }
}

const wasInterrupted = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Database.SqliteError &&
  error.cause.code === 'SQLITE_READONLY_ROLLBACK'
