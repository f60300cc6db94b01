/** Writes all rows of one fund into the demo database. */

import type Database from 'better-sqlite3'
import { allocationRows, latest, monthAllocations } from './allocations.ts'
import { dateAt, type Period } from './calendar.ts'
import { emtRow, keyFigureRows, profileRow } from './figures.ts'
import type { Instrument } from './instrument.ts'
import type { Market } from './market.ts'
import { launchPoints, legalPeriods, legalPoints, yearPerformances } from './performance.ts'
import { priceHistory, priceRows } from './prices.ts'
import { structureRows } from './structures.ts'
import type { DemoRow } from './words.ts'

interface Demo {
  readonly seed: number
  readonly period: Period
  readonly market: Market
}

/** @returns a function that inserts the rows of a fund and returns the number of prices */
export function fundWriter(
  db: Database.Database,
  { seed, period, market }: Demo,
): (fund: Instrument) => number {
  const inserters = new Map<string, ReturnType<typeof rowInserter>>()
  const insert = (table: string, rows: Iterable<DemoRow>): number => {
    const insertRows = inserters.get(table) ?? rowInserter(db, table)
    inserters.set(table, insertRows)
    return insertRows(rows)
  }
  return (fund) => {
    const { isin, place } = fund
    insert('fund', [fundRow(fund, period)])
    if (place.exception === 'fundRowOnly') return 0
    const history = priceHistory(fund, market, period)
    const months = monthAllocations(seed, fund, period)
    const prices = insert('price', priceRows(fund, history, period))
    insert('performance_year', yearPerformances(fund, history, period))
    insert('structure_item', structureRows(fund, latest(months), period))
    insert('legal_period', legalPeriods(fund, history, period))
    insert('legal_point', legalPoints(fund, history, period))
    insert('launch_point', launchPoints(fund, history, period))
    if (place.exception === 'withoutFigures') return prices
    insert('key_figure', keyFigureRows(fund, history, latest(months), period))
    insert('profile', [profileRow(fund, history, period)])
    insert('asset_allocation', [...allocationRows(isin, months, 0), ...allocationRows(isin, months, 1)])
    insert('emt', [emtRow(fund, history, period)])
    return prices
  }
}

function fundRow(fund: Instrument, { calendar, status }: Period): DemoRow {
  const { exception, currency } = fund.place
  return [
    fund.isin,
    fund.wkn,
    fund.name,
    dateAt(calendar, fund.inception),
    exception === 'undated' ? null : dateAt(calendar, status),
    `https://www.moewenstein.example/fonds/${fund.isin}`,
    currency,
    exception === 'dataDenied' ? 0 : 1,
    exception === 'pricesDenied' ? 0 : 1,
    exception === 'performanceDenied' ? 0 : 1,
  ]
}

/** Several with a statement take two thirds of the time. */
const rowsAStatement = 16

/** @returns inserts rows, which have a value for each column, and returns their number */
function rowInserter(db: Database.Database, table: string): (rows: Iterable<DemoRow>) => number {
  const columns = db.pragma(`table_info(${table})`) as unknown[]
  const placeholders = `(${columns.map(() => '?').join(', ')})`
  const insertOne = db.prepare(`INSERT INTO ${table} VALUES ${placeholders}`)
  const insertMany = db.prepare(
    `INSERT INTO ${table} VALUES ${Array(rowsAStatement).fill(placeholders).join(', ')}`,
  )
  return (rows) => {
    let waiting: DemoRow[] = []
    let count = 0
    for (const row of rows) {
      count++
      waiting.push(row)
      if (waiting.length < rowsAStatement) continue
      insertMany.run(waiting.flat())
      waiting = []
    }
    for (const row of waiting) insertOne.run(row)
    return count
  }
}
