/**
 * The mark of a complete load, a row that says which day was loaded. Triggers note in it the first change of any table of the
 * schema, whichever program makes it, in every journal mode; and how the tables were made, which shows one that was made anew.
 * `templates/schema.sql` has the table and its triggers. To look at the mark costs nothing; a digest of all rows would take
 * as long as a build.
 */

import type { Database } from 'better-sqlite3'
import { isDay } from '../../api/routes/values.ts'
import { schemaSql } from '../model/new-database.ts'
import { printable } from '../model/printable.ts'
import { schemaTableNames } from '../model/schema.ts'
import type { LoadMark } from '../../guards/load-day.ts'
import { endLoad, readLoad } from './load.ts'
import { tablesIn } from './open.ts'

const table = 'complete_load'
const changes = ['insert', 'update', 'delete'] as const

/** As the trigger `load_schema` does. */
const tableTexts = `SELECT group_concat(sql, char(10)) FROM (
  SELECT sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name)`

/**
 * Also ends the load, and makes the table and the triggers that the database lacks. To be called in a transaction, after all changes.
 * @param day of the loaded prices; undefined: the newest day of table `price` @param now ISO 8601
 * @returns the day @throws {Error} if no day is given, and table `price` has none
 */
export function markComplete(db: Database, day: string | undefined, now: string): string {
  const loaded = day ?? newestPriceDay(db)
  makeTable(db)
  const tables = readLoad(db)?.tables ?? null
  db.prepare(`INSERT INTO main.${table} (day, tables, marked_at) VALUES (?, ?, ?)`).run(loaded, tables, now)
  endLoad(db)
  return loaded
}

/**
 * Makes changes that follow from the data alone, in a transaction: a load that was complete before still is. Of a table that was made
 * anew the mark says so as before.
 */
export function withSameMark<T>(db: Database, change: () => T): T {
  const isWhole = readMark(db)?.isWhole === true
  const changed = change()
  if (isWhole) db.exec(`UPDATE main.${table} SET changed = 0, schema = (${tableTexts})`)
  return changed
}

/** The last complete load; null if none was ever marked. */
export function readMark(db: Database): LoadMark | null {
  if (!tablesIn(db).includes(table)) return null
  const row = db
    .prepare<[], Readonly<{ day: string; tables: string | null; markedAt: string; isWhole: 0 | 1 }>>(
      `SELECT CAST(day AS TEXT) AS day, CAST(tables AS TEXT) AS tables, CAST(marked_at AS TEXT) AS markedAt, changed = 0 AND schema IS (${tableTexts}) AS isWhole FROM main.${table}`,
    )
    .get()
  if (row === undefined) return null
  const { day, tables, markedAt, isWhole } = row
  return {
    // Any program may have written them, into a table of its own making.
    day: printable(day),
    tables: tables === null ? null : printable(tables),
    markedAt: printable(markedAt),
    isWhole: isWhole === 1 && hasTriggers(db),
  }
}

function newestPriceDay(db: Database): string {
  const day = db
    .prepare<[], string | null>(
      'SELECT max((SELECT max(date) FROM price WHERE price.isin = fund.isin)) FROM fund',
    )
    .pluck()
    .get()
  const advice = 'say which day was loaded: import --complete 2026-11-24'
  if (day === undefined || day === null) throw new Error(`${db.name}: table price is empty: ${advice}`)
  if (!isDay(day)) throw new Error(`${db.name}: the newest day of table price, ${day}, is none: ${advice}`)
  return day
}

/** A table that was made anew has lost its triggers. */
function makeTable(db: Database): void {
  const own = schemaSql()
  const made = db
    .prepare<[], string>("SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'trigger')")
    .pluck()
    .all()
  const statements = own.matchAll(
    /^CREATE (?:TABLE (complete_load) [^]*?STRICT;|TRIGGER (load_\w+) [^]*?END;)$/gm,
  )
  for (const [statement, name = '', trigger = name] of statements)
    if (!made.includes(trigger)) db.exec(statement)
}

function hasTriggers(db: Database): boolean {
  const there = db
    .prepare<[], string>(
      "SELECT name || ' ' || lower(tbl_name) FROM main.sqlite_schema WHERE type = 'trigger'",
    )
    .pluck()
    .all()
  return schemaTableNames.every((name) =>
    changes.every((change) => there.includes(`load_${name}_${change} ${name}`)),
  )
}
