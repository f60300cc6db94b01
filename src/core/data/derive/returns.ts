/**
 * Computes how a fund has done from its NAVs and corporate actions: rows of `performance_year`, `legal_period`, `legal_point` and
 * `launch_point`. The method, with its sources: `.github/decisions/derived-figures.md`. Exact until a figure is written. Pure.
 */

import type { FundRows } from '../../api/contract/rows.ts'
import { isDay } from '../../api/routes/values.ts'
import { daysOfYearEnd, isOfYearEnd, mostDaysToYearEnd, standsFor, usualGap } from '../../guards/year-end.ts'
import { dayNumber } from '../../system/day-number.ts'
import { addYears } from '../../system/days.ts'
import { type Fraction, fractionOf, one, percentChange, product, quotient, rounded, sum } from './exact.ts'
import { type DatedNav, type PricingAction, shareWatch } from './figures.ts'

export interface FundHistory {
  readonly inceptionDate: string
  /** In percent, a plain decimal; null without one. */
  readonly issueSurcharge: string | null
  /** By day; days are valid, NAVs plain decimals above zero. */
  readonly prices: readonly DatedNav[]
  readonly actions: readonly PricingAction[]
}

export type DerivedReturns = Pick<
  FundRows,
  'performanceYears' | 'legalPeriods' | 'legalPoints' | 'launchPoints'
>

export function deriveReturns(fund: FundHistory): DerivedReturns {
  const history = openHistory(fund)
  const periods = wholePeriods(history)
  return {
    performanceYears: calendarYears(history),
    legalPeriods: legalPeriods(periods, history, fund.issueSurcharge),
    legalPoints: legalPoints(periods, history),
    launchPoints: launchPoints(history, fund.inceptionDate),
  }
}

type History = ReturnType<typeof openHistory>

function openHistory({ prices, actions }: FundHistory) {
  const days = prices.map(({ date }) => date)
  const since = shareWatch(actions)
  let owned = one
  // Whoever had one share at the first price: splits and reinvested distributions make more of it.
  const shares = prices.map((price) => {
    const { shares: split, reinvested } = since(price)
    owned = product(product(owned, split), reinvested)
    return owned
  })
  const worthAt = (index: number): Fraction =>
    product(fractionOf(prices[index]?.nav ?? ''), shares[index] ?? one)
  return {
    days,
    last: days.length - 1,
    /** The days of the prices until an index, the newest first: those that show a rhythm. */
    recent: (index: number): readonly string[] =>
      days.slice(Math.max(0, index + 1 - daysOfYearEnd), index + 1).reverse(),
    /** 1.05 is 5 %. */
    growth: (from: number, to: number): Fraction => quotient(worthAt(to), worthAt(from)),
  }
}

/** Whole years only, from one 31 December to the next: a part of a year is none. */
function calendarYears(history: History): DerivedReturns['performanceYears'] {
  const { days, last, growth } = history
  const ends = days.flatMap((day, index) => {
    const year = Number(day.slice(0, 4))
    const isLastOfYear = index === last ? day.endsWith('-12-31') : Number(days[index + 1]?.slice(0, 4)) > year
    return isLastOfYear && isOfYearEnd(history.recent(index), String(year + 1)) ? [{ year, index }] : []
  })
  return ends.flatMap(({ year, index }, at) => {
    const before = ends[at - 1]
    if (before?.year !== year - 1) return []
    return [{ year, percent: Number(percentChange(growth(before.index, index))) }]
  })
}

/** Those of `dateFrom` and `dateTo` in the history. */
interface WholePeriod {
  readonly dateFrom: string
  readonly dateTo: string
  readonly from: number
  readonly to: number
}

/** The law asks for five years, or all of a younger fund. */
const mostPeriods = 5

/** Twelve months each until the newest price, the oldest first. A bound without a price near by makes two that are not shown. */
function wholePeriods({ days, last, recent }: History): readonly WholePeriod[] {
  const newest = days[last]
  if (newest === undefined) return []
  const bounds = Array.from({ length: mostPeriods + 1 }, (_, ago) => {
    const day = addYears(newest, ago - mostPeriods)
    const index = days.findLastIndex((each) => each <= day)
    return { day, index, isPriced: index !== -1 && standsFor(recent(index), day) }
  })
  return bounds.slice(1).flatMap((to, at) => {
    const from = bounds[at]
    if (from === undefined || !from.isPriced || !to.isPriced || from.index === to.index) return []
    return [{ dateFrom: from.day, dateTo: to.day, from: from.index, to: to.index }]
  })
}

/** The issue surcharge is paid once, in the oldest period. A fund without one has no net figures: they would be the gross ones. */
function legalPeriods(
  periods: readonly WholePeriod[],
  { days, growth }: History,
  surcharge: string | null,
): DerivedReturns['legalPeriods'] {
  const paid = surcharge === null ? null : fractionOf(surcharge)
  return periods.map(({ dateFrom, dateTo, from, to }, index) => {
    const gross = growth(from, to)
    const isPaid = paid !== null && index === 0
    const net = isPaid ? quotient(gross, sum(one, { top: paid.top, bottom: paid.bottom * 100n })) : gross
    return {
      label: dateTo.slice(0, 4),
      dateFrom,
      dateRealfrom: days[from] ?? dateFrom,
      dateTo,
      gross: Number(percentChange(gross)),
      net: paid === null ? null : Number(percentChange(net)),
    }
  })
}

/** Month by month since the oldest period began, in percent. */
function legalPoints([oldest]: readonly WholePeriod[], history: History): DerivedReturns['legalPoints'] {
  return oldest === undefined
    ? []
    : monthly(oldest.from, history, (index) => percentChange(history.growth(oldest.from, index)))
}

/** Month by month since the launch, which is 100. None if the prices do not reach back to it: the line is called that since the launch. */
function launchPoints(history: History, inceptionDate: string): DerivedReturns['launchPoints'] {
  const first = isDay(inceptionDate) ? history.days.findIndex((day) => day >= inceptionDate) : -1
  const day = history.days[first]
  if (day === undefined) return []
  const late = dayNumber(day) - dayNumber(inceptionDate)
  const rhythm = usualGap(history.days.slice(first, first + daysOfYearEnd))
  if (late > mostDaysToYearEnd && late >= rhythm) return []
  const hundred = { top: 100n, bottom: 1n }
  return monthly(first, history, (index) => rounded(product(hundred, history.growth(first, index)), 2))
}

/** The first point, the last one of each month, and the newest. */
function monthly(
  first: number,
  { days, last }: History,
  valueAt: (index: number) => string,
): DerivedReturns['launchPoints'] {
  return days.flatMap((date, index) => {
    if (index < first) return []
    const isLastOfMonth = index === last || days[index + 1]?.slice(0, 7) !== date.slice(0, 7)
    return index === first || isLastOfMonth ? [{ date, value: Number(valueAt(index)) }] : []
  })
}
