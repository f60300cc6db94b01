/** The day whose load a night needs, by the calendar and the rhythm of each fund, and what is wrong with the last load. Pure. */

import { isDay } from '../api/routes/values.ts'
import { addDays } from '../system/days.ts'
import {
  assessFunds,
  gapsBetween,
  overdueMark,
  usualGap,
  type MarkedFund,
  type PricedFund,
} from './assess.ts'
import { addBusinessDays, businessDaysBefore, type Calendar } from './calendar.ts'
import type { Objection } from './guards.ts'
import { isPriceExpected } from './life.ts'
import type { Rules } from './rules.ts'

/** `load` in the config file. */
export interface LoadSettings {
  /** Prices are loaded so many business days later than those of most companies. */
  readonly lagDays: number
  /** The time of day in Berlin by which a load is expected; null: no time. */
  readonly expectedBy: string | null
}

/** The last load that was marked as complete. */
export interface LoadMark {
  /** As its loader has written it. */
  readonly day: string
  /** That it filled; null if it is not known. */
  readonly tables: string | null
  /** ISO 8601 */
  readonly markedAt: string
  /** False if the database has changed since then. */
  readonly isWhole: boolean
}

const watchedMarks: readonly MarkedFund['mark'][] = ['fresh', 'late', 'stale']

/** The newest price of any watched fund, as a day; null without one. */
export const newestDay = (funds: readonly PricedFund[], rules: Rules, asOf: string): string | null =>
  latest(watchedFunds(funds, rules, asOf).flatMap(({ priceDays: [newest] }) => newest ?? []))

/** Funds that are watched and have a price; without prices after the as-of date, which are an error that the checks name. */
export function watchedFunds(
  funds: readonly PricedFund[],
  rules: Rules,
  asOf: string,
): readonly PricedFund[] {
  const past = funds.map((fund) => ({ ...fund, priceDays: fund.priceDays.filter((day) => day <= asOf) }))
  const marked = assessFunds(past, rules, asOf).funds.filter(({ mark }) => watchedMarks.includes(mark))
  const watched = new Set(marked.map(({ isin }) => isin))
  return past.filter(({ isin }) => watched.has(isin))
}

/**
 * The newest day before the as-of date on which a price of any watched fund was expected; null if nothing tells. A fund that was silent
 * long before the others expects nothing: it must not stop them.
 * @param funds with days of prices as for {@link assessFunds}
 */
export function expectedDay(
  funds: readonly PricedFund[],
  rules: Rules,
  asOf: string,
  lagDays: number,
): string | null {
  const watched = watchedFunds(funds, rules, asOf)
  const newest = newestDay(funds, rules, asOf)
  if (newest === null) return null
  return latest(
    watched.flatMap((fund) => {
      if (overdueMark(fund, rules, newest) === 'stale') return []
      const day = expectedOf(fund.priceDays, rules(fund).calendar, asOf, lagDays)
      return day !== null && isPriceExpected(fund, day) ? day : []
    }),
  )
}

const latest = (days: readonly string[]): string | null => days.toSorted().at(-1) ?? null

/** In business days: funds that are priced on certain weekdays. */
const mostOfWeek = 7

/** @param days the newest first */
function expectedOf(
  days: readonly string[],
  calendar: Calendar,
  asOf: string,
  lagDays: number,
): string | null {
  const rhythm = usualGap(calendar, days)
  if (rhythm === null) return null
  // Prices of earlier days are expected before this one.
  const end = businessDaysBefore(calendar, asOf, lagDays)
  if (rhythm === 1) return businessDaysBefore(calendar, end, 1)
  if (rhythm <= mostOfWeek) return lastOnWeekdays(weekdaysOf(days), calendar, end)
  const longest = Math.max(...gapsBetween(calendar, days))
  let found = days.find((day) => day < end) ?? null
  for (let next = found; next !== null && next < end; next = addBusinessDays(calendar, next, longest))
    found = next
  return found
}

/** Weekdays of a fund that is priced once or a few times a week. A price that moved for a holiday makes no weekday. */
function weekdaysOf(days: readonly string[]): ReadonlySet<number> {
  const counts = Map.groupBy(days, weekdayOf)
  const most = Math.max(...[...counts.values()].map(({ length }) => length))
  return new Set([...counts].flatMap(([weekday, { length }]) => (2 * length >= most ? [weekday] : [])))
}

const weekdayOf = (day: string) => new Date(day).getUTCDay()

/** Beyond some holidays, nothing tells. In days. */
const farthest = 60

/** On a holiday no price is expected, nor on the days around it, to which it may have moved. */
function lastOnWeekdays(weekdays: ReadonlySet<number>, calendar: Calendar, end: string): string | null {
  for (let back = 1; back <= farthest; back++) {
    const day = addDays(end, -back)
    if (weekdays.has(weekdayOf(day)) && calendar.isBusinessDay(day)) return day
  }
  return null
}

/**
 * Judges whether the load that a night needs is there.
 * @param expected as {@link expectedDay} gives it @param mark null: no load was ever marked
 */
export function loadObjections(mark: LoadMark | null, expected: string | null, asOf: string): Objection[] {
  const fault = loadFault(mark, expected, asOf)
  if (fault === null) return []
  return [{ guard: 'incomplete', subject: null, message: fault, state: expected ?? mark?.day ?? '' }]
}

const advice = 'load the prices, then mark the load: `fundpress import --complete`'
const laterAdvice =
  `${advice}. If it was a day off, set freshness.calendar; if prices always come later, load.lagDays; ` +
  'or name the day: import --complete DAY'

function loadFault(mark: LoadMark | null, expected: string | null, asOf: string): string | null {
  const missing = expected === null ? 'a complete load is missing' : `the load of ${expected} is missing`
  if (mark === null) return `${missing}, and none was ever marked as complete: ${advice}`
  const { day, isWhole } = mark
  const last = describeMark(mark)
  if (!isDay(day)) return `${last}, which is no day (YYYY-MM-DD): mark it again`
  if (day > asOf) return `${last}, after ${asOf}: mark it with the day of its prices`
  const isOlder = expected !== null && day < expected
  if (!isWhole) {
    const changed = 'the database has changed since: a load is under way, or has failed'
    const ends = `end it with \`fundpress import --complete\``
    return `${isOlder ? `${missing}: ` : ''}${last}, and ${changed}: ${ends}`
  }
  return isOlder ? `${missing}: ${last}: ${laterAdvice}` : null
}

/** `the last complete load is of 2026-11-23 (fund, price; marked 2026-11-23T20:10:00.000Z)` */
function describeMark({ day, tables, markedAt }: LoadMark): string {
  const filled = tables === null || tables === '' ? '' : `${tables}; `
  return `the last complete load is of ${day} (${filled}marked ${markedAt})`
}
