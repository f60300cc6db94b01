/** The figures of a comparison, against hand-made prices. */
import { describe, expect, it } from 'vitest'
import { dayNumber } from '../../../src/core/system/day-number.ts'
import { comparisonOf, type History } from '../../../src/extensions/site/funds/browser/comparison.ts'

const historyOf = (navs: Readonly<Record<string, string>>): History => ({
  prices: Object.entries(navs).map(([day, nav]) => ({ day: dayNumber(day), nav })),
  isWhole: true,
  actions: { distributions: [], splits: [] },
})
const figuresOf = (navs: Readonly<Record<string, string>>, first: string | null = null) =>
  comparisonOf([historyOf(navs)], first === null ? null : dayNumber(first))?.funds[0]

describe('of a comparison', () => {
  it('performance over years begins with the last price up to a week before', () => {
    const navs = {
      '2021-11-13': '80',
      '2021-11-14': '50',
      '2023-11-13': '100',
      '2025-11-20': '100',
      '2026-11-20': '200',
    }
    const figures = figuresOf(navs)
    // From 50 on 14 Nov 2021, six days before; from 100 on the day itself; the price of 2023 is of seven days before.
    expect([1, 3, 5].map((years) => figures?.over(years))).toEqual([100, 100, 300])
    expect(figuresOf({ '2021-11-12': '80', '2026-11-20': '200' })?.over(5)).toBe(null)
  })

  it('performance over years is missing since the prices begin later, where they do, and all are known', () => {
    const navs = { '2022-01-03': '80', '2025-11-20': '100', '2026-11-20': '200' }
    const begin = dayNumber('2022-01-03')
    const figures = figuresOf(navs)
    const missing = [1, 3, 5].map((years) => ({
      over: figures?.over(years),
      beginsAfter: figures?.beginsAfter(years),
    }))
    expect(missing).toEqual([
      { over: 100, beginsAfter: null },
      // There are earlier prices, but none in the week before.
      { over: null, beginsAfter: null },
      { over: null, beginsAfter: begin },
    ])
    const part = { ...historyOf(navs), isWhole: false }
    expect(comparisonOf([part], null)?.funds[0]?.beginsAfter(5)).toBe(null)
  })

  it('performance over years does not depend on the period shown', () => {
    const navs = { '2025-11-20': '100', '2026-10-20': '160', '2026-11-20': '200' }
    const shown = figuresOf(navs, '2026-10-20')
    expect({ shown: shown?.performance, year: shown?.over(1) }).toEqual({ shown: 25, year: 100 })
  })

  it('performance over years ends where the comparison does: on the last day that all funds have', () => {
    const one = historyOf({ '2025-11-19': '100', '2026-11-19': '110', '2026-11-20': '220' })
    const other = historyOf({ '2025-11-19': '10', '2026-11-19': '11' })
    const compared = comparisonOf([one, other], null)
    for (const { over } of compared?.funds ?? []) expect(over(1)).toBeCloseTo(10, 10)
    expect(compared?.funds).toHaveLength(2)
  })

  it('the maximum drawdown is the largest loss from a high to a later low, not that from the first day', () => {
    const navs = {
      '2026-01-01': '90',
      '2026-02-01': '120',
      '2026-03-01': '100',
      '2026-04-01': '150',
      '2026-05-01': '90',
      '2026-06-01': '160',
    }
    expect(figuresOf(navs)?.drawdown).toBeCloseTo(-40, 10)
    expect(figuresOf(navs, '2026-05-01')?.drawdown).toBe(0)
  })

  it('the performance a year is the geometric mean, and that of less than a year is none', () => {
    const navs = { '2024-11-20': '100', '2025-11-21': '110', '2026-11-20': '121' }
    expect(figuresOf(navs)?.performancePerYear).toBeCloseTo(10, 10)
    expect(figuresOf(navs, '2025-11-21')?.performancePerYear).toBe(null)
  })

  it.each([
    ['2025-11-20', '107.27', 7.27],
    // The Friday before stands in for the Saturday five years ago.
    ['2021-11-19', '130.60', 5.4845],
  ])(
    'the performance a year from %s is that over its whole years, in the period shown as in the table below it',
    (from, nav, percent) => {
      const figures = figuresOf({ [from]: '100', '2026-11-20': nav })
      const years = 2026 - Number(from.slice(0, 4))
      expect(figures?.performancePerYear).toBeCloseTo(percent, 4)
      expect(figures?.over(years)).toBeCloseTo(Number(nav) - 100, 10)
      expect(figures?.over(years)).toBeCloseTo(figures?.performance ?? NaN, 10)
    },
  )

  it('the performance a year counts the days that are left of a year', () => {
    // A year, and 73 of 365 days: 1.2 years.
    const figures = figuresOf({ '2025-09-08': '100', '2026-11-20': '112' })
    expect(figures?.performancePerYear).toBeCloseTo((1.12 ** (1 / 1.2) - 1) * 100, 10)
  })
})
