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
interface Between {
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

/** A NAV that is so near to a whole multiple or part of the one before is most likely that of a split. */
const nearSplit = 0.03
/** What looks like a split into more shares is more often a misplaced decimal point. */
const mostShares = 20

/** The row that would explain a jump as a split: the end of a sentence, or ''. */
export function splitHint({ texts: [day], nav }: Figures, previous: Figures): string {
  const isReverse = nav > previous.nav
  const times = isReverse ? nav / previous.nav : previous.nav / nav
  const whole = Math.round(times)
  if (previous.shares !== 1 || whole < 2 || whole > mostShares || Math.abs(times / whole - 1) > nearSplit)
    return ''
  const factor = isReverse ? Number((1 / whole).toFixed(12)) : whole
  return ` (if it is a split, add to table corporate_action: ex_date ${day}, kind split, factor ${factor})`
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
