/** Errors of one price, alone or beside the price before, which guards refuse. Pure. */

import {
  actionsNamed,
  type PerformanceBase,
  distributionHint,
  type Earlier,
  growthsOf,
  jumpHint,
  mostEarned,
} from './corporate-actions.ts'
import { decimalsOf, type Figures, type PriceTexts, roundingOf, roundingOfNav, tiny } from './figures.ts'
import type { GuardName } from './guards.ts'
import { mostDaysToYearEnd, yearEndBefore } from './year-end.ts'
import { isDay } from '../api/routes/values.ts'
import { dayNumber } from '../system/day-number.ts'

/** A share: a larger change of NAV from one price to the next is an error, whatever the fund usually does. */
const mostJump = 0.3
/**
 * A share: funds drop a surcharge of 5 to 7 % on a day, and take it again. A mistake is a factor of 10, or the price of
 * another fund.
 */
const mostSpread = 0.1
/** A share: companies compute percentages from NAVs with more decimals than published, and cut instead of rounding. */
const mostPercent = 0.0005

type ErrorInPrice = readonly [guard: GuardName, message: string]

/**
 * The price that a performance is compared with: the fund's last price of an earlier year, else its first.
 * @param isOfYearEnd whether the previous price stands for the 31 December before this one
 */
export function baseOf(price: Figures, earlier: Earlier | null, isOfYearEnd: () => boolean): PerformanceBase {
  if (earlier === null) return { price, isOfYearEnd: false }
  if (price.year === earlier.previous.year) return earlier.base
  return { price: earlier.previous, isOfYearEnd: isOfYearEnd() }
}

/** What a price is compared with. */
interface PriceComparison {
  /** Null for a fund's first price. */
  readonly earlier: Earlier | null
  readonly base: PerformanceBase
  readonly inceptionDate: string
  /** Whether the change is against the previous price, not against one that was not delivered. */
  readonly isNext: () => boolean
}

/**
 * One mistake has one name: a NAV that jumps changes all figures that are compared with it.
 * @param strictness limits are divided by it
 */
export function errorsIn(
  price: Figures,
  { earlier, base, inceptionDate, isNext }: PriceComparison,
  strictness: number,
): readonly ErrorInPrice[] {
  const otherDay = describeOtherDay(price, base, inceptionDate)
  const alone = errorsAlone(price, otherDay)
  if (earlier === null || !(price.nav > 0) || !(earlier.previous.nav > 0)) return alone
  const { previous } = earlier
  const jump = describeJump(price, earlier, mostJump / strictness)
  if (jump !== null) return [...alone, ['price-jump', jump + jumpHint(price, previous)]]
  const isInOrder = price.repurchase > 0 && price.issue >= price.repurchase
  const spread = isInOrder ? describeSpread(price, previous, mostSpread / strictness) : null
  const change = describeChange(price, earlier)
  const percents = wrongPercents(price, earlier, base.price, mostPercent)
  // Almost all prices end here.
  if (spread === null && change === null && percents.length === 0) return alone
  const found = [...alone]
  if (spread !== null) found.push(['price-spread', spread])
  if (!isNext()) return found
  if (change !== null) found.push(['price-change', change])
  if (alone.every(([guard]) => guard !== 'price-change'))
    found.push(...percents.map((message): ErrorInPrice => ['price-change', message]))
  return found
}

function errorsAlone(price: Figures, otherDay: string | null): readonly ErrorInPrice[] {
  const { texts, issue, repurchase, nav } = price
  if (Math.min(nav, issue, repurchase) <= 0) return [['price-spread', describeSign(texts)]]
  const impossible = [...impossiblePercents(price), ...(otherDay === null ? [] : [otherDay])]
  // Almost all prices end here.
  if (!(repurchase > issue) && impossible.length === 0) return []
  const found = impossible.map((message): ErrorInPrice => ['price-change', message])
  if (repurchase > issue)
    found.push([
      'price-spread',
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

/** A fund with a NAV above zero has lost less than all. */
function impossiblePercents({ texts, nav, percent, performance }: Figures): readonly string[] {
  // Almost all prices end here.
  if (!(percent < -100 || performance < -100) || !(nav > 0)) return []
  const both = { change_percent: texts[5], performance: texts[6] }
  const below = Object.entries(both).filter(([, text]) => Number(text) < -100)
  return below.map(
    ([name, text]) => `${name} ${text ?? ''} on ${texts[0]} is below -100, which is impossible`,
  )
}

/**
 * A performance is named after 31 December. One that is counted from another day is wrong, however right it is otherwise:
 * from the last price before a suspension, or from the first price of a young fund.
 */
function describeOtherDay(price: Figures, base: PerformanceBase, inceptionDate: string): string | null {
  const { texts, year, performance } = price
  // Almost all prices end here.
  if (base.isOfYearEnd || Number.isNaN(performance)) return null
  const yearEnd = yearEndBefore(year)
  const what = `performance ${texts[6] ?? ''} on ${texts[0]} is not since ${yearEnd}`
  const advice = 'leave it empty (NULL)'
  // The date of a fund with older prices is doubtful, and warned of.
  const isYoung = isDay(inceptionDate) && inceptionDate > yearEnd && inceptionDate <= texts[0]
  if (isYoung) return `${what}: the fund began on ${inceptionDate}; ${advice}`
  const other = base.price
  const [day] = other.texts
  const change = (price.nav / other.nav - 1) * 100
  const tolerance = roundingOf([texts[6] ?? '']) + toleranceOf(price, other, 0)
  // A NAV that has not moved shows nothing, and one of the first days of January is as good as that of 31 December.
  const isNear = Math.abs(dayNumber(day) - dayNumber(yearEnd)) <= mostDaysToYearEnd
  if (isNear || Math.abs(change) <= tolerance || !(Math.abs(performance - change) <= tolerance)) return null
  return `${what}, but since ${day}, and there is no price of the end of ${yearEnd.slice(0, 4)}; ${advice}`
}

/** @param base the price that the performance is against @param limit a share, beyond rounding */
function wrongPercents(price: Figures, earlier: Earlier, base: Figures, limit: number): readonly string[] {
  const { previous } = earlier
  const change = (price.nav / previous.nav - 1) * 100
  const sinceBase = (price.nav / base.nav - 1) * 100
  // Almost all prices end here. NaN: the checks of values name a text that is no number.
  const isFar = (one: number, other: number) => Math.abs(one - other) > limit * 100
  if (!isFar(price.percent, change) && !isFar(price.performance, sinceBase)) return []
  const found = [wrongChange(price, earlier, limit), wrongPerformance(price, earlier, base, limit)]
  return found.filter((one) => one !== null)
}

/** @returns null for the change of the NAVs, or the one without a distribution, if it is known or `change` or `performance` imply it */
function wrongChange(price: Figures, { previous, distributed }: Earlier, limit: number): string | null {
  const [day, , , nav, change, percent] = price.texts
  const ofNavs = price.nav / previous.nav - 1
  const growths = growthsOf(price.nav, previous.nav, distributed)
  const changes = [
    ...growths.map((growth) => growth - 1),
    Number(change) / previous.nav,
    Number(change) / (price.nav - Number(change)),
    (100 + price.performance) / (100 + performanceBefore(price, previous)) - 1,
    // Either price may lack a performance.
  ].filter((one) => !Number.isNaN(one))
  const tolerance = roundingOf([percent]) + toleranceOf(price, previous, limit)
  if (!changes.every((one) => Math.abs(price.percent - one * 100) > tolerance)) return null
  const right = namedOf([ofNavs * 100, ...growths.slice(1, 2).map((one) => (one - 1) * 100)], percent)
  return `change_percent ${percent} on ${day} is not ${right}, from NAV ${previous.texts[3]} of ${previous.texts[0]} to ${nav}${actionsNamed(previous, distributed)}`
}

/**
 * A distribution lowers the NAV and not the performance. If its amount is not known, the fund still earns as little on that
 * day as on others. The first performance of a year may be against an unpublished NAV of 31 December.
 * @returns null for the performance of the NAVs, or one that continues the performance of the price before
 */
function wrongPerformance(
  price: Figures,
  { previous, distributed }: Earlier,
  base: Figures,
  limit: number,
): string | null {
  const [day, , , nav, , , performance] = price.texts
  if (performance === null) return null
  const sinceBase = (price.nav / base.nav - 1) * 100
  const toleranceOfBase = roundingOf([performance]) + toleranceOf(price, base, limit)
  if (!(Math.abs(price.performance - sinceBase) > toleranceOfBase)) return null
  const { before, rights, tolerance } = continuedPerformance(price, previous, distributed, limit)
  if (!rights.every((one) => Math.abs(price.performance - one) > tolerance)) return null
  const excess = price.performance - (rights[0] ?? NaN)
  const earned = ((100 + price.performance) / (100 + before) - 1) * 100
  if (distributed === 0 && excess > 0 && earned <= mostEarned) return null
  const isSameYear = price.year === previous.year
  if (!isSameYear && Math.abs(excess) <= mostEarned) return null
  const since = isSameYear ? `performance ${previous.texts[6] ?? ''} and ` : ''
  return (
    `performance ${performance} on ${day} is not ${namedOf(rights.slice(0, 2), performance)}, ` +
    `from ${since}NAV ${previous.texts[3]} of ${previous.texts[0]} to NAV ${nav}${actionsNamed(previous, distributed)}`
  )
}

/** The performances that continue that of the price before, with a distribution or without it. */
function continuedPerformance(price: Figures, previous: Figures, distributed: number, limit: number) {
  const before = performanceBefore(price, previous)
  const growths = growthsOf(price.nav, previous.nav, distributed)
  const tolerance =
    roundingOf([price.texts[6] ?? '']) +
    roundingOf([previous.texts[6] ?? '']) * (price.nav / previous.nav) +
    toleranceOf(price, previous, limit) * (1 + Math.abs(before) / 100)
  return { before, rights: growths.map((growth) => (100 + before) * growth - 100), tolerance }
}

/** @returns whether a performance does not continue that of the price before; null if either has none */
export function isPerformanceApart(
  price: Figures,
  { previous, distributed }: Pick<Earlier, 'previous' | 'distributed'>,
): boolean | null {
  if (!(price.nav > 0) || !(previous.nav > 0)) return null
  const { rights, tolerance } = continuedPerformance(price, previous, distributed, mostPercent)
  if (rights.some(Number.isNaN) || Number.isNaN(price.performance)) return null
  return rights.every((one) => Math.abs(price.performance - one) > tolerance)
}

/** With the decimals of the text that is wrong. */
const namedOf = (right: readonly number[], wrong: string) =>
  right.map((one) => one.toFixed(Math.max(2, decimalsOf(wrong)))).join(' or ')

/** In percent. */
const performanceBefore = (price: Figures, previous: Figures) =>
  price.year === previous.year ? previous.performance : 0

/** In percentage points: the rounding of the change between two NAVs, and the limit. */
function toleranceOf(price: Figures, other: Figures, limit: number): number {
  const rounding = roundingOfNav(price) / price.nav + roundingOfNav(other) / other.nav
  return (rounding * (price.nav / other.nav) + limit) * 100
}
