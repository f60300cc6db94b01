/** Errors of one price, alone or beside the price before, which guards refuse. Pure. */

import { actionsNamed, distributionHint, type Earlier, splitHint } from './corporate-actions.ts'
import { decimalsOf, type Figures, type PriceTexts, roundingOf, roundingOfNav, tiny } from './figures.ts'
import type { GuardName } from './guards.ts'
import { impossiblePercents, wrongPercents } from './price-percent.ts'

/** Shares: 0.3 is 30 %. */
export interface ErrorLimits {
  readonly errorJump: number
  readonly errorSpread: number
  readonly errorPercent: number
}

type ErrorInPrice = readonly [guard: GuardName, message: string]

/** The price that a performance is against: the fund's last price of an earlier year, else its first. */
export function baseOf(price: Figures, earlier: Earlier | null): Figures {
  if (earlier === null) return price
  return price.year === earlier.previous.year ? earlier.base : earlier.previous
}

/**
 * One mistake has one name: a NAV that jumps changes all figures that are compared with it.
 * @param isNext the change is against the previous price, not against one that was not delivered
 */
export function errorsIn(
  price: Figures,
  earlier: Earlier | null,
  limits: ErrorLimits,
  isNext: () => boolean,
): readonly ErrorInPrice[] {
  const alone = errorsAlone(price)
  if (earlier === null || !(price.nav > 0) || !(earlier.previous.nav > 0)) return alone
  const { previous } = earlier
  const jump = describeJump(price, earlier, limits.errorJump)
  if (jump !== null) return [...alone, ['price-jump', jump + splitHint(price, previous)]]
  const isInOrder = price.repurchase > 0 && price.issue >= price.repurchase
  const spread = isInOrder ? describeSpread(price, previous, limits.errorSpread) : null
  const change = describeChange(price, earlier)
  const percents = wrongPercents(price, earlier, baseOf(price, earlier), limits.errorPercent)
  // Almost all prices end here.
  if (spread === null && change === null && percents.length === 0) return alone
  const found = [...alone]
  if (spread !== null) found.push(['price-spread', spread])
  if (!isNext()) return found
  if (change !== null) found.push(['price-change', change])
  if (alone.every(([guard]) => guard !== 'price-percent'))
    found.push(...percents.map((message): ErrorInPrice => ['price-percent', message]))
  return found
}

const none: readonly ErrorInPrice[] = []

function errorsAlone(price: Figures): readonly ErrorInPrice[] {
  const { texts, issue, repurchase, nav } = price
  if (Math.min(nav, issue, repurchase) <= 0) return [['price-sign', describeSign(texts)]]
  const impossible = impossiblePercents(price)
  // Almost all prices end here.
  if (!(repurchase > issue) && impossible.length === 0) return none
  const found = impossible.map((message): ErrorInPrice => ['price-percent', message])
  if (repurchase > issue)
    found.push([
      'price-order',
      `repurchase price ${texts[2]} on ${texts[0]} is above the issue price ${texts[1]}`,
    ])
  return found
}

function describeSign([day, issue, repurchase, nav]: PriceTexts): string {
  const all = { NAV: nav, 'issue price': issue, 'repurchase price': repurchase }
  const wrong = Object.entries(all).filter(([, text]) => Number(text) <= 0)
  return `${wrong.map(([name, text]) => `${name} ${text}`).join(', ')} on ${day}: a price must be above zero`
}

const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`

/** @param limit a share @returns null if the NAV does not change by more */
export function describeJump(
  price: Figures,
  { previous, distributed }: Earlier,
  limit: number,
): string | null {
  const change = (price.nav + distributed) / previous.nav - 1
  if (!(Math.abs(change) > limit + tiny)) return null
  const [day, , , nav] = price.texts
  const [since, , , before] = previous.texts
  const direction = change > 0 ? 'above' : 'below'
  const actions = actionsNamed(previous, distributed)
  return `NAV ${nav} on ${day} is ${percent(Math.abs(change))} ${direction} the ${before} of ${since}${actions}, more than ${percent(limit)}`
}

const spreads = [
  { field: 'issue', column: 1, name: 'issue price' },
  { field: 'repurchase', column: 2, name: 'repurchase price' },
] as const

/**
 * Issue and repurchase price move with the NAV, except for surcharges and fees.
 * @param limit a share @returns null if neither changes by more in relation to the NAV, beyond rounding
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

/** Describes a change that is not the difference of the NAVs, with a distribution or without it. Each figure may be rounded. */
function describeChange(price: Figures, { previous, distributed }: Earlier): string | null {
  const [day, , , nav, change] = price.texts
  const difference = price.nav - previous.nav
  const excess = Number(change) - difference
  const apart = Math.min(Math.abs(excess), Math.abs(excess - distributed))
  // Almost all prices end here.
  if (apart < tiny) return null
  const [since, , , before] = previous.texts
  // NaN: the checks of values name a text that is no number.
  const rounding = roundingOf([nav, change]) + roundingOfNav(previous)
  if (!(apart > rounding + tiny * Math.abs(price.nav))) return null
  const decimals = Math.min(20, Math.max(decimalsOf(nav), decimalsOf(before)))
  const right = [difference, ...(distributed === 0 ? [] : [difference + distributed])]
  const named = right.map((one) => one.toFixed(decimals)).join(' or ')
  const actions = actionsNamed(previous, distributed)
  const hint = distributed === 0 ? distributionHint(price, previous) : ''
  return `change ${change} on ${day} is not ${named}, from NAV ${before} of ${since} to ${nav}${actions}${hint}`
}
