/** Computes figures of prices from the NAVs and the corporate actions: change, change in percent, performance of the year. Pure. */

import { daysOfYearEnd, isOfYearEnd } from '../../guards/year-end.ts'
import {
  difference,
  type Fraction,
  fractionOf,
  one,
  percentChange,
  product,
  quotient,
  rounded,
  scaleOf,
  sum,
} from './exact.ts'
import { offerColumns } from './offer.ts'

/** The columns of table price that compare a NAV with earlier ones. */
export const figureColumns: readonly string[] = ['change', 'change_percent', 'performance']

/** The columns of table price that can be computed. */
export const derivableColumns: readonly string[] = [...offerColumns, ...figureColumns]

/** Decimals are plain texts above zero. A split has a factor, a distribution an amount per share after a split of its day. */
export interface PricingAction {
  readonly exDate: string
  readonly factor: string | null
  readonly amount: string | null
}

export interface DatedNav {
  readonly date: string
  readonly nav: string
}

/** A price, and those that its figures are against. */
export interface ComparedPrice<Price extends DatedNav> {
  readonly price: Price
  /** The price before; the price itself if it is the first. `shares`: of splits since. */
  readonly last: Readonly<{ price: Price; shares: Fraction }>
  /**
   * The price of the end of the year before; null without one. `shares`: of splits, and of distributions that are reinvested.
   * `decisive`: the prices that tell which one it is.
   */
  readonly base: Readonly<{ price: Price | null; decisive: readonly Price[]; shares: Fraction }>
}

/**
 * Finds what each price is compared with. An ex-day without a price counts for the next price.
 * @param prices of a fund, by day @param actions of the fund, in any order
 */
export function* comparePrices<Price extends DatedNav>(
  prices: readonly Price[],
  actions: readonly PricingAction[],
): Generator<ComparedPrice<Price>> {
  const since = shareWatch(actions)
  let before: Price | undefined
  let base: ComparedPrice<Price>['base'] = { price: null, decisive: [], shares: one }
  for (const [index, price] of prices.entries()) {
    const year = price.date.slice(0, 4)
    if (before !== undefined && before.date.slice(0, 4) < year)
      base = baseOfYear(before, prices.slice(Math.max(0, index - daysOfYearEnd), index), year)
    const { shares, reinvested } = since(price)
    base = { ...base, shares: product(base.shares, product(shares, reinvested)) }
    yield { price, last: { price: before ?? price, shares }, base }
    before = price
  }
}

/** @param recent the prices before that year, ascending, `last` included */
function baseOfYear<Price extends DatedNav>(last: Price, recent: readonly Price[], year: string) {
  const days = recent.map(({ date }) => date).reverse()
  if (isOfYearEnd(days.slice(0, 1), year)) return { price: last, decisive: [last], shares: one }
  // The rhythm of the prices before decides: any of them may be new.
  return { price: isOfYearEnd(days, year) ? last : null, decisive: recent, shares: one }
}

/** What happened to a share since the price before. */
export interface ShareChange {
  /** Shares that it has become by splits. */
  readonly shares: Fraction
  /** Shares that each of these has become by distributions, which buy shares at the NAV of the ex-day (BVI). */
  readonly reinvested: Fraction
}

/** An ex-day without a price counts for the next price. @returns takes each price of a fund, by day */
export function shareWatch(all: readonly PricingAction[]) {
  // Of one day, the split comes first.
  const actions = all.toSorted((left, right) =>
    left.exDate === right.exDate
      ? Number(left.factor === null) - Number(right.factor === null)
      : left.exDate < right.exDate
        ? -1
        : 1,
  )
  let at = 0
  let isFirst = true
  return ({ date, nav }: DatedNav): ShareChange => {
    let shares = one
    let paid = none
    for (let action = actions[at]; action !== undefined && action.exDate <= date; action = actions[++at]) {
      const { factor, amount } = action
      if (factor !== null) {
        const split = fractionOf(factor)
        shares = product(split, shares)
        paid = quotient(paid, split)
      }
      if (amount !== null) paid = sum(paid, fractionOf(amount))
    }
    const isChanged = !isFirst && (shares !== one || paid !== none)
    isFirst = false
    if (!isChanged) return unchanged
    const own = fractionOf(nav)
    const isPaid = paid.top !== 0n && own.top > 0n
    return { shares, reinvested: isPaid ? quotient(sum(own, paid), own) : one }
  }
}

const none: Fraction = { top: 0n, bottom: 1n }
const unchanged: ShareChange = { shares: one, reinvested: one }

/**
 * - change: the NAV less that of the price before, in the shares of today.
 * - change_percent: the same, in percent of the NAV before.
 * - performance: the NAV against that of the end of the year before, in percent, with distributions reinvested (BVI). Null if no
 *   price is of the end of that year (`guards/year-end.ts`): the figure is called "since 31 December".
 *
 * Percentages have two decimals, rounded half away from zero. The first price of a fund has no change: 0.
 * @throws {RangeError} if an earlier NAV is 0
 */
export function derivedFigure<Price extends DatedNav>(
  column: string,
  { price: { nav }, last, base }: ComparedPrice<Price>,
): string | null {
  if (column === 'change') return difference(nav, inShares(last.price.nav, last.shares, nav))
  if (column === 'change_percent') return percentOf(nav, last.shares, last.price.nav)
  return base.price === null ? null : percentOf(nav, base.shares, base.price.nav)
}

/** The NAV as it would have been after the splits, with its decimals or those of the other one. */
const inShares = (nav: string, shares: Fraction, other: string): string =>
  shares === one ? nav : rounded(quotient(fractionOf(nav), shares), Math.max(scaleOf(nav), scaleOf(other)))

/** @throws {RangeError} if the NAV before is 0 */
function percentOf(nav: string, shares: Fraction, before: string): string {
  const worth = product(fractionOf(nav), shares)
  const worthBefore = fractionOf(before)
  return worth.top === 0n && worthBefore.top === 0n ? '0.00' : percentChange(quotient(worth, worthBefore))
}
