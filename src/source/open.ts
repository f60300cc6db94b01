/** Opening the fund database: read-only, with errors that say which file and what to do. */

import { existsSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { SCHEMA_VERSION } from './schema.ts'

/**
 * Opens a database of the project's schema, read-only.
 * @throws {Error} if the file is missing, is not a SQLite database, or has a schema of another version
 */
export function openFunds(file: string): Database.Database {
  if (!existsSync(file)) {
    throw new Error(`${file} does not exist: make a database with \`fundpress init\` or \`fundpress demo\``)
  }
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`)
  let db: Database.Database | undefined
  try {
    db = new Database(file, { readonly: true, fileMustExist: true })
    const version: unknown = db.pragma('user_version', { simple: true })
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
    if (version !== SCHEMA_VERSION) {
      const found = tables.length === 0 ? 'has no tables' : `has schema version ${String(version)}`
      throw new Error(`${file} ${found}, this fundpress reads version ${SCHEMA_VERSION}`)
    }
    return db
  } catch (error) {
    db?.close()
    throw readable(file, error)
  }
}

/** What SQLite says of a file, with the file and a way out. Other errors are handed back as they are. */
export function readable(file: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  const advice =
    error.code === 'SQLITE_NOTADB'
      ? 'it is not a SQLite database'
      : error.code.startsWith('SQLITE_CORRUPT')
        ? 'it is damaged: restore it from a copy'
        : error.code.startsWith('SQLITE_BUSY')
          ? 'another program is writing to it: try again when it is done'
          : error.code.startsWith('SQLITE_CANTOPEN') || error.code.startsWith('SQLITE_READONLY')
            ? 'it cannot be opened: check its rights (a database in WAL mode needs its folder to be writable)'
            : 'reading it failed'
  return new Error(`${file}: ${advice} (${error.message})`, { cause: error })
}
