/**
 * The mark of a complete load: a row in a table of its own. Triggers delete it with the first change of any table of the
 * schema, whichever program makes it, in every journal mode; the version of the schema shows what has no trigger, such as
 * a table that was made anew. To look at the mark costs nothing; a digest of all rows would take as long as a build.
 */

import type { Database } from 'better-sqlite3'
import { schemaTableNames } from '../model/schema.ts'
import { openFunds, tablesIn } from './open.ts'
import { endLoad } from './load.ts'

const table = 'fundpress_complete'

/** Also ends the load. To be called in a transaction, after all changes. @param now ISO 8601 */
export function markComplete(db: Database, now: string): void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS main.${table} (at TEXT NOT NULL, schema_version INTEGER NOT NULL) STRICT`,
  )
  for (const name of schemaTableNames)
    for (const change of ['insert', 'update', 'delete'])
      db.exec(`CREATE TRIGGER IF NOT EXISTS main.${table}_${name}_${change} AFTER ${change} ON ${name}
        BEGIN DELETE FROM ${table}; END`)
  db.exec(`DELETE FROM main.${table}`)
  db.prepare(`INSERT INTO main.${table} SELECT ?, schema_version FROM pragma_schema_version`).run(now)
  endLoad(db)
}

/** Removes the mark of a copy: SQLite gives a copy another version of the schema, which may be that of an older mark. */
export function unmark(copy: Database): void {
  if (tablesIn(copy).includes(table)) copy.exec(`DELETE FROM main.${table}`)
}

/** Makes the mark of a copy, if it has one, hold with this version of the schema. */
export function moveMark(copy: Database, schemaVersion: number): void {
  if (tablesIn(copy).includes(table))
    copy.prepare(`UPDATE main.${table} SET schema_version = ?`).run(schemaVersion)
}

/** When the last load was marked as complete, or null if the database has changed since then, or has no mark. */
export function completedAt(file: string): string | null {
  const db = openFunds(file)
  try {
    return completionOf(db)
  } finally {
    db.close()
  }
}

/** The same in a connection. */
export function completionOf(db: Database): string | null {
  if (!tablesIn(db).includes(table)) return null
  const found = db
    .prepare<[], string>(
      `SELECT at FROM main.${table} WHERE schema_version = (SELECT schema_version FROM pragma_schema_version)`,
    )
    .pluck()
    .get()
  return found ?? null
}
