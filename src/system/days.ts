/**
 * Days as ISO 8601 text, such as `2024-02-29`, and arithmetic with them in UTC. By date-fns: 29 February plus or minus a year
 * is 28 February. Each function is imported from its own file, because rendering threads load this one.
 */
import { UTCDateMini } from '@date-fns/utc/date/mini'
import { addDays as plusDays } from 'date-fns/addDays'
import { addMonths as plusMonths } from 'date-fns/addMonths'
import { addYears as plusYears } from 'date-fns/addYears'
import { isWeekend as isOnWeekend } from 'date-fns/isWeekend'
import { startOfISOWeek } from 'date-fns/startOfISOWeek'

/** A day in milliseconds. */
export const dayMs = 86_400_000

/** Days since 1970-01-01. Computed without Date, which would take longer for a chart's points than the rest of the chart. */
export function dayNumber(iso: string): number {
  const [year, month, day] = [Number(iso.slice(0, 4)), Number(iso.slice(5, 7)), Number(iso.slice(8))]
  // A year that begins in March ends with the leap day.
  const shifted = month > 2 ? year : year - 1
  const daysBefore = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5)
  const leapDays = Math.floor(shifted / 4) - Math.floor(shifted / 100) + Math.floor(shifted / 400)
  return shifted * 365 + leapDays + daysBefore + day - 719_469
}

/** The day of a number of days since 1970-01-01. @throws {RangeError} if there is none */
export const isoOf = (number: number): string => textOf(new Date(number * dayMs))

/** Negative if `to` is earlier. */
export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from)

/** @param days may be negative @throws {RangeError} if `day` is none */
export const addDays = (day: string, days: number): string => textOf(plusDays(dateOf(day), days))

/** The last day of a month that is too short. @param months may be negative @throws {RangeError} if `day` is none */
export const addMonths = (day: string, months: number): string => textOf(plusMonths(dateOf(day), months))

/** @param years may be negative @throws {RangeError} if `day` is none */
export const addYears = (day: string, years: number): string => textOf(plusYears(dateOf(day), years))

/** The Monday of the day's week. */
export const mondayOf = (day: string): string => textOf(startOfISOWeek(dateOf(day)))

export const isWeekend = (day: string): boolean => isOnWeekend(dateOf(day))

const dateOf = (day: string) => new UTCDateMini(day)
const textOf = (date: Date) => date.toISOString().slice(0, 10)
