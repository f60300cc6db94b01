/**
 * Total return and volatility of all funds, by the rules of the comparison page, computed once for all formats: rows of a table in the copy
 * of the fund database.
 */

import type { Database } from 'better-sqlite3'
import { changeCopy } from '../../core/data/read/copy.ts'
import {
  adjusted,
  type DayPrice,
  daysStoodFor,
  type FundActions,
  fundActions,
  pricesSince,
  volatilityOf,
} from '../../core/layout/total-return.ts'
import { dayNumber, isoOf } from '../../core/system/day-number.ts'
import { addYears, addDays } from '../../core/system/days.ts'
import { computedTable, type DownloadFund, periods, permittedFunds } from './tables.ts'

/** Writes the source of {@link computedTable}. @param copy a database that no other program has open */
export function writeComputedFigures(copy: string, funds: readonly DownloadFund[]): void {
  changeCopy(copy, (db) => {
    const figures = periods.map((years) => `, total_return_${years}y REAL, volatility_${years}y REAL`)
    db.exec(
      `CREATE TABLE ${computedTable.source} (isin TEXT PRIMARY KEY, date TEXT, net_asset_value TEXT${figures.join('')})`,
    )
    const marks = figures.map(() => ', ?, ?')
    const insert = db.prepare(`INSERT INTO ${computedTable.source} VALUES (?, ?, ?${marks.join('')})`)
    const read = historyReader(db)
    for (const fund of permittedFunds(funds, computedTable.needs)) {
      const history = read(fund)
      if (history === null) continue
      const { date, nav, inceptionDate, prices, actions } = history
      const computed = computedFigures(prices, actions, inceptionDate)
      const cells = computed.flatMap(({ totalReturn, volatility }) => [totalReturn, volatility])
      insert.run(fund.isin, date, nav, cells)
    }
  })
}

/** More than a week before the longest period begins. */
const daysBefore = 14

function historyReader(db: Database) {
  const newest = db.prepare<
    [string],
    { readonly date: string; readonly nav: string; readonly inceptionDate: string }
  >(
    `SELECT date, net_asset_value AS nav, fund_inception_date AS inceptionDate FROM price JOIN fund USING (isin)
      WHERE isin = ? ORDER BY date DESC LIMIT 1`,
  )
  // One text is read three times as fast as a row for each price. They come in the order of the primary key that finds them.
  const navs = db
    .prepare<[string, string], string | null>(
      `SELECT group_concat(date || ' ' || net_asset_value, ' ') FROM price WHERE isin = ? AND date >= ?`,
    )
    .pluck()
  const actions = db.prepare<
    [string],
    { readonly exDate: string; readonly amount: string | null; readonly factor: string | null }
  >('SELECT ex_date AS exDate, amount, factor FROM corporate_action WHERE isin = ? ORDER BY ex_date, kind')
  return ({ isin, performance }: DownloadFund) => {
    const found = newest.get(isin)
    if (found === undefined) return null
    const none = { prices: new Array<DayPrice>(), actions: fundActions([], () => null) }
    if (!performance) return { ...found, ...none }
    const first = addDays(addYears(found.date, -Math.max(...periods)), -daysBefore)
    const words = navs.get(isin, first)?.split(' ') ?? []
    const prices = Array.from({ length: words.length / 2 }, (_, index) => ({
      day: dayNumber(words[2 * index] ?? ''),
      nav: words[2 * index + 1] ?? '',
    }))
    const navFrom = (exDate: string) => prices.find(({ day }) => day >= dayNumber(exDate)) ?? null
    return { ...found, prices, actions: fundActions(actions.all(isin), navFrom) }
  }
}

/** In percent, with four decimals; null for what cannot be told. */
interface PeriodFigures {
  readonly totalReturn: number | null
  readonly volatility: number | null
}

const unknown: PeriodFigures = { totalReturn: null, volatility: null }

/**
 * @param prices ascending, from seven days before the longest period at the latest @param inceptionDate ISO 8601
 * @returns figures in the order of {@link periods}; unknown for a period in which the fund did not exist from the first day on, or has no
 * price within a week of it
 */
function computedFigures(
  prices: readonly DayPrice[],
  actions: FundActions,
  inceptionDate: string,
): readonly PeriodFigures[] {
  const all = adjusted(prices, actions)
  const newest = all.at(-1)
  // A price of zero has no return, and none can be told from it.
  const sound = all.filter(({ worth }) => worth > 0)
  return periods.map((years) => {
    if (newest === undefined || newest !== sound.at(-1)) return unknown
    const first = addYears(isoOf(newest.day), -years)
    const some = pricesSince(sound, dayNumber(first))
    const start = some[0] ?? newest
    const isWhole = inceptionDate <= first && start.day <= dayNumber(first) + daysStoodFor
    if (!isWhole || start === newest) return unknown
    const worths = some.map(({ worth }) => worth)
    const volatility = volatilityOf(worths, newest.day - start.day)
    return {
      totalReturn: inFourDecimals((newest.worth / start.worth - 1) * 100),
      volatility: volatility === null ? null : inFourDecimals(volatility),
    }
  })
}

/** Never -0. */
const inFourDecimals = (percent: number) => Math.round(percent * 1e4) / 1e4 + 0
