/** `fundpress check`: every problem of a fund database. */

import { inTurn } from '../../system/in-turn.ts'
import { type Additions, nothingAdded, readAsBuilt } from '../derive/copy.ts'
import { checkFund } from './fund.ts'
import type { LiveReader } from './live-prices.ts'
import { comparePrices, findingsAcross, priceJudge, priceReader, type PriceSettings } from './prices.ts'
import { findingsOfColumns } from './columns.ts'
import { checkStructure } from './structure.ts'
import { checkTables } from './tables.ts'
import { generalWarning, type Finding } from './finding.ts'
import { daysOfRhythm, type PricedFund } from '../../guards/assess.ts'
import { fundReader, readIsins, readPriceDays } from '../read/fund-reader.ts'
import { gatherStatistics, statisticsReader } from '../read/statistics.ts'
import { damageIn, databaseError, type FundDatabase, openFunds, refuseDamage } from '../read/open.ts'

interface CheckOptions {
  readonly db: string
  readonly asOf: string
  /** Whether SQLite checks the file's pages first; true unless given. */
  readonly hasQuickCheck?: boolean
  /** Describes a newest price that is too old, or null; by `guards/`. */
  readonly ageProblem?: (fund: PricedFund) => string | null
  /** Describes settings that fit no fund; by `guards/`. */
  readonly settingsProblems?: (funds: readonly PricedFund[]) => readonly string[]
  /** Plausibility of prices, and the snapshot that all columns are compared with; neither is checked unless given. */
  readonly prices?: PriceSettings & { readonly live: LiveReader | null }
  /** What is added first, as a build does; nothing is unless given. */
  readonly additions?: Additions
  readonly onFund?: (done: number, of: number) => void
  readonly signal?: AbortSignal
}

/**
 * All findings, by fund. Opens the database read-only, in one read transaction.
 * @throws {Error} if the database cannot be read at all (missing, damaged, another schema), or if it is aborted
 */
export async function checkDatabase(options: CheckOptions): Promise<readonly Finding[]> {
  const { db: file } = options
  const db = openFunds(file)
  try {
    db.exec('BEGIN')
    if (options.hasQuickCheck !== false) refuseDamage(file, damageIn(db))
    const structureFindings = checkStructure(db)
    if (structureFindings.length > 0) return structureFindings
    return await readAsBuilt(db, options.additions ?? nothingAdded, (built) => checkRows(built, options))
  } catch (error) {
    throw databaseError(file, error)
  } finally {
    db.close()
  }
}

async function checkRows(db: FundDatabase, options: CheckOptions): Promise<readonly Finding[]> {
  const { asOf, ageProblem, settingsProblems, prices, onFund, signal } = options
  const findings = checkTables(db, asOf)
  const reader = fundReader(db)
  const isins = readIsins(db)
  const funds = readPriceDays(db, isins, daysOfRhythm)
  for await (const priced of inTurn(funds, onFund, signal)) {
    const { isin } = priced
    const fund = reader.read(isin)
    if (fund !== undefined) findings.push(...checkFund(fund, asOf))
    const message = ageProblem?.(priced) ?? null
    if (message !== null) findings.push({ severity: 'warning', isin, table: 'price', message })
  }
  if (prices !== undefined) findings.push(...(await compareWithLive(db, isins, prices, asOf, signal)))
  return [
    ...(settingsProblems?.(funds) ?? []).map((message) => generalWarning(message, 'settings')),
    ...findings,
  ]
}

async function compareWithLive(
  db: FundDatabase,
  isins: readonly string[],
  prices: NonNullable<CheckOptions['prices']>,
  asOf: string,
  signal: AbortSignal | undefined,
): Promise<readonly Finding[]> {
  const pricesOf = priceReader(db)
  const judge = priceJudge(db, prices, asOf, pricesOf)
  const statisticsOf = statisticsReader(db, asOf, pricesOf)
  const statistics = gatherStatistics()
  const compared = await comparePrices(prices.live)
  for await (const isin of inTurn(isins, undefined, signal)) {
    for (const judged of judge([isin])) await compared.add(judged)
    statistics.add(statisticsOf(isin))
  }
  const { findings, ofNight } = compared.end()
  return [
    ...findings,
    ...findingsAcross(ofNight, asOf, prices.expectations),
    ...(await findingsOfColumns(prices.live, statistics.end(), prices.expectations)),
  ]
}
