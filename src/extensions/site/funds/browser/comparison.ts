/** A comparison: lines that start at 100 on the first day that all funds have in common. Pure. */

import {
  adjusted,
  daysStoodFor,
  type DayPrice,
  type FundActions,
  percentPerYear,
  pricesSince,
  volatilityOf,
  yearsBetween,
} from '../../../../core/layout/total-return.ts'
import { yearsBefore } from '../../../../core/system/day-number.ts'
import { type ChartPoint, thinned } from '../chart/charts.ts'

/** All that a comparison needs of a fund. */
export interface History {
  /** Ascending. */
  readonly prices: readonly DayPrice[]
  /** True if there is no earlier price. */
  readonly isWhole: boolean
  readonly actions: FundActions
}

export interface FundComparison {
  /** Days on which every fund has a price, since 1970-01-01, ascending; at least two. */
  readonly days: readonly number[]
  /** In the order of the funds. */
  readonly funds: readonly ComparedFund[]
}

interface ComparedFund {
  /** NAV on the first and on the last common day, in the shares of the last: decimal text with a point. */
  readonly from: string
  readonly to: string
  /** From the first to the last common day, in percent, with distributions reinvested. */
  readonly performance: number
  /** The same for a year (geometric mean); null for less than a year, which says nothing of one. */
  readonly performancePerYear: number | null
  /** The largest loss from one common day to a later one, in percent: zero or below. */
  readonly drawdown: number
  /**
   * In percent, with distributions reinvested, from the fund's own price that many years before the last common day; null without one
   * (see `daysStoodFor`).
   */
  readonly over: (years: number) => number | null
  /** The day of its first price, if that is later than what `over` begins with; else null. */
  readonly beginsAfter: (years: number) => number | null
  /** Standard deviation of the changes from one common day to the next, in percent a year; null for few days. */
  readonly volatility: number | null
  /** Thinned for a screen. */
  readonly line: readonly ChartPoint[]
  /** 100 on the first common day. @param day one of `days` */
  readonly indexOn: (day: number) => number
}

const mostPoints = 1000

/**
 * @param histories at least one @param first start of the period (see `pricesSince`), or null for all
 * @returns null if the funds have no two days in common
 */
export function comparisonOf(histories: readonly History[], first: number | null): FundComparison | null {
  const funds = histories.map(({ prices, isWhole, actions }) => {
    // An index cannot start at a price of zero.
    const all = adjusted(prices, actions).filter(({ nav }) => Number(nav) > 0)
    const byDay = new Map(all.map((price) => [price.day, price]))
    return { byDay, begin: isWhole ? (all[0]?.day ?? null) : null }
  })
  const common = [...(funds[0]?.byDay.values() ?? [])].filter(({ day }) =>
    funds.every(({ byDay }) => byDay.has(day)),
  )
  const days = (first === null ? common : pricesSince(common, first)).map(({ day }) => day)
  const start = days[0]
  const end = days.at(-1)
  if (start === undefined || end === undefined || start === end) return null
  const years = yearsBetween(start, end)
  return {
    days,
    funds: funds.map(({ byDay, begin }) => {
      const from = byDay.get(start)?.nav ?? ''
      const to = byDay.get(end)?.nav ?? ''
      const worthOn = (day: number) => byDay.get(day)?.worth ?? NaN
      const indexOn = (day: number) => (worthOn(day) / worthOn(start)) * 100
      const points = [...byDay.keys()]
        .filter((day) => day >= start && day <= end)
        .map((day) => ({ day, value: indexOn(day) }))
      return {
        from,
        to,
        performance: indexOn(end) - 100,
        performancePerYear: years < 1 ? null : percentPerYear(indexOn(end) / 100, years),
        line: thinned(points, mostPoints),
        volatility: volatilityOf(days.map(worthOn), end - start),
        drawdown: drawdownOf(days.map(worthOn)),
        over: (years) => {
          const before = lastAt([...byDay.keys()], yearsBefore(end, years))
          return before === null ? null : (worthOn(end) / worthOn(before) - 1) * 100
        },
        beginsAfter: (years) => (begin !== null && begin > yearsBefore(end, years) ? begin : null),
        indexOn,
      }
    }),
  }
}

/** @param days ascending @returns the last one up to a day for which it may stand in, or null */
function lastAt(days: readonly number[], day: number): number | null {
  const last = days.filter((each) => each <= day).at(-1)
  return last === undefined || day - last > daysStoodFor ? null : last
}

function drawdownOf(values: readonly number[]): number {
  let highest = 0
  let deepest = 0
  for (const value of values) {
    highest = Math.max(highest, value)
    deepest = Math.min(deepest, value / highest - 1)
  }
  return deepest * 100
}

/**
 * Why funds have no two days in common: the places of funds that have fewer than two themselves, or else of those
 * without which the others could be compared.
 */
export function loners(histories: readonly History[], first: number | null) {
  const places = histories.map((_, place) => place)
  const few = places.filter((place) => comparisonOf(histories.slice(place, place + 1), first) === null)
  const without = (place: number) => histories.filter((_, other) => other !== place)
  const alone = places.filter((place) => comparisonOf(without(place), first) !== null)
  return { few, alone: few.length > 0 || histories.length < 3 ? [] : alone }
}
