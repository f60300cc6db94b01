/** The marks of funds by their life and their rhythm, each on its days, and the prices that are expected of them. */
import { describe, expect, it } from 'vitest'
import { rhythmOf } from '../../src/core/guards/arrivals.ts'
import { areTooManyStale, assessFunds, type PricedFund } from '../../src/core/guards/assess.ts'
import { openCalendar } from '../../src/core/guards/calendar.ts'
import type { PriceTexts } from '../../src/core/guards/figures.ts'
import { isPriceExpected, type LifeFacts, lifeOn } from '../../src/core/guards/life.ts'
import { defaultFreshness, openRules } from '../../src/core/guards/rules.ts'
import { addDays } from '../../src/core/system/days.ts'
import { openLife } from '../support/life.ts'

const calendar = await openCalendar('DE')
const rules = await openRules(defaultFreshness)

/** Business days, ascending. @param isPriced which of them have a price */
const daysUntil = (last: string, count: number, isPriced: (day: string) => boolean) => {
  const days: string[] = []
  for (let day = last; days.length < count; day = addDays(day, -1))
    if (calendar.isBusinessDay(day) && isPriced(day)) days.unshift(day)
  return days
}
const isFriday = (day: string) => new Date(day).getUTCDay() === 5
/** The last business day of its month, or of its quarter. */
const isMonthEnd = (day: string) => {
  let next = addDays(day, 1)
  while (!calendar.isBusinessDay(next)) next = addDays(next, 1)
  return next.slice(0, 7) !== day.slice(0, 7)
}
const isQuarterEnd = (day: string) => isMonthEnd(day) && Number(day.slice(5, 7)) % 3 === 0
/** The third Friday of its month, or the business day before a holiday. */
const isThirdFriday = (day: string) => {
  let friday = `${day.slice(0, 7)}-15`
  while (!isFriday(friday)) friday = addDays(friday, 1)
  while (!calendar.isBusinessDay(friday)) friday = addDays(friday, -1)
  return day === friday
}

const fundOf = (days: readonly string[], more: Partial<PricedFund> = {}): PricedFund => ({
  isin: 'DE0008471400',
  name: 'Fund',
  inceptionDate: '2010-01-04',
  currency: 'EUR',
  categoryDe: null,
  categoryEn: null,
  dataPermitted: 1,
  pricesPermitted: 1,
  priceDays: days.toReversed(),
  ...openLife,
  ...more,
})
const marked = (fund: PricedFund, asOf: string, by = rules) => assessFunds([fund], by, asOf).funds[0]
const markOn = (fund: PricedFund, asOf: string, by = rules) => marked(fund, asOf, by)?.mark

describe('the next price', () => {
  it.each([
    ['daily', '2026-11-20', () => true, '2026-11-23', '2026-11-24', '2026-11-25', '2026-11-30'],
    // Good Friday has no price, and the next one is of the week after Easter.
    ['weekly', '2026-03-27', isFriday, '2026-04-10', '2026-04-14', '2026-04-15', '2026-04-20'],
    ['weekly', '2026-04-24', isFriday, '2026-05-08', '2026-05-12', '2026-05-13', '2026-05-19'],
    ['weekly', '2026-11-13', isFriday, '2026-11-20', '2026-11-24', '2026-11-25', '2026-11-30'],
    [
      'weekly, over two holidays',
      '2026-12-18',
      isFriday,
      '2027-01-08',
      '2027-01-12',
      '2027-01-13',
      '2027-01-18',
    ],
    ['monthly', '2026-09-30', isMonthEnd, '2026-11-02', '2026-11-04', '2026-11-05', '2026-11-10'],
    [
      'monthly, on a third Friday',
      '2026-09-18',
      isThirdFriday,
      '2026-10-23',
      '2026-10-27',
      '2026-10-28',
      '2026-11-02',
    ],
    ['quarterly', '2026-06-30', isQuarterEnd, '2026-10-02', '2026-10-06', '2026-10-07', '2026-10-12'],
  ] as const)('of a %s fund after %s', (_, newest, isPriced, next, lastFresh, firstLate, firstStale) => {
    const fund = fundOf(daysUntil(newest, 11, isPriced))
    expect(marked(fund, newest)?.nextPrice).toBe(next)
    expect([lastFresh, firstLate, firstStale].map((asOf) => markOn(fund, asOf))).toEqual([
      'fresh',
      'late',
      'stale',
    ])
    expect(markOn(fund, addDays(firstStale, -3))).not.toBe('stale')
  })

  it.each([
    ['weekly', isFriday],
    ['monthly', isMonthEnd],
    ['monthly, on third Fridays', isThirdFriday],
    ['quarterly', isQuarterEnd],
  ] as const)('of a %s fund is never late in four years, if it comes a business day later', (_, isPriced) => {
    const days = daysUntil(
      '2026-11-20',
      isPriced === isFriday ? 200 : isPriced === isQuarterEnd ? 28 : 60,
      isPriced,
    )
    const wrong: string[] = []
    for (const [index, day] of days.entries()) {
      const next = days[index + 1]
      if (index < 11 || next === undefined) continue
      const fund = fundOf(days.slice(0, index + 1))
      for (let asOf = day; asOf <= next; asOf = addDays(asOf, 1))
        if (markOn(fund, asOf) !== 'fresh') wrong.push(`${day}: ${asOf}`)
    }
    expect(wrong).toEqual([])
  })

  it('counts from the newest price in a group with thresholds of its own, whatever the rhythm', async () => {
    const own = await openRules({
      ...defaultFreshness,
      groups: [{ currency: 'EUR', warnDays: 5, errorDays: 6 }],
    })
    const fund = fundOf(daysUntil('2026-11-13', 11, isFriday))
    const days = ['2026-11-20', '2026-11-23', '2026-11-24']
    expect(days.map((asOf) => markOn(fund, asOf, own))).toEqual(['fresh', 'late', 'stale'])
    const other = await openRules({ ...defaultFreshness, groups: [{ currency: 'EUR', calendar: 'DE-BY' }] })
    expect(days.map((asOf) => markOn(fund, asOf, other))).toEqual(['fresh', 'fresh', 'fresh'])
  })
})

const daily = daysUntil('2026-10-30', 250, () => true)
const liquidated = { endDate: '2026-11-03', endReason: 'liquidated' } as const
const suspended = { suspendedFrom: '2026-11-02', suspendedTo: '2026-11-13' }
const merger = { mergerDate: '2026-11-03', successorIsin: 'DE0009769869' }

describe('the life of a fund', () => {
  it.each<[string, Partial<LifeFacts>, string, object | null]>([
    ['on its last day', liquidated, '2026-11-03', null],
    [
      'after its last day',
      liquidated,
      '2026-11-04',
      { kind: 'ended', day: '2026-11-03', reason: 'liquidated', successorIsin: null },
    ],
    [
      'after its merger',
      merger,
      '2026-11-04',
      { kind: 'ended', day: '2026-11-03', reason: 'merged', successorIsin: 'DE0009769869' },
    ],
    [
      'after its merger, before the end of its term',
      { ...merger, endDate: '2030-12-31', endReason: 'matured' },
      '2026-11-04',
      { kind: 'ended', day: '2026-11-03', reason: 'merged', successorIsin: 'DE0009769869' },
    ],
    [
      'after the end of its term, before a merger',
      { ...merger, endDate: '2026-11-02', endReason: 'matured' },
      '2026-11-03',
      { kind: 'ended', day: '2026-11-02', reason: 'matured', successorIsin: null },
    ],
    [
      'after an end without a reason',
      { endDate: '2026-11-02' },
      '2026-11-03',
      { kind: 'ended', day: '2026-11-02', reason: null, successorIsin: null },
    ],
    ['before a suspension', suspended, '2026-11-01', null],
    [
      'on the first day of a suspension',
      suspended,
      '2026-11-02',
      { kind: 'suspended', from: '2026-11-02', to: '2026-11-13' },
    ],
    [
      'on the last day of a suspension',
      suspended,
      '2026-11-13',
      { kind: 'suspended', from: '2026-11-02', to: '2026-11-13' },
    ],
    ['after a suspension', suspended, '2026-11-14', null],
    [
      'until further notice',
      { suspendedFrom: '2026-11-02' },
      '2030-01-01',
      { kind: 'suspended', from: '2026-11-02', to: null },
    ],
    [
      'suspended when it ended',
      { ...liquidated, suspendedFrom: '2026-11-02' },
      '2026-11-04',
      { kind: 'ended', day: '2026-11-03', reason: 'liquidated', successorIsin: null },
    ],
  ])('%s', (_, facts, day, state) => {
    expect(lifeOn({ ...openLife, ...facts }, day)).toEqual(state)
  })

  it('expects no price of the last day, and of none in a suspension', () => {
    const of = (facts: Partial<LifeFacts>, ...days: readonly string[]) =>
      days.map((day) => isPriceExpected({ ...openLife, ...facts }, day))
    expect(of(liquidated, '2026-11-02', '2026-11-03', '2026-11-04')).toEqual([true, false, false])
    expect(of(suspended, '2026-10-30', '2026-11-02', '2026-11-13', '2026-11-16')).toEqual([
      true,
      false,
      false,
      true,
    ])
  })

  it.each<[string, Partial<LifeFacts>, Readonly<Record<string, string>>]>([
    [
      'that was liquidated',
      liquidated,
      {
        '2026-11-03': 'fresh',
        '2026-11-04': 'ended',
        '2036-11-04': 'ended',
      },
    ],
    [
      'that merged',
      merger,
      {
        '2026-11-03': 'fresh',
        '2026-11-04': 'ended',
      },
    ],
    // Expected again from the day after the suspension on, as if its last day had a price.
    [
      'that returns',
      suspended,
      {
        '2026-11-02': 'suspended',
        '2026-11-13': 'suspended',
        '2026-11-14': 'fresh',
        '2026-11-17': 'fresh',
        '2026-11-18': 'late',
        '2026-11-23': 'stale',
      },
    ],
    [
      'that is suspended until further notice',
      { suspendedFrom: '2026-11-02' },
      {
        '2026-11-01': 'fresh',
        '2027-11-02': 'suspended',
      },
    ],
  ])('marks one %s', (_, facts, wanted) => {
    const fund = fundOf(daily.slice(-11), facts)
    const marks = Object.keys(wanted).map((asOf) => [asOf, markOn(fund, asOf)])
    expect(Object.fromEntries(marks)).toEqual(wanted)
  })

  it.each<[string, Partial<PricedFund>]>([
    ['unpriced', {}],
    ['unpriced', { endDate: '2026-11-20' }],
    ['ended', liquidated],
    ['ended', merger],
    ['suspended', { suspendedFrom: '2026-11-02' }],
    ['withheld', { ...merger, pricesPermitted: 0 }],
  ])('marks one without any price as %s: %o', (mark, facts) => {
    const nothing = { newestPrice: null, ageDays: null, rhythmDays: null, nextPrice: null }
    expect(marked(fundOf([], facts), '2026-11-20')).toMatchObject({ mark, ...nothing })
  })

  it('counts ended and suspended funds neither as stale nor as the oldest', () => {
    const others = ['DE0009769869', 'DE0008490962'].map((isin) =>
      fundOf(['2026-11-19', '2026-11-20'], { isin }),
    )
    const funds = [
      fundOf(daily.slice(-11), liquidated),
      fundOf(daily.slice(-11), { suspendedFrom: '2026-11-02' }),
      ...others,
    ]
    const { counts, overdue, oldestPrice, newestPrice } = assessFunds(funds, rules, '2026-11-20')
    expect(counts).toMatchObject({ fresh: 2, late: 0, stale: 0, ended: 1, suspended: 1 })
    expect({ overdue, oldestPrice, newestPrice }).toEqual({
      overdue: [],
      oldestPrice: { isin: 'DE0009769869', day: '2026-11-20' },
      newestPrice: '2026-11-20',
    })
  })
})

describe('the price that is expected next', () => {
  const prices = daily.map((day) => [day] as unknown as PriceTexts)
  const next = (facts: Partial<LifeFacts>, asOf: string) =>
    rhythmOf(prices, calendar, { ...openLife, ...facts }, asOf).next

  it('is none of a fund that has ended, is suspended, or will be', () => {
    expect(next({}, '2026-11-03')).toBe('2026-11-02')
    expect(next(liquidated, '2026-11-03')).toBe('2026-11-02')
    expect(next(liquidated, '2026-11-04')).toBeNull()
    expect(next({ endDate: '2026-11-02' }, '2026-11-02')).toBeNull()
    expect(next(suspended, '2026-11-02')).toBeNull()
    // Of the day before the suspension one is missing.
    expect(next({ suspendedFrom: '2026-11-03' }, '2026-11-02')).toBe('2026-11-02')
  })

  it('is one after a suspension by the rhythm of the fund, and the suspension is no gap of its own', () => {
    expect(next(suspended, '2026-11-16')).toBe('2026-11-16')
    const days = [...daily, ...daysUntil('2026-11-20', 5, () => true)].map(
      (day) => [day] as unknown as PriceTexts,
    )
    const {
      next: after,
      latest,
      missed,
    } = rhythmOf(days, calendar, { ...openLife, ...suspended }, '2026-11-23')
    expect({ after, latest, missed }).toEqual({ after: '2026-11-23', latest: '2026-11-23', missed: [] })
  })

  it('of a weekly fund is none on a holiday', () => {
    const weekly = daysUntil('2026-03-27', 40, isFriday).map((day) => [day] as unknown as PriceTexts)
    expect(rhythmOf(weekly, calendar, openLife, '2026-04-08')).toMatchObject({ next: '2026-04-10' })
  })
})

it.each([
  [8, 1, 0.1, false],
  [7, 2, 0.1, true],
  [18, 2, 0.1, false],
  [17, 3, 0.1, true],
  [4, 1, 0, false],
  [0, 1, 0.1, true],
  [0, 0, 0.1, false],
])(
  '%i fresh funds and %i stale ones, of which %f may be stale: too many is %s',
  (fresh, stale, share, wanted) => {
    expect(areTooManyStale({ fresh, late: 0, stale }, share)).toBe(wanted)
  },
)
