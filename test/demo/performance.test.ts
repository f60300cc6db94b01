/** Performance is computed from the prices: done again here, from the tables alone. */
import { describe, expect, it } from 'vitest'
import { type DemoPrice, demoForTests, pricesOf } from './demo-database.ts'

const demo = demoForTests({ funds: 24 })

/** Funds whose NAV alone tells the performance. */
const accumulating = () => demo.values('SELECT isin FROM profile WHERE accumulating = 1')
const withPrices = () => demo.values('SELECT DISTINCT isin FROM price')
const oldFund = () => demo.values("SELECT isin FROM fund WHERE fund_inception_date < '2016-01-01'")[0] ?? ''

const lastOnOrBefore = (prices: readonly DemoPrice[], date: string) =>
  prices.findLast((price) => price.date <= date)

function expectClose(actual: number, expected: number, tolerance: number, where: string): void {
  if (!(Math.abs(actual - expected) <= tolerance)) expect(`${where}: ${actual}`).toBe(`${where}: ${expected}`)
}

/** Percent with two decimals. */
function expectChange(percent: number, from: number, to: number, where: string): void {
  expectClose(percent, (to / from - 1) * 100, 0.005001, where)
}

it('the performance of a price is the change since the end of the year before', () => {
  for (const isin of accumulating()) {
    const prices = pricesOf(demo, isin)
    for (const { date, nav, performance } of prices) {
      const base = lastOnOrBefore(prices, `${Number(date.slice(0, 4)) - 1}-12-31`)
      if (base !== undefined) expectChange(performance, base.nav, nav, `${isin} ${date}`)
    }
  }
})

it('there is a performance of each year since the launch; it is that of the last price of the year', () => {
  for (const isin of withPrices()) {
    const last = new Map(pricesOf(demo, isin).map(({ date, performance }) => [date.slice(0, 4), performance]))
    const rows = demo.rows<{ year: number; percent: number }>(
      'SELECT year, percent FROM performance_year WHERE isin = ? ORDER BY year',
      isin,
    )
    const [inception = ''] = demo.values('SELECT fund_inception_date FROM fund WHERE isin = ?', isin)
    const first = Number(inception.slice(0, 4))
    expect(rows.map(({ year }) => year)).toEqual(Array.from({ length: 2027 - first }, (_, i) => first + i))
    for (const { year, percent } of rows) expect(percent).toBe(last.get(String(year)) ?? percent)
  }
})

describe('the legal periods', () => {
  type Text = Record<'label' | 'date_from' | 'date_realfrom' | 'date_to', string>
  const periodsOf = (isin: string) =>
    demo.rows<Text & Record<'gross' | 'net', number | null>>(
      'SELECT * FROM legal_period WHERE isin = ? ORDER BY label',
      isin,
    )

  it('are the last five times twelve months', () => {
    const found = periodsOf(oldFund()).map(
      (period) => `${period.label} ${period.date_from} ${period.date_to}`,
    )
    expect(found).toEqual(
      [2022, 2023, 2024, 2025, 2026].map((year) => `${year} ${year - 1}-11-20 ${year}-11-20`),
    )
  })

  it('have the gross figure that follows from the prices', () => {
    for (const isin of accumulating()) {
      const prices = pricesOf(demo, isin)
      for (const { label, date_realfrom, date_from, date_to, gross } of periodsOf(isin)) {
        const [from, to] = [lastOnOrBefore(prices, date_from), lastOnOrBefore(prices, date_to)]
        if (from === undefined || to === undefined) {
          expect(gross).toBeNull()
          continue
        }
        expect(date_realfrom).toBe(from.date)
        expectChange(gross ?? NaN, from.nav, to.nav, `${isin} ${label}`)
      }
    }
  })

  it('subtract the surcharge once, in the oldest whole period; without a surcharge there is no net figure', () => {
    for (const isin of demo.values('SELECT isin FROM profile')) {
      const [surcharge = 0] = demo.values<number>('SELECT issue_surcharge FROM profile WHERE isin = ?', isin)
      const whole = periodsOf(isin).filter(({ gross }) => gross !== null)
      for (const [i, { gross, net }] of whole.entries()) {
        const paid = i === 0 ? surcharge : 0
        if (surcharge === 0) expect(net).toBeNull()
        else expectClose(net ?? NaN, ((100 + (gross ?? NaN)) / (100 + paid) - 1) * 100, 0.0101, isin)
      }
    }
  })

  it('have no figures in the year of the launch; that period begins with the launch', () => {
    const partial = demo.rows(
      `SELECT fund_inception_date = date_realfrom AND date_from < date_realfrom AS starts, net
       FROM legal_period JOIN fund USING (isin) WHERE gross IS NULL`,
    )
    expect(partial.length).toBeGreaterThan(1)
    expect(partial.every(({ starts, net }) => starts === 1 && net === null)).toBe(true)
  })
})

describe('the lines', () => {
  const pointsOf = (table: 'launch_point' | 'legal_point', isin: string) =>
    demo.rows<{ date: string; value: number }>(
      `SELECT date, value FROM ${table} WHERE isin = ? ORDER BY date`,
      isin,
    )

  it('legal_point starts at 0 and follows the NAV to the last day', () => {
    for (const isin of accumulating()) {
      const byDate = new Map(pricesOf(demo, isin).map(({ date, nav }) => [date, nav]))
      const points = pointsOf('legal_point', isin)
      const base = byDate.get(points[0]?.date ?? '') ?? NaN
      expect([points[0]?.value, points.at(-1)?.date]).toEqual([0, '2026-11-20'])
      for (const { date, value } of points)
        expectChange(value, base, byDate.get(date) ?? NaN, `${isin} ${date}`)
    }
  })

  it('launch_point starts at 100 on the day of the launch, and rises by the performance of the prices', () => {
    for (const isin of withPrices()) {
      const performance = new Map(pricesOf(demo, isin).map((price) => [price.date, price.performance]))
      const points = pointsOf('launch_point', isin)
      const [inception = ''] = demo.values('SELECT fund_inception_date FROM fund WHERE isin = ?', isin)
      expect([points[0], points.at(-1)?.date]).toEqual([{ date: inception, value: 100 }, '2026-11-20'])
      let compared = 0
      for (const [i, { date, value }] of points.entries()) {
        const before = points[i - 1]
        const [to, from] = [performance.get(date), performance.get(before?.date ?? '')]
        if (before?.date.slice(0, 4) !== date.slice(0, 4) || to === undefined || from === undefined) continue
        compared++
        expectClose(value / before.value, (100 + to) / (100 + from), 0.0005, `${isin} ${date}`)
      }
      expect(compared).toBeGreaterThan(5)
    }
  })

  it('the line of the legal performance starts five years ago and has a point a month', () => {
    for (const isin of accumulating()) {
      const prices = pricesOf(demo, isin)
      const [first = '', ...others] = pointsOf('legal_point', isin).map(({ date }) => date)
      expect(first).toBe((lastOnOrBefore(prices, '2021-11-20') ?? prices[0])?.date)
      expect(new Set(others.map((date) => date.slice(0, 7))).size).toBe(others.length)
    }
  })
})
