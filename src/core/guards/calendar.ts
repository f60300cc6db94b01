/**
 * Calendars of business days, and counting in them. A business day is a weekday and no holiday. Days are ISO 8601 texts, so
 * that no time zone matters.
 */

import { gregorianEaster } from 'date-easter'
import { cached } from '../system/cached.ts'
import { dayMs, isoOf } from '../system/day-number.ts'
import { addDays, isWeekend } from '../system/days.ts'

export interface Calendar {
  readonly isBusinessDay: (day: string) => boolean
}

/**
 * @param name a country (`DE`), a country with a state (`DE-BY`), or `TARGET`
 * @param isYearEndOpen 24 and 31 December are business days unless they are full holidays: TARGET is open, most funds have no
 * price
 * @throws {Error} if there is no such calendar
 */
export async function openCalendar(name: string, isYearEndOpen = false): Promise<Calendar> {
  const rule = written.get(name)
  const rules = rule === undefined ? await rulesOf(name) : [rule]
  const yearEnd = (year: string) => (isYearEndOpen ? [] : [`${year}-12-24`, `${year}-12-31`])
  const closedIn = cached((year: string) => new Set([...holidaysBy(rules, Number(year)), ...yearEnd(year)]))
  // Every price of every fund asks: a look-up is much faster than arithmetic with dates.
  return { isBusinessDay: cached((day) => !isWeekend(day) && !closedIn(day.slice(0, 4)).has(day)) }
}

/** Months and days of each year, days after (or before) Easter Sunday, single days; and days that a state has open. */
export interface Rule {
  readonly fixed: readonly string[]
  readonly aroundEaster: readonly number[]
  readonly once: readonly string[]
  readonly open?: readonly string[]
}

/** Years of the single days in `holidays.json`. Other years have only the holidays that are the same each year. */
export const holidayYears = { first: 2000, last: 2060 }

/**
 * Calendars of most settings, for all years. TARGET, the Eurosystem's payment system: ECB, since 2002. Germany: the holidays
 * of all states, and Reformation Day, which was a holiday everywhere in 2017.
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

export const areHolidaysKnown = (calendar: string, day: string): boolean =>
  written.has(calendar) || Number(day.slice(0, 4)) <= holidayYears.last

function holidaysBy(rules: readonly Rule[], year: number): ReadonlySet<string> {
  const { month, day } = gregorianEaster(year)
  const easter = isoOf(Date.UTC(year, month - 1, day) / dayMs)
  const days = rules.flatMap(({ fixed, aroundEaster, once }) => [
    ...fixed.map((monthAndDay) => `${year}-${monthAndDay}`),
    ...aroundEaster.map((offset) => addDays(easter, offset)),
    ...once.filter((one) => one.startsWith(`${year}-`)),
  ])
  const open = new Set(rules.flatMap((rule) => rule.open ?? []))
  return new Set(days.filter((one) => !open.has(one)))
}

async function rulesOf(name: string): Promise<readonly Rule[]> {
  const { default: file } = await import('./holidays.json', { with: { type: 'json' } })
  const all = new Map<string, Packed>(Object.entries(file.calendars))
  const [country = ''] = name.split('-')
  const common = all.get(country)
  const own = all.get(name)
  if (common === undefined) throw new Error(`there is no calendar ${country}`)
  if (own === undefined) {
    const states = [...all.keys()]
      .filter((one) => one.startsWith(`${country}-`))
      .map((one) => one.slice(country.length + 1))
    throw new Error(
      `the calendar ${country} has no state ${name.slice(country.length + 1)} (there are ${states.join(', ') || 'none'})`,
    )
  }
  return [common, ...(name === country ? [] : [own])].map(unpacked)
}

/** A rule of `holidays.json`: without empty lists, and with days such as `260119`, one after the other. */
interface Packed {
  readonly fixed?: readonly string[]
  readonly aroundEaster?: readonly number[]
  readonly once?: string
  readonly open?: string
}

const unpacked = ({ fixed = [], aroundEaster = [], once = '', open = '' }: Packed): Rule => ({
  fixed,
  aroundEaster,
  once: daysIn(once),
  open: daysIn(open),
})

/** All years are of this century. */
const daysIn = (packed: string) =>
  packed.match(/\d{6}/g)?.map((day) => `20${day.slice(0, 2)}-${day.slice(2, 4)}-${day.slice(4)}`) ?? []

/** Counting stops here. */
export const maxBusinessDays = 1000

const firstDay = '0001-01-01'
const lastDay = '9999-12-31'

/** The number of business days after `from`, up to and including `to`; 0 if `to` is not later. At most 1,000. */
export const businessDaysBetween = (calendar: Calendar, from: string, to: string): number =>
  counterOf(calendar)(`${from} ${to}`)

// Thousands of funds share the same few days.
const counterOf = cached((calendar: Calendar) =>
  cached((days: string) => {
    const [from = '', to = ''] = days.split(' ')
    let count = 0
    for (let day = to; day > from && count < maxBusinessDays; day = addDays(day, -1))
      if (calendar.isBusinessDay(day)) count++
    return count
  }),
)

/** The day itself if `count` is 0. */
export function businessDaysBefore(calendar: Calendar, from: string, count: number): string {
  let day = from
  for (let left = count; left > 0 && day > firstDay;) {
    day = addDays(day, -1)
    if (calendar.isBusinessDay(day)) left--
  }
  return day
}

/** @param count 1 or more */
export function addBusinessDays(calendar: Calendar, from: string, count: number): string {
  let day = from
  for (let left = count; left > 0 && day < lastDay;) {
    day = addDays(day, 1)
    if (calendar.isBusinessDay(day)) left--
  }
  return day
}
