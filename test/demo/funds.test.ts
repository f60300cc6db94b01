/** The funds of a demo database: their numbers, names and exceptions. */
import { describe, expect, it } from 'vitest'
import { demoForTests, usual } from './demo-database.ts'

const small = demoForTests()
const large = demoForTests({ funds: 300, years: 1 })

/** Luhn over the letters as two-digit numbers: ISO 6166. */
function hasRightCheckDigit(isin: string): boolean {
  const digits = Array.from(isin, (c) => (c >= 'A' ? String(c.charCodeAt(0) - 55) : c)).join('')
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

describe('numbers and names', () => {
  it('the ISINs are valid; German ones contain the WKN', () => {
    // The check itself knows real ISINs.
    const known = ['DE0008471400', 'US0378331005', 'DE0008471401']
    expect(known.map(hasRightCheckDigit)).toEqual([true, true, false])
    const funds = large.rows<{ isin: string; wkn: string | null }>('SELECT isin, wkn FROM fund')
    for (const { isin, wkn } of funds) {
      expect(isin).toMatch(/^(DE000FP[0-9A-HJ-NP-Z]{4}|LU99\d{7}|AT000FP[0-9A-HJ-NP-Z]{4})\d$/)
      expect(hasRightCheckDigit(isin)).toBe(true)
      if (wkn !== null) expect(wkn).toMatch(/^FP[0-9A-HJ-NP-Z]{4}$/)
      if (isin.startsWith('DE')) expect(isin.slice(5, 11)).toBe(wkn)
    }
    expect(new Set(funds.map(({ wkn }) => wkn ?? 'none')).size).toBe(296)
    expect(funds.filter(({ wkn }) => wkn === null)).toHaveLength(5)
  })

  it('each fund has a name of its own; there are umlauts and ampersands', () => {
    const names = large.values('SELECT name FROM fund')
    expect(new Set(names).size).toBe(300)
    expect(names.some((name) => name.includes('&'))).toBe(true)
    expect(names.every((name) => name.startsWith('Möwenstein '))).toBe(true)
  })

  it('there are three countries, mostly Germany, three currencies and five kinds of fund', () => {
    const counted = 'SELECT substr(isin, 1, 2) || count(*) FROM fund GROUP BY substr(isin, 1, 2)'
    expect(small.values(counted)).toEqual(['AT1', 'DE9', 'LU2'])
    expect(small.values('SELECT DISTINCT currency FROM fund ORDER BY 1')).toEqual(['CHF', 'EUR', 'USD'])
    const categories = small.values('SELECT category_de FROM profile').join()
    for (const kind of 'Aktienfonds Rentenfonds Mischfonds Immobilienfonds Geldmarktfonds'.split(' '))
      expect(categories).toContain(kind)
  })
})

describe('twelve funds', () => {
  const without = (...tables: readonly string[]) =>
    tables
      .map((table) => `SELECT isin FROM fund WHERE isin NOT IN (SELECT isin FROM ${table})`)
      .join(' INTERSECT ')
  const denied = (permission: string, table: string) =>
    `SELECT DISTINCT isin FROM fund JOIN ${table} USING (isin) WHERE ${permission} = 0`
  const late = ['key_figure', 'profile', 'asset_allocation', 'emt']
  const others = 'price performance_year structure_item legal_period legal_point launch_point'.split(' ')

  it.each([
    ['that is denied though it has data', denied('data_permitted', 'profile')],
    ['whose prices are denied though it has some', denied('prices_permitted', 'price')],
    ['whose performance is denied though it has one', denied('performance_permitted', 'launch_point')],
    ['with nothing but its row', without(...late, ...others)],
    ['without a status date', 'SELECT isin FROM fund WHERE status_date IS NULL'],
    ['without a WKN', 'SELECT isin FROM fund WHERE wkn IS NULL'],
    [
      'with prices and structures, but without figures, profile, allocations and EMT data',
      `${without(...late)}
       INTERSECT SELECT isin FROM price INTERSECT SELECT isin FROM structure_item`,
    ],
  ])('have one fund %s', (_, sql) => {
    expect(small.values(sql)).toHaveLength(1)
  })

  it('have one fund that is younger than a year; its first price is on the day of its launch', () => {
    const young = small.rows(
      `SELECT fund_inception_date, min(date) AS first FROM fund JOIN price USING (isin)
       WHERE fund_inception_date > '2025-11-20' GROUP BY isin`,
    )
    expect(young).toEqual([{ fund_inception_date: '2026-04-01', first: '2026-04-01' }])
  })

  it('were launched on the day of their first price or before', () => {
    const late = `SELECT isin FROM fund
      WHERE fund_inception_date > (SELECT min(date) FROM price WHERE isin = fund.isin)`
    expect(small.values(late)).toEqual([])
  })

  it('are in the order of their ISINs', () => {
    const isins = small.values('SELECT isin FROM fund')
    expect(isins).toEqual([...isins].sort())
    expect(isins).toHaveLength(usual.funds)
  })
})

describe('figures', () => {
  const shapesOf = (table: string, expression: string) =>
    small.values<number>(`SELECT DISTINCT ${expression} FROM ${table} ORDER BY 1`)

  it('profiles have each optional group and each flag, present and absent', () => {
    for (const column of ['benchmark', 'savings_plan', 'one_time_investment', 'capital_forming_payments'])
      expect(shapesOf('profile', `${column} IS NULL`)).toEqual([0, 1])
    for (const flag of ['accumulating', 'conformity', 'performance_fee'])
      expect(shapesOf('profile', flag)).toEqual([0, 1])
    for (const way of ['savings_plan', 'one_time_investment', 'capital_forming_payments']) {
      const odd = `SELECT isin FROM profile WHERE ${way} IS NULL AND ${way}_minimum IS NOT NULL`
      expect(small.values(odd)).toEqual([])
    }
  })

  it('EMT data have every governance process, gaps in indicator and costs, and costs as fractions', () => {
    expect(shapesOf('emt', 'governanceprocess')).toEqual(['A', 'B', 'C', 'D'])
    for (const column of ['srri', 'ongoing_costs', 'transaction_costs', 'incidental_costs', 'entry_costs'])
      expect(shapesOf('emt', `${column} IS NULL`)).toEqual([0, 1])
    expect(small.values('SELECT isin FROM emt WHERE ongoing_costs NOT BETWEEN 0.0005 AND 0.03')).toEqual([])
    expect(shapesOf('emt', '(ongoing_costs IS NULL) = (ongoing_costs_date IS NULL)')).toEqual([1])
  })

  it('key figures have a decimal comma; some have a second value, and some a second one that is unknown', () => {
    expect(small.values("SELECT value FROM key_figure WHERE value GLOB '*[0-9].[0-9]*'")).toEqual([])
    expect(shapesOf('key_figure', 'has_value2 || (value2 IS NULL)')).toEqual(['01', '10', '11'])
  })
})
