/** The days of a demo database: business days of TARGET, and the period of its prices. */

import { isDay } from '../../core/api/routes/values.ts'
import { openCalendar } from '../../core/guards/calendar.ts'
import { addDays, addYears } from '../../core/system/days.ts'

/** Business days, ascending, ISO. */
type DemoCalendar = readonly string[]

/** Index of the last business day on or before a date, -1 if there is none. */
export function indexOnOrBefore(calendar: DemoCalendar, date: string): number {
  let low = 0
  let high = calendar.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((calendar[middle] ?? '') <= date) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** Index of the last business day of the year before, -1 if the calendar has none. */
export const previousYearEnd = (calendar: DemoCalendar, index: number): number =>
  indexOnOrBefore(calendar, `${Number(dateAt(calendar, index).slice(0, 4)) - 1}-12-31`)

/** Index of the first business day on or after a date. */
export const indexOnOrAfter = (calendar: DemoCalendar, date: string): number =>
  indexOnOrBefore(calendar, addDays(date, -1)) + 1

/** @throws {RangeError} for an index outside the calendar */
export function dateAt(calendar: DemoCalendar, index: number): string {
  const date = calendar[index]
  if (date === undefined) throw new RangeError(`no business day ${index}`)
  return date
}

/** Indices in first…last after which another month begins. */
export function monthEnds(calendar: DemoCalendar, first: number, last: number): readonly number[] {
  const months = calendar.slice(first, last + 2).map((date) => date.slice(0, 7))
  return months.flatMap((month, at) => (at > last - first || month === months[at + 1] ? [] : [first + at]))
}

export type Period = Awaited<ReturnType<typeof demoPeriod>>

const earliestPast = '1990-01-01'

/**
 * From the business day on or before `until` minus `years`, to the one on or before `until`, both included.
 * @returns indices into the calendar: the first and the last price day, and `status`, the last end of a month on or before the last
 * price day, which the funds' data describe; `lastTaxDate`: the last day that prices carry tax figures on
 * @throws {RangeError} if `until` is not a date, `years` is not a whole number from 1, or the range starts before 1900
 */
export async function demoPeriod(until: string, years: number) {
  if (!isDay(until) || until > '2999-12-31') throw new RangeError(`not a date: ${until}`)
  if (!Number.isInteger(years) || years < 1) throw new RangeError(`not a number of years: ${years}`)
  if (Number(until.slice(0, 4)) - years < 1900) throw new RangeError(`prices would start before 1900`)
  const from = addYears(until, -years)
  const start = from < earliestPast ? from : earliestPast
  // Some more days on both sides: the first may not be a business day, and the last may end a month.
  const target = await openCalendar('TARGET', true)
  const calendar: string[] = []
  for (let date = addDays(start, -15); date <= addDays(until, 15); date = addDays(date, 1))
    if (target.isBusinessDay(date)) calendar.push(date)
  const last = indexOnOrBefore(calendar, until)
  const first = indexOnOrBefore(calendar, addYears(dateAt(calendar, last), -years))
  const status = monthEnds(calendar, first, last).at(-1) ?? last
  return { calendar, first, last, status, lastTaxDate: lastTaxDate(dateAt(calendar, first)) }
}

/** German law asked for the figures until the end of 2017; a later range has them in its first half-year. */
const lastTaxDate = (firstDate: string): string =>
  firstDate <= '2017-12-31' ? '2017-12-31' : addDays(firstDate, 181)
