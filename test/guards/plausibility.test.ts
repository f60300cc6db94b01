/** Which prices are implausible: each limit, and one step below it. */
import { beforeAll, describe, expect, it } from 'vitest'
import { type Calendar, openCalendar } from '../../src/core/guards/calendar.ts'
import { figuresOf, type PriceTexts } from '../../src/core/guards/figures.ts'
import {
  defaultExpectations,
  type ImplausiblePrice,
  implausiblePrices,
  strictnessOf,
} from '../../src/core/guards/plausibility.ts'

let calendar: Calendar
beforeAll(async () => {
  calendar = await openCalendar('TARGET')
})

const fund = { inceptionDate: '2000-01-03', actions: [] }

const days = (first: string, count: number) => {
  const found: string[] = []
  for (let at = Date.parse(first); found.length < count; at += 86_400_000) {
    const day = new Date(at).toISOString().slice(0, 10)
    if (calendar.isBusinessDay(day)) found.push(day)
  }
  return found
}
/** A price whose change in percent is that of the NAVs, whatever its change is. */
type Price = readonly [day: string, issue: string, repurchase: string, nav: string, change: string]
/** Prices of NAVs in cents, with the change that follows from them. */
const pricesOf = (first: string, cents: readonly number[]): Price[] =>
  days(first, cents.length).map((day, index) => {
    const nav = cents[index] ?? 0
    const before = cents[index - 1] ?? nav
    const text = (value: number) => (value / 100).toFixed(2)
    return [day, text(nav * 1.05), text(nav), text(nav), text(nav - before)]
  })
const foundIn = (prices: readonly Price[]) => {
  const all = prices.map((price, index): PriceTexts => {
    const [, , , before] = prices[index - 1] ?? price
    const percent = ((Number(price[3]) / Number(before) - 1) * 100).toFixed(2)
    // No price is of the end of the year before.
    return [...price, percent, null]
  })
  return implausiblePrices(all.map(figuresOf), 1, calendar, fund)
}
const sentence = ({ guard, message }: ImplausiblePrice) => `${guard ?? 'warning'}: ${message}`
const messagesOf = (prices: readonly Price[]) => foundIn(prices).map(sentence)

describe('a NAV that jumps', () => {
  it.each([
    [13_000, 'warning: NAV 130.00 on 2026-11-17 is 30 % above the 100.00 of 2026-11-16, more than 10 %'],
    [
      13_001,
      'price-jump: NAV 130.01 on 2026-11-17 is 30.01 % above the 100.00 of 2026-11-16, more than 30 %',
    ],
    [6_999, 'price-jump: NAV 69.99 on 2026-11-17 is 30.01 % below the 100.00 of 2026-11-16, more than 30 %'],
    [11_000, undefined],
  ])('to %i cents from 10000', (cents, message) => {
    expect(messagesOf(pricesOf('2026-11-16', [10_000, cents]))).toEqual(
      message === undefined ? [] : [message],
    )
  })

  it('has the strictness of the first group that the fund fits, or none', () => {
    const fund = { isin: 'DE0008471400', currency: 'EUR', categoryDe: 'Aktienfonds', categoryEn: null }
    const groups = [
      { category: 'Rentenfonds', strictness: 2 },
      { currency: 'EUR', strictness: 0.5 },
    ]
    expect(strictnessOf({ ...defaultExpectations, groups }, fund)).toBe(0.5)
    expect(strictnessOf({ ...defaultExpectations, strictness: 3 }, fund)).toBe(3)
    const never = [{ isins: ['DE0008471400'], never: true }, ...groups]
    expect(strictnessOf({ ...defaultExpectations, groups: never }, fund)).toBeNull()
  })

  it('has limits that are divided by the strictness', () => {
    const prices = pricesOf('2026-11-16', [10_000, 11_600]).map((price) =>
      figuresOf([...price, '16.00', null]),
    )
    const found = (strictness: number) => implausiblePrices(prices, strictness, calendar, fund).map(sentence)
    expect(found(0.5)).toEqual([])
    expect(found(1)).toEqual([expect.stringMatching(/^warning: .* more than 10 %$/)])
    expect(found(2)).toEqual([expect.stringMatching(/^price-jump: .* more than 15 %$/)])
  })
})

it.each([
  ['0.50', '100.50', '100.00', true],
  // Each of the three may have been rounded.
  ['0.515', '100.50', '100.00', false],
  ['0.51', '100.50', '100.00', true],
  ['0.52', '100.50', '100.00', false],
  ['0.5', '100.5432', '100.0000', true],
  ['1', '100.50', '100.00', true],
  ['-0.50', '100.50', '100.00', false],
  ['0', '100.00', '100.00', true],
])('a change of %s is the difference of %s and %s: %s', (change, nav, before, isRight) => {
  const prices: Price[] = [
    ['2026-11-16', '105', '99', before, '0'],
    ['2026-11-17', '105', '99', nav, change],
  ]
  const found = foundIn(prices)
  expect(found.map(({ guard }) => guard)).toEqual(isRight ? [] : ['price-change'])
})

it.each([
  ['2026-11-13', ['price-change']],
  // The fund had a price on Friday, which was not delivered.
  ['2026-11-16', []],
])('a change that is no difference, after daily prices until Thursday, on %s: %j', (day, guards) => {
  const daily = ['09', '10', '11', '12'].map((date): Price => [`2026-11-${date}`, '105', '99', '100', '0'])
  const found = foundIn([...daily, [day, '105', '99', '101.00', '0.25']])
  expect(found.map(({ guard }) => guard)).toEqual(guards)
})

it.each<[string, Price, readonly string[]]>([
  [
    'zero',
    ['2026-11-16', '0', '99', '100', '0'],
    ['price-spread: issue price 0 on 2026-11-16: a price must be above zero'],
  ],
  [
    'negative',
    ['2026-11-16', '105', '-1', '-5', '0'],
    ['price-spread: NAV -5, repurchase price -1 on 2026-11-16: a price must be above zero'],
  ],
  [
    'out of order',
    ['2026-11-16', '100', '100.01', '100', '0'],
    ['price-spread: repurchase price 100.01 on 2026-11-16 is above the issue price 100'],
  ],
  ['equal', ['2026-11-16', '100', '100', '100', '0'], []],
  [
    'below the NAV',
    ['2026-11-16', '99', '99', '100', '0'],
    ['warning: issue price 99 on 2026-11-16 is below the NAV 100'],
  ],
  [
    'above the NAV',
    ['2026-11-16', '105', '101', '100', '0'],
    ['warning: repurchase price 101 on 2026-11-16 is above the NAV 100'],
  ],
  ['no number', ['2026-11-16', 'x', 'y', 'z', ''], []],
])('a price that is %s', (_, price, messages) => {
  expect(messagesOf([price])).toEqual(messages)
})

describe('issue and repurchase price beside the NAV', () => {
  const before: Price = ['2026-11-16', '105.00', '100.00', '100.00', '0.00']
  it.each<[string, Price, readonly string[]]>([
    ['move with it', ['2026-11-17', '94.50', '90.00', '90.00', '-10.00'], []],
    ['lose their surcharge and fee', ['2026-11-17', '100.00', '100.00', '100.00', '0.00'], []],
    [
      'move by a factor of ten',
      ['2026-11-17', '1050.00', '100.00', '100.00', '0.00'],
      [
        'price-spread: issue price 1050.00 on 2026-11-17 is 10.5 times the NAV 100.00, after 1.05 times on 2026-11-16, a change of more than 10 %',
      ],
    ],
    [
      'stay while the NAV falls by less than a jump',
      ['2026-11-17', '105.00', '100.00', '75.00', '-25.00'],
      [
        'price-spread: issue price 105.00 on 2026-11-17 is 1.4 times the NAV 75.00, after 1.05 times on 2026-11-16, a change of more than 10 %',
      ],
    ],
    [
      'jump with it: one mistake has one name',
      ['2026-11-17', '105.00', '100.00', '10000.00', '0.00'],
      [
        'price-jump: NAV 10000.00 on 2026-11-17 is 9900 % above the 100.00 of 2026-11-16, more than 30 % (most likely a slip of the decimal point; if it is a split, add to table corporate_action: ex_date 2026-11-17, kind split, factor 0.01)',
      ],
    ],
  ])('%s', (_, price, messages) => {
    expect(messagesOf([before, price])).toEqual(messages)
  })

  it('may be rounded to few digits', () => {
    // 10 % of 0.05 is half a cent.
    expect(
      messagesOf([
        ['2026-11-16', '0.06', '0.05', '0.05', '0.00'],
        ['2026-11-17', '0.05', '0.05', '0.05', '0.00'],
      ]),
    ).toEqual([])
  })
})

describe('percentages', () => {
  type Day = readonly [day: string, nav: string, change: string, percent: string, performance: string]
  const messages = (...days: readonly Day[]) => {
    const prices = days.map(([day, nav, change, percent, performance]): PriceTexts => {
      return [day, nav, nav, nav, change, percent, performance]
    })
    return implausiblePrices(prices.map(figuresOf), 1, calendar, fund).map(sentence)
  }
  const base: Day = ['2025-12-30', '100.00', '0.00', '0.00', '7.10']
  const before: Day = ['2026-01-05', '102.00', '2.00', '2.00', '2.00']

  it.each<[string, Day]>([
    ['as the NAVs have them', ['2026-01-06', '103.02', '1.02', '1.00', '3.02']],
    ['that were cut instead of rounded', ['2026-01-06', '103.00', '1.00', '0.98', '2.99']],
    ['that were rounded to one decimal', ['2026-01-06', '103.02', '1.02', '1.0', '3.0']],
    ['after a distribution of 5.00 in the performance', ['2026-01-06', '97.50', '-4.50', '-4.41', '2.52']],
    ['after a distribution of 5.00 in both', ['2026-01-06', '97.50', '-4.50', '0.51', '2.52']],
    ['of the NAV alone after a distribution', ['2026-01-06', '97.50', '-4.50', '-4.41', '-2.50']],
  ])('%s pass', (_, day) => {
    expect(messages(base, before, day)).toEqual([])
  })

  it.each<[string, Day, readonly string[]]>([
    [
      'of the day that the NAV does not have',
      ['2026-01-06', '102.00', '0.00', '55.00', '2.00'],
      ['change_percent 55.00 on 2026-01-06 is not 0.00, from NAV 102.00 of 2026-01-05 to 102.00'],
    ],
    [
      'in hundredths',
      ['2026-01-06', '103.02', '1.02', '0.0100', '0.0302'],
      [
        'change_percent 0.0100 on 2026-01-06 is not 1.0000, from NAV 102.00 of 2026-01-05 to 103.02',
        'performance 0.0302 on 2026-01-06 is not 3.0200, from performance 2.00 and NAV 102.00 of 2026-01-05 to NAV 103.02',
      ],
    ],
    [
      'with the wrong sign',
      ['2026-01-06', '103.02', '1.02', '-1.00', '-3.02'],
      [
        'change_percent -1.00 on 2026-01-06 is not 1.00, from NAV 102.00 of 2026-01-05 to 103.02',
        'performance -3.02 on 2026-01-06 is not 3.02, from performance 2.00 and NAV 102.00 of 2026-01-05 to NAV 103.02',
      ],
    ],
    [
      'of a fund that earns more than its NAV and any distribution say',
      ['2026-01-06', '102.00', '0.00', '0.00', '5.07'],
      [
        'performance 5.07 on 2026-01-06 is not 2.00, from performance 2.00 and NAV 102.00 of 2026-01-05 to NAV 102.00',
      ],
    ],
    [
      'below -100',
      ['2026-01-06', '102.00', '0.00', '-100.01', '-150.00'],
      [
        'change_percent -100.01 on 2026-01-06 is below -100, which is impossible',
        'performance -150.00 on 2026-01-06 is below -100, which is impossible',
      ],
    ],
  ])('%s are refused', (_, day, expected) => {
    expect(messages(base, before, day)).toEqual(expected.map((message) => `price-change: ${message}`))
  })

  it('begin anew with the year, with the NAV of the last price or one of 31 December that is not published', () => {
    const first = (performance: string): Day => ['2026-01-02', '101.00', '1.00', '1.00', performance]
    expect(messages(base, first('1.00'))).toEqual([])
    expect(messages(base, first('0.40'))).toEqual([])
    expect(messages(base, first('8.17'))).toEqual([
      'price-change: performance 8.17 on 2026-01-02 is not 1.00, from NAV 100.00 of 2025-12-30 to NAV 101.00',
    ])
  })

  it('of a price after a mistake are right if they fit the NAV of the year before', () => {
    const mistaken: Day = ['2026-01-06', '102.00', '0.00', '0.00', '-90.00']
    const found = messages(base, before, mistaken, ['2026-01-07', '103.02', '1.02', '1.00', '3.02'])
    expect(found).toEqual([expect.stringContaining('performance -90.00 on 2026-01-06 is not 2.00')])
  })
})

it('a NAV that has not moved as long as it did not before says nothing', () => {
  const still = (count: number) => Array<number>(count).fill(10_000)
  const prices = [...still(7), 10_010, ...still(12), 10_010, ...still(40)]
  expect(messagesOf(pricesOf('2026-03-02', prices))).toEqual([
    expect.stringContaining('has not moved for 39 business days'),
  ])
})

it.each([
  [10, 'warning: NAV 100.00 has not moved for 10 business days, 2026-03-02 to 2026-03-16'],
  [9, undefined],
])('a NAV that has not moved for %i business days', (count, message) => {
  const found = messagesOf(pricesOf('2026-03-02', [...Array<number>(count + 1).fill(10_000), 10_010]))
  expect(found).toEqual(message === undefined ? [] : [message])
})

describe('a gap', () => {
  const without = (missing: number) => {
    const prices = pricesOf(
      '2026-03-02',
      Array.from({ length: 30 }, (_, index) => 10_000 + index),
    )
    const rest = prices.filter((_, index) => index < 10 || index >= 10 + missing)
    return rest.map(([day, issue, repurchase, nav], index): Price => {
      const change = Number(nav) - Number(rest[index - 1]?.[3] ?? nav)
      return [day, issue, repurchase, nav, change.toFixed(2)]
    })
  }
  it.each([
    [6, ['warning: no price for 6 business days, between 2026-03-13 and 2026-03-24']],
    [5, []],
  ])('of %i business days', (missing, messages) => {
    expect(messagesOf(without(missing))).toEqual(messages)
  })

  it('of a month is none for a fund that is priced monthly', () => {
    const months = Array.from({ length: 11 }, (_, index) => `2026-${String(index + 1).padStart(2, '0')}-27`)
    const prices = months.map((day, index): Price => [day, '200', `${100 + index}`, `${100 + index}`, '1'])
    const found = messagesOf(
      prices.map((price, index) => (index === 0 ? (price.with(4, '0') as never) : price)),
    )
    expect(found.filter((message) => message.includes('no price'))).toEqual([])
  })
})

describe('a performance that is not since 31 December', () => {
  type Day = readonly [day: string, nav: string, performance: string | null]
  const messages = (inceptionDate: string, ...days: readonly Day[]) => {
    const prices = days.map(([day, nav, performance], index): PriceTexts => {
      const before = Number(days[index - 1]?.[1] ?? nav)
      const change = Number(nav) - before
      return [day, nav, nav, nav, change.toFixed(2), ((change / before) * 100).toFixed(2), performance]
    })
    const young = { inceptionDate, actions: [] }
    return implausiblePrices(prices.map(figuresOf), 1, calendar, young)
      .map(sentence)
      .filter((each) => !each.includes('no price for'))
  }
  const old = '2000-01-03'

  it('but since the day before a suspension is refused', () => {
    const suspended: Day = ['2022-03-01', '100.00', '1.00']
    expect(
      messages(old, suspended, ['2026-03-02', '90.00', '-10.00'], ['2026-03-03', '89.00', '-11.00']),
    ).toEqual([
      'price-change: performance -10.00 on 2026-03-02 is not since 2025-12-31, but since 2022-03-01, and there is no price ' +
        'of the end of 2025; leave it empty (NULL)',
      'price-change: performance -11.00 on 2026-03-03 is not since 2025-12-31, but since 2022-03-01, and there is no price ' +
        'of the end of 2025; leave it empty (NULL)',
    ])
    // Without a value, or with one that continues after all: against the NAV of 31 December that the database lacks.
    expect(messages(old, suspended, ['2026-03-02', '90.00', null], ['2026-03-03', '89.00', null])).toEqual([])
    expect(
      messages(old, suspended, ['2026-03-02', '90.00', '2.00'], ['2026-03-03', '89.00', '0.87']),
    ).toEqual([])
  })

  it('but since the first price of the fund is refused, even the 0.00 of its first day', () => {
    expect(messages('2026-06-15', ['2026-06-15', '100.00', '0.00'])).toEqual([
      'price-change: performance 0.00 on 2026-06-15 is not since 2025-12-31: the fund began on 2026-06-15; leave it empty (NULL)',
    ])
    expect(messages('2026-06-15', ['2026-06-15', '100.00', null])).toEqual([])
    // The history of an older fund begins in the middle of the year.
    const started: Day = ['2026-06-15', '100.00', '4.00']
    expect(messages(old, started, ['2026-06-16', '105.00', '5.00'])).toEqual([
      'price-change: performance 5.00 on 2026-06-16 is not since 2025-12-31, but since 2026-06-15, and there is no price ' +
        'of the end of 2025; leave it empty (NULL)',
    ])
    expect(messages(old, started, ['2026-06-16', '105.00', '9.20'])).toEqual([])
  })

  it('is none from the last ten days of the year or the first ten of the next, and none that has not moved', () => {
    expect(messages(old, ['2025-12-22', '100.00', '1.00'], ['2026-03-02', '105.00', '5.00'])).toEqual([])
    expect(messages(old, ['2026-01-05', '100.00', '0.20'], ['2026-01-06', '105.00', '5.00'])).toEqual([])
    expect(messages(old, ['2026-06-15', '100.00', '0.00'], ['2026-06-16', '100.00', '0.00'])).toEqual([])
  })

  it('does not hide a change in percent that is wrong', () => {
    const days = [
      ['2026-03-02', '90.00', '90.00', '90.00', '0.00', '0.00', null],
      ['2026-03-03', '90.90', '90.90', '90.90', '0.90', '5.00', null],
    ] as const
    expect(implausiblePrices(days.map(figuresOf), 1, calendar, fund).map(sentence)).toEqual([
      'price-change: change_percent 5.00 on 2026-03-03 is not 1.00, from NAV 90.00 of 2026-03-02 to 90.90',
    ])
  })
})
