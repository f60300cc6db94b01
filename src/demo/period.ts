/** The days of a demo database: the price range, and enough of a calendar before it for funds to have a past. */

import {
  businessDays,
  dateAt,
  indexOnOrBefore,
  isIsoDate,
  monthEnds,
  shiftDays,
  shiftYears,
  type Calendar,
} from './calendar.ts'

export interface Period {
  readonly calendar: Calendar
  /** Calendar indices of the first and the last price day. */
  readonly first: number
  readonly last: number
  /** Calendar index of the last end of a month on or before the last price day: what the funds' data stand at. */
  readonly status: number
  /** ISO date of the last day that prices carry tax figures on. */
  readonly lastTaxDate: string
}

const earliestPast = '1990-01-01'

/**
 * From the business day on or before `until` minus `years`, to the one on or before `until`, both included.
 * @throws {RangeError} where `until` is no date or `years` no whole number from 1, or the range starts before 1900
 */
export function demoPeriod(until: string, years: number): Period {
  if (!isIsoDate(until) || until > '2999-12-31') throw new RangeError(`not a date: ${until}`)
  if (!Number.isInteger(years) || years < 1) throw new RangeError(`not a number of years: ${years}`)
  if (Number(until.slice(0, 4)) - years < 1900) throw new RangeError(`prices would start before 1900`)
  const from = shiftYears(until, -years)
  const start = from < earliestPast ? from : earliestPast
  // Some days on either side: the first may be no business day, and the last may end a week or a month.
  const calendar = businessDays(shiftDays(start, -15), shiftDays(until, 15))
  const last = indexOnOrBefore(calendar, until)
  const first = indexOnOrBefore(calendar, shiftYears(dateAt(calendar, last), -years))
  const status = monthEnds(calendar, first, last).at(-1) ?? last
  return { calendar, first, last, status, lastTaxDate: lastTaxDate(dateAt(calendar, first)) }
}

/** German law asked for the figures until the end of 2017; a later range has them in its first half-year. */
function lastTaxDate(firstDate: string): string {
  return firstDate <= '2017-12-31' ? '2017-12-31' : shiftDays(firstDate, 181)
}
