/** Calendar years, twelve-month periods and lines of one fund, all computed from its prices. Percents have 2 decimals. */

import { dateAt, indexOnOrBefore, monthEnds, shiftYears, weekEnds } from './calendar.ts'
import { percent } from './decimal.ts'
import type { Instrument } from './instrument.ts'
import type { Period } from './period.ts'
import { returnBetween, type PriceHistory } from './price-history.ts'

export interface YearPerformance {
  readonly year: number
  readonly percent: number
}

export interface LegalPeriod {
  readonly label: string
  readonly from: string
  readonly realFrom: string
  readonly to: string
  readonly gross: number | null
  readonly net: number | null
}

export interface Point {
  readonly date: string
  readonly value: number
}

const legalYears = 5

/** Years whose base is among the fund's prices; the launch year counts from the launch, the last year to the last day. */
export function yearPerformances(
  fund: Instrument,
  history: PriceHistory,
  { calendar, last }: Period,
): readonly YearPerformance[] {
  const years: YearPerformance[] = []
  let end = last
  while (end > fund.firstPrice) {
    const previousEnd = calendar.previousYearEnds[end] ?? -1
    const base = Math.max(previousEnd, fund.inception)
    if (base < fund.firstPrice) break
    const year = Number(dateAt(calendar, end).slice(0, 4))
    years.push({ year, percent: percent(returnBetween(history, base, end)) })
    end = previousEnd
  }
  return years.reverse()
}

/**
 * The last five twelve-month periods that the fund has prices for, oldest first, labelled with the year that each
 * ends in. One that the fund was launched within has no figures: German law wants whole periods. The issue
 * surcharge is paid once, so it lowers the net figure of the oldest whole period; without one there is no net figure.
 */
export function legalPeriods(
  fund: Instrument,
  history: PriceHistory,
  { calendar, last }: Period,
): readonly LegalPeriod[] {
  const until = dateAt(calendar, last)
  const periods: LegalPeriod[] = []
  let surcharge = fund.surcharge
  for (let ago = legalYears; ago > 0; ago--) {
    const from = shiftYears(until, -ago)
    const to = shiftYears(until, 1 - ago)
    const start = indexOnOrBefore(calendar, from)
    const end = indexOnOrBefore(calendar, to)
    const whole = start >= fund.firstPrice
    if (!whole && (end <= fund.inception || fund.inception < fund.firstPrice)) continue
    const dates = {
      label: to.slice(0, 4),
      from,
      realFrom: dateAt(calendar, Math.max(start, fund.firstPrice)),
      to,
    }
    if (!whole) {
      periods.push({ ...dates, gross: null, net: null })
      continue
    }
    const gross = returnBetween(history, start, end)
    const net = (1 + gross) / (1 + surcharge / 10_000) - 1
    periods.push({ ...dates, gross: percent(gross), net: fund.surcharge > 0 ? percent(net) : null })
    surcharge = 0
  }
  return periods
}

/** Month by month over the last five years or since the first price: percent since the start, which is 0. */
export function legalPoints(
  fund: Instrument,
  history: PriceHistory,
  { calendar, last }: Period,
): readonly Point[] {
  const start = indexOnOrBefore(calendar, shiftYears(dateAt(calendar, last), -legalYears))
  const base = Math.max(start, fund.firstPrice)
  const days = new Set([base, ...monthEnds(calendar, base, last), last])
  return [...days].map((day) => ({
    date: dateAt(calendar, day),
    value: percent(returnBetween(history, base, day)),
  }))
}

/** Week by week since the fund's first price: an index that starts at 100. */
export function launchPoints(
  fund: Instrument,
  history: PriceHistory,
  { calendar, last }: Period,
): readonly Point[] {
  return weekEnds(calendar, fund.firstPrice, last).map((day) => ({
    date: dateAt(calendar, day),
    value: percent(1 + returnBetween(history, fund.firstPrice, day)),
  }))
}
