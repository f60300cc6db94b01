/** Assesses the age of the funds' newest prices on a day. Pure. */

import { addDays, daysBetween } from '../system/days.ts'
import { addBusinessDays, businessDaysBetween, maxBusinessDays, type Calendar } from './calendar.ts'
import { countedFrom, type LifeFacts, lifeOn } from './life.ts'
import type { GroupedFund, Rules } from './rules.ts'

/** The days of a fund's last prices, with what decides how new they should be. */
export interface PricedFund extends GroupedFund, LifeFacts {
  readonly name: string
  readonly inceptionDate: string
  readonly dataPermitted: 0 | 1
  readonly pricesPermitted: 0 | 1
  /** ISO 8601, the newest first. A rhythm needs `daysOfRhythm` of them, if they exist. */
  readonly priceDays: readonly string[]
}

/**
 * - `fresh`, `late`, `stale`: watched funds with a price, by their rhythm and the thresholds of their group.
 * - `suspended`, `ended`: no newer price is expected, whether the fund has one or not: see {@link lifeOn}.
 * - `unwatched`: the group is never late. `unpriced`: no price yet. `withheld`: prices may not be given out.
 */
type Mark = (typeof marks)[number]
export const marks = [
  'fresh',
  'late',
  'stale',
  'suspended',
  'ended',
  'unwatched',
  'unpriced',
  'withheld',
] as const

export type FreshnessCounts = Readonly<Record<Mark, number>>

/** @returns a count for each mark, in their order and with nothing else */
export const countsByMark = (count: (mark: Mark) => number): FreshnessCounts =>
  Object.fromEntries(marks.map((mark) => [mark, count(mark)])) as FreshnessCounts

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
  /** The day of the next expected price, which may have passed; null if none is expected, or at no known time. */
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
  const oldest = priced.find(({ mark }) => mark === 'fresh' || isOverdue(mark))
  return {
    counts: countsByMark((each) => all.filter(({ mark }) => mark === each).length),
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

/** Null unless the fund is late or stale. @param asOf ISO 8601 */
export function overdueMark(fund: PricedFund, rules: Rules, asOf: string): 'late' | 'stale' | null {
  const { mark } = markFund(fund, rules, asOf)
  return isOverdue(mark) ? mark : null
}

/** Null unless the fund is late or stale. @param asOf ISO 8601 */
export function describeAge(fund: PricedFund, rules: Rules, asOf: string): string | null {
  const { mark, newestPrice, ageDays } = markFund(fund, rules, asOf)
  if (newestPrice === null || !isOverdue(mark)) return null
  return `the newest price, of ${newestPrice}, is ${mark}: ${businessDays(ageDays ?? 0)} before ${asOf}`
}

/** `1 business day`, `at least 1000 business days` */
export const businessDays = (count: number): string =>
  count === 1 ? '1 business day' : `${count === maxBusinessDays ? 'at least ' : ''}${count} business days`

type WatchedCounts = Pick<FreshnessCounts, 'fresh' | 'late' | 'stale'>

/** One silent fund never stops a company, unless it has no other. @param maxStaleShare of the watched funds, from 0 to 1 */
export const mostStale = ({ fresh, late, stale }: WatchedCounts, maxStaleShare: number): number => {
  const watched = fresh + late + stale
  return Math.max(Math.min(1, watched - 1), Math.floor(watched * maxStaleShare + 1e-9))
}

export const areTooManyStale = (counts: WatchedCounts, maxStaleShare: number): boolean =>
  counts.stale > 0 && counts.stale > mostStale(counts, maxStaleShare)

export function describeStale({ fresh, late, stale }: WatchedCounts, most: number): string {
  const limit = `${Number((most * 100).toFixed(2))} %`
  return `the prices of ${stale} of ${fresh + late + stale} funds are stale, more than ${limit}`
}

function markFund(fund: PricedFund, rules: Rules, asOf: string): MarkedFund {
  const { isin, name, priceDays } = fund
  const nothing = { isin, name, newestPrice: null, ageDays: null, rhythmDays: null, nextPrice: null }
  if (fund.dataPermitted === 0 || fund.pricesPermitted === 0) return { ...nothing, mark: 'withheld' }
  const life = lifeOn(fund, asOf)
  const [newestPrice] = priceDays
  if (newestPrice === undefined) return { ...nothing, mark: life?.kind ?? 'unpriced' }
  const { isWatched, warnDays, errorDays, isByAge, calendar } = rules(fund)
  const ageDays = businessDaysBetween(calendar, newestPrice, asOf)
  const rhythmDays = usualGap(calendar, priceDays)
  const known = { ...nothing, newestPrice, ageDays, rhythmDays }
  if (life !== null) return { ...known, mark: life.kind }
  if (!isWatched) return { ...known, mark: 'unwatched' }
  const since = countedFrom(fund, newestPrice, asOf)
  const nextPrice = nextPriceDay(calendar, priceDays, since)
  const isDaily = rhythmDays === 1
  const awaited = isByAge || isDaily || nextPrice === null ? since : nextPrice
  const days = businessDaysBetween(calendar, awaited, asOf)
  const mark = days > errorDays ? 'stale' : days > warnDays ? 'late' : 'fresh'
  return { ...known, mark, nextPrice }
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

const aWeek = 7
/** A weekly fund may have no price at Christmas, and none at New Year. */
const weeksWithoutPrice = [0, 1, 2, 3]
/** Months have 28 to 31 days, and a third Friday comes after four weeks or five: a longer gap is a price that was left out. */
const longestOfUsual = 1.25

/**
 * The day of the next price by the rhythm of a fund. A weekly fund has none on a holiday, and the next one a week later. Of a
 * rhythm of months it is the latest day that is usual.
 * @param days of the last prices, the newest first @param since the day that it is counted from
 * @returns null for a single price
 */
export function nextPriceDay(calendar: Calendar, days: readonly string[], since: string): string | null {
  const rhythm = usualGap(calendar, days)
  if (rhythm === null) return null
  const gaps = days.slice(0, daysOfRhythm - 1).flatMap((day, index) => {
    const before = days[index + 1]
    return before === undefined ? [] : [daysBetween(before, day)]
  })
  const usual = gaps.toSorted((one, other) => one - other)[Math.floor((gaps.length - 1) / 2)] ?? 0
  if (usual < aWeek) return addBusinessDays(calendar, since, rhythm)
  if (usual === aWeek) {
    const found = weeksWithoutPrice
      .map((weeks) => addDays(since, aWeek * (weeks + 1)))
      .find((day) => calendar.isBusinessDay(day))
    if (found !== undefined) return found
  }
  const longest = usual === aWeek ? aWeek : Math.max(...gaps.filter((gap) => gap <= usual * longestOfUsual))
  return addBusinessDays(calendar, addDays(since, longest - 1), 1)
}
