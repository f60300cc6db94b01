/**
 * A database of invented funds that looks real. The same options give the same bytes, and a fund is the same however
 * many there are beside it: it is computed from the seed and its number, one after the other, in bounded memory.
 */

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { entryAt, newDatabase } from '../data/model/new-database.ts'
import { dateAt, demoPeriod } from './calendar.ts'
import { fundWriter } from './fund-writer.ts'
import { instrument } from './instrument.ts'
import { mostFunds, securityNumbers } from './isin.ts'
import { marketOver } from './market.ts'
import { fundPlaceOf } from './kinds.ts'

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

export interface DemoSummary {
  readonly funds: number
  readonly prices: number
  /** The last day with prices, ISO 8601. */
  readonly until: string
  /** Size of the file. */
  readonly bytes: number
}

/**
 * Writes the database, over an older demo if there is one.
 * @throws {RangeError} for options that make no database
 * @throws {Error} if the file exists and is no demo database, or cannot be written
 * @throws the signal's reason, soon after it is aborted; nothing is left behind, and an older demo is untouched
 */
export async function writeDemo(options: DemoOptions): Promise<DemoSummary> {
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
    const write = fundWriter(made.db, { seed, period, market: marketOver(seed, period.calendar) })
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
  const entry = entryAt(file)
  if (entry === undefined || (entry.isFile() && isDemoDatabase(file))) return
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
