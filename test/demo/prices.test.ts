/** The prices of a demo database and what is computed from them: done again here, from the tables alone. */
import { describe, expect, it } from 'vitest'
import { demoForTests } from './demo-database.ts'

const demo = demoForTests({ funds: 24 })
const later = demoForTests({ funds: 3, years: 5 })

interface Price {
  readonly date: string
  readonly nav: number
  readonly change: number
  readonly changePercent: number
  /** Null in the year of the launch. */
  readonly performance: number | null
}

const prices = (isin: string) =>
  demo.rows<Price>(
    `SELECT date, CAST(net_asset_value AS REAL) AS nav, CAST(change AS REAL) AS change,
       CAST(change_percent AS REAL) AS changePercent, CAST(performance AS REAL) AS performance
     FROM price WHERE isin = ? ORDER BY date`,
    isin,
  )
const lastOnOrBefore = (list: readonly Price[], date: string) => list.findLast((price) => price.date <= date)

/** Funds whose NAV alone tells the performance. */
const accumulating = () => demo.values('SELECT isin FROM profile WHERE accumulating = 1')

/** Percent with two decimals. */
const isChange = (percent: number | null, from: number, to: number) =>
  percent !== null && Math.abs(percent - (to / from - 1) * 100) <= 0.005001

it('the days of the prices are the business days of TARGET in ten years, up to the day asked for', () => {
  const days = demo.values('SELECT DISTINCT date FROM price ORDER BY date')
  expect({ first: days[0], last: days.at(-1), count: days.length }).toEqual({
    first: '2016-11-18',
    last: '2026-11-20',
    count: 2561,
  })
  const easter = '2017-04-14 2017-04-17 2019-04-19 2019-04-22 2024-03-29 2025-04-21 2026-04-06'
  const isClosed = (day: string) =>
    [0, 6].includes(new Date(day).getUTCDay()) ||
    /-(?:01-01|05-01|12-2[56])$/.test(day) ||
    easter.includes(day)
  expect(days.filter(isClosed)).toEqual([])
  expect(demo.values("SELECT isin FROM price GROUP BY isin HAVING max(date) <> '2026-11-20'")).toEqual([])
  const early = `SELECT isin FROM fund WHERE
    (SELECT min(date) FROM price WHERE isin = fund.isin) <> max(fund_inception_date, '2016-11-18')`
  expect(demo.values(early)).toEqual([])
})

it('amounts of money market funds have four decimals, everything else has two, and nothing is a negative zero', () => {
  const amounts = ['issue_price', 'repurchase_price', 'net_asset_value', 'change', 'intercompany_profit']
  const percents = ['change_percent', 'performance', 'share_profit', 'real_estate_profits', 'share_profit2']
  const moneyMarket = demo.values("SELECT isin FROM profile WHERE category_de LIKE 'Geldmarktfonds%'")
  const form = (digits: number) => new RegExp(`^(?!-0\\.0+$)-?\\d+\\.\\d{${digits}}$`)
  for (const row of demo.rows('SELECT * FROM price')) {
    const amount = form(moneyMarket.includes(String(row['isin'])) ? 4 : 2)
    const isWrong = (right: RegExp) => (column: string) =>
      row[column] !== null && !right.test(String(row[column]))
    const wrong = [...amounts.filter(isWrong(amount)), ...percents.filter(isWrong(form(2)))]
    if (wrong.length > 0) expect({ row, wrong }).toEqual({ row, wrong: [] })
  }
})

it('a price differs from the day before by its change, and not by more than a market does', () => {
  for (const isin of demo.values('SELECT DISTINCT isin FROM price')) {
    const days = prices(isin)
    const wrong = days.slice(1).filter((day, i) => {
      const { nav } = days[i] ?? day
      const { change, changePercent } = day
      return Math.abs(day.nav - nav - change) > 1e-8 || !isChange(changePercent, nav, nav + change)
    })
    expect(wrong).toEqual([])
    expect(Math.max(...days.map(({ changePercent }) => Math.abs(changePercent)))).toBeLessThan(9)
    expect(new Set(days.map(({ nav }) => nav)).size).toBeGreaterThan(days.length / 20)
  }
})

it('an issue price has the surcharge, and a repurchase price lacks the fee', () => {
  const off = `SELECT isin, date FROM price JOIN profile USING (isin)
    WHERE abs(net_asset_value * (1 + issue_surcharge / 100) - issue_price) > 0.005001
       OR abs(net_asset_value * (1 - redemption_fee / 100) - repurchase_price) > 0.005001`
  expect(demo.rows(off)).toEqual([])
})

it('equity funds lose on the same days', () => {
  const old = "category_de LIKE 'Aktienfonds%' AND fund_inception_date < '2016-01-01'"
  const shares = demo.values(`SELECT isin FROM profile JOIN fund USING (isin) WHERE ${old}`)
  const [a = [], b = []] = shares.map(prices)
  const same = a.filter(({ change }, i) => Math.sign(change) === Math.sign(b[i]?.change ?? 0))
  expect(a.length).toBe(b.length)
  expect(same.length / a.length).toBeGreaterThan(0.7)
})

it('a distributing fund falls once a year by its distribution, but its performance does not', () => {
  for (const isin of demo.values('SELECT isin FROM profile WHERE accumulating = 0')) {
    const days = prices(isin)
    const paidOn = days.filter((day, i) => {
      const before = days[i - 1]
      if (before?.date.slice(0, 4) !== day.date.slice(0, 4)) return false
      if (day.performance === null || before.performance === null) return false
      return (100 + day.performance) / (100 + before.performance) - day.nav / before.nav > 0.004
    })
    const years = paidOn.map(({ date }) => Number(date.slice(0, 4)))
    expect(years).toEqual(years.map((_, i) => 2027 - years.length + i))
    expect(years.length).toBeGreaterThan(0)
  }
})

it('a distribution is what the performance has beside the NAV on its ex-day, and no other day lacks one', () => {
  interface Action {
    readonly isin: string
    readonly day: string
    readonly amount: number
  }
  const actions = demo.rows<Action>(
    `SELECT isin, ex_date AS day, CAST(amount AS REAL) AS amount FROM corporate_action JOIN fund USING (isin, currency)
      WHERE kind = 'distribution'`,
  )
  expect(demo.values('SELECT count(*) FROM corporate_action')).toEqual([actions.length])
  for (const isin of demo.values('SELECT DISTINCT isin FROM price')) {
    const amounts = new Map(
      actions.filter((one) => one.isin === isin).map(({ day, amount }) => [day, amount]),
    )
    const days = prices(isin)
    for (const [i, day] of days.entries()) {
      const before = days[i - 1]
      if (before?.date.slice(0, 4) !== day.date.slice(0, 4)) continue
      const amount = amounts.get(day.date) ?? 0
      amounts.delete(day.date)
      if (day.performance === null || before.performance === null) continue
      const grown = (100 + day.performance) / (100 + before.performance)
      // Percentages have two decimals.
      expect(Math.abs(grown - (day.nav + amount) / before.nav), `${isin} ${day.date}`).toBeLessThan(0.0003)
    }
    expect([...amounts]).toEqual([])
  }
})

it('tax figures are those of the assets, and end with 2017, or after half a year', () => {
  const kinds = (column: string) => `SELECT DISTINCT substr(category_de, 1, instr(category_de, 'fonds') - 1)
    FROM price JOIN profile USING (isin) WHERE ${column} IS NOT NULL ORDER BY 1`
  expect(demo.values(kinds('share_profit'))).toEqual(['Aktien', 'Misch'])
  expect(demo.values(kinds('share_profit2'))).toEqual(['Aktien', 'Misch'])
  expect(demo.values(kinds('real_estate_profits'))).toEqual(['Offener Immobilien'])
  expect(demo.values(kinds('intercompany_profit'))).toEqual([
    'Geldmarkt',
    'Misch',
    'Offener Immobilien',
    'Renten',
  ])
  const any = 'coalesce(intercompany_profit, share_profit) IS NOT NULL'
  expect(demo.values(`SELECT max(date) FROM price WHERE ${any}`)).toEqual(['2017-12-29'])
  expect(demo.values(`SELECT isin FROM price WHERE NOT ${any} AND date < '2018-01-01'`)).toEqual([])
  expect(later.values(`SELECT max(date) FROM price WHERE ${any}`)).toEqual(['2022-05-19'])
})

describe('performance', () => {
  it('is the change of the NAV since the end of the year before, for each year since the launch', () => {
    for (const isin of accumulating()) {
      const list = prices(isin)
      for (const { date, nav, performance } of list) {
        const base = lastOnOrBefore(list, `${Number(date.slice(0, 4)) - 1}-12-31`)
        const isRight = base === undefined || (performance !== null && isChange(performance, base.nav, nav))
        if (!isRight) expect({ isin, date }).toBe('right')
      }
      const years = demo.rows<{ year: number; percent: number; launched: number }>(
        `SELECT year, percent, substr(fund_inception_date, 1, 4) + 0 AS launched
         FROM performance_year JOIN fund USING (isin) WHERE isin = ? ORDER BY year`,
        isin,
      )
      const [first = NaN] = years.map(({ launched }) => launched)
      expect(years.map(({ year }) => year)).toEqual(Array.from({ length: 2027 - first }, (_, i) => first + i))
      const last = new Map(list.map(({ date, performance }) => [Number(date.slice(0, 4)), performance]))
      for (const { year, percent } of years) expect(percent).toBe(last.get(year) ?? percent)
      // The year of the launch has no 31 December before it.
      expect(last.get(first) ?? null).toBeNull()
    }
  })

  it('in legal periods is that of the last five times twelve months; the first whole one pays the surcharge', () => {
    for (const isin of accumulating()) {
      const list = prices(isin)
      const periods = demo.rows<
        Record<'label' | 'date_from' | 'date_realfrom' | 'date_to', string> &
          Record<'gross' | 'net', number | null> & { surcharge: number }
      >(
        `SELECT legal_period.*, issue_surcharge AS surcharge FROM legal_period JOIN profile USING (isin)
         WHERE isin = ? ORDER BY label`,
        isin,
      )
      let isFirst = true
      for (const { label, date_from, date_realfrom, date_to, gross, net, surcharge } of periods) {
        expect({ date_from, date_to }).toEqual({
          date_from: `${Number(label) - 1}-11-20`,
          date_to: `${label}-11-20`,
        })
        const from = lastOnOrBefore(list, date_from)
        const to = lastOnOrBefore(list, date_to)
        if (from === undefined || to === undefined) {
          expect({ gross, net, date_realfrom }).toEqual({
            gross: null,
            net: null,
            date_realfrom: list[0]?.date,
          })
          continue
        }
        expect({ date_realfrom, isRight: isChange(gross, from.nav, to.nav) }).toEqual({
          date_realfrom: from.date,
          isRight: true,
        })
        const paid = isFirst ? 1 + surcharge / 100 : 1
        if (surcharge === 0) expect(net).toBeNull()
        else expect(Math.abs((net ?? NaN) - ((100 + (gross ?? NaN)) / paid - 100))).toBeLessThan(0.0101)
        isFirst = false
      }
      expect(periods.at(-1)?.label).toBe('2026')
    }
  })

  it('in lines starts five years ago at 0, or on the day of the launch at 100, and has a point a month', () => {
    for (const isin of accumulating()) {
      const list = prices(isin)
      const navOn = new Map(list.map(({ date, nav }) => [date, nav]))
      const pointsOf = (table: string) =>
        demo.rows<{ date: string; value: number }>(
          `SELECT date, value FROM ${table} WHERE isin = ? ORDER BY date`,
          isin,
        )
      const legal = pointsOf('legal_point')
      const launch = pointsOf('launch_point')
      const start = lastOnOrBefore(list, '2021-11-20') ?? list[0]
      expect(legal[0]).toEqual({ date: start?.date, value: 0 })
      for (const { date, value } of legal)
        expect(isChange(value, start?.nav ?? NaN, navOn.get(date) ?? NaN)).toBe(true)
      const [launched] = demo.rows<{ date: string }>(
        'SELECT fund_inception_date AS date FROM fund WHERE isin = ?',
        isin,
      )
      expect(launch[0]).toEqual({ date: launched?.date, value: 100 })
      const known = launch.filter(({ date }) => navOn.has(date))
      const ratios = known.map(({ date, value }) => value / (navOn.get(date) ?? NaN))
      expect(Math.max(...ratios) / Math.min(...ratios)).toBeLessThan(1.0005)
      for (const [first, ...months] of [legal, launch]) {
        expect(new Set(months.map(({ date }) => date.slice(0, 7))).size).toBe(months.length)
        expect([first, ...months].at(-1)?.date).toBe('2026-11-20')
      }
    }
  })
})
