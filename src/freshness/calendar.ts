/**
 * Calendars of business days: Monday to Friday, without the holidays that the library date-holidays knows. Days are
 * ISO 8601 texts throughout, so that no time zone has a say.
 */

import type Holidays from 'date-holidays'

export interface Calendar {
  readonly isBusinessDay: (day: string) => boolean
}

export interface CalendarOptions {
  /** Whether 24 and 31 December count, where they are no full holidays: TARGET is open then, most funds have no price. */
  readonly isYearEndOpen: boolean
}

/** The closing days of TARGET, the Eurosystem's payment system, as the library writes rules. Source: ECB, since 2002. */
const targetRules: readonly string[] = ['01-01', 'easter -2', 'easter 1', '05-01', '12-25', '12-26']

/**
 * @param name a country (`DE`), a country with a state (`DE-BY`), or `TARGET`
 * @throws {Error} if the library has no such calendar
 */
export async function openCalendar(name: string, { isYearEndOpen }: CalendarOptions): Promise<Calendar> {
  // Large, and loaded by whoever needs it only.
  const { default: Library } = await import('date-holidays')
  const types = ['public' as const, 'bank' as const]
  const [country = '', state] = (name === 'TARGET' ? 'DE' : name).split('-')
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
  const isWanted = (rule: string) => name !== 'TARGET' || targetRules.includes(rule)

  const years = new Map<string, ReadonlySet<string>>()
  const holidaysOf = (year: string): ReadonlySet<string> => {
    const found = years.get(year) ?? new Set([...fullHolidays(library, year, isWanted), ...yearEnd(year)])
    years.set(year, found)
    return found
  }
  const yearEnd = (year: string) => (isYearEndOpen ? [] : [`${year}-12-24`, `${year}-12-31`])
  return { isBusinessDay: (day) => !isWeekend(day) && !holidaysOf(day.slice(0, 4)).has(day) }
}

const dayMs = 86_400_000

/** The days of a year's holidays, all of each; one that begins at noon closes nothing. */
function fullHolidays(library: Holidays, year: string, isWanted: (rule: string) => boolean): string[] {
  return library
    .getHolidays(Number(year))
    .filter(({ rule, date }) => isWanted(rule) && date.slice(11, 16) === '00:00')
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
