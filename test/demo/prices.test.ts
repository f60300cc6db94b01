/** The prices of a demo database: their days, their digits, and how they hang together. */
import { describe, expect, it } from 'vitest'
import { writeDemo } from '../../src/demo/demo.ts'
import { makeTempFolder } from '../support/product.ts'
import { demoForTests, pricesOf, usual } from './demo-database.ts'

const demo = demoForTests()
const later = demoForTests({ years: 5 })

const prices = (isin: string) => pricesOf(demo, isin)
const priced = () => demo.values('SELECT DISTINCT isin FROM price')

describe('the days of the prices', () => {
  it('are the business days of TARGET in ten years, up to the day asked for', () => {
    const days = demo.values('SELECT DISTINCT date FROM price ORDER BY date')
    expect([days[0], days.at(-1), days.length]).toEqual(['2016-11-18', '2026-11-20', 2561])
    const goodFridays =
      '2017-04-14 2018-03-30 2019-04-19 2020-04-10 2021-04-02 2022-04-15 2023-04-07 2024-03-29'
    const easterMondays =
      '2017-04-17 2018-04-02 2019-04-22 2020-04-13 2021-04-05 2022-04-18 2025-04-21 2026-04-06'
    const isClosed = (day: string) =>
      [0, 6].includes(new Date(day).getUTCDay()) ||
      /-(?:01-01|05-01|12-25|12-26)$/.test(day) ||
      `${goodFridays} ${easterMondays}`.includes(day)
    expect(days.filter(isClosed)).toEqual([])
    const counted = demo.values<number>('SELECT count(*) FROM price GROUP BY isin')
    expect(counted.filter((count) => count === days.length)).toHaveLength(9)
    expect(demo.values("SELECT isin FROM price GROUP BY isin HAVING max(date) <> '2026-11-20'")).toEqual([])
  })

  it.each([
    ['2026-11-22', '2026-11-20'],
    ['2026-04-06', '2026-04-02'],
    ['2025-12-28', '2025-12-24'],
  ])('end on the last business day before %s, %s', async (until, last) => {
    const folder = makeTempFolder()
    const summary = await writeDemo({ ...usual, file: folder.file('a.sqlite'), funds: 1, years: 1, until })
    folder.remove()
    expect(summary.until).toBe(last)
  })
})

describe('the digits of the prices', () => {
  const amounts = ['issue_price', 'repurchase_price', 'net_asset_value', 'change', 'intercompany_profit']
  const percents = ['change_percent', 'performance', 'share_profit', 'real_estate_profits', 'share_profit2']

  it('are plain decimals: amounts of money market funds have four places, everything else has two', () => {
    const moneyMarket = demo.values("SELECT isin FROM profile WHERE category_de LIKE 'Geldmarktfonds%'")
    const places = (digits: number) => new RegExp(`^-?\\d+\\.\\d{${digits}}$`)
    for (const row of demo.rows('SELECT * FROM price')) {
      const amount = places(moneyMarket.includes(String(row['isin'])) ? 4 : 2)
      const isWrong = (form: RegExp) => (column: string) =>
        row[column] !== null && !form.test(String(row[column]))
      const wrong = [...amounts.filter(isWrong(amount)), ...percents.filter(isWrong(places(2)))]
      if (wrong.length > 0) expect({ row, wrong }).toEqual({ row, wrong: [] })
    }
    const texts = demo.values(
      `SELECT fund_assets FROM profile UNION ALL SELECT total_fund_assets FROM profile
       UNION ALL SELECT savings_plan_minimum FROM profile WHERE savings_plan_minimum IS NOT NULL`,
    )
    for (const text of texts) expect(text).toMatch(/^\d+\.\d{2}$/)
  })

  it('never show a negative zero', () => {
    const isMinusZero = ['change', ...percents].map(
      (column) => `${column} GLOB '-0.0*' AND CAST(${column} AS REAL) = 0`,
    )
    expect(demo.values(`SELECT isin FROM price WHERE ${isMinusZero.join(' OR ')}`)).toEqual([])
  })
})

describe('a price', () => {
  it('differs from the day before by its change, and not by more than a market does', () => {
    for (const isin of priced()) {
      const days = prices(isin)
      for (const [i, day] of days.entries()) {
        const before = days[i - 1]
        if (before === undefined) continue
        expect(Math.abs(day.nav - before.nav - day.change)).toBeLessThan(1e-8)
        expect(Math.abs((day.change / before.nav) * 100 - day.changePercent)).toBeLessThan(0.005001)
      }
      expect(new Set(days.map(({ nav }) => nav)).size).toBeGreaterThan(days.length / 20)
      expect(Math.max(...days.map(({ changePercent }) => Math.abs(changePercent)))).toBeLessThan(12)
    }
  })

  it('has an issue price with the surcharge and a repurchase price without the fee', () => {
    const off = demo.rows(
      `SELECT isin, date FROM price JOIN profile USING (isin)
       WHERE abs(net_asset_value * (1 + issue_surcharge / 100) - issue_price) > 0.005001
          OR abs(net_asset_value * (1 - redemption_fee / 100) - repurchase_price) > 0.005001`,
    )
    expect(off).toEqual([])
  })

  it('follows the market: equity funds lose on the same days', () => {
    const old = "category_de LIKE 'Aktienfonds%' AND fund_inception_date < '2016-01-01'"
    const shares = demo.values(`SELECT isin FROM profile JOIN fund USING (isin) WHERE ${old}`)
    const [a = [], b = []] = shares.map(prices)
    const same = a.filter(({ change }, i) => Math.sign(change) === Math.sign(b[i]?.change ?? 0))
    expect(a.length).toBe(b.length)
    expect(same.length / a.length).toBeGreaterThan(0.7)
  })
})

it('a distributing fund falls once a year by its distribution, but its performance does not', () => {
  for (const isin of demo.values('SELECT isin FROM profile WHERE accumulating = 0')) {
    const days = prices(isin)
    const paidOn = days.filter((day, i) => {
      const before = days[i - 1]
      if (before?.date.slice(0, 4) !== day.date.slice(0, 4)) return false
      const totalReturn = (100 + day.performance) / (100 + before.performance)
      return totalReturn - day.nav / before.nav > 0.004
    })
    const years = paidOn.map(({ date }) => Number(date.slice(0, 4)))
    expect(years).toEqual(years.map((_, i) => 2027 - years.length + i))
    expect([9, 10]).toContain(years.length)
  }
})

describe('the tax figures', () => {
  const taxed = `SELECT DISTINCT category_de FROM price JOIN profile USING (isin) WHERE`
  const kindsWith = (column: string) =>
    new Set(demo.values(`${taxed} ${column} IS NOT NULL`).map((category) => category.split('fonds')[0]))

  it('end with the year 2017', () => {
    const any = 'coalesce(intercompany_profit, share_profit, real_estate_profits, share_profit2) IS NOT NULL'
    expect(demo.values(`SELECT max(date) FROM price WHERE ${any}`)).toEqual(['2017-12-29'])
    expect(demo.values(`SELECT isin FROM price WHERE NOT ${any} AND date < '2018-01-01'`)).toEqual([])
  })

  it('are those of the assets that a fund invests in', () => {
    expect(kindsWith('share_profit')).toEqual(new Set(['Aktien', 'Misch']))
    expect(kindsWith('share_profit2')).toEqual(new Set(['Aktien', 'Misch']))
    expect(kindsWith('real_estate_profits')).toEqual(new Set(['Offener Immobilien']))
    const withInterest = new Set(['Renten', 'Misch', 'Geldmarkt', 'Offener Immobilien'])
    expect(kindsWith('intercompany_profit')).toEqual(withInterest)
  })

  it('are in the first half-year of a range that begins after 2017, so that there are prices with and without', () => {
    const any = 'coalesce(intercompany_profit, share_profit) IS NOT NULL'
    expect(later.values(`SELECT min(date) FROM price WHERE ${any}`)).toEqual(['2021-11-19'])
    expect(later.values(`SELECT max(date) FROM price WHERE ${any}`)).toEqual(['2022-05-19'])
  })
})
