/** Assesses the age of the funds' newest prices on a day. Pure. */

import { addBusinessDays, businessDaysBetween, maxBusinessDays, type Calendar } from './calendar.ts'
import type { GroupedFund, Rules } from './rules.ts'

/** The days of a fund's last prices, with what decides how new they should be. */
export interface PricedFund extends GroupedFund {
  readonly name: string
  readonly inceptionDate: string
  readonly dataPermitted: 0 | 1
  readonly pricesPermitted: 0 | 1
  /** ISO 8601, the newest first. A rhythm needs `daysOfRhythm` of them, if they exist. */
  readonly priceDays: readonly string[]
}

/**
 * - `fresh`, `late`, `stale`: watched funds with a price, by the thresholds of their group.
 * - `unwatched`: the group is never late. `unpriced`: no price at all. `withheld`: prices may not be given out.
 */
type Mark = (typeof marks)[number]
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
  /** See {@link usualGap}. */
  readonly rhythmDays: number | null
  /** The day of the next expected price, which may have passed; null for a fund that is unwatched or has no rhythm. */
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
    /** By ISIN. Funds whose data may not be given out are counted, but not listed. */
    funds: shown as readonly MarkedFund[],
    /** Stale funds, then late ones; those with the oldest price first. */
    overdue: shown.filter(({ mark }) => isOverdue(mark)).sort(byUrgency) as readonly MarkedFund[],
    /** The watched fund whose newest price is the oldest, the first by ISIN. */
    oldestPrice: oldest === undefined ? null : { isin: oldest.isin, day: oldest.day },
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

/** Marks of late and stale funds, by ISIN. The newest price day of each fund is enough. */
export function overdueFunds(funds: readonly PricedFund[], rules: Rules, asOf: string) {
  const marked = funds.map((fund) => [fund.isin, markFund(fund, rules, asOf).mark] as const)
  return new Map(marked.flatMap(([isin, mark]) => (isOverdue(mark) ? [[isin, mark]] : [])))
}

/** Null unless the fund is late or stale. The newest price day is enough. @param asOf ISO 8601 */
export function describeAge(fund: PricedFund, rules: Rules, asOf: string): string | null {
  const { mark, newestPrice, ageDays } = markFund(fund, rules, asOf)
  if (newestPrice === null || !isOverdue(mark)) return null
  return `the newest price, of ${newestPrice}, is ${mark}: ${businessDays(ageDays ?? 0)} before ${asOf}`
}

/** `1 business day`, `at least 1000 business days` */
export const businessDays = (count: number): string =>
  count === 1 ? '1 business day' : `${count === maxBusinessDays ? 'at least ' : ''}${count} business days`

type WatchedCounts = Pick<FreshnessCounts, 'fresh' | 'late' | 'stale'>

/** The share of stale funds among the watched ones, from 0 to 1. */
export const staleShare = ({ fresh, late, stale }: WatchedCounts): number =>
  stale === 0 ? 0 : stale / (fresh + late + stale)

export function describeStale({ fresh, late, stale }: WatchedCounts, most: number): string {
  const limit = `${Number((most * 100).toFixed(2))} %`
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

/** Prices that show a fund's rhythm: ten gaps, few enough to follow a fund that changes its rhythm. */
export const daysOfRhythm = 11

/**
 * The median gap between two prices in business days, of two medians the shorter one: 1 daily, 5 weekly, about 21 monthly.
 * @param days of the last prices, the newest first @returns null for a single price
 */
export function usualGap(calendar: Calendar, days: readonly string[]): number | null {
  const gaps = gapsBetween(calendar, days).sort((one, other) => one - other)
  return gaps[Math.floor((gaps.length - 1) / 2)] ?? null
}

/** Gaps between the last prices, in business days. @param days the newest first */
export const gapsBetween = (calendar: Calendar, days: readonly string[]): number[] =>
  days.slice(0, daysOfRhythm - 1).flatMap((day, index) => {
    const before = days[index + 1]
    // The step to a price on a holiday has no business day, but counts as one.
    return before === undefined ? [] : [Math.max(1, businessDaysBetween(calendar, before, day))]
  })
