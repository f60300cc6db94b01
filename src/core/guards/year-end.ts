/** Which price stands for a day without one: for 31 December, from which the performance of the next year is counted. Pure. */

import { dayNumber } from '../system/day-number.ts'

/** In calendar days: most funds have no price from Christmas to New Year. */
export const mostDaysToYearEnd = 10

/** Prices that show a fund's rhythm at the end of a year: ten gaps. */
export const daysOfYearEnd = 11

export const yearEndBefore = (year: string): string => `${Number(year) - 1}-12-31`

/**
 * The last price of a year stands for its 31 December as {@link standsFor} says.
 * @param days of a fund's prices before the year, the newest first; more than `daysOfYearEnd` change nothing
 * @param year of the performance
 */
export function isOfYearEnd(days: readonly string[], year: string): boolean {
  const yearEnd = yearEndBefore(year)
  return days[0]?.slice(0, 4) === yearEnd.slice(0, 4) && standsFor(days, yearEnd)
}

/**
 * The last price until a day stands for it if it is of the ten days before. Of a fund that is priced less often, it does if the usual
 * gap between its prices reaches over the day: no price is missing then.
 * @param days of a fund's prices until the day, the newest first; more than `daysOfYearEnd` change nothing
 */
export function standsFor(days: readonly string[], day: string): boolean {
  const [last] = days
  if (last === undefined) return false
  const left = dayNumber(day) - dayNumber(last)
  return left <= mostDaysToYearEnd || left < usualGap(days)
}

/** The median of ten gaps between prices, in days; 0 without one. @param days in either order */
export function usualGap(days: readonly string[]): number {
  const gaps = days.slice(0, daysOfYearEnd - 1).flatMap((day, index) => {
    const other = days[index + 1]
    return other === undefined ? [] : [Math.abs(dayNumber(day) - dayNumber(other))]
  })
  return gaps.sort((one, other) => one - other)[Math.floor((gaps.length - 1) / 2)] ?? 0
}
