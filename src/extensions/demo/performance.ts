/** Performance and risk of a fund since its launch, computed from its prices. Percents have two decimals. */

import type { FundRows, PointRow } from '../../core/api/contract/rows.ts'
import { addYears } from '../../core/system/days.ts'
import { dateAt, indexOnOrBefore, monthEnds, type Period, previousYearEnd } from './calendar.ts'
import type { Instrument } from './funds.ts'
import { businessDaysAYear, type PriceHistory, returnBetween } from './prices.ts'

/** The launch year counts from the launch, the last year to the last day. */
export function yearPerformances(
  { inception }: Instrument,
  history: PriceHistory,
  { calendar, last }: Period,
): FundRows['performanceYears'] {
  const years: FundRows['performanceYears'][number][] = []
  for (let end = last; end > inception; end = previousYearEnd(calendar, end)) {
    const base = Math.max(previousYearEnd(calendar, end), inception)
    const year = Number(dateAt(calendar, end).slice(0, 4))
    years.push({ year, percent: roundedPercent(returnBetween(history, base, end)) })
  }
  return years.reverse()
}

/**
 * The last five twelve-month periods, oldest first, labelled with the year that each ends in. The period of the launch has
 * no figures: German law wants whole periods. The issue surcharge is paid once, so it lowers the net figure of the oldest
 * whole period; without one there is no net figure.
 */
export function legalPeriods(
  { inception, surcharge }: Instrument,
  history: PriceHistory,
  { calendar, last }: Period,
): FundRows['legalPeriods'] {
  const until = dateAt(calendar, last)
  const bounds = [5, 4, 3, 2, 1, 0].map((ago) => addYears(until, -ago))
  let toPay = surcharge
  return bounds.slice(1).flatMap((dateTo, at) => {
    const dateFrom = bounds[at] ?? dateTo
    const start = indexOnOrBefore(calendar, dateFrom)
    const end = indexOnOrBefore(calendar, dateTo)
    if (end <= inception) return []
    const isWhole = start >= inception
    const gross = returnBetween(history, start, end)
    const net = (1 + gross) / (1 + toPay / 10_000) - 1
    if (isWhole) toPay = 0
    return {
      label: dateTo.slice(0, 4),
      dateFrom,
      dateRealfrom: dateAt(calendar, Math.max(start, inception)),
      dateTo,
      gross: isWhole ? roundedPercent(gross) : null,
      net: isWhole && surcharge > 0 ? roundedPercent(net) : null,
    }
  })
}

/** Month by month over the last five years or since the launch: percent since the start, which is 0. */
export function legalPoints(fund: Instrument, history: PriceHistory, period: Period): PointRow[] {
  const { calendar, last } = period
  const start = indexOnOrBefore(calendar, addYears(dateAt(calendar, last), -5))
  const base = Math.max(start, fund.inception)
  return pointsFrom(base, period, (day) => returnBetween(history, base, day))
}

/** Month by month since the launch: an index that starts at 100. */
export const launchPoints = ({ inception }: Instrument, history: PriceHistory, period: Period): PointRow[] =>
  pointsFrom(inception, period, (day) => 1 + returnBetween(history, inception, day))

function pointsFrom(base: number, { calendar, last }: Period, valueOn: (day: number) => number): PointRow[] {
  const days = new Set([base, ...monthEnds(calendar, base, last), last])
  return [...days].map((day) => ({ date: dateAt(calendar, day), value: roundedPercent(valueOn(day)) }))
}

/** 0.0525 as 5.25, rounded to 2 decimals, never -0. */
const roundedPercent = (fraction: number): number => (Math.round(fraction * 10_000) || 0) / 100

/** Fractions, from daily returns. Volatility and average return are annual; drawdown is negative. Undefined for a younger fund. */
export function riskOver(
  years: number,
  fund: Instrument,
  history: PriceHistory,
  { calendar, status }: Period,
) {
  const start = indexOnOrBefore(calendar, addYears(dateAt(calendar, status), -years))
  if (start < fund.inception) return undefined
  const days = Array.from({ length: status - start }, (_, at) => start + at + 1)
  const returns = days.map((day) => returnBetween(history, day - 1, day))
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const mean = meanOf(returns)
  const variance = meanOf(returns.map((value) => (value - mean) * (value - mean)))
  let highest = start
  let maximumDrawdown = 0
  for (const day of days) {
    if (returnBetween(history, highest, day) > 0) highest = day
    maximumDrawdown = Math.min(maximumDrawdown, returnBetween(history, highest, day))
  }
  return {
    volatility: Math.sqrt(variance * businessDaysAYear),
    averageReturn: mean * businessDaysAYear,
    maximumDrawdown,
  }
}
