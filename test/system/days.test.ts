import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isDay } from '../../src/core/api/routes/values.ts'
import { dayNumber, isoOf, yearsBefore } from '../../src/core/system/day-number.ts'
import { addDays, addYears, daysBetween, isWeekend, mondayOf } from '../../src/core/system/days.ts'

const anyDay = fc
  .date({ min: new Date('0101-01-01'), max: new Date('9898-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

it('goes back by years in browsers as on a server', () => {
  const leapDay = dayNumber('2024-02-29')
  expect([1, 4].map((years) => isoOf(yearsBefore(leapDay, years)))).toEqual(['2023-02-28', '2020-02-29'])
  fc.assert(
    fc.property(anyDay, fc.integer({ min: 0, max: 100 }), (day, years) => {
      expect(isoOf(yearsBefore(dayNumber(day), years))).toBe(addYears(day, -years))
    }),
  )
})

it('makes 28 February of 29 February plus or minus a year', () => {
  expect(addYears('2024-02-29', 1)).toBe('2025-02-28')
  expect(addYears('2024-02-29', -1)).toBe('2023-02-28')
  expect(addYears('2024-02-29', -4)).toBe('2020-02-29')
  expect(addYears('2025-02-28', -1)).toBe('2024-02-28')
})

it('counts days as the calendar has them, in every time zone', () => {
  expect(addDays('2024-02-28', 1)).toBe('2024-02-29')
  expect(addDays('2100-02-28', 1)).toBe('2100-03-01')
  // Clocks change.
  expect(addDays('2026-03-29', -1)).toBe('2026-03-28')
  expect(['2026-11-23', '2026-11-26', '2026-11-29'].map(mondayOf)).toEqual(Array(3).fill('2026-11-23'))
  expect(['2026-11-27', '2026-11-28', '2026-11-29', '2026-11-30'].map(isWeekend)).toEqual([
    false,
    true,
    true,
    false,
  ])
  fc.assert(
    fc.property(anyDay, fc.integer({ min: -36_000, max: 36_000 }), (day, days) => {
      const then = addDays(day, days)
      expect({ isDay: isDay(then), days: daysBetween(day, then), day: addDays(then, -days) }).toEqual({
        isDay: true,
        days,
        day,
      })
      expect(isoOf(daysBetween('1970-01-01', then))).toBe(then)
    }),
  )
})
