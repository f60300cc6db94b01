/** A fund's price history as rows of the table price. */

import { dateAt } from './calendar.ts'
import { decimalText, percentText } from './decimal.ts'
import type { Instrument } from './instrument.ts'
import type { Period } from './period.ts'
import { returnBetween, type PriceHistory } from './price-history.ts'
import { taxFigures } from './tax-figures.ts'

/** The columns of the table price in their order; all but isin and date are decimal text. */
export type PriceRow = readonly [
  isin: string,
  date: string,
  issuePrice: string,
  repurchasePrice: string,
  netAssetValue: string,
  change: string,
  changePercent: string,
  performance: string,
  intercompanyProfit: string | null,
  shareProfit: string | null,
  realEstateProfits: string | null,
  shareProfit2: string | null,
]

/**
 * One row a business day, from the fund's first price to the last day. `change` is the NAV's, so a distribution
 * shows in it; `performance` is total return since the end of the previous year, or since the launch.
 */
export function* priceRows(fund: Instrument, history: PriceHistory, period: Period): Generator<PriceRow> {
  const { calendar, last } = period
  const { decimals } = fund.traits
  const taxFiguresOn = taxFigures(fund, history, period)
  for (let day = fund.firstPrice; day <= last; day++) {
    const nav = history.navs[day] ?? 0
    const before = history.navs[Math.max(day - 1, fund.inception)] ?? 0
    yield [
      fund.isin,
      dateAt(calendar, day),
      decimalText(Math.round((nav * (10_000 + fund.surcharge)) / 10_000), decimals),
      decimalText(Math.round((nav * (10_000 - fund.redemptionFee)) / 10_000), decimals),
      decimalText(nav, decimals),
      decimalText(nav - before, decimals),
      percentText((nav - before) / before),
      percentText(returnBetween(history, yearBase(fund, period, day), day)),
      ...taxFiguresOn(day),
    ]
  }
}

/** What a year's performance counts from: the last business day of the year before, or the launch. */
export function yearBase({ inception }: Instrument, { calendar }: Period, day: number): number {
  return Math.max(inception, calendar.previousYearEnds[day] ?? -1)
}
