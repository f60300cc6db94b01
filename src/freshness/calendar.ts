/**
 * Calendars of business days: Monday to Friday, without the holidays that the libraries date-holidays and date-easter
 * know. Days are ISO 8601 texts throughout, so that no time zone has a say.
 */

import { gregorianEaster } from 'date-easter'
import type Holidays from 'date-holidays'

export interface Calendar {
  readonly isBusinessDay: (day: string) => boolean
}

export interface CalendarOptions {
  /** Whether 24 and 31 December count, where they are no full holidays: TARGET is open then, most funds have no price. */
  readonly isYearEndOpen: boolean
}

/**
 * @param name a country (`DE`), a country with a state (`DE-BY`), or `TARGET`
 * @throws {Error} if the library has no such calendar
 */
export async function openCalendar(name: string, { isYearEndOpen }: CalendarOptions): Promise<Calendar> {
  const holidaysIn = name === 'TARGET' ? targetHolidays : await countryHolidays(name)
  const years = new Map<string, ReadonlySet<string>>()
  const closedIn = (year: string): ReadonlySet<string> => {
    const found = years.get(year) ?? new Set([...holidaysIn(Number(year)), ...yearEnd(year)])
    years.set(year, found)
    return found
  }
  const yearEnd = (year: string) => (isYearEndOpen ? [] : [`${year}-12-24`, `${year}-12-31`])
  return { isBusinessDay: (day) => !isWeekend(day) && !closedIn(day.slice(0, 4)).has(day) }
}

/**
 * The closing days of TARGET, the Eurosystem's payment system. Source: ECB, since 2002. Here and not from the library of
 * the countries, whose rules for all the world's holidays would be most of what a small build loads.
 */
function targetHolidays(year: number): string[] {
  const { month, day } = gregorianEaster(year)
  const easter = new Date(Date.UTC(year, month - 1, day)).toISOString().slice(0, 10)
  const moving = [dayAfter(easter, -2), dayAfter(easter, 1)]
  return [...moving, ...['01-01', '05-01', '12-25', '12-26'].map((monthAndDay) => `${year}-${monthAndDay}`)]
}

async function countryHolidays(name: string): Promise<(year: number) => string[]> {
  // Large, and loaded by whoever needs it only.
  const { default: Library } = await import('date-holidays')
  const types = ['public' as const, 'bank' as const]
  const [country = '', state] = name.split('-')
  const known = new Library()
  if (known.getCountries()[country] === undefined) throw new Error(`there is no calendar ${country}`)
  // Of countries without states it is undefined, whatever the types say.
  const states = known.getStates(country) as Readonly<Record<string, string>> | undefined
  if (state !== undefined && states?.[state] === undefined)
    throw new Error(
      `the calendar ${country} has no state ${state} (there are ${Object.keys(states ?? {}).join(', ') || 'none'})`,
    )
  const library =
    state === undefined ? new Library(country, { types }) : new Library(country, state, { types })
  return (year) => fullHolidays(library, year)
}

const dayMs = 86_400_000

/** The days of a year's holidays, all of each; one that begins at noon closes nothing. */
function fullHolidays(library: Holidays, year: number): string[] {
  return library
    .getHolidays(year)
    .filter(({ date }) => date.slice(11, 16) === '00:00')
    .flatMap(({ date, start, end }) => {
      const first = date.slice(0, 10)
      // Of the moments only the distance is used; with a change of the clocks it is an hour more or less.
      const days = Math.max(1, Math.round((end.getTime() - start.getTime()) / dayMs))
      return Array.from({ length: days }, (_, index) => dayAfter(first, index))
    })
}

/** The day so many days on, or back. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

const isWeekend = (day: string) => [0, 6].includes(new Date(Date.parse(day)).getUTCDay())
