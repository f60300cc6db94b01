/**
 * What splits and distributions do to a line of prices, and how it has done in a period: for pages, browsers and downloads alike. A
 * distribution buys shares at the NAV of its ex-date, or of the next day with a price, without costs. Source: the method of the German
 * fund association (BVI) for the performance of a fund. Pure.
 */

import type { CorporateActionRow } from '../api/contract/rows.ts'
import { dayNumber, isoOf, yearsBefore } from '../system/day-number.ts'

/** Days are counted since 1970-01-01. */
export interface FundActions {
  /** Ascending. */
  readonly distributions: readonly Distribution[]
  readonly splits: readonly Split[]
}

interface Distribution {
  readonly exDay: number
  /** Per share as it is on the ex-date, after a split of that day. */
  readonly amount: string
  /** The NAV that buys shares; null until there is one. */
  readonly reinvested: DayPrice | null
}

interface Split {
  readonly exDay: number
  /** New shares for an old one. */
  readonly factor: string
}

export interface DayPrice {
  readonly day: number
  /** Net asset value: decimal text with a point. */
  readonly nav: string
}

export interface AdjustedPrice extends DayPrice {
  /** The same as a number, not rounded to the digits of the text. */
  readonly value: number
  /** What the shares are worth that one share at the beginning of all prices has become. */
  readonly worth: number
}

export const noActions: FundActions = { distributions: [], splits: [] }

/** @returns prices with NAVs in the shares of the last day @param prices ascending */
export function adjusted(prices: readonly DayPrice[], actions: FundActions): readonly AdjustedPrice[] {
  const { distributions, splits } = actions
  const last = prices.at(-1)?.day ?? 0
  const splitBetween = (from: number, to: number) =>
    splits.reduce(
      (shares, { exDay, factor }) => (exDay > from && exDay <= to ? shares * Number(factor) : shares),
      1,
    )
  const bought = distributions.flatMap(({ exDay, amount, reinvested }) => {
    if (reinvested === null) return []
    const { day, nav } = reinvested
    return [{ day, shares: 1 + Number(amount) / (Number(nav) * splitBetween(exDay, day)) }]
  })
  return prices.map(({ day, nav }) => {
    const before = splitBetween(-Infinity, day)
    const after = splitBetween(day, last)
    const shares = bought.reduce((all, one) => (one.day <= day ? all * one.shares : all), before)
    const value = Number(nav) / after
    return { day, nav: after === 1 ? nav : inDigitsOf(nav, value), value, worth: Number(nav) * shares }
  })
}

const inDigitsOf = (nav: string, value: number) => value.toFixed(nav.split('.')[1]?.length ?? 0)

/** What the first price becomes if distributions are reinvested, day by day. */
export function reinvestedPrices(prices: readonly AdjustedPrice[]): readonly AdjustedPrice[] {
  const [first] = prices
  return prices.map(({ day, nav, worth }) => {
    const value = ((first?.value ?? 0) * worth) / (first?.worth ?? 1)
    return { day, nav: inDigitsOf(nav, value), value, worth }
  })
}

/** @param navFrom finds the first price on a day or after it; null without one */
export const fundActions = (
  rows: readonly Pick<CorporateActionRow, 'exDate' | 'amount' | 'factor'>[],
  navFrom: (day: string) => DayPrice | null,
): FundActions => ({
  distributions: rows.flatMap(({ exDate, amount }) =>
    amount === null ? [] : [{ exDay: dayNumber(exDate), amount, reinvested: navFrom(exDate) }],
  ),
  splits: rows.flatMap(({ exDate, factor }) =>
    factor === null ? [] : [{ exDay: dayNumber(exDate), factor }],
  ),
})

/** Number of days for which a price stands in if there is no newer one. */
export const daysStoodFor = 7

/** Prices from a day on, ascending. If the day has none, the last one before counts. */
export const pricesSince = <T extends { readonly day: number }>(
  prices: readonly T[],
  first: number,
): readonly T[] =>
  prices.filter(({ day }, index) => {
    const next = prices[index + 1]?.day ?? first
    return day >= first || (next > first && day >= first - daysStoodFor)
  })

/** Fewer would tell little. */
const leastChanges = 30

/**
 * Sample standard deviation of the logarithms of changes, for a year by the number of changes that a year of the period had.
 * @param values above zero, one for each day with a price @param days between the first and the last
 * @returns percent; null for few values
 */
export function volatilityOf(values: readonly number[], days: number): number | null {
  const changes = values.slice(1).map((value, index) => Math.log(value / (values[index] ?? value)))
  if (changes.length < leastChanges) return null
  const mean = changes.reduce((sum, change) => sum + change, 0) / changes.length
  const squares = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0)
  const changesPerYear = changes.length / (days / 365.25)
  return Math.sqrt((squares / (changes.length - 1)) * changesPerYear) * 100
}

/**
 * Years of the calendar, counted back from the last day, and the part of a year that is left. A first price that stands in for
 * the same day of an earlier year makes whole years: so a period has one length, whichever weekday it begins on.
 * @param from day of the first price, since 1970-01-01 @param to day of the last
 */
export function yearsBetween(from: number, to: number): number {
  const yearOf = (day: number) => Number(isoOf(day).slice(0, 4))
  const apart = yearOf(to) - yearOf(from)
  const whole = yearsBefore(to, apart) >= from ? apart : apart - 1
  const same = yearsBefore(to, whole)
  if (same - from <= daysStoodFor) return whole
  return whole + (same - from) / (same - yearsBefore(to, whole + 1))
}

/** Percent a year of a ratio of two values: the geometric mean. It says nothing of less than a year. */
export const percentPerYear = (ratio: number, years: number): number => (ratio ** (1 / years) - 1) * 100
