/** Which price stands for 31 December, the day that the performance of the next year is counted from. Pure. */

import { dayNumber } from '../system/day-number.ts'

/** In calendar days: most funds have no price from Christmas to New Year. */
export const mostDaysToYearEnd = 10

/** Prices that show a fund's rhythm at the end of a year: ten gaps. */
export const daysOfYearEnd = 11

export const yearEndBefore = (year: string): string => `${Number(year) - 1}-12-31`

/**
 * The last price of a year stands for its 31 December if it is of the last ten days. Of a fund that is priced less often, it
 * does if the usual gap between its prices reaches over the end of the year: no price is missing then.
 * @param days of a fund's prices before the year, the newest first; more than `daysOfYearEnd` change nothing
 * @param year of the performance
 */
export function isOfYearEnd(days: readonly string[], year: string): boolean {
  const [last] = days
  const yearEnd = yearEndBefore(year)
  if (last?.slice(0, 4) !== yearEnd.slice(0, 4)) return false
  const left = dayNumber(yearEnd) - dayNumber(last)
  if (left <= mostDaysToYearEnd) return true
  const gaps = days.slice(0, daysOfYearEnd - 1).flatMap((day, index) => {
    const before = days[index + 1]
    return before === undefined ? [] : [dayNumber(day) - dayNumber(before)]
  })
  const usual = gaps.sort((one, other) => one - other)[Math.floor((gaps.length - 1) / 2)]
  return usual !== undefined && left < usual
}
