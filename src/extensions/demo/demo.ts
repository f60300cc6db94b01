/**
 * A database of invented funds that looks real. The same options give the same bytes, and a fund is the same however
 * many there are beside it: it is computed from the seed and its number, one after the other, in bounded memory.
 */

import { existsSync, statSync } from 'node:fs'
import type Database from 'better-sqlite3'
import type { FundRow, FundRows, Group } from '../../core/api/contract/rows.ts'
import { newDatabase } from '../../core/data/model/new-database.ts'
import { inTurn } from '../../core/system/in-turn.ts'
import { placeToWrite } from '../../core/system/place.ts'
import { readStart } from '../../core/system/read-start.ts'
import type { SchemaTable } from '../../core/data/model/columns.ts'
import { schemaTables } from '../../core/data/model/schema.ts'
import { dateAt, demoPeriod, type Period } from './calendar.ts'
import { emtRow, keyFigureRows, profileRow } from './figures.ts'
import { fundPlaceOf, instrument, mostFunds, securityNumbers, type Instrument } from './funds.ts'
import { launchPoints, legalPeriods, legalPoints, yearPerformances } from './performance.ts'
import { distributionRows, type Market, marketOver, priceHistory, priceRows } from './prices.ts'
import { allocationRows, monthAllocations, structureRows } from './structures.ts'
import { addDays, addYears } from '../../core/system/days.ts'

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
    const market = marketOver(seed, period.calendar)
    const inserters = new Map(
      Object.entries(schemaTables).map(([name, table]) => [name, rowInserter(made.db, table)]),
    )
    for await (const number of inTurn(numbersByIsin(seed, funds), onFund, signal)) {
      const fund = instrument(seed, number, period)
      for (const [table, rows] of Object.entries(rowsOf(fund, seed, market, period)))
        for (const row of rows) inserters.get(table)?.({ isin: fund.isin, ...row })
    }
    made.db.exec('COMMIT')
    const prices = Number(made.db.prepare('SELECT count(*) FROM price').pluck().get())
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
  const header = readStart(file, 100)
  if (header.length < 100 || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') return false
  return header.readUInt32BE(68) === demoApplicationId
}

/** The rows of a fund, each table after the ones that it refers to. */
function rowsOf(fund: Instrument, seed: number, market: Market, period: Period): Rows {
  const { exception } = fund.place
  const basic = { fund: [fundRow(fund, period)] }
  if (exception === 'fundRowOnly') return basic
  const history = priceHistory(fund, market, period)
  const { months, latest } = monthAllocations(seed, fund, period)
  const computed = {
    ...basic,
    prices: priceRows(fund, history, period),
    corporateActions: distributionRows(fund, history, period),
    documents: documentRows(fund, period),
    performanceYears: yearPerformances(fund, history, period),
    structureItems: structureRows(fund, latest, period),
    legalPeriods: legalPeriods(fund, history, period),
    legalPoints: legalPoints(fund, history, period),
    launchPoints: launchPoints(fund, history, period),
  }
  if (exception === 'withoutFigures') return computed
  return {
    ...computed,
    keyFigures: keyFigureRows(fund, history, latest, period),
    profile: [profileRow(fund, history, period)],
    assetAllocations: allocationRows(months),
    emt: [emtRow(fund, history, period)],
  }
}

type Rows = { readonly fund: readonly FundRow[] } & {
  readonly [G in Group]?: Iterable<FundRows[G][number]>
}

function fundRow(fund: Instrument, { calendar, status }: Period): FundRow {
  const { isin, wkn, name, inception, place } = fund
  const { exception, currency } = place
  return {
    isin,
    wkn,
    name,
    inceptionDate: dateAt(calendar, inception),
    statusDate: exception === 'undated' ? null : dateAt(calendar, status),
    url: `https://www.moewenstein.example/fonds/${isin}`,
    currency,
    dataPermitted: exception === 'dataDenied' ? 0 : 1,
    pricesPermitted: exception === 'pricesDenied' ? 0 : 1,
    performancePermitted: exception === 'performanceDenied' ? 0 : 1,
    endDate: null,
    endReason: null,
    suspendedFrom: null,
    suspendedTo: null,
  }
}

type Value = string | number | null

/** @returns inserts a row, by the fields of the model */
function rowInserter(db: Database.Database, { name, columns }: SchemaTable) {
  const names = columns.map((column) => column.name)
  const statement = db.prepare(
    `INSERT INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  return (row: Readonly<Record<string, Value>>) => statement.run(columns.map(({ field }) => row[field]))
}

/** From the end of a period on, in days: how long a report takes by law. */
const yearReport = 122
const halfYearReport = 61

const titles = {
  kid: { de: 'Basisinformationsblatt', en: 'Key information document' },
  prospectus: { de: 'Verkaufsprospekt', en: 'Prospectus' },
  annual_report: { de: 'Jahresbericht', en: 'Annual report' },
  half_year_report: { de: 'Halbjahresbericht', en: 'Half-year report' },
  factsheet: { de: 'Factsheet', en: 'Factsheet' },
} as const

function documentRows(
  { isin, inception, endOfFiscalYear }: Instrument,
  { calendar, last, status }: Period,
): FundRows['documents'] {
  const until = dateAt(calendar, last)
  const launch = dateAt(calendar, inception)
  const newYear = `${until.slice(0, 4)}-01-01`
  const start = launch > newYear ? launch : newYear
  const year = lastEnd(endOfFiscalYear, addDays(until, -yearReport))
  const half = lastEnd(halfOf(endOfFiscalYear), addDays(until, -halfYearReport))
  const all = [
    ['kid', start, ['de', 'en']],
    ['prospectus', start, ['de']],
    ['annual_report', year, ['de', 'en']],
    ['half_year_report', half, ['de']],
    ['factsheet', dateAt(calendar, status), ['de', 'en']],
  ] as const
  return all.flatMap(([kind, date, languages]) =>
    date < launch
      ? []
      : languages.map((language) => ({
          kind,
          language,
          date,
          country: '',
          title: titles[kind][language],
          url: `https://moewenstein.example/${isin}/${kind}-${date}-${language}.pdf`,
        })),
  )
}

/** The last day of a year's such day (MM-DD) on or before a day. */
function lastEnd(dayOfYear: string, until: string): string {
  const end = `${until.slice(0, 4)}-${dayOfYear}`
  return end > until ? addYears(end, -1) : end
}

/** Half a year after a day (MM-DD) that ends a quarter. */
const halfOf = (dayOfYear: string) =>
  ({ '12-31': '06-30', '09-30': '03-31', '03-31': '09-30', '06-30': '12-31' })[dayOfYear] ?? dayOfYear
