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
  /** Standard deviation of the changes from one common day to the next, in percent a year; null for few days. */
  readonly volatility: number | null
  /** Thinned for a screen. */
  readonly line: readonly ChartPoint[]
  /** 100 on the first common day. @param day one of `days` */
  readonly indexOn: (day: number) => number
}

const mostPoints = 1000
/** Fewer would tell little. */
const leastChanges = 30

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
        volatility: volatilityOf(
          days.map((day) => Number(byDay.get(day))),
          (end - start) / 365.25,
        ),
        indexOn: (day) => indexed(byDay.get(day) ?? ''),
      }
    }),
  }
}

function volatilityOf(navs: readonly number[], years: number): number | null {
  const changes = navs.slice(1).map((nav, index) => Math.log(nav / (navs[index] ?? nav)))
  if (changes.length < leastChanges) return null
  const mean = changes.reduce((sum, change) => sum + change, 0) / changes.length
  const squares = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0)
  return Math.sqrt(((squares / (changes.length - 1)) * changes.length) / years) * 100
}

/**
 * Why funds have no two days in common: the places of funds that have fewer than two themselves, or else of those
 * without which the others could be compared.
 */
export function loners(histories: readonly (readonly DayPrice[])[], first: number | null) {
  const places = histories.map((_, place) => place)
  const few = places.filter((place) => comparisonOf([histories[place] ?? []], first) === null)
  const without = (place: number) => histories.filter((_, other) => other !== place)
  const alone = places.filter((place) => comparisonOf(without(place), first) !== null)
  return { few, alone: few.length > 0 || histories.length < 3 ? [] : alone }
}
