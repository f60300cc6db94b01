/** Decides whether the funds' newest prices are as new as they should be on a day. Pure. */

import { addBusinessDays, businessDaysBetween, maxBusinessDays, type Calendar } from './calendar.ts'
import type { GroupedFund, Rules } from './rules.ts'

/** A fund with the days of its last prices, the newest first. */
export interface PricedFund extends GroupedFund {
  readonly name: string
  readonly dataPermitted: 0 | 1
  readonly pricesPermitted: 0 | 1
  /** ISO 8601; `daysOfRhythm` of them, or all that exist. */
  readonly priceDays: readonly string[]
}

/**
 * - `fresh`, `late`, `stale`: watched funds with a price, by the thresholds of their group.
 * - `unwatched`: its group is never late.
 * - `unpriced`: has no price at all. `withheld`: its prices may not be given out.
 */
export type Mark = (typeof marks)[number]
export const marks = ['fresh', 'late', 'stale', 'unwatched', 'unpriced', 'withheld'] as const

export type FreshnessCounts = Readonly<Record<Mark, number>>

export interface MarkedFund {
  readonly isin: string
  readonly name: string
  readonly mark: Mark
  /** This and the following are null if there is no price that may be given out. */
  readonly newestPrice: string | null
  /** In business days, at most 1,000. */
  readonly ageDays: number | null
  /** The usual gap between two prices in business days; null with a single price. */
  readonly rhythmDays: number | null
  /** The day of the next expected price, which may have passed; null for a fund that is not watched or has no rhythm. */
  readonly nextPrice: string | null
}

export type Assessment = ReturnType<typeof assessFunds>

/** @param funds in the order of their ISINs @param asOf ISO 8601 */
export function assessFunds(funds: readonly PricedFund[], rules: Rules, asOf: string) {
  const all = funds.map((fund) => markFund(fund, rules, asOf))
  const shown = all.filter((_, index) => funds[index]?.dataPermitted === 1)
  const priced = shown
    .flatMap(({ isin, mark, newestPrice: day }) => (day === null ? [] : { isin, mark, day }))
    .sort((one, other) => compare(one.day, other.day))
  const oldest = priced.find(({ mark }) => mark !== 'unwatched')
  return {
    counts: Object.fromEntries(
      marks.map((each) => [each, all.filter(({ mark }) => mark === each).length]),
    ) as FreshnessCounts,
    /** In the order of their ISINs. Funds whose data may not be given out are counted, but not listed. */
    funds: shown as readonly MarkedFund[],
    /** Stale funds, then late ones; those with the oldest price first. */
    overdue: shown.filter(({ mark }) => isOverdue(mark)).sort(byUrgency) as readonly MarkedFund[],
    /** The watched fund whose newest price is the oldest, the first by ISIN, or null without any price. */
    oldestPrice: oldest === undefined ? null : { isin: oldest.isin, day: oldest.day },
    /** Among all prices that are given out. */
    newestPrice: priced.at(-1)?.day ?? null,
  }
}

const isOverdue = (mark: Mark): mark is 'late' | 'stale' => mark === 'late' || mark === 'stale'

const compare = (one: string, other: string) => (one < other ? -1 : Number(one > other))

function byUrgency(one: MarkedFund, other: MarkedFund): number {
  const rank = ({ mark, newestPrice, isin }: MarkedFund) =>
    [mark === 'stale' ? 0 : 1, newestPrice, isin].join(' ')
  return compare(rank(one), rank(other))
}

/** The funds that are late or stale, by ISIN. The newest price day of each is enough. */
export function overdueFunds(funds: readonly PricedFund[], rules: Rules, asOf: string) {
  const marked = funds.map((fund) => [fund.isin, markFund(fund, rules, asOf).mark] as const)
  return new Map(marked.flatMap(([isin, mark]) => (isOverdue(mark) ? [[isin, mark]] : [])))
}

export type FundAge = NonNullable<ReturnType<typeof ageOf>>

/**
 * How old a fund's newest price is, in business days up to `asOf`. The fund's last price day is enough.
 * @returns null if there is no price that may be given out
 */
export function ageOf(fund: PricedFund, rules: Rules, asOf: string) {
  const { mark, ageDays } = markFund(fund, rules, asOf)
  return ageDays === null ? null : { mark, ageDays, asOf }
}

/** A sentence about a late or stale fund, or null. The fund's last price day is enough. @param asOf ISO 8601 */
export function describeAge(fund: PricedFund, rules: Rules, asOf: string): string | null {
  const { mark, newestPrice, ageDays } = markFund(fund, rules, asOf)
  if (newestPrice === null || !isOverdue(mark)) return null
  return `the newest price, of ${newestPrice}, is ${mark}: ${businessDays(ageDays ?? 0)} before ${asOf}`
}

/** `1 business day`, `at least 1000 business days` */
export const businessDays = (count: number): string =>
  count === 1 ? '1 business day' : `${count === maxBusinessDays ? 'at least ' : ''}${count} business days`

type WatchedCounts = Pick<FreshnessCounts, 'fresh' | 'late' | 'stale'>

/** The share of stale funds among those that are watched, from 0 to 1. */
export const staleShare = ({ fresh, late, stale }: WatchedCounts): number =>
  stale === 0 ? 0 : stale / (fresh + late + stale)

/** Part of a sentence: too many funds are stale. */
export function describeStale({ fresh, late, stale }: WatchedCounts, maxStaleShare: number): string {
  const limit = `${Number((maxStaleShare * 100).toFixed(2))} %`
  return `the prices of ${stale} of ${fresh + late + stale} funds are stale, more than ${limit}`
}

function markFund(fund: PricedFund, rules: Rules, asOf: string): MarkedFund {
  const { isin, name, priceDays } = fund
  const nothing = { isin, name, newestPrice: null, ageDays: null, rhythmDays: null, nextPrice: null }
  if (fund.dataPermitted === 0 || fund.pricesPermitted === 0) return { ...nothing, mark: 'withheld' }
  const [newestPrice] = priceDays
  if (newestPrice === undefined) return { ...nothing, mark: 'unpriced' }
  const { isWatched, warnDays, errorDays, calendar } = rules(fund)
  const ageDays = businessDaysBetween(calendar, newestPrice, asOf)
  const rhythmDays = usualGap(calendar, priceDays)
  if (!isWatched) return { ...nothing, mark: 'unwatched', newestPrice, ageDays, rhythmDays }
  const nextPrice = rhythmDays === null ? null : addBusinessDays(calendar, newestPrice, rhythmDays)
  const mark = ageDays > errorDays ? 'stale' : ageDays > warnDays ? 'late' : 'fresh'
  return { isin, name, mark, newestPrice, ageDays, rhythmDays, nextPrice }
}

/** How many of a fund's last prices show its rhythm: ten gaps, few enough to follow a fund that changes it. */
export const daysOfRhythm = 11

/**
 * How often a fund is priced: the median gap between two prices in business days, of two medians the shorter one. 1 is
 * daily, 5 weekly, about 21 monthly.
 * @param days of the last prices, the newest first
 * @returns null for a single price
 */
export function usualGap(calendar: Calendar, days: readonly string[]): number | null {
  const gaps = days.slice(0, daysOfRhythm - 1).flatMap((day, index) => {
    const before = days[index + 1]
    // A price on a holiday has no business day before it: the step still counts as one.
    return before === undefined ? [] : [Math.max(1, businessDaysBetween(calendar, before, day))]
  })
  return gaps.sort((one, other) => one - other)[Math.floor((gaps.length - 1) / 2)] ?? null
}
