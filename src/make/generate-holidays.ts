/**
 * `npm run generate-holidays`: writes the holidays of all countries and states that date-holidays knows. The library weighs
 * a hundred times as much. Takes some minutes. Not part of the package.
 */

import { gregorianEaster } from 'date-easter'
import Holidays from 'date-holidays'
import { writeFileSync } from 'node:fs'
import { holidayYears, type Rule } from '../core/guards/calendar.ts'
import { dayMs, isoOf } from '../core/system/day-number.ts'
import { addDays, isWeekend } from '../core/system/days.ts'

const years = Array.from(
  { length: holidayYears.last - holidayYears.first + 1 },
  (_, index) => holidayYears.first + index,
)
const weekdaysOnly = (days: readonly string[]) => days.filter((day) => !isWeekend(day))
const easters = years.map((year) => {
  const { month, day } = gregorianEaster(year)
  return isoOf(Date.UTC(year, month - 1, day) / dayMs)
})

/** All weekdays of a country's holidays. A holiday that begins at noon closes nothing. */
export function closedDays(library: Holidays, year: number): string[] {
  const full = library.getHolidays(year).filter(({ date }) => date.slice(11, 16) === '00:00')
  const days = full.flatMap(({ date, start, end }) => {
    // A change of the clocks adds or removes an hour.
    const length = Math.max(1, Math.round((end.getTime() - start.getTime()) / dayMs))
    return Array.from({ length }, (_, index) => addDays(date.slice(0, 10), index))
  })
  return weekdaysOnly(days)
}

/** Holidays of banks close a fund company, too. */
export const libraryOf = (...place: [country: string, state?: string]): Holidays => {
  const options = { types: ['public' as const, 'bank' as const] }
  const [country, state] = place
  return state === undefined ? new Holidays(country, options) : new Holidays(country, state, options)
}

const daysOf = (library: Holidays) => new Set(years.flatMap((year) => closedDays(library, year)))

function ruleOf(days: ReadonlySet<string>): Rule {
  const always = (found: readonly string[]) => found.length > 0 && found.every((day) => days.has(day))
  const inYears = (monthAndDay: string) => weekdaysOnly(years.map((year) => `${year}-${monthAndDay}`))
  const afterEaster = (offset: number) => weekdaysOnly(easters.map((easter) => addDays(easter, offset)))
  const monthsAndDays = [...new Set([...days].map((day) => day.slice(5)))].filter((one) => one !== '02-29')
  const fixed = monthsAndDays.filter((one) => always(inYears(one))).sort()
  const offsets = Array.from({ length: 130 }, (_, index) => index - 60)
  const aroundEaster = offsets.filter((offset) => always(afterEaster(offset)))
  const covered = new Set([...fixed.flatMap(inYears), ...aroundEaster.flatMap(afterEaster)])
  return { fixed, aroundEaster, once: [...days].filter((day) => !covered.has(day)).sort() }
}

/** Drops empty lists: most states have only a day or two of their own. */
const short = ({ fixed, aroundEaster, once }: Rule, open: readonly string[] = []) =>
  Object.fromEntries(
    Object.entries({ fixed, aroundEaster, once: packed(once), open: packed(open) }).filter(
      ([, found]) => found.length > 0,
    ),
  )

/** `260119` is 19 January 2026. */
const packed = (days: readonly string[]) => days.map((day) => day.slice(2).replaceAll('-', '')).join('')

if (import.meta.main) {
  const all = new Holidays()
  const lines = Object.keys(all.getCountries()).flatMap((country) => {
    const common = daysOf(libraryOf(country))
    // Undefined for a country without states, despite its type.
    const states = all.getStates(country) as Readonly<Record<string, string>> | undefined
    return [
      [country, short(ruleOf(common))] as const,
      ...Object.keys(states ?? {}).map((state) => {
        const days = daysOf(libraryOf(country, state))
        const open = [...common].filter((day) => !days.has(day)).sort()
        return [
          `${country}-${state}`,
          short(ruleOf(new Set([...days].filter((day) => !common.has(day)))), open),
        ] as const
      }),
    ]
  })
  const source = `date-holidays, ${holidayYears.first} to ${holidayYears.last}, written by npm run generate-holidays`
  const licence =
    'CC BY-SA 3.0, https://creativecommons.org/licenses/by-sa/3.0/; https://github.com/commenthol/date-holidays names the articles of Wikipedia'
  const calendars = lines
    .map(([name, rule]) => `${JSON.stringify(name)}: ${JSON.stringify(rule)}`)
    .join(',\n')
  const head = `"source": ${JSON.stringify(source)},\n"licence": ${JSON.stringify(licence)}`
  writeFileSync(
    new URL('../guards/holidays.json', import.meta.url),
    `{\n${head},\n"calendars": {\n${calendars}\n}\n}\n`,
  )
}
