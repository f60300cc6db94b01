/** The funds of a demo database: their numbers, names and exceptions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDemo, temporaryFolder, usual, type DemoDatabase } from './demo-database.ts'

const folder = temporaryFolder()
let small: DemoDatabase
let large: DemoDatabase

beforeAll(async () => {
  small = await makeDemo(folder.file('small.sqlite'))
  large = await makeDemo(folder.file('large.sqlite'), { funds: 300, years: 1 })
})
afterAll(() => {
  small.close()
  large.close()
  folder.remove()
})

/** Luhn over the letters as two-digit numbers: ISO 6166. */
function hasRightCheckDigit(isin: string): boolean {
  const digits = Array.from(isin, (c) => (c >= 'A' ? String(c.charCodeAt(0) - 55) : c)).join('')
  const doubled = Array.from(digits).reverse()
  const sum = doubled.reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}

interface Fund {
  readonly isin: string
  readonly wkn: string | null
  readonly name: string
}

describe('the numbers of the funds', () => {
  it('are checked by a Luhn that knows real ISINs', () => {
    expect(hasRightCheckDigit('DE0008471400')).toBe(true)
    expect(hasRightCheckDigit('US0378331005')).toBe(true)
    expect(hasRightCheckDigit('DE0008471401')).toBe(false)
  })

  it('are valid ISINs, German ones made of their WKN, others with one beside', () => {
    const funds = large.rows<Fund>('SELECT isin, wkn, name FROM fund')
    for (const { isin, wkn } of funds) {
      expect(isin).toMatch(/^(DE000FP[0-9A-HJ-NP-Z]{4}|LU99\d{7}|AT000FP[0-9A-HJ-NP-Z]{4})\d$/)
      expect(hasRightCheckDigit(isin)).toBe(true)
      if (wkn !== null) expect(wkn).toMatch(/^FP[0-9A-HJ-NP-Z]{4}$/)
      if (isin.startsWith('DE')) expect(isin.slice(5, 11)).toBe(wkn)
    }
    expect(new Set(funds.map(({ wkn }) => wkn ?? 'none')).size).toBe(296)
    expect(funds.filter(({ wkn }) => wkn === null)).toHaveLength(5)
  })

  it('come from three countries, most from Germany', () => {
    const counted = Object.groupBy(small.values('SELECT isin FROM fund'), (isin) => isin.slice(0, 2))
    expect(Object.keys(counted).sort()).toEqual(['AT', 'DE', 'LU'])
    expect(counted['DE']?.length).toBe(9)
  })

  it('belong to funds with names of their own, with umlauts and ampersands', () => {
    const names = large.values('SELECT name FROM fund')
    expect(new Set(names).size).toBe(300)
    expect(names.some((name) => name.includes('&'))).toBe(true)
    expect(names.every((name) => name.startsWith('Möwenstein '))).toBe(true)
  })
})

describe('the kinds of fund', () => {
  it('are five, in several currencies', () => {
    const categories = small.values('SELECT category_de FROM profile')
    for (const kind of [
      'Aktienfonds',
      'Rentenfonds',
      'Mischfonds',
      'Offener Immobilienfonds',
      'Geldmarktfonds',
    ])
      expect(categories.some((category) => category.startsWith(kind))).toBe(true)
    expect(small.values('SELECT DISTINCT currency FROM fund ORDER BY 1')).toEqual(['CHF', 'EUR', 'USD'])
  })
})

describe('twelve funds', () => {
  const only = (sql: string) => expect(small.values(sql)).toHaveLength(1)
  const rowless = (table: string) => `SELECT isin FROM fund WHERE isin NOT IN (SELECT isin FROM ${table})`

  it('hold one that nothing may be given out of, though it has data', () => {
    only('SELECT isin FROM fund JOIN profile USING (isin) WHERE data_permitted = 0')
  })

  it('hold one whose prices may not be given out, though it has some', () => {
    only('SELECT DISTINCT isin FROM fund JOIN price USING (isin) WHERE prices_permitted = 0')
  })

  it('hold one whose performance may not be displayed, though it has one', () => {
    only('SELECT DISTINCT isin FROM fund JOIN launch_point USING (isin) WHERE performance_permitted = 0')
  })

  it('hold one that is younger than a year, its prices beginning with its launch', () => {
    const [fund] = small.rows(
      `SELECT fund_inception_date, min(date) AS first FROM fund JOIN price USING (isin)
       WHERE fund_inception_date > '2025-11-20' GROUP BY isin`,
    )
    expect(fund).toEqual({ fund_inception_date: '2026-04-01', first: '2026-04-01' })
  })

  it('hold one of which there is nothing but its row', () => {
    const tables = [
      'price',
      'performance_year',
      'structure_item',
      'key_figure',
      'legal_period',
      'legal_point',
    ]
    const others = ['launch_point', 'profile', 'asset_allocation', 'emt']
    only([...tables, ...others].map(rowless).join(' INTERSECT '))
  })

  it('hold one without a status date and one without a WKN', () => {
    only('SELECT isin FROM fund WHERE status_date IS NULL')
    only('SELECT isin FROM fund WHERE wkn IS NULL')
  })

  it('hold one with prices and structures but without figures, profile, allocations and EMT', () => {
    const lacking = ['key_figure', 'profile', 'asset_allocation', 'emt'].map(rowless).join(' INTERSECT ')
    only(`${lacking} INTERSECT SELECT isin FROM price INTERSECT SELECT isin FROM structure_item`)
  })

  it('were launched before their first price or on its day', () => {
    const late =
      'SELECT isin FROM fund WHERE fund_inception_date > (SELECT min(date) FROM price USING (isin))'
    expect(
      small.values(late.replace('FROM price USING (isin)', 'FROM price WHERE isin = fund.isin')),
    ).toEqual([])
  })

  it('are ordered: every table was filled in the order of its key', () => {
    const isins = small.values('SELECT isin FROM fund')
    expect(isins).toEqual([...isins].sort())
    expect(isins).toHaveLength(usual.funds)
  })
})

describe('the profiles', () => {
  it('have each optional group present and absent', () => {
    for (const column of ['benchmark', 'savings_plan', 'one_time_investment', 'capital_forming_payments'])
      expect(small.values(`SELECT DISTINCT ${column} IS NULL FROM profile ORDER BY 1`)).toEqual([0, 1])
    for (const flag of ['accumulating', 'conformity', 'performance_fee'])
      expect(small.values(`SELECT DISTINCT ${flag} FROM profile ORDER BY 1`)).toEqual([0, 1])
  })

  it('have no minimum where nothing is said of a way to buy', () => {
    for (const way of ['savings_plan', 'one_time_investment', 'capital_forming_payments'])
      expect(
        small.values(`SELECT isin FROM profile WHERE ${way} IS NULL AND ${way}_minimum IS NOT NULL`),
      ).toEqual([])
  })
})

describe('the EMT data', () => {
  it('have every governance process, gaps in the risk indicator and the costs, and costs as fractions', () => {
    expect(small.values('SELECT DISTINCT governanceprocess FROM emt ORDER BY 1')).toEqual([
      'A',
      'B',
      'C',
      'D',
    ])
    for (const column of ['srri', 'ongoing_costs', 'transaction_costs', 'incidental_costs', 'entry_costs'])
      expect(small.values(`SELECT DISTINCT ${column} IS NULL FROM emt ORDER BY 1`)).toEqual([0, 1])
    expect(small.values('SELECT isin FROM emt WHERE ongoing_costs NOT BETWEEN 0.0005 AND 0.03')).toEqual([])
    expect(
      small.values('SELECT isin FROM emt WHERE (ongoing_costs IS NULL) <> (ongoing_costs_date IS NULL)'),
    ).toEqual([])
  })
})

describe('the key figures', () => {
  it('have a decimal comma, a second value sometimes, and one that is not known', () => {
    expect(small.values("SELECT value FROM key_figure WHERE value GLOB '*[0-9].[0-9]*'")).toEqual([])
    const shapes = small.values('SELECT DISTINCT has_value2 || (value2 IS NULL) FROM key_figure ORDER BY 1')
    expect(shapes).toEqual(['01', '10', '11'])
  })
})
