/**
 * A load: all imports from one mark of completeness to the next. A row in a table of its own says whether a load is under
 * way, which copy was made before it, and which tables it has changed. Nothing but imports writes it, so no other change of
 * the database ends a load.
 */

import type { Database } from 'better-sqlite3'
import { tablesIn } from './open.ts'

const table = 'fundpress_load'

interface Load {
  readonly isOpen: 0 | 1
  /** When the copy of the database as it was before was made, ISO 8601; null if the load began without one. */
  readonly copiedAt: string | null
  /** In the order of their imports: `fund, price`. */
  readonly tables: string
}

/** @returns the last load; undefined if nothing was imported since the database was made or put back */
export function readLoad(db: Database): Load | undefined {
  if (!tablesIn(db).includes(table)) return undefined
  return db
    .prepare<[], Load>(`SELECT is_open AS isOpen, copied_at AS copiedAt, tables FROM main.${table}`)
    .get()
}

/** To be called in a transaction, before the mark of completeness: the table may be new. */
export function beginLoad(db: Database, copiedAt: string | null): void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS main.${table} (is_open INTEGER NOT NULL, copied_at TEXT, tables TEXT NOT NULL) STRICT`,
  )
  db.exec(`DELETE FROM main.${table}`)
  db.prepare(`INSERT INTO main.${table} VALUES (1, ?, '')`).run(copiedAt)
}

/** Notes that the load has changed a table. */
export function addToLoad(db: Database, name: string): void {
  const names = readLoad(db)?.tables.split(', ').filter(Boolean) ?? []
  const all = [...new Set([...names, name])].join(', ')
  db.prepare(`UPDATE main.${table} SET tables = ?`).run(all)
}

/** The next import begins another load. The copy of this one stays. */
export function endLoad(db: Database): void {
  if (tablesIn(db).includes(table)) db.exec(`UPDATE main.${table} SET is_open = 0, tables = ''`)
}

/** For a copy: the copy of the load before is gone by the time that this one is put back. */
export function forgetLoad(copy: Database): void {
  if (tablesIn(copy).includes(table)) copy.exec(`DELETE FROM main.${table}`)
}
