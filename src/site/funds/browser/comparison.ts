/** A comparison: lines that start at 100 on the first day that all funds have in common. Pure. */

import { type ChartPoint, thinned } from '../chart/charts.ts'
import { type DayPrice, pricesSince } from './prices.ts'

export interface FundComparison {
  /** Days on which every fund has a price, since 1970-01-01, ascending; at least two. */
  readonly days: readonly number[]
  /** In the order of the funds. */
  readonly funds: readonly ComparedFund[]
}

interface ComparedFund {
  /** On the first and on the last common day: decimal text with a point. */
  readonly from: string
  readonly to: string
  /** From the first to the last common day, in percent. */
  readonly performance: number
  /** Thinned for a screen. */
  readonly line: readonly ChartPoint[]
  /** 100 on the first common day. @param day one of `days` */
  readonly indexOn: (day: number) => number
}

const mostPoints = 1000

/**
 * @param histories at least one, ascending @param first start of the period (see `pricesSince`), or null for all
 * @returns null if the funds have no two days in common
 */
export function comparisonOf(
  histories: readonly (readonly DayPrice[])[],
  first: number | null,
): FundComparison | null {
  // An index cannot start at a price of zero.
  const navs = histories.map(
    (prices) => new Map(prices.filter(({ nav }) => Number(nav) > 0).map(({ day, nav }) => [day, nav])),
  )
  const common = (histories[0] ?? []).filter(({ day }) => navs.every((byDay) => byDay.has(day)))
  const days = (first === null ? common : pricesSince(common, first)).map(({ day }) => day)
  const [start, end] = [days[0], days.at(-1)]
  if (start === undefined || end === undefined || start === end) return null
  return {
    days,
    funds: navs.map((byDay) => {
      const [from, to] = [byDay.get(start) ?? '', byDay.get(end) ?? '']
      const indexed = (nav: string) => (Number(nav) / Number(from)) * 100
      const points = [...byDay]
        .filter(([day]) => day >= start && day <= end)
        .map(([day, nav]) => ({ day, value: indexed(nav) }))
      return {
        ...{ from, to, performance: indexed(to) - 100, line: thinned(points, mostPoints) },
        indexOn: (day) => indexed(byDay.get(day) ?? ''),
      }
    }),
  }
}
