/** What guards refuse about one price, alone or beside the one before. Pure. */

import { decimalsOf, type Figures, type PriceTexts, roundingOf, tiny } from './figures.ts'
import type { GuardName } from './guards.ts'

/** Shares: 0.3 is 30 %. */
export interface ErrorLimits {
  readonly errorJump: number
  readonly errorSpread: number
}

export type ErrorInPrice = readonly [guard: GuardName, message: string]

/**
 * One mistake has one name. A NAV that jumps changes all that is compared with it, and a change may be against a day
 * without a price.
 * @param isNext whether the previous price is the one that the change is against
 */
export function errorsIn(
  price: Figures,
  previous: Figures | null,
  limits: ErrorLimits,
  isNext: () => boolean,
): readonly ErrorInPrice[] {
  const alone = errorAlone(price)
  if (previous === null || !(price.nav > 0) || !(previous.nav > 0)) return alone
  const jump = describeJump(price, previous, limits.errorJump)
  if (jump !== null) return [...alone, ['price-jump', jump]]
  const spread = alone.length === 0 ? describeSpread(price, previous, limits.errorSpread) : null
  const found: ErrorInPrice[] = spread === null ? [...alone] : [['price-spread', spread]]
  const change = describeChange(price, previous)
  if (change !== null && isNext()) found.push(['price-change', change])
  return found
}

const none: readonly ErrorInPrice[] = []

function errorAlone({ texts, issue, repurchase, nav }: Figures): readonly ErrorInPrice[] {
  if (Math.min(nav, issue, repurchase) <= 0) return [['price-sign', describeSign(texts)]]
  if (!(repurchase > issue)) return none
  return [['price-order', `repurchase price ${texts[2]} on ${texts[0]} is above the issue price ${texts[1]}`]]
}

function describeSign([day, issue, repurchase, nav]: PriceTexts): string {
  const all = { NAV: nav, 'issue price': issue, 'repurchase price': repurchase }
  const wrong = Object.entries(all).filter(([, text]) => Number(text) <= 0)
  return `${wrong.map(([name, text]) => `${name} ${text}`).join(', ')} on ${day}: a price must be above zero`
}

const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`

/** @param limit a share @returns null if the NAV does not change by more */
export function describeJump(price: Figures, previous: Figures, limit: number): string | null {
  const change = price.nav / previous.nav - 1
  if (!(Math.abs(change) > limit + tiny)) return null
  const [day, , , nav] = price.texts
  const [since, , , before] = previous.texts
  const direction = change > 0 ? 'above' : 'below'
  return `NAV ${nav} on ${day} is ${percent(Math.abs(change))} ${direction} the ${before} of ${since}, more than ${percent(limit)}`
}

const spreads = [
  { field: 'issue', column: 1, name: 'issue price' },
  { field: 'repurchase', column: 2, name: 'repurchase price' },
] as const

/**
 * Issue and repurchase price beside the NAV: surcharges and fees change them together with it, and rarely one alone.
 * @param limit a share @returns null if none of the two changes by more in relation to the NAV, beyond rounding
 */
function describeSpread(price: Figures, previous: Figures, limit: number): string | null {
  for (const { field, column, name } of spreads) {
    const ratio = price[field] / price.nav
    const before = previous[field] / previous.nav
    const change = Math.abs(ratio / before - 1)
    // Almost all prices end here.
    if (!(change > limit + tiny) || !(before > 0)) continue
    const roundings = [price, previous].map((one) =>
      [column, 3].reduce((sum, at) => sum + roundingOf([one.texts[at] ?? '']) / Number(one.texts[at]), 0),
    )
    if (!(change > limit + roundings.reduce((sum, one) => sum + one, 0))) continue
    const times = (share: number) => `${Number(share.toPrecision(3))} times`
    const [day, , , nav] = price.texts
    return (
      `${name} ${price.texts[column]} on ${day} is ${times(ratio)} the NAV ${nav}, after ${times(before)} ` +
      `on ${previous.texts[0]}, a change of more than ${percent(limit)}`
    )
  }
  return null
}

/** A change that is not the difference of the NAVs: each of the three may have been rounded. */
function describeChange(price: Figures, previous: Figures): string | null {
  const [day, , , nav, change] = price.texts
  const difference = price.nav - previous.nav
  const apart = Math.abs(Number(change) - difference)
  // Almost all prices end here.
  if (apart < tiny) return null
  const [since, , , before] = previous.texts
  // NaN: the checks of values name a text that is no number.
  if (!(apart > roundingOf([nav, before, change]) + tiny * Math.abs(price.nav))) return null
  const right = difference.toFixed(Math.min(20, Math.max(decimalsOf(nav), decimalsOf(before))))
  return `change ${change} on ${day} is not ${right}, from NAV ${before} of ${since} to ${nav}`
}
