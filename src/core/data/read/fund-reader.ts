/** Reading funds: all rows of one fund at a time, so that memory does not grow with the number of funds. */

import type { Database, Statement } from 'better-sqlite3'
import type { Merger } from '../../api/contract/page.ts'
import type { FundRow, FundRows, Group, PriceRow } from '../../api/contract/rows.ts'
import { isDay } from '../../api/routes/values.ts'
import type { PricedFund } from '../../guards/assess.ts'
import type { LifeFacts } from '../../guards/life.ts'
import { addYears } from '../../system/days.ts'
import type { SchemaTable } from '../model/columns.ts'
import { groupNames, schemaTables } from '../model/schema.ts'

export type Fund = { readonly fund: FundRow } & FundRows

export type FundReader = ReturnType<typeof fundReader>

export function readIsins(db: Database): string[] {
  return db.prepare<[], string>('SELECT isin FROM fund ORDER BY isin').pluck().all()
}

/** Funds that are gone because they merged in the year up to a day, by ISIN: after that, a merger is history. @param until ISO 8601 */
export const mergedFunds = (db: Database, until: string): readonly Merger[] =>
  db
    .prepare<[string, string], Merger>(
      `SELECT isin, ex_date AS exDate, successor_isin AS successorIsin FROM corporate_action
        WHERE kind = 'merger' AND ex_date > ? AND ex_date <= ? AND isin NOT IN (SELECT isin FROM fund) ORDER BY isin`,
    )
    .all(addYears(until, -1), until)

/** Funds into which others merge, on whatever day, by ISIN. */
export const successorFunds = (db: Database): readonly string[] =>
  db
    .prepare<[], string>(
      `SELECT DISTINCT successor_isin FROM corporate_action
        WHERE kind = 'merger' AND successor_isin IN (SELECT isin FROM fund) ORDER BY 1`,
    )
    .pluck()
    .all()

/**
 * The rows of each table, and those in which a column that may be empty is not (`profile.benchmark`), by name; without columns
 * whose values come and go.
 */
export function countTables(db: Database) {
  const counts = { rows: {} as Record<string, number>, values: {} as Record<string, number> }
  for (const { name: table, columns } of Object.values(schemaTables)) {
    const names = columns
      .filter(({ isNullable, isPassing }) => isNullable && isPassing !== true)
      .map(({ name }) => name)
    const query = ['*', ...names].map((name) => `count(${name})`).join(', ')
    const [rows = 0, ...values] = db.prepare<[], number[]>(`SELECT ${query} FROM ${table}`).raw().get() ?? []
    counts.rows[table] = rows
    for (const [index, name] of names.entries()) counts.values[`${table}.${name}`] = values[index] ?? 0
  }
  return counts
}

/** SQL of the ISINs that a table has: it jumps from one to the next in the primary key instead of reading every row. */
export const distinctIsins = (table: string) => `
  WITH RECURSIVE held(isin) AS (
    SELECT (SELECT isin FROM ${table} ORDER BY isin LIMIT 1)
    UNION ALL
    SELECT (SELECT isin FROM ${table} WHERE isin > held.isin ORDER BY isin LIMIT 1) FROM held WHERE held.isin IS NOT NULL
  )
  SELECT isin FROM held WHERE isin IS NOT NULL`

/** @throws {SqliteError} if a table or a column of the schema is missing */
export function fundReader(db: Database) {
  const fund = db.prepare<[string], FundRow>(rowsQuery(schemaTables.fund))
  const statements = Object.fromEntries(
    groupNames.map((group) => [group, db.prepare<[string]>(rowsQuery(schemaTables[group]))]),
  ) as Record<Group, Statement<[string]>>
  const between = db.prepare<[string, string, string], PriceRow>(
    rowsQuery(schemaTables.prices, 'AND date >= ? AND date <= ?'),
  )
  const newest = db.prepare<[string], PriceRow>(`${rowsQuery(schemaTables.prices)} DESC LIMIT 1`)
  /** A group's rows of a fund, in the order of its primary key. The model holds their types and the columns together. */
  const rows = <G extends Group>(group: G, isin: string) =>
    statements[group].all(isin) as unknown as FundRows[G]
  return {
    read: (isin: string): Fund | undefined => {
      const row = fund.get(isin)
      if (row === undefined) return undefined
      const read = groupNames.map((group) => [group, rows(group, isin)])
      return { fund: row, ...(Object.fromEntries(read) as FundRows) }
    },
    fund: (isin: string) => fund.get(isin),
    rows,
    /** Between two days, both included, ascending. */
    prices: (isin: string, first: string, last: string): readonly PriceRow[] =>
      between.all(isin, first, last),
    newestPrice: (isin: string) => newest.get(isin),
  }
}

/** The columns that a row of a table has: the ISIN is known, unless the row is the fund's own. */
export const rowColumns = ({ name, columns }: SchemaTable) =>
  columns.filter((column) => column.name !== 'isin' || name === 'fund')

/** One fund's rows of a table, in the order of its primary key. @param where more conditions */
function rowsQuery(table: SchemaTable, where = ''): string {
  const columns = rowColumns(table).map(({ name, field }) => (name === field ? name : `${name} AS ${field}`))
  const order = table.key.slice(1).join(', ')
  return `SELECT ${columns.join(', ')} FROM ${table.name} WHERE isin = ? ${where}${order === '' ? '' : ` ORDER BY ${order}`}`
}

const lifeColumns = `end_date AS endDate, end_reason AS endReason, suspended_from AS suspendedFrom, suspended_to AS suspendedTo,
        merger.ex_date AS mergerDate, merger.successor_isin AS successorIsin`
/** The checks refuse a second merger. */
const withMerger = `LEFT JOIN corporate_action AS merger ON merger.isin = fund.isin AND merger.kind = 'merger'`

/** @returns reads what the database says of the life of a fund that is there */
export const lifeReader = (db: Database) => {
  const life = db.prepare<[string], LifeFacts>(
    `SELECT ${lifeColumns} FROM fund ${withMerger} WHERE fund.isin = ?`,
  )
  return (isin: string): LifeFacts | undefined => legible(life.get(isin))
}

/** Dates that are no days are left out: they can be read before the checks have refused them. */
const legible = <L extends LifeFacts>(life: L | undefined): L | undefined =>
  life && {
    ...life,
    endDate: dayOrNull(life.endDate),
    suspendedFrom: dayOrNull(life.suspendedFrom),
    suspendedTo: dayOrNull(life.suspendedTo),
    mergerDate: dayOrNull(life.mergerDate),
  }

const dayOrNull = (text: string | null) => (text !== null && isDay(text) ? text : null)

/**
 * Leaves out dates that are no days.
 * @param isins of funds that are there @param count how many days of each at most
 */
export function readPriceDays(db: Database, isins: readonly string[], count: number): PricedFund[] {
  const fund = db.prepare<[string], Omit<PricedFund, 'priceDays'>>(
    `SELECT fund.isin, name, fund_inception_date AS inceptionDate, fund.currency, data_permitted AS dataPermitted, prices_permitted AS pricesPermitted,
        category_de AS categoryDe, category_en AS categoryEn, ${lifeColumns}
      FROM fund LEFT JOIN profile ON profile.isin = fund.isin ${withMerger} WHERE fund.isin = ?`,
  )
  const days = db
    .prepare<[string, number], string>('SELECT date FROM price WHERE isin = ? ORDER BY date DESC LIMIT ?')
    .pluck()
  return isins.flatMap((isin) => {
    const row = legible(fund.get(isin))
    return row === undefined ? [] : [{ ...row, priceDays: days.all(isin, count).filter(isDay) }]
  })
}
