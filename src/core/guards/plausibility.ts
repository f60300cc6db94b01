/** Finds implausible prices: those that a guard refuses, and those to warn of. Pure. */

import { businessDays, daysOfRhythm, usualGap } from './assess.ts'
import { businessDaysBetween, type Calendar } from './calendar.ts'
import type { CorporateActionRow } from '../api/contract/rows.ts'
import { actionWatch, type Earlier, inSharesOf } from './corporate-actions.ts'
import { type Figures, figuresOf, type PriceTexts, roundedWatch } from './figures.ts'
import type { GuardName } from './guards.ts'
import { baseOf, describeJump, type ErrorLimits, errorsIn } from './price-errors.ts'
import { type FundGroup, type GroupedFund, isIn } from './rules.ts'
import { daysOfYearEnd, isOfYearEnd } from './year-end.ts'

/** `plausibility` in the config file. Jumps and spreads are shares: 0.3 is 30 %. Days are business days. */
export interface PlausibilitySettings extends PlausibilityLimits, AcrossLimits {
  readonly onImplausible: 'refuse' | 'withhold'
  readonly groups: readonly PlausibilityGroup[]
}

interface PlausibilityLimits extends ErrorLimits {
  readonly warnJump: number
  readonly flatDays: number
  readonly gapDays: number
}

/** Limits for all funds together (`across.ts`). Shares are of the funds with a new price. */
export interface AcrossLimits {
  /** NAVs that may stay as they were, or may move alike. */
  readonly sameMoveShare: number
  /** Funds that may have a warning about their new price. */
  readonly warnedShare: number
  /** Funds that may have a price on a day that their calendar closes. */
  readonly closedDayShare: number
  /** Funds that may have a price with fewer decimals than ever before. */
  readonly roundedShare: number
  /** A multiple of the fund's usual daily move. */
  readonly unusualMove: number
}

/** Overrides the limits that it names. The first group that a fund fits counts. */
interface PlausibilityGroup extends FundGroup, Partial<PlausibilityLimits> {
  /** NAVs may stay as they were: `unchanged-prices` and `same-move` leave these funds out. */
  readonly mayStay?: boolean
  readonly never?: boolean
}

export const defaultPlausibility: PlausibilitySettings = {
  errorJump: 0.3,
  warnJump: 0.1,
  /** Funds drop a surcharge of 5 to 7 % on a day, and take it again. A mistake is a factor of 10, or another fund's price. */
  errorSpread: 0.1,
  /** Companies compute percentages from NAVs with more decimals than published, and cut instead of rounding. */
  errorPercent: 0.0005,
  flatDays: 10,
  gapDays: 5,
  sameMoveShare: 0.5,
  warnedShare: 0.33,
  closedDayShare: 0.5,
  roundedShare: 0.5,
  unusualMove: 4,
  onImplausible: 'refuse',
  groups: [],
}

/** Null if the fund's prices are not checked. */
export function limitsOf(settings: PlausibilitySettings, fund: GroupedFund) {
  const group = settings.groups.find((one) => isIn(one, fund))
  return group?.never === true ? null : { mayStay: false, ...settings, ...group }
}

export interface ImplausiblePrice {
  /** Null: a warning. */
  readonly guard: GuardName | null
  /** The guard that refuses the night if many funds have this warning. */
  readonly countedBy: GuardName
  readonly price: PriceTexts
  /** Live prices are left out: calendars of the past are not kept, and decimals are not mended. */
  readonly isForNewOnly: boolean
  readonly previous: PriceTexts | null
  /** A sentence without its full stop, with the day and the figures. */
  readonly message: string
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
 * @param fund its first day, and its corporate actions
 * @param from the index of the first price to check; the ones before are only compared with
 */
export function implausiblePrices(
  prices: readonly PriceTexts[],
  limits: PlausibilityLimits,
  calendar: Calendar,
  { inceptionDate, actions }: Readonly<{ inceptionDate: string; actions: readonly CorporateActionRow[] }>,
  from = 0,
): ImplausiblePrice[] {
  const found: ImplausiblePrice[] = []
  /** The first day with the NAV of the previous price. */
  let since = ''
  let earlier: Earlier | null = null
  const actionsUntil = actionWatch(actions)
  const roundedMore = roundedWatch()
  for (const [index, texts] of prices.entries()) {
    const [day] = texts
    const price = figuresOf(texts)
    const compared: Earlier | null = inSharesOf(earlier, actionsUntil(day))
    const before = compared?.previous ?? null
    const base = baseOf(price, compared, () => isOfYearEnd(daysBefore(prices, index), price.year))
    earlier = { previous: price, base, distributed: 0 }
    if (price.nav !== before?.nav) since = day
    const rounded = roundedMore(texts)
    if (index < from) continue
    const add = (message: string | null, what: Partial<ImplausiblePrice> = {}) => {
      if (message === null) return
      const rest = { guard: null, countedBy: 'many-warnings', isForNewOnly: false, ...what } as const
      found.push({ ...rest, price: texts, previous: before?.texts ?? null, message })
    }
    const isNext = () => before !== null && isNextDay(prices, before, price, calendar)
    const errors = errorsIn(price, { earlier: compared, base, inceptionDate, isNext }, limits)
    for (const [guard, message] of errors) add(message, { guard })
    if (errors.length === 0) {
      for (const message of warningsIn(price, compared, limits)) add(message)
      const isClosed = !calendar.isBusinessDay(day)
      const closed = { countedBy: 'non-business-day', isForNewOnly: true } as const
      if (isClosed) add(`${day} has a price and is no business day`, closed)
      add(rounded, { countedBy: 'decimals', isForNewOnly: true })
    }
    add(describeGap(prices, before, price, limits, calendar))
    if (since !== day && price.nav !== Number(prices[index + 1]?.[3]))
      add(describeStill(texts, since, limits, calendar))
  }
  return found
}

function warningsIn(price: Figures, earlier: Earlier | null, { warnJump }: PlausibilityLimits) {
  const [day, issue, repurchase, nav] = price.texts
  const found: string[] = []
  const jump = earlier === null || !(earlier.previous.nav > 0) ? null : describeJump(price, earlier, warnJump)
  if (jump !== null) found.push(jump)
  if (price.issue < price.nav) found.push(`issue price ${issue} on ${day} is below the NAV ${nav}`)
  if (price.repurchase > price.nav)
    found.push(`repurchase price ${repurchase} on ${day} is above the NAV ${nav}`)
  return found
}

function describeGap(
  prices: readonly PriceTexts[],
  previous: Figures | null,
  price: Figures,
  { gapDays }: PlausibilityLimits,
  calendar: Calendar,
): string | null {
  // Almost all prices end here.
  if (previous === null || price.at - previous.at <= gapDays + 1) return null
  const [before] = previous.texts
  const [day] = price.texts
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

/** The newest first. */
const daysBefore = (prices: readonly PriceTexts[], index: number): readonly string[] =>
  prices
    .slice(Math.max(0, index - daysOfYearEnd), index)
    .map(([day]) => day)
    .reverse()

/** True if no price lies between these two, by the fund's rhythm. */
function isNextDay(
  prices: readonly PriceTexts[],
  previous: Figures,
  price: Figures,
  calendar: Calendar,
): boolean {
  if (price.at - previous.at > aMonth) return false
  return businessDaysBetween(calendar, previous.texts[0], price.texts[0]) <= rhythmOf(prices, calendar)
}

const rhythmOf = (prices: readonly PriceTexts[], calendar: Calendar) =>
  usualGap(
    calendar,
    prices
      .slice(-daysOfRhythm)
      .map(([day]) => day)
      .reverse(),
  ) ?? 1
