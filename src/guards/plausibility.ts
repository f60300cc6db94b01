/** Which prices are implausible: those that a guard refuses, and those to warn of. Pure. */

import { businessDays, daysOfRhythm, usualGap } from './assess.ts'
import { businessDaysBetween, type Calendar } from './calendar.ts'
import type { GuardName } from './guards.ts'
import { type FundGroup, type GroupedFund, isIn } from './rules.ts'

/** `plausibility` in the config file. Jumps are shares: 0.3 is 30 %. Days are business days. */
export interface PlausibilitySettings extends PlausibilityLimits {
  readonly onImplausible: 'refuse' | 'withhold'
  /** The first group that a fund fits counts. */
  readonly groups: readonly PlausibilityGroup[]
}

export interface PlausibilityLimits {
  readonly errorJump: number
  readonly warnJump: number
  readonly flatDays: number
  readonly gapDays: number
}

/** The group overrides the limits that it names. */
export interface PlausibilityGroup extends FundGroup, Partial<PlausibilityLimits> {
  /** Nothing is checked. */
  readonly never?: boolean
}

export const defaultPlausibility: PlausibilitySettings = {
  errorJump: 0.3,
  warnJump: 0.1,
  flatDays: 10,
  gapDays: 5,
  onImplausible: 'refuse',
  groups: [],
}

/** The limits for a fund, or null if its prices are not checked. */
export function limitsOf(settings: PlausibilitySettings, fund: GroupedFund): PlausibilityLimits | null {
  const group = settings.groups.find((one) => isIn(one, fund))
  return group?.never === true ? null : { ...settings, ...group }
}

/** A price as the database has it: its day (ISO 8601), then decimal texts. A row may have more. */
export type PriceTexts = readonly [
  day: string,
  issue: string,
  repurchase: string,
  nav: string,
  change: string,
  ...others: readonly (string | null)[],
]

export interface ImplausiblePrice {
  /** Null: no guard refuses it, it is to be warned of. */
  readonly guard: GuardName | null
  readonly price: PriceTexts
  /** Whether it says nothing about a price that is live already: nobody keeps a calendar for the past. */
  readonly isForNewOnly: boolean
  /** The one that it is compared with, or null. */
  readonly previous: PriceTexts | null
  /** A sentence without its full stop, with the day and the figures. */
  readonly message: string
}

/** Differences of doubles are not exact. */
const tiny = 1e-9

/**
 * A price that a guard refuses is not warned of as well, and one whose NAV jumps has no `price-change`: one mistake, one name.
 * @param prices of a fund, by day. A text that is no number is left to the checks of values.
 */
export function implausiblePrices(
  prices: readonly PriceTexts[],
  limits: PlausibilityLimits,
  calendar: Calendar,
): ImplausiblePrice[] {
  const found: ImplausiblePrice[] = []
  /** The first price with the NAV of the previous one. */
  let still = 0
  for (const [index, price] of prices.entries()) {
    const previous = prices[index - 1] ?? null
    const add = (guard: GuardName | null, message: string, isForNewOnly = false) =>
      found.push({ guard, price, previous, message, isForNewOnly })
    const [day, issue, repurchase, nav] = price
    const count = found.length
    const lowest = Math.min(Number(nav), Number(issue), Number(repurchase))
    if (lowest <= 0) add('price-sign', describeSign(price))
    else if (Number(repurchase) > Number(issue))
      add('price-order', `repurchase price ${repurchase} on ${day} is above the issue price ${issue}`)
    const before = previous === null ? 0 : Number(previous[3])
    const change = before > 0 && Number(nav) > 0 ? (Number(nav) - before) / before : 0
    const isAbove = (limit: number) => Math.abs(change) > limit + tiny
    if (isAbove(limits.errorJump)) add('price-jump', describeJump(price, previous, change, limits.errorJump))
    else if (previous !== null && before > 0 && Number(nav) > 0) {
      const difference = otherDifference(price, previous)
      if (difference !== null)
        add(
          'price-change',
          `change ${price[4]} on ${day} is not ${difference}, from NAV ${previous[3]} of ${previous[0]} to ${nav}`,
        )
    }
    if (found.length === count) {
      if (isAbove(limits.warnJump)) add(null, describeJump(price, previous, change, limits.warnJump))
      if (Number(issue) < Number(nav)) add(null, `issue price ${issue} on ${day} is below the NAV ${nav}`)
      if (Number(repurchase) > Number(nav))
        add(null, `repurchase price ${repurchase} on ${day} is above the NAV ${nav}`)
      if (!calendar.isBusinessDay(day)) add(null, `${day} has a price and is no business day`, true)
    }
    if (previous !== null && dayNumber(day) - dayNumber(previous[0]) > limits.gapDays + 1) {
      const gap = businessDaysBetween(calendar, previous[0], day)
      // A fund that is priced once a month has no gap of a month.
      if (gap - rhythmOf(prices, calendar) > limits.gapDays)
        add(null, `no price for ${businessDays(gap - 1)}, between ${previous[0]} and ${day}`)
    }
    if (Number(nav) !== before) still = index
    const isLast = index + 1 === prices.length || Number(prices[index + 1]?.[3]) !== Number(nav)
    if (isLast && still < index) {
      const since = prices[still]?.[0] ?? ''
      const days = businessDaysBetween(calendar, since, day)
      if (days >= limits.flatDays)
        add(null, `NAV ${nav} has not moved for ${businessDays(days)}, ${since} to ${day}`)
    }
  }
  return found
}

function describeSign([day, issue, repurchase, nav]: PriceTexts): string {
  const all = { NAV: nav, 'issue price': issue, 'repurchase price': repurchase }
  const wrong = Object.entries(all).filter(([, text]) => Number(text) <= 0)
  return `${wrong.map(([name, text]) => `${name} ${text}`).join(', ')} on ${day}: a price must be above zero`
}

function describeJump(
  [day, , , nav]: PriceTexts,
  previous: PriceTexts | null,
  change: number,
  limit: number,
) {
  const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`
  const direction = change > 0 ? 'above' : 'below'
  return `NAV ${nav} on ${day} is ${percent(Math.abs(change))} ${direction} the ${previous?.[3] ?? ''} of ${previous?.[0] ?? ''}, more than ${percent(limit)}`
}

/** The difference of the NAVs, or null if it is the change: each of the three may have been rounded. */
function otherDifference([, , , nav, change]: PriceTexts, [, , , before]: PriceTexts): string | null {
  const difference = Number(nav) - Number(before)
  const apart = Math.abs(Number(change) - difference)
  // Almost all prices end here.
  if (apart < tiny) return null
  const rounding = [nav, before, change].reduce((sum, text) => sum + 0.5 * 10 ** -decimalsOf(text), 0)
  // NaN: the checks of values name a text that is no number.
  if (!(apart > rounding + tiny * Math.abs(Number(nav)))) return null
  return difference.toFixed(Math.min(20, Math.max(decimalsOf(nav), decimalsOf(before))))
}

const decimalsOf = (text: string) => (text.includes('.') ? text.length - text.indexOf('.') - 1 : 0)

const dayNumber = (day: string) => Date.parse(day) / 86_400_000

/** By the last prices. */
const rhythmOf = (prices: readonly PriceTexts[], calendar: Calendar) =>
  usualGap(
    calendar,
    prices
      .slice(-daysOfRhythm)
      .map(([day]) => day)
      .reverse(),
  ) ?? 1
