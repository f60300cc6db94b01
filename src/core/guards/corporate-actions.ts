/** What splits and distributions do to prices: how a price compares with the one before. Pure. */

import type { CorporateActionRow } from '../api/contract/rows.ts'
import { decimalsOf, type Figures } from './figures.ts'

/** Prices that a price is compared with, in its own shares. */
export interface Earlier {
  readonly previous: Figures
  readonly base: PerformanceBase
  /** Per share, since the previous price. */
  readonly distributed: number
}

/** The price that a performance is against, and whether it stands for 31 December. */
export interface PerformanceBase {
  readonly price: Figures
  readonly isOfYearEnd: boolean
}

/** The actions between two prices. */
export interface Between {
  /** Shares that one share has become. */
  readonly shares: number
  /** Paid for each of these. */
  readonly distributed: number
}

const nothing: Between = { shares: 1, distributed: 0 }

/**
 * An ex-day without a price counts for the next price. The checks of values name actions that are left out here.
 * @returns takes each day with a price, ascending, and gives what lies between it and the one before
 */
export function actionWatch(actions: readonly CorporateActionRow[]) {
  const isSplit = ({ kind }: CorporateActionRow) => Number(kind === 'split')
  // Of one day, the split comes first.
  const all = actions.toSorted((one, other) =>
    one.exDate === other.exDate ? isSplit(other) - isSplit(one) : one.exDate < other.exDate ? -1 : 1,
  )
  let at = 0
  return (day: string): Between => {
    let { shares, distributed } = nothing
    for (let action = all[at]; action !== undefined && action.exDate <= day; action = all[++at]) {
      const factor = Number(action.factor ?? 1)
      const amount = Number(action.amount ?? 0)
      if (factor > 0) [shares, distributed] = [shares * factor, distributed / factor]
      if (amount > 0) distributed += amount
    }
    return shares === 1 && distributed === 0 ? nothing : { shares, distributed }
  }
}

/** @returns what a price is compared with, in its own shares */
export const inSharesOf = (earlier: Earlier | null, { shares, distributed }: Between): Earlier | null =>
  earlier === null || (shares === 1 && distributed === 0)
    ? earlier
    : {
        previous: afterSplit(earlier.previous, shares),
        base: { ...earlier.base, price: afterSplit(earlier.base.price, shares) },
        distributed,
      }

const afterSplit = (price: Figures, shares: number): Figures => ({
  ...price,
  shares: price.shares * shares,
  issue: price.issue / shares,
  repurchase: price.repurchase / shares,
  nav: price.nav / shares,
})

/**
 * How a NAV has grown: plainly; with what was distributed reinvested at the NAV of the ex-day, as the BVI does; and against
 * the NAV before less that. The first is the only one without a distribution.
 */
export const growthsOf = (nav: number, before: number, distributed: number): readonly number[] =>
  distributed === 0
    ? [nav / before]
    : [nav / before, (nav + distributed) / before, nav / (before - distributed)]

/** The end of a sentence about a price and the one before, or ''. */
export function actionsNamed({ shares }: Figures, distributed: number): string {
  const named = [
    ...(shares === 1 ? [] : [`a split by ${Number(shares.toPrecision(12))}`]),
    ...(distributed === 0 ? [] : [`a distribution of ${Number(distributed.toPrecision(12))}`]),
  ]
  return named.length === 0 ? '' : `, with ${named.join(' and ')} in table corporate_action`
}

/** A NAV that is so near to a whole multiple or part of the one before may be that of a split. */
const nearSplit = 0.03
const mostShares = 20
/** Of the two readings of such a factor, a slip of the decimal point is by far the likelier one. */
const slips: readonly number[] = [10, 100, 1000]

/** The factor of the split that two NAVs look like, as 5 or 0.2; null if no whole one is near. */
export function likelyFactor(nav: number, before: number): number | null {
  const isReverse = nav > before
  const times = isReverse ? nav / before : before / nav
  const whole = slips.find((each) => Math.abs(times / each - 1) <= nearSplit) ?? Math.round(times)
  const isPossible = (whole >= 2 && whole <= mostShares) || slips.includes(whole)
  if (!isPossible || Math.abs(times / whole - 1) > nearSplit) return null
  return isReverse ? Number((1 / whole).toFixed(12)) : whole
}

/** The two readings of a jump, the likelier one first: the end of a sentence, or ''. */
export function jumpHint({ texts: [day], nav }: Figures, previous: Figures): string {
  const factor = previous.shares === 1 ? likelyFactor(nav, previous.nav) : null
  if (factor === null) return ''
  const row = `add to table corporate_action: ex_date ${day}, kind split, factor ${factor}`
  const isSlip = slips.includes(Math.round(factor > 1 ? factor : 1 / factor))
  return isSlip
    ? ` (most likely a slip of the decimal point; if it is a split, ${row})`
    : ` (if it is a split, ${row}; else the price is wrong)`
}

/** In percent of the NAV: few funds earn more on a day. */
export const mostEarned = 3

/** The row that would explain a change above the difference of the NAVs as adjusted for a distribution. */
export function distributionHint(price: Figures, previous: Figures): string {
  const [day, , , nav, change] = price.texts
  const amount = Number(change) - (price.nav - previous.nav)
  if (!(amount > 0) || Math.abs(Number(change)) > (previous.nav * mostEarned) / 100) return ''
  const decimals = Math.min(15, Math.max(...[nav, previous.texts[3], change].map(decimalsOf)))
  const row = `ex_date ${day}, kind distribution, amount ${amount.toFixed(decimals)}, currency of the fund`
  return ` (if it is a distribution, add to table corporate_action: ${row})`
}
