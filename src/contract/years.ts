/**
 * The same day in another year, as texts: a library of dates would be a large part of what a rendering thread loads.
 * 29 February is 28 February there.
 */

/** @param day ISO 8601 */
export const yearLater = (day: string): string => inYear(day, 1)

/** @param day ISO 8601 */
export const yearBefore = (day: string): string => inYear(day, -1)

function inYear(day: string, further: 1 | -1): string {
  const year = String(Number(day.slice(0, 4)) + further).padStart(4, '0')
  return year + (day.slice(4) === '-02-29' ? '-02-28' : day.slice(4))
}
