/** Computes figures of prices from the NAVs and the corporate actions: change, change in percent, performance of the year. Pure. */

import { daysOfYearEnd, isOfYearEnd } from '../../guards/year-end.ts'

/** The columns of table price that can be computed. */
export const derivableColumns: readonly string[] = ['change', 'change_percent', 'performance']

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

/** An exact number: shares that one share has become, or an amount. */
interface Fraction {
  readonly top: bigint
  readonly bottom: bigint
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
  const between = actionsBetween(actions)
  let before: Price | undefined
  let base: ComparedPrice<Price>['base'] = { price: null, decisive: [], shares: one }
  for (const [index, price] of prices.entries()) {
    const year = price.date.slice(0, 4)
    if (before !== undefined && before.date.slice(0, 4) < year)
      base = baseOfYear(before, prices.slice(Math.max(0, index - daysOfYearEnd), index), year)
    const { shares, reinvested } = before === undefined ? nothing : between(before.date, price)
    base = { ...base, shares: product(base.shares, product(shares, reinvested)) }
    yield { price, last: { price: before ?? price, shares }, base }
    before = price
  }
}

const one: Fraction = { top: 1n, bottom: 1n }
const nothing = { shares: one, reinvested: one }

/** @param recent the prices before that year, ascending, `last` included */
function baseOfYear<Price extends DatedNav>(last: Price, recent: readonly Price[], year: string) {
  const days = recent.map(({ date }) => date).reverse()
  if (isOfYearEnd(days.slice(0, 1), year)) return { price: last, decisive: [last], shares: one }
  // The rhythm of the prices before decides: any of them may be new.
  return { price: isOfYearEnd(days, year) ? last : null, decisive: recent, shares: one }
}

/** `reinvested`: the shares of a share whose distributions buy shares at the NAV of the ex-day, as the BVI does. */
function actionsBetween(all: readonly PricingAction[]) {
  // Of one day, the split comes first.
  const actions = all.toSorted((left, right) =>
    left.exDate === right.exDate
      ? Number(left.factor === null) - Number(right.factor === null)
      : left.exDate < right.exDate
        ? -1
        : 1,
  )
  return (since: string, { date, nav }: DatedNav) => {
    let shares = one
    let paid: Fraction = { top: 0n, bottom: 1n }
    for (const { exDate, factor, amount } of actions) {
      if (exDate <= since || exDate > date) continue
      if (factor !== null) {
        const split = fractionOf(factor)
        shares = product(shares, split)
        paid = product(paid, { top: split.bottom, bottom: split.top })
      }
      if (amount !== null) paid = sum(paid, fractionOf(amount))
    }
    const own = fractionOf(nav)
    const reinvested = paid.top === 0n || own.top <= 0n ? one : quotient(sum(own, paid), own)
    return { shares, reinvested }
  }
}

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
  if (column === 'change_percent') return percentChange(nav, last.shares, last.price.nav)
  return base.price === null ? null : percentChange(nav, base.shares, base.price.nav)
}

const product = (left: Fraction, right: Fraction): Fraction =>
  right === one ? left : { top: left.top * right.top, bottom: left.bottom * right.bottom }

const quotient = (left: Fraction, right: Fraction): Fraction => ({
  top: left.top * right.bottom,
  bottom: left.bottom * right.top,
})

const sum = (left: Fraction, right: Fraction): Fraction => ({
  top: left.top * right.bottom + right.top * left.bottom,
  bottom: left.bottom * right.bottom,
})

function fractionOf(decimal: string): Fraction {
  const { units, scale } = inUnits([decimal])
  return { top: units[0] ?? 0n, bottom: 10n ** BigInt(scale) }
}

/** The NAV as it would have been after the splits, with its decimals or those of the other one. */
function inShares(nav: string, shares: Fraction, other: string): string {
  if (shares === one) return nav
  const { units, scale } = inUnits([nav, other])
  return fromUnits(divided((units[0] ?? 0n) * shares.bottom, shares.top), scale)
}

function inUnits(decimals: readonly string[]) {
  const scale = Math.max(...decimals.map((text) => text.split('.')[1]?.length ?? 0))
  const units = decimals.map((text) => {
    const [whole = '', fraction = ''] = text.split('.')
    return BigInt(whole + fraction.padEnd(scale, '0'))
  })
  return { units, scale }
}

function fromUnits(units: bigint, scale: number): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  return (units < 0n ? '-' : '') + digits.slice(0, point) + (scale === 0 ? '' : `.${digits.slice(point)}`)
}

/** Exact, with the decimals of the longer one. */
function difference(left: string, right: string): string {
  const { units, scale } = inUnits([left, right])
  return fromUnits((units[0] ?? 0n) - (units[1] ?? 0n), scale)
}

/** @throws {RangeError} if the base is 0 */
function percentChange(nav: string, { top, bottom }: Fraction, before: string): string {
  const [value = 0n, base = 0n] = inUnits([nav, before]).units
  const left = value * top
  const right = base * bottom
  if (left === right) return fromUnits(0n, 2)
  return fromUnits(
    divided((left - right) * 10_000n * (right < 0n ? -1n : 1n), right < 0n ? -right : right),
    2,
  )
}

/** Rounds half away from zero. @throws {RangeError} if the divisor is 0 */
function divided(number: bigint, divisor: bigint): bigint {
  const half = number < 0n ? -divisor : divisor
  return (2n * number + half) / (2n * divisor)
}
