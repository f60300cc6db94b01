/** Business days against lists of days off that were written down from official calendars. */
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { closedDays, libraryOf } from '../../src/make/generate-holidays.ts'
import {
  addBusinessDays,
  areHolidaysKnown,
  businessDaysBetween,
  openCalendar,
} from '../../src/core/guards/calendar.ts'
import { usualGap } from '../../src/core/guards/assess.ts'
import { repository } from '../support/product.ts'
import { sample } from '../support/rounds.ts'

/** From Monday to Friday, but closed. */
const closed: Readonly<Record<string, readonly string[]>> = {
  DE: [
    '2026-01-01',
    '2026-04-03',
    '2026-04-06',
    '2026-05-01',
    '2026-05-14',
    '2026-05-25',
    '2026-12-24',
    '2026-12-25',
    '2026-12-31',
  ],
  'DE-BY': [
    '2026-01-01',
    '2026-01-06',
    '2026-04-03',
    '2026-04-06',
    '2026-05-01',
    '2026-05-14',
    '2026-05-25',
    '2026-06-04',
    '2026-12-24',
    '2026-12-25',
    '2026-12-31',
  ],
  TARGET: ['2026-01-01', '2026-04-03', '2026-04-06', '2026-05-01', '2026-12-24', '2026-12-25', '2026-12-31'],
}

function weekdaysOf(year: number): string[] {
  const days = Array.from({ length: 366 }, (_, index) => new Date(Date.UTC(year, 0, 1 + index)))
  return days
    .filter((day) => day.getUTCFullYear() === year && day.getUTCDay() % 6 !== 0)
    .map((day) => day.toISOString().slice(0, 10))
}

describe('a calendar', () => {
  it.each(Object.entries(closed))(
    '%s is closed on its holidays in 2026, and on no other weekday',
    async (name, days) => {
      const { isBusinessDay } = await openCalendar(name)
      expect(weekdaysOf(2026).filter((day) => !isBusinessDay(day))).toEqual(days)
      for (const weekend of ['2026-11-21', '2026-11-22']) expect(isBusinessDay(weekend)).toBe(false)
    },
  )

  it('is open on 24 and 31 December if the settings say so, except where they are full holidays', async () => {
    for (const [name, isOpen] of [
      ['DE', true],
      ['TARGET', true],
      ['LU', true],
      ['SE', false],
    ] as const) {
      const { isBusinessDay } = await openCalendar(name, true)
      expect({
        name,
        christmasEve: isBusinessDay('2026-12-24'),
        newYearsEve: isBusinessDay('2026-12-31'),
      }).toEqual({ name, christmasEve: isOpen, newYearsEve: isOpen })
    }
  })

  it('closes the weekday that a holiday was moved to', async () => {
    // Boxing Day of 2026 is a Saturday.
    const { isBusinessDay } = await openCalendar('GB', true)
    expect(isBusinessDay('2026-12-28')).toBe(false)
  })

  it.each([
    ['DE', 1950, 2150],
    ['DE-BY', 2000, 2060],
    ['FR', 2000, 2060],
    ['GB-SCT', 2024, 2029],
    ['US', 2024, 2029],
    ['AE', 2024, 2029],
    ['IN', 2024, 2026],
  ] as const)(
    '%s has the holidays that the library of all countries has, from %i to %i',
    async (name, from, until) => {
      const { isBusinessDay } = await openCalendar(name, true)
      const library = libraryOf(...(name.split('-') as [string, string?]))
      for (let year = from; year <= until; year++)
        expect(weekdaysOf(year).filter((day) => !isBusinessDay(day))).toEqual(
          [...new Set(closedDays(library, year))].sort(),
        )
    },
  )

  it('of a country knows the holidays of the next ten years; TARGET and DE know all', () => {
    const inTenYears = `${new Date().getFullYear() + 10}-01-01`
    expect(areHolidaysKnown('FR', inTenYears), 'npm run generate-holidays, with later years').toBe(true)
    expect(areHolidaysKnown('FR', '2061-01-01')).toBe(false)
    for (const name of ['DE', 'TARGET']) expect(areHolidaysKnown(name, '2061-01-01')).toBe(true)
  })

  it('is the same in every time zone', () => {
    const program = `import { openCalendar } from './src/core/guards/calendar.ts'
      const calendars = await Promise.all(['DE', 'DE-BY', 'CH', 'US', 'JP'].map((name) => openCalendar(name)))
      const days = Array.from({ length: 1461 }, (_, index) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10))
      console.log(calendars.map(({ isBusinessDay }) => days.map((day) => (isBusinessDay(day) ? 1 : 0)).join('')).join())`
    const printed = sample(['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago', 'America/New_York'], {
      least: 2,
    }).map((TZ) =>
      execFileSync(process.execPath, ['--input-type=module', '-e', program], {
        cwd: repository,
        env: { ...process.env, TZ },
        encoding: 'utf8',
      }),
    )
    expect(new Set(printed).size).toBe(1)
    expect(printed[0]?.length).toBe(5 * 1462)
  })

  it.each([
    ['XX', 'there is no calendar XX'],
    // A name that every object has.
    ['constructor', 'there is no calendar constructor'],
    ['DE-ZZ', 'the calendar DE has no state ZZ (there are BB, BE, BW, BY, HB,'],
    ['LU-X', 'the calendar LU has no state X (there are none)'],
  ])('refuses the unknown name %s', async (name, message) => {
    await expect(openCalendar(name)).rejects.toThrow(message)
  })
})

describe('business days', () => {
  const german = () => openCalendar('DE')

  it.each([
    ['2026-11-20', '2026-11-20', 0],
    ['2026-11-21', '2026-11-20', 0],
    ['2026-11-19', '2026-11-20', 1],
    ['2026-11-20', '2026-11-22', 0],
    ['2026-11-20', '2026-11-23', 1],
    // Maundy Thursday to the Tuesday after Easter.
    ['2026-04-02', '2026-04-06', 0],
    ['2026-04-02', '2026-04-07', 1],
    // Over the turn of the year: 23, 28, 29 and 30 December, then 4 January.
    ['2026-12-22', '2027-01-04', 5],
    ['2000-01-03', '2026-11-20', 1000],
  ])('counts the business days after %s up to %s: %i', async (from, to, count) => {
    expect(businessDaysBetween(await german(), from, to)).toBe(count)
  })

  it.each([
    ['2026-11-20', 1, '2026-11-23'],
    ['2026-11-21', 1, '2026-11-23'],
    ['2026-04-02', 1, '2026-04-07'],
    ['2026-12-23', 1, '2026-12-28'],
    ['2026-12-23', 5, '2027-01-05'],
    ['9999-12-30', 400, '9999-12-31'],
  ])('from %s, %i business days later is %s', async (from, count, day) => {
    expect(addBusinessDays(await german(), from, count)).toBe(day)
  })
})

describe('the usual gap between prices', () => {
  it.each([
    ['daily, over Easter', ['2026-04-08', '2026-04-07', '2026-04-02', '2026-04-01'], 1],
    ['daily with one missing day', ['2026-11-20', '2026-11-18', '2026-11-17', '2026-11-16'], 1],
    ['weekly', ['2026-11-18', '2026-11-11', '2026-11-04', '2026-10-28'], 5],
    ['monthly', ['2026-10-30', '2026-09-30', '2026-08-31', '2026-07-31'], 22],
    ['of two prices', ['2026-11-20', '2026-11-10'], 8],
    ['of a price on a holiday', ['2026-05-25', '2026-05-22'], 1],
    ['of a single price', ['2026-11-20'], null],
    ['of none', [], null],
  ])('%s', async (_, days, gap) => {
    expect(usualGap(await openCalendar('DE'), days)).toBe(gap)
  })
})
