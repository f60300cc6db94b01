/** Finds implausible prices: those that a guard refuses, and those to warn of. Pure. */

import { businessDays, daysOfRhythm, usualGap } from './assess.ts'
import { businessDaysBetween, type Calendar } from './calendar.ts'
import type { CorporateActionRow } from '../api/contract/rows.ts'
import { actionWatch, type Earlier, inSharesOf } from './corporate-actions.ts'
import type { Figures, PriceTexts } from './figures.ts'
import type { GuardName } from './guards.ts'
import { baseOf, describeJump, errorsIn } from './price-errors.ts'
import { type FundGroup, type GroupedFund, isIn } from './rules.ts'
import { daysOfYearEnd, isOfYearEnd } from './year-end.ts'

/** `expectations` in the config file. */
export interface ExpectationSettings {
  /** Limits are divided by it: 2 halves them, 0.5 doubles them. */
  readonly strictness: number
  readonly onImplausible: 'refuse' | 'withhold'
  readonly groups: readonly ExpectationGroup[]
}

/** The first group that a fund fits counts. */
interface ExpectationGroup extends FundGroup {
  readonly strictness?: number
  readonly never?: boolean
}

export const defaultExpectations: ExpectationSettings = {
  strictness: 1,
  onImplausible: 'refuse',
  groups: [],
}

/** @returns how strictly the fund's prices are checked; null if they are not */
export function strictnessOf({ strictness, groups }: ExpectationSettings, fund: GroupedFund): number | null {
  const group = groups.find((one) => isIn(one, fund))
  return group?.never === true ? null : (group?.strictness ?? strictness)
}

/** A share: a larger change of NAV is a warning, if the fund has no habit yet. */
const doubtfulJump = 0.1
/** Business days without a change of NAV, or without a price inside a history. */
const stillDays = 10
const gapDays = 5

export interface ImplausiblePrice {
  /** Null: a warning. */
  readonly guard: GuardName | null
  /** A warning about the size of a move: of a fund with a habit, its habit says more. */
  readonly isAboutMove: boolean
  readonly price: PriceTexts
  readonly previous: PriceTexts | null
  /** A sentence without its full stop, with the day and the figures. */
  readonly message: string
  /** What it is about, if that lasts while the words change; the message unless given. */
  readonly identity?: string
}

export interface WithheldFund {
  readonly isin: string
  readonly message: string
}

/** In calendar days. The change of a later price may be against a price that was not delivered. */
const aMonth = 35

/**
 * A price that a guard refuses gets no warning.
 * @param prices of a fund, by day. The checks of values report a text that is no number.
 * @param strictness limits are divided by it
 * @param fund its first day, and its corporate actions
 * @param from the index of the first price to check; the ones before are only compared with
 */
export function implausiblePrices(
  prices: readonly Figures[],
  strictness: number,
  calendar: Calendar,
  { inceptionDate, actions }: Readonly<{ inceptionDate: string; actions: readonly CorporateActionRow[] }>,
  from = 0,
): ImplausiblePrice[] {
  const found: ImplausiblePrice[] = []
  /** The first day with the NAV of the previous price. */
  let since = ''
  /** The longest time without a change of NAV, in prices: such funds may stay again. */
  let still = 0
  let longestStill = 0
  let earlier: Earlier | null = null
  const actionsUntil = actionWatch(actions)
  for (const [index, price] of prices.entries()) {
    const { texts } = price
    const [day] = texts
    const compared: Earlier | null = inSharesOf(earlier, actionsUntil(day))
    const before = compared?.previous ?? null
    const base = baseOf(price, compared, () => isOfYearEnd(daysBefore(prices, index), price.year))
    earlier = { previous: price, base, distributed: 0 }
    if (price.nav === before?.nav) still++
    else {
      since = day
      longestStill = Math.max(longestStill, still)
      still = 0
    }
    if (index < from) continue
    const add = (
      message: string | null,
      guard: GuardName | null = null,
      isAboutMove = false,
      lasting?: string,
    ) => {
      if (message === null) return
      const identity = lasting === undefined ? {} : { identity: lasting }
      const previous = before?.texts ?? null
      found.push({ guard, isAboutMove, price: texts, previous, message, ...identity })
    }
    const isNext = () => before !== null && isNextDay(prices, before, price, calendar)
    const errors = errorsIn(price, { earlier: compared, base, inceptionDate, isNext }, strictness)
    for (const [guard, message] of errors) add(message, guard)
    if (errors.length === 0) {
      add(describeDoubtfulJump(price, compared, strictness), null, true)
      for (const message of warningsIn(price)) add(message)
    }
    add(describeGap(prices, before, price, calendar))
    const isEndOfStill = since !== day && price.nav !== prices[index + 1]?.nav
    if (isEndOfStill && still > 2 * longestStill)
      add(describeStill(texts, since, calendar), null, false, `NAV has not moved since ${since}`)
  }
  return found
}

function describeDoubtfulJump(price: Figures, earlier: Earlier | null, strictness: number): string | null {
  if (earlier === null || !(earlier.previous.nav > 0)) return null
  return describeJump(price, earlier, doubtfulJump / strictness)
}

function warningsIn(price: Figures): readonly string[] {
  const [day, issue, repurchase, nav] = price.texts
  const found: string[] = []
  if (price.issue < price.nav) found.push(`issue price ${issue} on ${day} is below the NAV ${nav}`)
  if (price.repurchase > price.nav)
    found.push(`repurchase price ${repurchase} on ${day} is above the NAV ${nav}`)
  return found
}

function describeGap(
  prices: readonly Figures[],
  previous: Figures | null,
  price: Figures,
  calendar: Calendar,
): string | null {
  // Almost all prices end here.
  if (previous === null || price.at - previous.at <= gapDays + 1) return null
  const [before] = previous.texts
  const [day] = price.texts
  const gap = businessDaysBetween(calendar, before, day)
  // A fund that is priced once a month has no gap of a month.
  if (gap - usualGapOf(prices, calendar) <= gapDays) return null
  return `no price for ${businessDays(gap - 1)}, between ${before} and ${day}`
}

/** @param since the first day with this NAV */
function describeStill([day, , , nav]: PriceTexts, since: string, calendar: Calendar): string | null {
  const days = businessDaysBetween(calendar, since, day)
  return days < stillDays ? null : `NAV ${nav} has not moved for ${businessDays(days)}, ${since} to ${day}`
}

/** The newest first. */
const daysBefore = (prices: readonly Figures[], index: number): readonly string[] =>
  prices
    .slice(Math.max(0, index - daysOfYearEnd), index)
    .map(({ texts }) => texts[0])
    .reverse()

/** True if no price lies between these two, by the fund's rhythm. */
function isNextDay(
  prices: readonly Figures[],
  previous: Figures,
  price: Figures,
  calendar: Calendar,
): boolean {
  if (price.at - previous.at > aMonth) return false
  return businessDaysBetween(calendar, previous.texts[0], price.texts[0]) <= usualGapOf(prices, calendar)
}

const usualGapOf = (prices: readonly Figures[], calendar: Calendar) =>
  usualGap(
    calendar,
    prices
      .slice(-daysOfRhythm)
      .map(({ texts }) => texts[0])
      .reverse(),
  ) ?? 1
