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

/** A fund whose prices stay as they are live. */
export interface WithheldFund {
  readonly isin: string
  /** What is wrong with the prices of the database. */
  readonly message: string
}

/** In calendar days. The change of a price that comes later may be against one that is not there. */
const aMonth = 35

/** Differences of doubles are not exact. */
const tiny = 1e-9

/**
 * A price that a guard refuses is not warned of as well. One whose NAV jumps has no `price-change` (one mistake, one name),
 * nor has one after a day without a price: its change may be against that day.
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
    const [day, , , nav] = price
    const previous = prices[index - 1] ?? null
    const add = (guard: GuardName | null, message: string | null, isForNewOnly = false) => {
      if (message !== null) found.push({ guard, price, previous, message, isForNewOnly })
    }
    const gap = previous === null ? null : describeGap(prices, previous[0], day, limits, calendar)
    const isNext = () => previous !== null && isNextDay(prices, previous[0], day, calendar)
    const errors = errorsIn(price, previous, limits, isNext)
    for (const [guard, message] of errors) add(guard, message)
    if (errors.length === 0) {
      for (const message of warningsIn(price, previous, limits)) add(null, message)
      if (!calendar.isBusinessDay(day)) add(null, `${day} has a price and is no business day`, true)
    }
    add(null, gap)
    if (Number(nav) !== Number(previous?.[3])) still = index
    if (still < index && Number(nav) !== Number(prices[index + 1]?.[3]))
      add(null, describeStill(price, prices[still]?.[0] ?? day, limits, calendar))
  }
  return found
}

type ErrorInPrice = readonly [guard: GuardName, message: string]

/** @param isNext whether the previous price is the one that the change is against */
function errorsIn(
  price: PriceTexts,
  previous: PriceTexts | null,
  limits: PlausibilityLimits,
  isNext: () => boolean,
) {
  const [day, issue, repurchase, nav, change] = price
  const found: ErrorInPrice[] = []
  if (Math.min(Number(nav), Number(issue), Number(repurchase)) <= 0)
    found.push(['price-sign', describeSign(price)])
  else if (Number(repurchase) > Number(issue))
    found.push(['price-order', `repurchase price ${repurchase} on ${day} is above the issue price ${issue}`])
  if (previous === null || !(Number(nav) > 0) || !(Number(previous[3]) > 0)) return found
  const jump = describeJump(price, previous, limits.errorJump)
  const difference = jump === null ? otherDifference(price, previous) : null
  if (jump !== null) found.push(['price-jump', jump])
  else if (difference !== null && isNext())
    found.push([
      'price-change',
      `change ${change} on ${day} is not ${difference}, from NAV ${previous[3]} of ${previous[0]} to ${nav}`,
    ])
  return found
}

/** Of a price without an error. */
function warningsIn(price: PriceTexts, previous: PriceTexts | null, { warnJump }: PlausibilityLimits) {
  const [day, issue, repurchase, nav] = price
  const found: string[] = []
  const jump =
    previous === null || !(Number(previous[3]) > 0) ? null : describeJump(price, previous, warnJump)
  if (jump !== null) found.push(jump)
  if (Number(issue) < Number(nav)) found.push(`issue price ${issue} on ${day} is below the NAV ${nav}`)
  if (Number(repurchase) > Number(nav))
    found.push(`repurchase price ${repurchase} on ${day} is above the NAV ${nav}`)
  return found
}

function describeSign([day, issue, repurchase, nav]: PriceTexts): string {
  const all = { NAV: nav, 'issue price': issue, 'repurchase price': repurchase }
  const wrong = Object.entries(all).filter(([, text]) => Number(text) <= 0)
  return `${wrong.map(([name, text]) => `${name} ${text}`).join(', ')} on ${day}: a price must be above zero`
}

/** @param limit a share @returns null if the NAV does not change by more */
function describeJump(
  [day, , , nav]: PriceTexts,
  [since, , , before]: PriceTexts,
  limit: number,
): string | null {
  const change = Number(nav) / Number(before) - 1
  if (!(Math.abs(change) > limit + tiny)) return null
  const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`
  const direction = change > 0 ? 'above' : 'below'
  return `NAV ${nav} on ${day} is ${percent(Math.abs(change))} ${direction} the ${before} of ${since}, more than ${percent(limit)}`
}

function describeGap(
  prices: readonly PriceTexts[],
  before: string,
  day: string,
  { gapDays }: PlausibilityLimits,
  calendar: Calendar,
): string | null {
  // Almost all prices end here.
  if (dayNumber(day) - dayNumber(before) <= gapDays + 1) return null
  const gap = businessDaysBetween(calendar, before, day)
  // A fund that is priced once a month has no gap of a month.
  if (gap - rhythmOf(prices, calendar) <= gapDays) return null
  return `no price for ${businessDays(gap - 1)}, between ${before} and ${day}`
}

/** @param since the first day with this NAV */
function describeStill(
  [day, , , nav]: PriceTexts,
  since: string,
  { flatDays }: PlausibilityLimits,
  calendar: Calendar,
): string | null {
  const days = businessDaysBetween(calendar, since, day)
  return days < flatDays ? null : `NAV ${nav} has not moved for ${businessDays(days)}, ${since} to ${day}`
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

/** Whether a fund that is priced as it usually is has no price between these two. */
function isNextDay(prices: readonly PriceTexts[], before: string, day: string, calendar: Calendar): boolean {
  if (dayNumber(day) - dayNumber(before) > aMonth) return false
  return businessDaysBetween(calendar, before, day) <= rhythmOf(prices, calendar)
}

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
