/** Years, legal periods and lines from NAVs and corporate actions: literal examples, and what holds for every history. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { comparePrices, derivedFigure, figureColumns } from '../../../src/core/data/derive/figures.ts'
import type { DatedNav, PricingAction } from '../../../src/core/data/derive/figures.ts'
import { offeredPrice } from '../../../src/core/data/derive/offer.ts'
import { deriveReturns } from '../../../src/core/data/derive/returns.ts'
import { times } from '../../support/rounds.ts'

const prices = (navs: Readonly<Record<string, string>>): readonly DatedNav[] =>
  Object.entries(navs).map(([date, nav]) => ({ date, nav }))
const paid = (exDate: string, amount: string): PricingAction => ({ exDate, factor: null, amount })
const split = (exDate: string, factor: string): PricingAction => ({ exDate, factor, amount: null })

interface Given {
  readonly inceptionDate?: string
  readonly issueSurcharge?: string | null
  readonly actions?: readonly PricingAction[]
}
const derive = (navs: Readonly<Record<string, string>>, given: Given = {}) =>
  deriveReturns({
    inceptionDate: given.inceptionDate ?? '2000-01-03',
    issueSurcharge: given.issueSurcharge ?? null,
    prices: prices(navs),
    actions: given.actions ?? [],
  })

describe('performance_year', () => {
  it('is as in the example of the BVI: 5 of 125 reinvested, from 100 to 130', () => {
    const navs = { '2022-12-30': '100', '2023-05-15': '125', '2023-12-29': '130', '2024-01-02': '131' }
    expect(derive(navs, { actions: [paid('2023-05-15', '5')] }).performanceYears).toEqual([
      { year: 2023, percent: 35.2 },
    ])
  })

  it('is of whole years: none in the year of the launch, none before the next year has a price', () => {
    const navs = { '2021-03-01': '50.00', '2021-12-30': '60.00', '2022-12-30': '66.00' }
    expect(derive(navs).performanceYears).toEqual([])
    expect(derive({ ...navs, '2022-12-31': '67.00' }).performanceYears).toEqual([
      { year: 2022, percent: 11.67 },
    ])
    expect(derive({ ...navs, '2023-01-02': '67.00' }).performanceYears).toEqual([{ year: 2022, percent: 10 }])
  })

  it('has neither year beside a 31 December without a price near by', () => {
    const weekly = Array.from({ length: 275 }, (_, week) => {
      const date = new Date(Date.UTC(2018, 11, 28 + 7 * week)).toISOString().slice(0, 10)
      return [date, `${Number(date.slice(0, 4)) - 1918}.00`] as const
    })
    const isTraded = (day: string) => day < '2021-11-16' || day > '2022-02-01'
    const navs = Object.fromEntries(weekly.filter(([day]) => isTraded(day)))
    expect(derive(navs).performanceYears).toEqual([
      { year: 2019, percent: 1 },
      { year: 2020, percent: 0.99 },
      { year: 2023, percent: 0.96 },
    ])
  })

  it('counts by the rhythm of a fund that is priced on the 15th of each month', () => {
    const months = Array.from({ length: 26 }, (_, index) => {
      const month = new Date(Date.UTC(2021, index, 15)).toISOString().slice(0, 10)
      return [month, String(100 + index)] as const
    })
    // December 2021 is the 12th price: 111; December 2022 the 24th: 123.
    expect(derive(Object.fromEntries(months)).performanceYears).toEqual([{ year: 2022, percent: 10.81 }])
  })

  it('takes a payment and a split of one day as new shares, whose ex-day has no price', () => {
    const navs = {
      '2022-12-30': '100.00',
      '2023-06-05': '52.00',
      '2023-12-29': '54.60',
      '2024-01-02': '55.00',
    }
    const actions = [paid('2023-06-04', '1.30'), split('2023-06-04', '2')]
    // 2 * 54.60 * (52 + 1.30) / 52 = 111.93
    expect(derive(navs, { actions }).performanceYears).toEqual([{ year: 2023, percent: 11.93 }])
  })
})

describe('legal_period', () => {
  const navs = {
    '2022-06-14': '99.00',
    '2023-06-14': '100.00',
    '2024-06-14': '110.00',
    '2025-06-14': '99.00',
    '2026-06-15': '120.00',
  }

  it('has twelve months each until the newest price, gross, and net with the surcharge in the oldest', () => {
    expect(derive(navs, { issueSurcharge: '5.25' }).legalPeriods).toEqual([
      {
        label: '2023',
        dateFrom: '2022-06-15',
        dateRealfrom: '2022-06-14',
        dateTo: '2023-06-15',
        gross: 1.01,
        // 100 / 99 / 1.0525
        net: -4.03,
      },
      {
        label: '2024',
        dateFrom: '2023-06-15',
        dateRealfrom: '2023-06-14',
        dateTo: '2024-06-15',
        gross: 10,
        net: 10,
      },
      {
        label: '2025',
        dateFrom: '2024-06-15',
        dateRealfrom: '2024-06-14',
        dateTo: '2025-06-15',
        gross: -10,
        net: -10,
      },
      {
        label: '2026',
        dateFrom: '2025-06-15',
        dateRealfrom: '2025-06-14',
        dateTo: '2026-06-15',
        gross: 21.21,
        net: 21.21,
      },
    ])
  })

  it('has no net figures without a surcharge, and leaves out periods that begin or end in a gap', () => {
    const gap = Object.fromEntries(Object.entries(navs).filter(([day]) => day !== '2024-06-14'))
    expect(derive(gap).legalPeriods.map(({ label, gross, net }) => ({ label, gross, net }))).toEqual([
      { label: '2023', gross: 1.01, net: null },
      { label: '2026', gross: 21.21, net: null },
    ])
  })

  it('begins on 28 February if the newest price is of 29 February', () => {
    const [period] = derive({ '2023-02-28': '100.00', '2024-02-29': '101.00' }).legalPeriods
    expect(period).toMatchObject({ dateFrom: '2023-02-28', dateTo: '2024-02-29', gross: 1 })
  })

  it('goes with a line of percents by month, which starts at 0', () => {
    const { legalPoints } = derive({
      '2025-06-13': '100.00',
      '2025-06-20': '101.00',
      '2025-06-30': '102.00',
      '2026-06-15': '90.00',
    })
    expect(legalPoints).toEqual([
      { date: '2025-06-13', value: 0 },
      { date: '2025-06-30', value: 2 },
      { date: '2026-06-15', value: -10 },
    ])
    expect(derive({ '2026-06-15': '90.00' }).legalPoints).toEqual([])
  })
})

describe('launch_point', () => {
  const navs = { '2024-01-10': '49.80', '2024-01-31': '50.00', '2024-02-01': '51.00', '2024-02-15': '52.00' }

  it('starts at 100, has the last price of each month, and the newest', () => {
    expect(derive(navs, { inceptionDate: '2024-01-03' }).launchPoints).toEqual([
      { date: '2024-01-10', value: 100 },
      { date: '2024-01-31', value: 100.4 },
      { date: '2024-02-15', value: 104.42 },
    ])
  })

  it('starts with the launch, whatever prices stand before it', () => {
    expect(derive(navs, { inceptionDate: '2024-01-31' }).launchPoints[0]).toEqual({
      date: '2024-01-31',
      value: 100,
    })
  })

  it.each(['2023-12-01', '1961-07-03', 'unknown'])(
    'is none if the prices do not reach back to %s',
    (inceptionDate) => {
      expect(derive(navs, { inceptionDate }).launchPoints).toEqual([])
    },
  )

  it('reaches back by the rhythm of a fund that is priced once a month', () => {
    const monthly = { '2024-02-28': '50.00', '2024-03-28': '51.00', '2024-04-29': '52.00' }
    expect(derive(monthly, { inceptionDate: '2024-02-05' }).launchPoints).toHaveLength(3)
    expect(derive(monthly, { inceptionDate: '2024-01-25' }).launchPoints).toEqual([])
  })
})

describe('issue and repurchase price', () => {
  const charges = { issueSurcharge: '5.25', redemptionFee: '0.5' }
  it.each([
    ['issue_price', '112.35', '118.25'],
    ['repurchase_price', '112.35', '111.79'],
    ['issue_price', '100', '105'],
    ['issue_price', '12.345678', '12.993826'],
    // Halves are rounded away from zero: 0.2105
    ['issue_price', '0.200', '0.211'],
  ])('%s of NAV %s is %s, with its decimals', (column, nav, expected) => {
    expect(offeredPrice(column, nav, charges)).toBe(expected)
  })

  it('is the NAV without surcharge and fee', () => {
    const none = { issueSurcharge: null, redemptionFee: null }
    expect(offeredPrice('issue_price', '112.350', none)).toBe('112.350')
    expect(offeredPrice('repurchase_price', '112.350', none)).toBe('112.350')
  })
})

describe('of any history', () => {
  const first = Date.UTC(2018, 0, 2)
  /** Days apart, and NAVs in cents: even ones, so that halves have two decimals. */
  const history = fc.array(
    fc.record({ days: fc.integer({ min: 1, max: 45 }), halfCents: fc.integer({ min: 500, max: 20_000 }) }),
    { minLength: 2, maxLength: 120 },
  )
  const decimal = (cents: number) => (cents / 100).toFixed(2)
  const daysOf = (steps: readonly { readonly days: number }[]) => {
    let day = first
    return steps.map(({ days }) => new Date((day += days * 86_400_000)).toISOString().slice(0, 10))
  }
  const all = (own: readonly DatedNav[], actions: readonly PricingAction[]) => {
    const inceptionDate = own[0]?.date ?? ''
    const returns = deriveReturns({ inceptionDate, issueSurcharge: '5', prices: own, actions })
    const performances = [...comparePrices(own, actions)].map((one) => derivedFigure('performance', one))
    return { ...returns, performances }
  }

  it('a split changes no figure', () => {
    fc.assert(
      fc.property(history, fc.nat(), fc.constantFrom(2, 5, 10, 0.5, 0.1), (steps, seed, factor) => {
        const days = daysOf(steps)
        const at = 1 + (seed % (steps.length - 1))
        const navs = steps.map(({ halfCents }, index) => ({
          date: days[index] ?? '',
          nav: decimal(halfCents * 2),
        }))
        const unsplit = navs.map(({ date, nav }, index) => ({
          date,
          nav: index < at ? (Number(nav) * factor).toFixed(3) : nav,
        }))
        expect(all(unsplit, [split(days[at] ?? '', String(factor))])).toEqual(all(navs, []))
      }),
      { numRuns: times(400) },
    )
  })

  it('a fund that distributes half of its NAV has the figures of one that keeps it', () => {
    fc.assert(
      fc.property(history, fc.nat(), (steps, seed) => {
        const days = daysOf(steps)
        const at = 1 + (seed % (steps.length - 1))
        const keeps = steps.map(({ halfCents }, index) => ({
          date: days[index] ?? '',
          nav: decimal(halfCents * 2),
        }))
        const pays = steps.map(({ halfCents }, index) => ({
          date: days[index] ?? '',
          nav: decimal(index < at ? halfCents * 2 : halfCents),
        }))
        const amount = decimal(steps[at]?.halfCents ?? 0)
        expect(all(pays, [paid(days[at] ?? '', amount)])).toEqual(all(keeps, []))
      }),
      { numRuns: times(400) },
    )
  })

  it('every figure has two decimals, every line its start, and every performance a base', () => {
    fc.assert(
      fc.property(history, (steps) => {
        const days = daysOf(steps)
        const own = steps.map(({ halfCents }, index) => ({
          date: days[index] ?? '',
          nav: decimal(halfCents * 2),
        }))
        const { performanceYears, legalPeriods, legalPoints, launchPoints } = all(own, [])
        const values = [
          ...performanceYears.map(({ percent }) => percent),
          ...legalPeriods.flatMap(({ gross, net }) => [gross, net]),
          ...[...legalPoints, ...launchPoints].map(({ value }) => value),
        ]
        for (const value of values) expect(Number(Number(value).toFixed(2))).toBe(value)
        expect(launchPoints[0]).toEqual({ date: days[0], value: 100 })
        expect(legalPoints.length > 0).toBe(legalPeriods.length > 0)
        expect(legalPoints[0]?.value ?? 0).toBe(0)
        for (const compared of comparePrices(own, [])) {
          const figures = figureColumns.map((column) => derivedFigure(column, compared))
          expect(figures[2] === null).toBe(compared.base.price === null)
        }
      }),
      { numRuns: times(200) },
    )
  })
})
