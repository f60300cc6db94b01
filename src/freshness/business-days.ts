/** Counting in business days. Pure. */

import { dayAfter, type Calendar } from './calendar.ts'

/** Ages and gaps are counted up to here: whatever is older is as old as this. */
export const maxBusinessDays = 1000

const lastDay = '9999-12-31'

/** How many business days come after `from`, up to and with `to`; 0 if `to` is not later. At most 1,000. */
export function businessDaysBetween(calendar: Calendar, from: string, to: string): number {
  return remembered(counted, calendar, `${from} ${to}`, () => {
    let count = 0
    for (let day = to; day > from && count < maxBusinessDays; day = dayAfter(day, -1)) {
      if (calendar.isBusinessDay(day)) count++
    }
    return count
  })
}

/** The business day that comes so many after a day, be that one or not. @param count 1 or more */
export function addBusinessDays(calendar: Calendar, from: string, count: number): string {
  return remembered(added, calendar, `${from} ${count}`, () => {
    let day = from
    for (let left = count; left > 0 && day < lastDay;) {
      day = dayAfter(day, 1)
      if (calendar.isBusinessDay(day)) left--
    }
    return day
  })
}

type Memory<T> = WeakMap<Calendar, Map<string, T>>

// Thousands of funds are priced on the same few days.
const counted: Memory<number> = new WeakMap()
const added: Memory<string> = new WeakMap()

function remembered<T>(memory: Memory<T>, calendar: Calendar, key: string, work: () => T): T {
  const known = memory.get(calendar) ?? new Map<string, T>()
  memory.set(calendar, known)
  const value = known.get(key) ?? work()
  known.set(key, value)
  return value
}
