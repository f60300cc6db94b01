import { addYears } from 'date-fns/addYears'
import { formatISO } from 'date-fns/formatISO'
import { parseISO } from 'date-fns/parseISO'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { yearBefore, yearLater } from '../../src/api/contract/fund.ts'
import { isDay } from '../../src/api/routes/values.ts'

const anyDay = fc
  .date({ min: new Date('1001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const leapDays = fc
  .integer({ min: 300, max: 2400 })
  .map((fours) => `${fours * 4}-02-29`)
  .filter(isDay)

const byLibrary = (day: string, years: number) =>
  formatISO(addYears(parseISO(day), years), { representation: 'date' })

it('counts a year on and back as date-fns does, 29 February included', () => {
  fc.assert(
    fc.property(fc.oneof(anyDay, leapDays), (day) => {
      expect([yearLater(day), yearBefore(day)]).toEqual([byLibrary(day, 1), byLibrary(day, -1)])
    }),
  )
  expect([yearLater('2024-02-29'), yearBefore('2024-02-29')]).toEqual(['2025-02-28', '2023-02-28'])
})
