/** How often a fund is priced, told from its last prices. Pure. */

import { businessDaysBetween } from './business-days.ts'
import type { Calendar } from './calendar.ts'

/** So many of a fund's last prices are looked at: ten gaps, few enough that a fund that changes its rhythm is believed. */
export const daysOfRhythm = 11

/**
 * The usual gap between two prices in business days: the median, of two the shorter one. 1 is daily, 5 weekly, about 21
 * monthly.
 * @param days of the last prices, the newest first
 * @returns null for a single price
 */
export function usualGap(calendar: Calendar, days: readonly string[]): number | null {
  const gaps = days.slice(0, daysOfRhythm - 1).flatMap((day, index) => {
    const before = days[index + 1]
    // A price on a holiday is a business day after none: still, it is a step.
    return before === undefined ? [] : [Math.max(1, businessDaysBetween(calendar, before, day))]
  })
  return gaps.sort((one, other) => one - other)[Math.floor((gaps.length - 1) / 2)] ?? null
}
