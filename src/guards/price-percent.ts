/** Checks the percentages of a price by the NAVs: the change of the day, and the performance of the year. Pure. */

import { actionsNamed, type Earlier, growthsOf, mostEarned } from './corporate-actions.ts'
import { decimalsOf, type Figures, roundingOf, roundingOfNav } from './figures.ts'

/** A fund with a NAV above zero has lost less than all. */
export function impossiblePercents({ texts, nav, percent, performance }: Figures): readonly string[] {
  // Almost all prices end here.
  if (!(percent < -100 || performance < -100) || !(nav > 0)) return none
  const both = { change_percent: texts[5], performance: texts[6] }
  const below = Object.entries(both).filter(([, text]) => Number(text) < -100)
  return below.map(([name, text]) => `${name} ${text} on ${texts[0]} is below -100, which is impossible`)
}

/** @param base the price that the performance is against @param limit a share, beyond rounding */
export function wrongPercents(
  price: Figures,
  earlier: Earlier,
  base: Figures,
  limit: number,
): readonly string[] {
  const { previous } = earlier
  const change = (price.nav / previous.nav - 1) * 100
  const sinceBase = (price.nav / base.nav - 1) * 100
  // Almost all prices end here. NaN: the checks of values name a text that is no number.
  const isFar = (one: number, other: number) => Math.abs(one - other) > limit * 100
  if (!isFar(price.percent, change) && !isFar(price.performance, sinceBase)) return none
  const found = [wrongChange(price, earlier, limit), wrongPerformance(price, earlier, base, limit)]
  return found.filter((one) => one !== null)
}

const none: readonly string[] = []

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
  ]
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
  const rounding = roundingOf([performance])
  const sinceBase = (price.nav / base.nav - 1) * 100
  const toleranceOfBase = rounding + toleranceOf(price, base, limit)
  if (!(Math.abs(price.performance - sinceBase) > toleranceOfBase)) return null
  const before = performanceBefore(price, previous)
  const rights = growthsOf(price.nav, previous.nav, distributed).map(
    (growth) => (100 + before) * growth - 100,
  )
  const tolerance =
    rounding +
    roundingOf([previous.texts[6]]) * (price.nav / previous.nav) +
    toleranceOf(price, previous, limit) * (1 + Math.abs(before) / 100)
  if (!rights.every((one) => Math.abs(price.performance - one) > tolerance)) return null
  const excess = price.performance - (rights[0] ?? NaN)
  const earned = ((100 + price.performance) / (100 + before) - 1) * 100
  if (distributed === 0 && excess > 0 && earned <= mostEarned) return null
  const isSameYear = price.year === previous.year
  if (!isSameYear && Math.abs(excess) <= mostEarned) return null
  const since = isSameYear ? `performance ${previous.texts[6]} and ` : ''
  return (
    `performance ${performance} on ${day} is not ${namedOf(rights.slice(0, 2), performance)}, ` +
    `from ${since}NAV ${previous.texts[3]} of ${previous.texts[0]} to NAV ${nav}${actionsNamed(previous, distributed)}`
  )
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
