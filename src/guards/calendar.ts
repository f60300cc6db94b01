/**
 * Calendars of business days, and counting in them. A business day is Monday to Friday and no holiday of the libraries
 * date-holidays and date-easter. Days are ISO 8601 texts throughout, so that no time zone matters.
 */

import { gregorianEaster } from 'date-easter'
import type Holidays from 'date-holidays'
import { addDays, dayMs, isoOf, isWeekend } from '../system/days.ts'

export interface Calendar {
  readonly isBusinessDay: (day: string) => boolean
}

/**
 * @param name a country (`DE`), a country with a state (`DE-BY`), or `TARGET`
 * @param isYearEndOpen whether 24 and 31 December are business days unless they are full holidays: TARGET is open, most
 * funds have no price
 * @throws {Error} if the library has no such calendar
 */
export async function openCalendar(name: string, isYearEndOpen = false): Promise<Calendar> {
  const rule = written.get(name)
  const holidaysIn = rule ? (year: number) => holidaysBy(rule, year) : await countryHolidays(name)
  const years = new Map<string, ReadonlySet<string>>()
  const yearEnd = (year: string) => (isYearEndOpen ? [] : [`${year}-12-24`, `${year}-12-31`])
  const closedIn = (year: string): ReadonlySet<string> => {
    const found = years.get(year) ?? new Set([...holidaysIn(Number(year)), ...yearEnd(year)])
    years.set(year, found)
    return found
  }
  // Every price of every fund asks: a look-up is much faster than a date.
  const known = new Map<string, boolean>()
  return {
    isBusinessDay: (day) => {
      let found = known.get(day)
      if (found === undefined)
        known.set(day, (found = !isWeekend(day) && !closedIn(day.slice(0, 4)).has(day)))
      return found
    },
  }
}

/** Holidays that are the same each year: months and days, and days before or after Easter Sunday; then single days. */
interface Rule {
  readonly fixed: readonly string[]
  readonly aroundEaster: readonly number[]
  readonly once: readonly string[]
}

/**
 * The calendars that most settings name are written out, because the library of the countries, with its rules for all the
 * world's holidays, takes longer to load than the rest of a small build. TARGET, the Eurosystem's payment system: ECB, since
 * 2002. Germany: what all states have in common, and Reformation Day, which was a holiday everywhere in 2017.
 */
const written: ReadonlyMap<string, Rule> = new Map([
  ['TARGET', { fixed: ['01-01', '05-01', '12-25', '12-26'], aroundEaster: [-2, 1], once: [] }],
  [
    'DE',
    {
      fixed: ['01-01', '05-01', '10-03', '12-25', '12-26'],
      aroundEaster: [-2, 1, 39, 50],
      once: ['2017-10-31'],
    },
  ],
])

function holidaysBy({ fixed, aroundEaster, once }: Rule, year: number): string[] {
  const { month, day } = gregorianEaster(year)
  const easter = isoOf(Date.UTC(year, month - 1, day) / dayMs)
  const movable = aroundEaster.map((days) => addDays(easter, days))
  return [...fixed.map((monthAndDay) => `${year}-${monthAndDay}`), ...movable, ...once]
}

async function countryHolidays(name: string): Promise<(year: number) => string[]> {
  const { default: Library } = await import('date-holidays')
  const [country = '', state] = name.split('-')
  const known = new Library()
  if (!Object.hasOwn(known.getCountries(), country)) throw new Error(`there is no calendar ${country}`)
  // For a country without states it is undefined, despite its type.
  const states = known.getStates(country) as Readonly<Record<string, string>> | undefined
  if (state !== undefined && states?.[state] === undefined)
    throw new Error(
      `the calendar ${country} has no state ${state} (there are ${Object.keys(states ?? {}).join(', ') || 'none'})`,
    )
  const options = { types: ['public' as const, 'bank' as const] }
  const library = state === undefined ? new Library(country, options) : new Library(country, state, options)
  return (year) => fullHolidays(library, year)
}

/** All days of a year's holidays. A holiday that begins at noon closes nothing. */
function fullHolidays(library: Holidays, year: number): string[] {
  return library
    .getHolidays(year)
    .filter(({ date }) => date.slice(11, 16) === '00:00')
    .flatMap(({ date, start, end }) => {
      const first = date.slice(0, 10)
      // A change of the clocks adds or removes an hour.
      const days = Math.max(1, Math.round((end.getTime() - start.getTime()) / dayMs))
      return Array.from({ length: days }, (_, index) => addDays(first, index))
    })
}

/** Counting stops here: everything older is this old. */
export const maxBusinessDays = 1000

const lastDay = '9999-12-31'

// Thousands of funds share the same few days.
const counted = new WeakMap<Calendar, Map<string, number>>()

/** The number of business days after `from`, up to and including `to`; 0 if `to` is not later. At most 1,000. */
export function businessDaysBetween(calendar: Calendar, from: string, to: string): number {
  const counts = counted.get(calendar) ?? new Map<string, number>()
  counted.set(calendar, counts)
  let count = counts.get(`${from} ${to}`)
  if (count !== undefined) return count
  count = 0
  for (let day = to; day > from && count < maxBusinessDays; day = addDays(day, -1)) {
    if (calendar.isBusinessDay(day)) count++
  }
  counts.set(`${from} ${to}`, count)
  return count
}

/** The business day that comes a number of business days after any day. @param count 1 or more */
export function addBusinessDays(calendar: Calendar, from: string, count: number): string {
  let day = from
  for (let left = count; left > 0 && day < lastDay;) {
    day = addDays(day, 1)
    if (calendar.isBusinessDay(day)) left--
  }
  return day
}
