/** On which day a range begins. Pure. */

import { dayNumber, isoOf } from '../../../../core/system/day-number.ts'

/** The first day of a range that ends with the newest price (days since 1970-01-01); null is the whole history. */
export function firstDayOf(range: string, newest: number): number | null {
  const day = isoOf(newest)
  // A year counts from the last price of the year before.
  if (range === 'YTD') return dayNumber(`${Number(day.slice(0, 4)) - 1}-12-31`)
  const [, count = '', unit] = /^(\d+)([MY])$/.exec(range) ?? []
  if (unit === undefined) return null
  const start = new Date(`${day}T00:00:00Z`)
  const months = Number(count) * (unit === 'Y' ? 12 : 1)
  start.setUTCMonth(start.getUTCMonth() - months)
  // A month that is too short overflows into the next: back to its last day.
  if (start.getUTCDate() !== Number(day.slice(8))) start.setUTCDate(0)
  return dayNumber(start.toISOString().slice(0, 10))
}
