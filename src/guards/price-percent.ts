/** Checks the percentages of a price by the NAVs: the change of the day, and the performance of the year. Pure. */

import { decimalsOf, type Figures, roundingOf } from './figures.ts'

/**
 * In percent. A distribution lowers the NAV and not the performance. Its amount is not delivered, but the fund earns as little
 * on that day as on others. The first performance of a year may be against an unpublished NAV of 31 December.
 */
const mostEarned = 3

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
  previous: Figures,
  base: Figures,
  limit: number,
): readonly string[] {
  const change = (price.nav / previous.nav - 1) * 100
  const sinceBase = (price.nav / base.nav - 1) * 100
  // Almost all prices end here. NaN: the checks of values name a text that is no number.
  const isFar = (one: number, other: number) => Math.abs(one - other) > limit * 100
  if (!isFar(price.percent, change) && !isFar(price.performance, sinceBase)) return none
  const found = [wrongChange(price, previous, limit), wrongPerformance(price, previous, base, limit)]
  return found.filter((one) => one !== null)
}

const none: readonly string[] = []

/** @returns null for the change of the NAVs, or the one without a distribution, which `change` or `performance` imply */
function wrongChange(price: Figures, previous: Figures, limit: number): string | null {
  const [day, , , nav, change, percent] = price.texts
  const ofNavs = price.nav / previous.nav - 1
  const changes = [
    ofNavs,
    Number(change) / previous.nav,
    Number(change) / (price.nav - Number(change)),
    (100 + price.performance) / (100 + performanceBefore(price, previous)) - 1,
  ]
  const tolerance = roundingOf([percent]) + toleranceOf(price, previous, limit)
  if (!changes.every((one) => Math.abs(price.percent - one * 100) > tolerance)) return null
  const right = (ofNavs * 100).toFixed(Math.max(2, decimalsOf(percent)))
  return `change_percent ${percent} on ${day} is not ${right}, from NAV ${previous.texts[3]} of ${previous.texts[0]} to ${nav}`
}

/** @returns null for the performance of the NAVs, or one that continues the performance of the price before */
function wrongPerformance(price: Figures, previous: Figures, base: Figures, limit: number): string | null {
  const [day, , , nav, , , performance] = price.texts
  const rounding = roundingOf([performance])
  const sinceBase = (price.nav / base.nav - 1) * 100
  const toleranceOfBase = rounding + toleranceOf(price, base, limit)
  if (!(Math.abs(price.performance - sinceBase) > toleranceOfBase)) return null
  const before = performanceBefore(price, previous)
  const right = (100 + before) * (price.nav / previous.nav) - 100
  const tolerance =
    rounding +
    roundingOf([previous.texts[6]]) * (price.nav / previous.nav) +
    toleranceOf(price, previous, limit) * (1 + Math.abs(before) / 100)
  const excess = price.performance - right
  if (!(Math.abs(excess) > tolerance)) return null
  const earned = ((100 + price.performance) / (100 + before) - 1) * 100
  if (excess > 0 && earned <= mostEarned) return null
  const isSameYear = price.year === previous.year
  if (!isSameYear && Math.abs(excess) <= mostEarned) return null
  const since = isSameYear ? `performance ${previous.texts[6]} and ` : ''
  return (
    `performance ${performance} on ${day} is not ${right.toFixed(Math.max(2, decimalsOf(performance)))}, ` +
    `from ${since}NAV ${previous.texts[3]} of ${previous.texts[0]} to NAV ${nav}`
  )
}

/** In percent. */
const performanceBefore = (price: Figures, previous: Figures) =>
  price.year === previous.year ? previous.performance : 0

/** In percentage points: the rounding of the change between two NAVs, and the limit. */
function toleranceOf(price: Figures, other: Figures, limit: number): number {
  const rounding = roundingOf([price.texts[3]]) / price.nav + roundingOf([other.texts[3]]) / other.nav
  return (rounding * (price.nav / other.nav) + limit) * 100
}
