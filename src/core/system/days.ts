/**
 * Days as ISO 8601 text, such as `2024-02-29`, and arithmetic with them in UTC. By date-fns: 29 February plus or minus a year
 * is 28 February. Each function is imported from its own file, because rendering threads load this one.
 */
import { UTCDateMini } from '@date-fns/utc/date/mini'
import { addDays as plusDays } from 'date-fns/addDays'
import { addYears as plusYears } from 'date-fns/addYears'
import { isWeekend as isOnWeekend } from 'date-fns/isWeekend'
import { startOfISOWeek } from 'date-fns/startOfISOWeek'
import { dayNumber } from './day-number.ts'

/** Negative if `to` is earlier. */
export const daysBetween = (from: string, to: string): number => dayNumber(to) - dayNumber(from)

/** @throws {RangeError} if `day` is none */
export const addDays = (day: string, days: number): string => textOf(plusDays(dateOf(day), days))

/** @throws {RangeError} if `day` is none */
export const addYears = (day: string, years: number): string => textOf(plusYears(dateOf(day), years))

/** The Monday of the day's week. */
export const mondayOf = (day: string): string => textOf(startOfISOWeek(dateOf(day)))

export const isWeekend = (day: string): boolean => isOnWeekend(dateOf(day))

const dateOf = (day: string) => new UTCDateMini(day)
const textOf = (date: Date) => date.toISOString().slice(0, 10)
