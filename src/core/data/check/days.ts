/** Days and years of all tables, compared with the as-of date and with the inception of the fund, as their columns declare. */

import type { Database } from 'better-sqlite3'
import { firstDay, lastDay } from '../model/limits.ts'
import type { SchemaTable, TableColumn } from '../model/columns.ts'
import { schemaTables } from '../model/schema.ts'
import { rowPlace, type Finding } from './finding.ts'

/**
 * @param asOf ISO 8601
 * @returns one finding for each fund, column and fault. `checkFund` compares the days of prices: a build cannot read a fund whose
 * prices lie ahead.
 */
export function checkDays(db: Database, asOf: string): Finding[] {
  const tables = Object.values(schemaTables).filter((table) => table !== schemaTables.prices)
  return tables.flatMap((table) =>
    table.columns.flatMap((column) => [
      ...daysAhead(db, table, column, asOf),
      ...daysBeforeInception(db, table, column),
    ]),
  )
}

function daysAhead(db: Database, table: SchemaTable, column: TableColumn, asOf: string): Finding[] {
  const { name, afterAsOf: severity } = column
  if (severity === undefined) return []
  // The checks of values name what lies beyond all measure.
  const where = `own.${name} > ? AND own.${name} <= ? AND ${isRight(column)}`
  const limits = [asOf, lastDay(asOf)].map((day) => boundOf(column, day))
  return findRows(db, table, column, where, limits).map((row) =>
    findingOf(severity, table, column, row, `lies after the as-of date`, asOf),
  )
}

function daysBeforeInception(db: Database, table: SchemaTable, column: TableColumn): Finding[] {
  const { name, isSinceInception } = column
  if (isSinceInception === undefined) return []
  const inception =
    column.kind === 'year' ? `CAST(${yearOf('fund.fund_inception_date')} AS INTEGER)` : inceptionDate
  const where = `own.${name} >= ? AND own.${name} < ${inception} AND ${isRight(column)} AND ${isDay(inceptionDate)}`
  return findRows(db, table, column, where, [boundOf(column, firstDay)]).map((row) =>
    findingOf('warning', table, column, row, 'lies before the inception of the fund', row.inception),
  )
}

const inceptionDate = 'fund.fund_inception_date'
const yearOf = (day: string) => `substr(${day}, 1, 4)`
/** SQLite makes a day of February 30 another one. */
const isDay = (sql: string) => `date(${sql}) = ${sql}`
const isRight = ({ name, kind }: TableColumn) => (kind === 'year' ? 'true' : isDay(`own.${name}`))
const boundOf = ({ kind }: TableColumn, day: string) => (kind === 'year' ? Number(day.slice(0, 4)) : day)

/** The row with the earliest day of each fund, and the number of rows. */
interface Found extends Readonly<Record<string, string | number>> {
  readonly isin: string
  readonly inception: string
  readonly found: number
  readonly day: string | number
}

/** @param where SQL condition for a row `own`. Fund by fund: where the day is in the key, SQLite reads only what is found. */
function findRows(
  db: Database,
  { name: table, key }: SchemaTable,
  { name }: TableColumn,
  where: string,
  values: readonly (string | number)[],
): readonly Found[] {
  const keys = key.slice(1).map((each) => `, own.${each}`)
  return db
    .prepare<(string | number)[], Found>(
      `SELECT own.isin, ${inceptionDate} AS inception, count(*) AS found, min(own.${name}) AS day ${keys.join('')}
        FROM fund CROSS JOIN ${table} AS own ON own.isin = fund.isin WHERE ${where} GROUP BY fund.isin ORDER BY fund.isin`,
    )
    .all(...values)
}

function findingOf(
  severity: Finding['severity'],
  { name: table, key }: SchemaTable,
  { name }: TableColumn,
  row: Found,
  fault: string,
  limit: string,
): Finding {
  const keys = key.slice(1).filter((each) => each !== name)
  const place = rowPlace(
    keys,
    keys.map((each) => row[each]),
  )
  const more = row.found - 1
  const others = more === 0 ? '' : `, as in ${more} more ${more === 1 ? 'row' : 'rows'}`
  const message = `${place}${name} ${row.day} ${fault}, ${limit}${others}`
  return { severity, isin: row.isin, table, message, identity: `${name} ${fault}` }
}
