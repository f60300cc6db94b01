/** Whether the funds' newest prices are as new as they should be on a day. Pure. */

import { addBusinessDays, businessDaysBetween, maxBusinessDays } from './business-days.ts'
import { usualGap } from './rhythm.ts'
import type { GroupedFund, Rules } from './rules.ts'

/** A fund with the days of its last prices, the newest first. */
export interface PricedFund extends GroupedFund {
  readonly name: string
  readonly dataPermitted: 0 | 1
  readonly pricesPermitted: 0 | 1
  /** ISO 8601; as many as `daysOfRhythm`, or all there are. */
  readonly priceDays: readonly string[]
}

/**
 * - `fresh`, `late`, `stale`: watched funds with a price, by the thresholds of their group.
 * - `unwatched`: of a group that is never late.
 * - `unpriced`: has no price at all. `withheld`: its prices may not be given out.
 */
export type Mark = (typeof marks)[number]
export const marks = ['fresh', 'late', 'stale', 'unwatched', 'unpriced', 'withheld'] as const

export type FreshnessCounts = Readonly<Record<Mark, number>>

export interface MarkedFund {
  readonly isin: string
  readonly name: string
  readonly mark: Mark
  /** The rest is null where there is no price that may be given out. */
  readonly newestPrice: string | null
  /** In business days, 1,000 for all that is older. */
  readonly ageDays: number | null
  /** The usual gap between two prices in business days; null with a single price. */
  readonly rhythmDays: number | null
  /** When the next price is to be expected, or was; null for a fund that is not watched, or without a rhythm. */
  readonly nextPrice: string | null
}

export interface Assessment {
  readonly counts: FreshnessCounts
  /** In the order of their ISINs, without those of which nothing may be given out: these are counted only. */
  readonly funds: readonly MarkedFund[]
  /** Stale funds, then late ones; those with the oldest price first. */
  readonly overdue: readonly MarkedFund[]
  /** The watched fund whose newest price is the oldest, the first by ISIN, or null without any price. */
  readonly oldestPrice: OldestPrice | null
  /** Of all prices that are given out. */
  readonly newestPrice: string | null
}

export interface OldestPrice {
  readonly isin: string
  /** ISO 8601 */
  readonly day: string
}

/** @param asOf ISO 8601 */
export function assessFunds(funds: readonly PricedFund[], rules: Rules, asOf: string): Assessment {
  const all = funds.map((fund) => ({ isShown: fund.dataPermitted === 1, ...markFund(fund, rules, asOf) }))
  const shown = all.filter(({ isShown }) => isShown).map(({ isShown: _, ...fund }): MarkedFund => fund)
  const newestDays = shown.flatMap(({ newestPrice }) => newestPrice ?? []).sort()
  const overdue = shown.filter(({ mark }) => mark === 'stale' || mark === 'late').sort(byUrgency)
  return {
    counts: countMarks(all),
    funds: shown,
    overdue,
    oldestPrice: oldestPriceOf(shown.filter(isWatched)),
    newestPrice: newestDays.at(-1) ?? null,
  }
}

/** The funds that are late or stale, by ISIN. Only the newest day of each is looked at. */
export function overdueFunds(
  funds: readonly PricedFund[],
  rules: Rules,
  asOf: string,
): ReadonlyMap<string, 'late' | 'stale'> {
  return new Map(
    funds.flatMap((fund) => {
      const mark = ageOf(fund, rules, asOf)?.mark
      return mark === 'late' || mark === 'stale' ? [[fund.isin, mark] as const] : []
    }),
  )
}

/** How old a fund's newest price is. */
export interface FundAge {
  readonly mark: Mark
  /** In business days up to `asOf`, 1,000 for all that is older. */
  readonly ageDays: number
  /** ISO 8601 */
  readonly asOf: string
}

/** Its last price day is enough. @returns null where no price may be given out, or there is none */
export function ageOf(fund: PricedFund, rules: Rules, asOf: string): FundAge | null {
  const newestOnly = { ...fund, priceDays: fund.priceDays.slice(0, 1) }
  const { mark, ageDays } = markFund(newestOnly, rules, asOf)
  return ageDays === null ? null : { mark, ageDays, asOf }
}

/** What a fund that is late is told of by whoever checks it, or null. Its last price day is enough. @param asOf ISO 8601 */
export function describeAge(fund: PricedFund, rules: Rules, asOf: string): string | null {
  const { mark, newestPrice, ageDays } = markFund(fund, rules, asOf)
  if (newestPrice === null || (mark !== 'late' && mark !== 'stale')) return null
  return `the newest price, of ${newestPrice}, is ${mark}: ${businessDays(ageDays ?? 0)} before ${asOf}`
}

/** `1 business day`, `at least 1000 business days` */
export const businessDays = (count: number): string =>
  count === 1 ? '1 business day' : `${count === maxBusinessDays ? 'at least ' : ''}${count} business days`

type WatchedCounts = Pick<FreshnessCounts, 'fresh' | 'late' | 'stale'>

/** The share of stale funds among those that are watched, from 0 to 1. */
export function staleShare({ fresh, late, stale }: WatchedCounts): number {
  return stale === 0 ? 0 : stale / (fresh + late + stale)
}

/** That too many funds are stale, as part of a sentence. */
export function describeStale(counts: WatchedCounts, maxStaleShare: number): string {
  const { fresh, late, stale } = counts
  return `the prices of ${stale} of ${fresh + late + stale} funds are stale, more than ${percent(maxStaleShare)}`
}

/** `12.5 %` */
const percent = (share: number): string => `${Number((share * 100).toFixed(2))} %`

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

function countMarks(funds: readonly { readonly mark: Mark }[]): FreshnessCounts {
  const counts: Record<Mark, number> = { fresh: 0, late: 0, stale: 0, unwatched: 0, unpriced: 0, withheld: 0 }
  for (const { mark } of funds) counts[mark]++
  return counts
}

const isWatched = ({ mark }: MarkedFund) => mark === 'fresh' || mark === 'late' || mark === 'stale'

/** @param funds in the order of their ISINs */
function oldestPriceOf(funds: readonly MarkedFund[]): OldestPrice | null {
  const priced = funds.flatMap(({ isin, newestPrice: day }) => (day === null ? [] : { isin, day }))
  return priced.reduce<OldestPrice | null>(
    (oldest, next) => (oldest === null || next.day < oldest.day ? next : oldest),
    null,
  )
}

function byUrgency(one: MarkedFund, other: MarkedFund): number {
  const rank = ({ mark, newestPrice, isin }: MarkedFund) =>
    [mark === 'stale' ? 0 : 1, newestPrice, isin].join(' ')
  return rank(one) < rank(other) ? -1 : 1
}
