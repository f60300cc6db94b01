/** Performance is computed from the prices: done again here, from the tables alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDemo, temporaryFolder, type DemoDatabase } from './demo-database.ts'

const folder = temporaryFolder()
let demo: DemoDatabase

beforeAll(async () => {
  demo = await makeDemo(folder.file('demo.sqlite'), { funds: 40 })
})
afterAll(() => {
  demo.close()
  folder.remove()
})

interface Price {
  readonly date: string
  readonly nav: number
  readonly performance: number
}

const pricesOf = (isin: string) =>
  demo.rows<Price>(
    `SELECT date, CAST(net_asset_value AS REAL) AS nav, CAST(performance AS REAL) AS performance
     FROM price WHERE isin = ? ORDER BY date`,
    isin,
  )
/** Funds whose NAV alone tells the performance. */
const accumulating = () => demo.values('SELECT isin FROM profile WHERE accumulating = 1')
const withPrices = () => demo.values('SELECT DISTINCT isin FROM price')

function lastOnOrBefore(prices: readonly Price[], date: string): Price | undefined {
  return prices.findLast((price) => price.date <= date)
}

function expectClose(actual: number, expected: number, tolerance: number, where: string): void {
  if (Math.abs(actual - expected) > tolerance) expect(`${where}: ${actual}`).toBe(`${where}: ${expected}`)
}

describe('the performance of a price', () => {
  it('is the change since the end of the year before, in percent', () => {
    for (const isin of accumulating()) {
      const prices = pricesOf(isin)
      for (const { date, nav, performance } of prices) {
        const base = lastOnOrBefore(prices, `${Number(date.slice(0, 4)) - 1}-12-31`)
        if (base !== undefined)
          expectClose(performance, (nav / base.nav - 1) * 100, 0.005001, `${isin} ${date}`)
      }
    }
  })
})

describe('the performance of a year', () => {
  it('is that of its last price', () => {
    const rows = demo.rows<{ percent: number; performance: number }>(
      `SELECT percent, CAST(performance AS REAL) AS performance FROM performance_year
       JOIN price ON price.isin = performance_year.isin AND date =
         (SELECT max(p.date) FROM price p WHERE p.isin = performance_year.isin
          AND p.date BETWEEN year || '-01-01' AND year || '-12-31')`,
    )
    expect(rows.length).toBe(demo.values('SELECT * FROM performance_year').length)
    expect(rows.filter(({ percent, performance }) => percent !== performance)).toEqual([])
  })

  it('is there for all years that have a base, and for a launch year', () => {
    for (const isin of withPrices()) {
      const years = demo.values<number>(
        'SELECT year FROM performance_year WHERE isin = ? ORDER BY year',
        isin,
      )
      const [inception = ''] = demo.values('SELECT fund_inception_date FROM fund WHERE isin = ?', isin)
      const first = inception > '2016-11-18' ? Number(inception.slice(0, 4)) : 2017
      expect(years).toEqual(Array.from({ length: 2027 - first }, (_, i) => first + i))
    }
  })
})

describe('the legal periods', () => {
  interface Period {
    readonly label: string
    readonly date_from: string
    readonly date_realfrom: string
    readonly date_to: string
    readonly gross: number | null
    readonly net: number | null
  }
  const periodsOf = (isin: string) =>
    demo.rows<Period>('SELECT * FROM legal_period WHERE isin = ? ORDER BY label', isin)

  it('are the last five twelve months', () => {
    const [isin = ''] = demo.values("SELECT isin FROM fund WHERE fund_inception_date < '2016-01-01'")
    expect(periodsOf(isin).map((period) => `${period.label} ${period.date_from} ${period.date_to}`)).toEqual([
      '2022 2021-11-20 2022-11-20',
      '2023 2022-11-20 2023-11-20',
      '2024 2023-11-20 2024-11-20',
      '2025 2024-11-20 2025-11-20',
      '2026 2025-11-20 2026-11-20',
    ])
  })

  it('have the gross figure that the prices give', () => {
    for (const isin of accumulating()) {
      const prices = pricesOf(isin)
      for (const { label, date_realfrom, date_from, date_to, gross } of periodsOf(isin)) {
        const from = lastOnOrBefore(prices, date_from)
        const to = lastOnOrBefore(prices, date_to)
        if (from === undefined || to === undefined) {
          expect(gross).toBeNull()
          continue
        }
        expect(date_realfrom).toBe(from.date)
        expectClose(gross ?? NaN, (to.nav / from.nav - 1) * 100, 0.005001, `${isin} ${label}`)
      }
    }
  })

  it('have a net figure that bears the surcharge once, in the oldest whole period, and none without one', () => {
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

  it('have no figures in the year of the launch, which starts when the fund did', () => {
    const partial = demo.rows(
      `SELECT fund_inception_date = date_realfrom AND date_from < date_realfrom AS starts, net
       FROM legal_period JOIN fund USING (isin) WHERE gross IS NULL`,
    )
    expect(partial.length).toBeGreaterThan(1)
    expect(partial.every(({ starts, net }) => starts === 1 && net === null)).toBe(true)
  })
})

describe('the lines', () => {
  const pointsOf = (table: string, isin: string) =>
    demo.rows<{ date: string; value: number }>(
      `SELECT date, value FROM ${table} WHERE isin = ? ORDER BY date`,
      isin,
    )

  it('since launch start at 100 and are what 100 would have become', () => {
    for (const isin of accumulating()) {
      const byDate = new Map(pricesOf(isin).map(({ date, nav }) => [date, nav]))
      const points = pointsOf('launch_point', isin)
      const start = byDate.get(points[0]?.date ?? '') ?? NaN
      expect(points[0]?.value).toBe(100)
      expect(points.at(-1)?.date).toBe('2026-11-20')
      for (const { date, value } of points)
        expectClose(value, ((byDate.get(date) ?? NaN) / start) * 100, 0.005001, `${isin} ${date}`)
    }
  })

  it('since launch rise by the performance of the prices where a fund distributes', () => {
    for (const isin of withPrices()) {
      const performance = new Map(pricesOf(isin).map((price) => [price.date, price.performance]))
      const points = pointsOf('launch_point', isin)
      for (const [i, { date, value }] of points.entries()) {
        const before = points[i - 1]
        if (before?.date.slice(0, 4) !== date.slice(0, 4)) continue
        const ratio = (100 + (performance.get(date) ?? NaN)) / (100 + (performance.get(before.date) ?? NaN))
        expectClose(value / before.value, ratio, 0.0005, `${isin} ${date}`)
      }
    }
  })

  it('since launch have a point a week', () => {
    const [isin = ''] = demo.values("SELECT isin FROM fund WHERE fund_inception_date < '2016-01-01'")
    const points = pointsOf('launch_point', isin)
    expect(points.slice(0, 3).map(({ date }) => date)).toEqual(['2016-11-18', '2016-11-25', '2016-12-02'])
    expect(points.some(({ date }) => date === '2026-04-02')).toBe(true)
    expect(points).toHaveLength(523)
  })

  it('of the legal performance start at 0 five years ago, have a point a month, and end today', () => {
    for (const isin of accumulating()) {
      const prices = pricesOf(isin)
      const points = pointsOf('legal_point', isin)
      const start = prices.find(({ date }) => date === points[0]?.date)
      expect(points[0]?.value).toBe(0)
      expect(points[0]?.date).toBe((lastOnOrBefore(prices, '2021-11-20') ?? prices[0])?.date)
      expect(points.at(-1)?.date).toBe('2026-11-20')
      for (const { date, value } of points) {
        const nav = prices.find((price) => price.date === date)?.nav ?? NaN
        expectClose(value, (nav / (start?.nav ?? NaN) - 1) * 100, 0.005001, `${isin} ${date}`)
      }
      expect(new Set(points.slice(1).map(({ date }) => date.slice(0, 7))).size).toBe(points.length - 1)
    }
  })
})
