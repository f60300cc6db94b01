/** The day whose load a night needs: tables of days, by calendars that were looked up. */
import { expect, it } from 'vitest'
import type { PricedFund } from '../../src/core/guards/assess.ts'
import { expectedDay, loadObjections } from '../../src/core/guards/load-day.ts'
import { defaultFreshness, openRules, type FreshnessSettings } from '../../src/core/guards/rules.ts'
import { openLife } from '../support/life.ts'

const allDays = Array.from({ length: 500 }, (_, index) =>
  new Date(Date.UTC(2025, 9, 1 + index)).toISOString().slice(0, 10),
)
const closed = ['2025-10-03', '2025-12-24', '2025-12-25', '2025-12-26', '2025-12-31', '2026-01-01']
  .concat('2026-04-03', '2026-04-06', '2026-05-01', '2026-05-14', '2026-05-25', '2026-12-24', '2026-12-25')
  .concat('2026-12-31')
const weekdayOf = (day: string) => new Date(day).getUTCDay()
const isOpen = (day: string) => ![0, 6].includes(weekdayOf(day)) && !closed.includes(day)

/** Days of prices until one, the newest first. */
const until = (last: string, isPriced: (day: string) => boolean) =>
  allDays
    .filter((day) => day <= last && isPriced(day))
    .reverse()
    .slice(0, 11)

const daily = (last: string) => until(last, isOpen)
const fridays = (last: string) => until(last, (day) => weekdayOf(day) === 5 && isOpen(day))
const tuesdaysAndThursdays = (last: string) =>
  until(last, (day) => [2, 4].includes(weekdayOf(day)) && isOpen(day))
/** The last business day of each month. */
const monthEnds = (last: string) =>
  until(last, (day) => {
    const later = allDays.filter((one) => one > day && one.slice(0, 7) === day.slice(0, 7))
    return isOpen(day) && !later.some(isOpen)
  })

const fundOf = (isin: string, priceDays: readonly string[], other: Partial<PricedFund> = {}): PricedFund => ({
  ...openLife,
  isin,
  name: isin,
  inceptionDate: '2020-01-02',
  currency: 'EUR',
  categoryDe: null,
  categoryEn: null,
  dataPermitted: 1,
  pricesPermitted: 1,
  priceDays,
  ...other,
})

const expected = async (
  all: readonly (readonly string[] | PricedFund)[],
  asOf: string,
  { lagDays = 0, ...freshness }: Partial<FreshnessSettings> & { readonly lagDays?: number } = {},
) =>
  expectedDay(
    all.map((one, index) => ('isin' in one ? one : fundOf(`XF${index}`, one))),
    await openRules({ ...defaultFreshness, ...freshness }),
    asOf,
    lagDays,
  )

it.each<[title: string, days: readonly string[], asOf: string, day: string | null, lagDays?: number]>([
  ['a daily fund, on a Wednesday', daily('2026-11-24'), '2026-11-25', '2026-11-24'],
  ['a daily fund whose load is missing', daily('2026-11-20'), '2026-11-25', '2026-11-24'],
  ['a daily fund whose loads are missing for weeks', daily('2026-10-20'), '2026-11-25', '2026-11-24'],
  ['a price of the as-of date itself', daily('2026-11-25'), '2026-11-25', '2026-11-24'],
  ['Saturday', daily('2026-11-27'), '2026-11-28', '2026-11-27'],
  ['Sunday', daily('2026-11-27'), '2026-11-29', '2026-11-27'],
  ['Monday', daily('2026-11-27'), '2026-11-30', '2026-11-27'],
  ['the day after Easter', daily('2026-04-02'), '2026-04-07', '2026-04-02'],
  ['the Wednesday after Easter', daily('2026-04-02'), '2026-04-08', '2026-04-07'],
  ['Christmas', daily('2026-12-23'), '2026-12-28', '2026-12-23'],
  ['the first day of a year', daily('2025-12-30'), '2026-01-02', '2025-12-30'],
  ['a load that lags by a day', daily('2026-11-23'), '2026-11-25', '2026-11-23', 1],
  ['a lag over a weekend', daily('2026-11-26'), '2026-11-30', '2026-11-26', 1],
  ['a lag on a Sunday', daily('2026-11-26'), '2026-11-29', '2026-11-26', 1],
  ['a lag of two days', daily('2026-11-23'), '2026-11-26', '2026-11-23', 2],
  ['a fund of Fridays, on Monday', fridays('2026-11-27'), '2026-11-30', '2026-11-27'],
  ['a fund of Fridays, on Friday', fridays('2026-11-20'), '2026-11-27', '2026-11-20'],
  ['a fund of Fridays whose load is missing', fridays('2026-11-20'), '2026-11-28', '2026-11-27'],
  ['a Friday that is a holiday', fridays('2026-03-27'), '2026-04-07', '2026-03-27'],
  ['the Friday after that', fridays('2026-03-27'), '2026-04-11', '2026-04-10'],
  [
    'a fund of Fridays whose last price moved for a holiday',
    ['2026-04-02', ...fridays('2026-03-27')],
    '2026-04-09',
    '2026-03-27',
  ],
  ['Tuesdays and Thursdays, on Wednesday', tuesdaysAndThursdays('2026-11-24'), '2026-11-25', '2026-11-24'],
  ['Tuesdays and Thursdays, on Monday', tuesdaysAndThursdays('2026-11-24'), '2026-11-30', '2026-11-26'],
  ['month ends, in the middle of a month', monthEnds('2026-10-30'), '2026-11-20', '2026-10-30'],
  ['month ends, a month later', monthEnds('2026-09-30'), '2026-11-09', '2026-11-02'],
  ['a single price', ['2026-11-24'], '2026-11-26', null],
  ['no price', [], '2026-11-26', null],
])('%s', async (_, days, asOf, day, lagDays = 0) => {
  const groups = [{ isins: ['XF0'], errorDays: 40, warnDays: 30 }]
  expect(await expected([days], asOf, { lagDays, groups })).toBe(day)
})

it('asks for the newest day that any fund expects', async () => {
  const all = [fridays('2026-11-20'), daily('2026-11-24'), monthEnds('2026-10-30')]
  expect(await expected(all, '2026-11-26')).toBe('2026-11-25')
})

it('a silent fund stops no company: what fell stale before the others expects nothing', async () => {
  const merged = daily('2026-08-14')
  expect(await expected([fridays('2026-11-20'), merged], '2026-11-26')).toBe('2026-11-20')
  // All are silent together: it is the loads that are missing.
  expect(await expected([merged, merged], '2026-11-26')).toBe('2026-11-25')
})

it('leaves out funds that are unwatched, or whose prices may not be given out', async () => {
  const never = [{ isins: ['XF1'], never: true }]
  expect(await expected([fridays('2026-11-20'), daily('2026-11-24')], '2026-11-26', { groups: never })).toBe(
    '2026-11-20',
  )
  for (const withheld of [{ pricesPermitted: 0 }, { dataPermitted: 0 }] as const) {
    const all = [fundOf('XF0', fridays('2026-11-20')), fundOf('XF1', daily('2026-11-24'), withheld)]
    expect(await expected(all, '2026-11-26')).toBe('2026-11-20')
  }
})

it('expects nothing of funds that have ended or are suspended, nor of a day of a suspension that is over', async () => {
  const others = fridays('2026-11-20')
  for (const [life, day] of [
    [{ endDate: '2026-11-24' }, '2026-11-20'],
    [{ mergerDate: '2026-11-24' }, '2026-11-20'],
    [{ suspendedFrom: '2026-11-25' }, '2026-11-20'],
    [{ suspendedFrom: '2026-11-25', suspendedTo: '2026-11-25' }, '2026-11-20'],
    [{ suspendedFrom: '2026-11-23', suspendedTo: '2026-11-24' }, '2026-11-25'],
    [{ endDate: '2026-11-26' }, '2026-11-25'],
  ] as const)
    expect({
      life,
      day: await expected([others, fundOf('XF1', daily('2026-11-24'), life)], '2026-11-26'),
    }).toEqual({ life, day })
})

it('each fund has the calendar of its group', async () => {
  // 26 November 2026 is Thanksgiving.
  const groups = [{ isins: ['XF0'], calendar: 'US' }]
  expect(await expected([daily('2026-11-25')], '2026-11-27', { groups })).toBe('2026-11-25')
  expect(await expected([daily('2026-11-25')], '2026-11-27')).toBe('2026-11-26')
})

it('a price in the future moves no expectation', async () => {
  const wrong = ['2062-11-24', ...daily('2026-11-24')]
  expect(await expected([wrong, daily('2026-11-24')], '2026-11-25')).toBe('2026-11-24')
})

const mark = { day: '2026-11-24', tables: null, markedAt: '2026-11-24T19:02:00.000Z', isWhole: true }

it.each([
  ['the expected day', mark, '2026-11-24'],
  ['a later day', mark, '2026-11-23'],
  ['a night that expects nothing', mark, null],
])('takes the load of %s', (_, found, day) => {
  expect(loadObjections(found, day, '2026-11-25')).toEqual([])
})

it.each([
  ['none', null, '2026-11-24', 'the load of 2026-11-24 is missing, and none was ever marked as complete: '],
  [
    'an older one',
    { ...mark, day: '2026-11-23' },
    '2026-11-24',
    'the load of 2026-11-24 is missing: the last complete load is of 2026-11-23 (marked ',
  ],
  [
    'one that has changed',
    { ...mark, isWhole: false },
    '2026-11-24',
    'the last complete load is of 2026-11-24 (marked ',
  ],
  [
    'one that has changed, where nothing is expected',
    { ...mark, isWhole: false },
    null,
    'the last complete load is of 2026-11-24 (marked ',
  ],
  ['no day', { ...mark, day: 'today' }, '2026-11-24', 'the last complete load is of today (marked '],
])('refuses %s', (_, found, day, start) => {
  const [one, ...others] = loadObjections(found, day, '2026-11-25')
  expect(one).toMatchObject({ guard: 'incomplete', subject: null, state: '2026-11-24' })
  expect({ start: one?.message.slice(0, start.length), others }).toEqual({ start, others: [] })
})
