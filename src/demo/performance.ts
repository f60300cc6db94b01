/** Performance and risk of a fund, computed from its prices. Percents have two decimals. */

import { dateAt, indexOnOrBefore, monthEnds, type Period, previousYearEnd, weekEnds } from './calendar.ts'
import { addYears } from '../system/days.ts'
import type { Instrument } from './instrument.ts'
import { type PriceHistory, returnBetween } from './prices.ts'
import { roundedPercent } from './shares.ts'
import type { DemoRow } from './words.ts'

const legalYears = 5

/** Years whose base is among the fund's prices; the launch year counts from the launch, the last year to the last day. */
export function yearPerformances(
  fund: Instrument,
  history: PriceHistory,
  { calendar, last }: Period,
): DemoRow[] {
  const years: DemoRow[] = []
  let end = last
  while (end > fund.firstPrice) {
    const previousEnd = previousYearEnd(calendar, end)
    const base = Math.max(previousEnd, fund.inception)
    if (base < fund.firstPrice) break
    const year = Number(dateAt(calendar, end).slice(0, 4))
    years.push([fund.isin, year, roundedPercent(returnBetween(history, base, end))])
    end = previousEnd
  }
  return years.reverse()
}

/**
 * The last five twelve-month periods that the fund has prices for, oldest first, labelled with the year that each
 * ends in. The period of the launch has no figures: German law wants whole periods. The issue
 * surcharge is paid once, so it lowers the net figure of the oldest whole period; without one there is no net figure.
 */
export function legalPeriods(fund: Instrument, history: PriceHistory, { calendar, last }: Period): DemoRow[] {
  const until = dateAt(calendar, last)
  const periods: DemoRow[] = []
  let surcharge = fund.surcharge
  for (let ago = legalYears; ago > 0; ago--) {
    const from = addYears(until, -ago)
    const to = addYears(until, 1 - ago)
    const start = indexOnOrBefore(calendar, from)
    const end = indexOnOrBefore(calendar, to)
    const isWhole = start >= fund.firstPrice
    if (!isWhole && (end <= fund.inception || fund.inception < fund.firstPrice)) continue
    const gross = returnBetween(history, start, end)
    const net = (1 + gross) / (1 + surcharge / 10_000) - 1
    periods.push([
      fund.isin,
      ...[to.slice(0, 4), from, dateAt(calendar, Math.max(start, fund.firstPrice)), to],
      isWhole ? roundedPercent(gross) : null,
      isWhole && fund.surcharge > 0 ? roundedPercent(net) : null,
    ])
    if (isWhole) surcharge = 0
  }
  return periods
}

/** Month by month over the last five years or since the first price: percent since the start, which is 0. */
export function legalPoints(fund: Instrument, history: PriceHistory, { calendar, last }: Period): DemoRow[] {
  const start = indexOnOrBefore(calendar, addYears(dateAt(calendar, last), -legalYears))
  const base = Math.max(start, fund.firstPrice)
  const days = new Set([base, ...monthEnds(calendar, base, last), last])
  return [...days].map((day) => [
    fund.isin,
    dateAt(calendar, day),
    roundedPercent(returnBetween(history, base, day)),
  ])
}

/** Week by week since the fund's first price: an index that starts at 100. */
export const launchPoints = (
  fund: Instrument,
  history: PriceHistory,
  { calendar, last }: Period,
): DemoRow[] =>
  weekEnds(calendar, fund.firstPrice, last).map((day) => [
    fund.isin,
    dateAt(calendar, day),
    roundedPercent(1 + returnBetween(history, fund.firstPrice, day)),
  ])

/** Fractions. Volatility and average return are annual; drawdown is negative. Undefined if no price is so old. */
export function riskOver(
  years: number,
  fund: Instrument,
  history: PriceHistory,
  { calendar, status }: Period,
) {
  const start = indexOnOrBefore(calendar, addYears(dateAt(calendar, status), -years))
  if (start < fund.firstPrice) return undefined
  const days = weekEnds(calendar, start, status)
  const returns = days.slice(1).map((day, i) => returnBetween(history, days[i] ?? start, day))
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const mean = meanOf(returns)
  const variance = meanOf(returns.map((value) => (value - mean) * (value - mean)))
  return {
    volatility: Math.sqrt(variance * 52),
    averageReturn: mean * 52,
    maximumDrawdown: maximumDrawdown(days.map((day) => history.worths[day] ?? 0)),
  }
}

function maximumDrawdown(worths: readonly number[]): number {
  let [highest, lowest] = [0, 0]
  for (const worth of worths) {
    highest = Math.max(highest, worth)
    lowest = Math.min(lowest, worth / highest - 1)
  }
  return lowest
}
