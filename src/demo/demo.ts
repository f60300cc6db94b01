/**
 * A database of invented funds that looks real. The same options give the same bytes, and a fund is the same however
 * many there are beside it: it is computed from the seed and its number, one after the other, in bounded memory.
 */

import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type Database from 'better-sqlite3'
import { newDatabase } from '../data/model/new-database.ts'
import { placeToWrite } from '../system/place.ts'
import { allocationRows, latest, monthAllocations } from './allocations.ts'
import { dateAt, demoPeriod, type Period } from './calendar.ts'
import { emtRow, keyFigureRows, profileRow } from './figures.ts'
import { instrument, type Instrument } from './instrument.ts'
import { mostFunds, securityNumbers } from './isin.ts'
import { fundPlaceOf } from './kinds.ts'
import { launchPoints, legalPeriods, legalPoints, yearPerformances } from './performance.ts'
import { marketOver, priceHistory, priceRows } from './prices.ts'
import { structureRows } from './structures.ts'
import type { DemoRow } from './words.ts'

export interface DemoOptions {
  readonly file: string
  /** From twelve on, every kind of fund, every structure type and every exception is among them. */
  readonly funds: number
  /** Years of prices before `until`. */
  readonly years: number
  /** ISO date of the last prices. If it is not a business day, the last one before it. */
  readonly until: string
  readonly seed: number
  readonly onFund?: (done: number, of: number) => void
  readonly signal?: AbortSignal
}

/**
 * Writes the database, over an older demo if there is one.
 * @returns `until`: the last day with prices, ISO 8601; `bytes`: the size of the file
 * @throws {RangeError} for options that make no database
 * @throws {Error} if the file exists and is no demo database, or cannot be written
 * @throws the signal's reason, soon after it is aborted; nothing is left behind, and an older demo is untouched
 */
export async function writeDemo(options: DemoOptions) {
  const { file, funds, years, until, seed, onFund, signal } = options
  if (!Number.isInteger(funds) || funds < 1 || funds > mostFunds)
    throw new RangeError(`not a number of funds from 1 to ${mostFunds}: ${funds}`)
  if (!Number.isSafeInteger(seed)) throw new RangeError(`not a seed: ${seed}`)
  const period = await demoPeriod(until, years)
  mayOverwrite(file)
  signal?.throwIfAborted()

  const made = newDatabase(file)
  try {
    made.db.pragma(`application_id = ${demoApplicationId}`)
    // Each lookup of a parent row costs time, and the parent is written first anyway.
    made.db.pragma('foreign_keys = OFF')
    made.db.exec('BEGIN')
    const write = fundWriter(made.db, seed, period)
    let prices = 0
    for (const [done, number] of numbersByIsin(seed, funds).entries()) {
      prices += write(instrument(seed, number, period))
      onFund?.(done + 1, funds)
      await setImmediate()
      signal?.throwIfAborted()
    }
    made.db.exec('COMMIT')
    mayOverwrite(file)
    made.keep()
    return { funds, prices, until: dateAt(period.calendar, period.last), bytes: statSync(file).size }
  } catch (error) {
    made.discard()
    throw error
  }
}

/** In ascending order of ISIN, which is the order of every table. */
function numbersByIsin(seed: number, funds: number): readonly number[] {
  const isinOf = (number: number) => securityNumbers(seed, number, fundPlaceOf(seed, number).country).isin
  const all = Array.from({ length: funds }, (_, number) => ({ number, isin: isinOf(number) }))
  return all.sort((a, b) => (a.isin < b.isin ? -1 : 1)).map(({ number }) => number)
}

/** `PRAGMA application_id` of a demo database: 'FPdm' in ASCII. */
const demoApplicationId = 0x4650646d

/** @throws {Error} if the file exists and is not a demo database */
function mayOverwrite(file: string): void {
  const place = placeToWrite(file, 'file')
  if (!existsSync(place) || isDemoDatabase(place)) return
  throw new Error(`${file} exists and is not a demo database: choose another --db, or remove it`)
}

/** Reads the header that the SQLite file format fixes: its magic at 0, the application id at 68, most significant byte first. */
function isDemoDatabase(file: string): boolean {
  const header = Buffer.alloc(100)
  const opened = openSync(file, 'r')
  try {
    readSync(opened, header, 0, header.length, 0)
  } finally {
    closeSync(opened)
  }
  return (
    header.toString('latin1', 0, 16) === 'SQLite format 3\0' && header.readUInt32BE(68) === demoApplicationId
  )
}

/** @returns a function that inserts the rows of a fund and returns the number of prices */
function fundWriter(db: Database.Database, seed: number, period: Period) {
  const market = marketOver(seed, period.calendar)
  const inserters = new Map<string, ReturnType<typeof rowInserter>>()
  const insert = (table: string, rows: Iterable<DemoRow>): number => {
    const insertRows = inserters.get(table) ?? rowInserter(db, table)
    inserters.set(table, insertRows)
    return insertRows(rows)
  }
  return (fund: Instrument): number => {
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
