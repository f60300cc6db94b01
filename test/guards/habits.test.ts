/** Wrong nights of an invented company that only the habits of its funds show, each beside a legitimate twin. */
import { beforeAll, describe, expect, it } from 'vitest'
import { missingPrices, type Arrival } from '../../src/core/guards/arrivals.ts'
import { type Calendar, openCalendar } from '../../src/core/guards/calendar.ts'
import type { PriceTexts } from '../../src/core/guards/figures.ts'
import {
  type InventedFund,
  inventCompany,
  judgeNight,
  messagesOfNight,
  priceAt,
  withNav,
} from './invented-company.ts'

let calendar: Calendar
let days: readonly string[]
let company: readonly InventedFund[]
beforeAll(async () => {
  calendar = await openCalendar('DE')
  const all = Array.from({ length: 500 }, (_, index) =>
    new Date(Date.UTC(2025, 0, 2) + index * 86_400_000).toISOString().slice(0, 10),
  )
  days = all.filter((day) => calendar.isBusinessDay(day)).slice(0, 300)
  company = inventCompany(days, { funds: 12 })
})

const night = 290
type Change = (fund: InventedFund, price: PriceTexts, number: number) => PriceTexts
const multiplied =
  (factor: number, isWrong: (fund: InventedFund, number: number) => boolean = () => true): Change =>
  (fund, price, number) =>
    isWrong(fund, number) ? withNav(fund.prices, night, Number(price[3]) * factor) : price
const ofCategory = (category: string) => (fund: InventedFund) => fund.category === category
const before: Change = ({ prices }) => priceAt(prices, night - 1)
const replaced = (price: PriceTexts, values: Readonly<Record<number, string>>) =>
  price.map((value, index) => values[index] ?? value) as readonly (string | null)[] as PriceTexts
const navs = 'column:price.net_asset_value'

it('says nothing of a year of ordinary nights', () => {
  const said = days.slice(40).flatMap((_, index) => judgeNight(company, index + 40, calendar))
  expect(said).toEqual([])
})

it('says nothing of 600 classes of a few portfolios, whose NAVs move alike', () => {
  const many = inventCompany(days, { funds: 12, classes: 50, seed: 3 })
  const said = [100, 200, 250, 290].flatMap((index) => judgeNight(many, index, calendar))
  expect(said).toEqual([])
})

it('tells of each day of a crash once, and refuses none', () => {
  const crash = inventCompany(days, {
    funds: 12,
    seed: 5,
    marketOf: (index) => (index >= 288 && index < 291 ? -0.045 : undefined),
  })
  for (const index of [288, 289, 290])
    expect(judgeNight(crash, index, calendar)).toEqual([expect.stringMatching(/^warning: .*: a market day$/)])
})

describe('a night with', () => {
  it.each<[string, Change, readonly string[]]>([
    [
      "yesterday's prices",
      (fund, price, number) => replaced(before(fund, price, number), { 0: price[0] }),
      [navs],
    ],
    [
      "yesterday's prices of half of the funds",
      (fund, price, number) =>
        number % 2 === 1 ? price : replaced(before(fund, price, number), { 0: price[0] }),
      [navs],
    ],
    [
      "last week's prices",
      (fund, price) => replaced(priceAt(fund.prices, night - 5), { 0: price[0] }),
      [navs],
    ],
    ['NAVs 2 % higher', multiplied(1.02), [navs]],
    ['NAVs in another currency', multiplied(1.08), [navs]],
    [
      'NAVs cut to whole numbers, in the form of all others',
      (fund, price) => withNav(fund.prices, night, Math.floor(Number(price[3]))),
      [navs],
    ],
    [
      'NAVs that happen to be whole for one fund',
      (fund, price, number) =>
        number === 0 ? withNav(fund.prices, night, Math.floor(Number(price[3]))) : price,
      [],
    ],
    [
      'issue prices without the surcharge',
      (_, price) => replaced(price, { 1: price[3] }),
      ['column:price.issue_price'],
    ],
    [
      'the issue price of one fund without its surcharge',
      (_, price, number) => (number === 0 ? replaced(price, { 1: price[3] }) : price),
      [],
    ],
    [
      "yesterday's performance",
      ({ prices }, price) => replaced(price, { 6: prices[night - 1]?.[6] ?? '' }),
      ['column:price.performance'],
    ],
  ])('%s', (_, change, expected) => {
    const said = judgeNight(company, night, calendar, change)
    // Figures that no longer fit their NAV have names of their own.
    const refused = said.filter((one) => !one.startsWith('price-change') && !one.startsWith('price-spread'))
    expect(refused).toEqual(expected.length === 0 ? [] : expect.arrayContaining([...expected]))
  })

  it('a money-market fund that falls by nine per cent is refused, with what is usual', () => {
    const wrong = multiplied(0.91, (fund, number) => fund.category === 'Geldmarktfonds' && number < 6)
    const [refused = ''] = judgeNight(company, night, calendar, wrong)
    expect(refused).toBe(`price-jump:${company[5]?.isin ?? ''}`)
  })

  it('an equity fund that falls by six per cent alone is live', () => {
    expect(
      judgeNight(
        company,
        night,
        calendar,
        multiplied(0.94, (_, number) => number === 0),
      ),
    ).toEqual([])
  })

  it('bond funds that fall together by a day of interest rates is live, and one alone is not', () => {
    const many = inventCompany(days, { funds: 36, seed: 2 })
    const shock: Change = (fund, price, number) =>
      multiplied(0.99, ofCategory('Rentenfonds'))(fund, price, number)
    expect(judgeNight(many, night, calendar, shock)).toEqual([])
    const alone = multiplied(0.97, (_, number) => number === 4)
    expect(judgeNight(many, night, calendar, alone)).toEqual([`price-jump:${many[4]?.isin ?? ''}`])
  })

  // In one of the two directions, the other fund's NAV of the day before is farther away than its new one.
  it.each([0.93, 1.07])(
    'the NAV of another fund is refused, although the move alone would not be: %d',
    (part) => {
      const [first, second] = inventCompany(days, { funds: 12, seed: 8 })
      if (first === undefined || second === undefined) throw new Error('there are too few funds')
      const close = Number(first.prices[night]?.[3]) * part
      const factor = close / Number(second.prices[night]?.[3])
      const near: InventedFund = {
        ...second,
        prices: second.prices.map((_, index) =>
          withNav(
            second.prices.map((each) => replaced(each, { 3: (Number(each[3]) * factor).toFixed(2) })),
            index,
            Number(second.prices[index]?.[3]) * factor,
          ),
        ),
      }
      const all = [first, near, ...company.slice(2)]
      const mixed: Change = (fund, price) =>
        fund === near ? withNav(near.prices, night, Number(first.prices[night]?.[3])) : price
      expect(judgeNight(all, night, calendar, mixed)).toEqual([`price-jump:${near.isin}`])
    },
  )

  it.each([
    ['2026-03-07', false],
    ['2026-12-24', true],
    ['2026-12-31', true],
  ])(
    'prices of all funds on the closed day %s, and freshness.yearEndOpen may open it: %s',
    (day, isNamed) => {
      const said = messagesOfNight(company, night, calendar, (_, price) => replaced(price, { 0: day }))
      const [ofDay = ''] = said.filter((one) => one.includes('is no business day'))
      expect(ofDay).toMatch(
        /^column:price\.date: 12 of 12 funds have a price on a day that is no business day /,
      )
      expect(ofDay.includes('set freshness.yearEndOpen if 24 and 31 December')).toBe(isNamed)
    },
  )
})

it('prices of all funds on a Sunday, 31 December, are nothing that freshness.yearEndOpen opens', () => {
  const until = Date.UTC(2023, 11, 29)
  const year = Array.from({ length: 300 }, (_, index) =>
    new Date(until - (299 - index) * 86_400_000).toISOString().slice(0, 10),
  ).filter((day) => calendar.isBusinessDay(day))
  const old = inventCompany([...year, '2023-12-31'], { funds: 12 })
  const said = messagesOfNight(old, year.length, calendar).find((one) => one.includes('no business day'))
  expect(said).not.toContain('yearEndOpen')
})

describe('prices that were expected', () => {
  const arrival = (number: number, what: Partial<Arrival> = {}): Arrival => ({
    isin: `fund ${number}`,
    newest: '2026-11-23',
    hasCome: true,
    next: '2026-11-24',
    latest: '2026-11-25',
    missed: [],
    ...what,
  })
  const silent = { newest: '2026-11-20', hasCome: false, next: '2026-11-23', latest: '2026-11-23' }
  const company = (missing: number, of = 12, what: Partial<Arrival> = {}) =>
    Array.from({ length: of }, (_, number) => arrival(number, number < missing ? { ...silent, ...what } : {}))
  const said = (arrivals: readonly Arrival[], strictness = 1) =>
    missingPrices(arrivals, { asOf: '2026-11-24', strictness }).map(({ guard, subject }) => guard ?? subject)

  it.each([
    [4, ['fund 0', 'fund 1', 'fund 2', 'fund 3']],
    [5, ['missing-prices']],
    [11, ['missing-prices']],
    // The load is late: the nightly run tells.
    [12, []],
  ])('did not come of %i of 12 funds', (missing, expected) => {
    expect(said(company(missing))).toEqual(expected)
  })

  it('did not come of one of two funds: one silent fund stops nothing', () => {
    expect(said(company(1, 2))).toEqual(['fund 0'])
  })

  it('are fewer with a lower strictness', () => {
    expect(said(company(5), 0.5)).toHaveLength(5)
  })

  it('did not come of a fund that may be as late as it has been before', () => {
    expect(said(company(1, 12, { latest: '2026-11-24' }))).toEqual([])
  })

  it('did not come of funds that had a holiday together before, while the others had none', () => {
    const holiday = { missed: ['2026-07-03'], latest: '2026-11-24' }
    expect(said(company(5, 12, holiday))).toEqual([])
    const all = company(5, 12, holiday).map((one) => ({ ...one, missed: ['2026-07-03'] }))
    expect(said(all)).toEqual(['missing-prices'])
  })
})
