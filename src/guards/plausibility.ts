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
  let previous: Figures | null = null
  for (const [index, texts] of prices.entries()) {
    const [day] = texts
    const price = figuresOf(texts)
    const before: Figures | null = previous
    previous = price
    const add = (guard: GuardName | null, message: string | null, isForNewOnly = false) => {
      if (message !== null)
        found.push({ guard, price: texts, previous: before?.texts ?? null, message, isForNewOnly })
    }
    const gap = before === null ? null : describeGap(prices, before, price, limits, calendar)
    const isNext = () => before !== null && isNextDay(prices, before, price, calendar)
    const errors = errorsIn(price, before, limits, isNext)
    for (const [guard, message] of errors) add(guard, message)
    if (errors.length === 0) {
      for (const message of warningsIn(price, before, limits)) add(null, message)
      if (!calendar.isBusinessDay(day)) add(null, `${day} has a price and is no business day`, true)
    }
    add(null, gap)
    if (price.nav !== before?.nav) still = index
    if (still < index && price.nav !== Number(prices[index + 1]?.[3]))
      add(null, describeStill(texts, prices[still]?.[0] ?? day, limits, calendar))
  }
  return found
}

/** A price with its figures as numbers, which are compared again and again: NaN for a text that is none. */
type Figures = ReturnType<typeof figuresOf>

function figuresOf(texts: PriceTexts) {
  const [day, issue, repurchase, nav] = texts
  return {
    texts,
    /** In days. */
    at: Date.parse(day) / 86_400_000,
    issue: Number(issue),
    repurchase: Number(repurchase),
    nav: Number(nav),
  }
}

type ErrorInPrice = readonly [guard: GuardName, message: string]

/** @param isNext whether the previous price is the one that the change is against */
function errorsIn(
  price: Figures,
  previous: Figures | null,
  limits: PlausibilityLimits,
  isNext: () => boolean,
) {
  const [day, issue, repurchase, nav, change] = price.texts
  const found: ErrorInPrice[] = []
  if (Math.min(price.nav, price.issue, price.repurchase) <= 0)
    found.push(['price-sign', describeSign(price.texts)])
  else if (price.repurchase > price.issue)
    found.push(['price-order', `repurchase price ${repurchase} on ${day} is above the issue price ${issue}`])
  if (previous === null || !(price.nav > 0) || !(previous.nav > 0)) return found
  const jump = describeJump(price, previous, limits.errorJump)
  const difference = jump === null ? otherDifference(price, previous) : null
  if (jump !== null) found.push(['price-jump', jump])
  else if (difference !== null && isNext())
    found.push([
      'price-change',
      `change ${change} on ${day} is not ${difference}, from NAV ${previous.texts[3]} of ${previous.texts[0]} to ${nav}`,
    ])
  return found
}

/** Of a price without an error. */
function warningsIn(price: Figures, previous: Figures | null, { warnJump }: PlausibilityLimits) {
  const [day, issue, repurchase, nav] = price.texts
  const found: string[] = []
  const jump = previous === null || !(previous.nav > 0) ? null : describeJump(price, previous, warnJump)
  if (jump !== null) found.push(jump)
  if (price.issue < price.nav) found.push(`issue price ${issue} on ${day} is below the NAV ${nav}`)
  if (price.repurchase > price.nav)
    found.push(`repurchase price ${repurchase} on ${day} is above the NAV ${nav}`)
  return found
}

function describeSign([day, issue, repurchase, nav]: PriceTexts): string {
  const all = { NAV: nav, 'issue price': issue, 'repurchase price': repurchase }
  const wrong = Object.entries(all).filter(([, text]) => Number(text) <= 0)
  return `${wrong.map(([name, text]) => `${name} ${text}`).join(', ')} on ${day}: a price must be above zero`
}

/** @param limit a share @returns null if the NAV does not change by more */
function describeJump(price: Figures, previous: Figures, limit: number): string | null {
  const change = price.nav / previous.nav - 1
  if (!(Math.abs(change) > limit + tiny)) return null
  const [day, , , nav] = price.texts
  const [since, , , before] = previous.texts
  const percent = (share: number) => `${Number((share * 100).toFixed(2))} %`
  const direction = change > 0 ? 'above' : 'below'
  return `NAV ${nav} on ${day} is ${percent(Math.abs(change))} ${direction} the ${before} of ${since}, more than ${percent(limit)}`
}

function describeGap(
  prices: readonly PriceTexts[],
  previous: Figures,
  price: Figures,
  { gapDays }: PlausibilityLimits,
  calendar: Calendar,
): string | null {
  // Almost all prices end here.
  if (price.at - previous.at <= gapDays + 1) return null
  const [[before], [day]] = [previous.texts, price.texts]
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
function otherDifference(price: Figures, previous: Figures): string | null {
  const [, , , nav, change] = price.texts
  const difference = price.nav - previous.nav
  const apart = Math.abs(Number(change) - difference)
  // Almost all prices end here.
  if (apart < tiny) return null
  const [, , , before] = previous.texts
  const rounding = [nav, before, change].reduce((sum, text) => sum + 0.5 * 10 ** -decimalsOf(text), 0)
  // NaN: the checks of values name a text that is no number.
  if (!(apart > rounding + tiny * Math.abs(price.nav))) return null
  return difference.toFixed(Math.min(20, Math.max(decimalsOf(nav), decimalsOf(before))))
}

const decimalsOf = (text: string) => (text.includes('.') ? text.length - text.indexOf('.') - 1 : 0)

/** Whether a fund that is priced as it usually is has no price between these two. */
function isNextDay(
  prices: readonly PriceTexts[],
  previous: Figures,
  price: Figures,
  calendar: Calendar,
): boolean {
  if (price.at - previous.at > aMonth) return false
  return businessDaysBetween(calendar, previous.texts[0], price.texts[0]) <= rhythmOf(prices, calendar)
}

/** By the last prices. */
const rhythmOf = (prices: readonly PriceTexts[], calendar: Calendar) =>
  usualGap(
    calendar,
    prices
      .slice(-daysOfRhythm)
      .map(([day]) => day)
      .reverse(),
  ) ?? 1
