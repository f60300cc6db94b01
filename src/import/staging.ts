/** The good lines of a file, in a table like the one that they are meant for: on disk, unnamed, gone with the process. */

import Database from 'better-sqlite3'
import type { Value } from './convert.ts'
import type { Table } from './tables.ts'

export interface Staging {
  /** @returns why the schema does not take the line, or undefined */
  readonly add: (values: readonly Value[], line: number) => string | undefined
  /** To be called when the last line is there. @returns the ISINs, ascending */
  readonly end: () => readonly string[]
}

/** The staged lines as other statements name them. */
export const stagedLines = 'staging.line'

/** Of the file cache of the lines; the rest goes to disk. */
const cacheKibibytes = 65_536

/**
 * @param columns in the order in which the values come; the table's others take their defaults
 * @throws {SqliteError} from its functions where the folder for temporary files is full
 */
export function openStaging(db: Database.Database, table: Table, columns: readonly string[]): Staging {
  // Nothing outside of this table is checked until the lines are taken.
  db.pragma('foreign_keys = OFF')
  db.exec("ATTACH '' AS staging")
  db.pragma(`staging.cache_size = -${cacheKibibytes}`)
  db.pragma('staging.synchronous = OFF')
  db.exec(table.sql.replace(/^CREATE TABLE \S+/, `CREATE TABLE ${stagedLines}`))
  db.exec('ALTER TABLE staging.line ADD COLUMN line_number INTEGER')
  const insert = db.prepare(
    `INSERT INTO ${stagedLines} (${columns.join(', ')}, line_number) VALUES (${columns.map(() => '?').join(', ')}, ?)`,
  )
  const key = table.columns.filter(({ isKey }) => isKey).map(({ name }) => name)
  const sameKey = db
    .prepare<Value[], number>(
      `SELECT line_number FROM ${stagedLines} WHERE ${key.map((name) => `${name} = ?`).join(' AND ')}`,
    )
    .pluck()
  const keyPlaces = key.map((name) => columns.indexOf(name))
  // One transaction that never touches the database itself, and so never locks it.
  db.exec('BEGIN')
  return {
    add: (values, line) => {
      try {
        insert.run(...values, line)
        return undefined
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error
        if (error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
          const first = sameKey.get(...keyPlaces.map((place) => values[place] ?? null))
          return `the same ${key.join(', ')} as in line ${first ?? 0}`
        }
        if (!error.code.startsWith('SQLITE_CONSTRAINT')) throw error
        // `CHECK constraint failed: srri BETWEEN 1 AND 7`
        return `against the schema: ${error.message.replace(/^CHECK constraint failed: /, '')}`
      }
    },
    end: () => {
      db.exec('COMMIT')
      db.pragma('foreign_keys = ON')
      return db.prepare<[], string>(distinctIsins(stagedLines)).pluck().all()
    },
  }
}

/** Jumps from ISIN to ISIN in the primary key instead of reading every row. */
export const distinctIsins = (table: string) => `
  WITH RECURSIVE held(isin) AS (
    SELECT (SELECT isin FROM ${table} ORDER BY isin LIMIT 1)
    UNION ALL
    SELECT (SELECT isin FROM ${table} WHERE isin > held.isin ORDER BY isin LIMIT 1) FROM held WHERE held.isin IS NOT NULL
  )
  SELECT isin FROM held WHERE isin IS NOT NULL`
