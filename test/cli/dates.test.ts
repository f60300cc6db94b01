import { expect, it } from 'vitest'
import { businessDayBefore } from '../../src/cli/commands/demo.ts'
import { todayInBerlin } from '../../src/cli/dates.ts'

it.each([
  ['2026-11-20T22:59:59Z', '2026-11-20'],
  ['2026-11-20T23:00:00Z', '2026-11-21'],
  ['2026-07-01T21:59:59Z', '2026-07-01'],
  ['2026-07-01T22:00:00Z', '2026-07-02'],
  ['2026-12-31T23:30:00Z', '2027-01-01'],
])('at %s the day in Berlin is %s', (moment, day) => {
  expect(todayInBerlin(new Date(moment))).toBe(day)
})

it.each([
  ['2026-11-20', '2026-11-19'],
  ['2026-11-21', '2026-11-20'],
  ['2026-11-22', '2026-11-20'],
  ['2026-11-23', '2026-11-20'],
  ['2024-03-01', '2024-02-29'],
  ['2026-03-30', '2026-03-27'],
])('the business day before %s is %s', (day, before) => {
  expect(businessDayBefore(day)).toBe(before)
})
