/** The funds of a demo database: numbers, names, exceptions, figures, breakdowns. */
import { describe, expect, it } from 'vitest'
import { structureNames } from '../../src/extensions/conform/oracle/facts.ts'
import { demoForTests } from './demo-database.ts'

const { rows, values } = demoForTests({ years: 4 })
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

it('ISINs are valid, German ones contain the WKN, and each fund has a name of its own', () => {
  // The check itself knows real ISINs.
  const known = ['DE0008471400', 'US0378331005', 'DE0008471401']
  expect(known.map(hasRightCheckDigit)).toEqual([true, true, false])
  const funds = large.rows<{ isin: string; wkn: string | null; name: string }>('SELECT * FROM fund')
  for (const { isin, wkn, name } of funds) {
    expect(isin).toMatch(/^(DE000FP[0-9A-HJ-NP-Z]{4}|LU99\d{7}|AT000FP[0-9A-HJ-NP-Z]{4})\d$/)
    expect(hasRightCheckDigit(isin)).toBe(true)
    if (isin.startsWith('DE')) expect(isin.slice(5, 11)).toBe(wkn)
    expect(name).toMatch(/^Möwenstein /)
  }
  expect(new Set(funds.map(({ name }) => name)).size).toBe(300)
  expect(new Set(funds.map(({ wkn }) => wkn ?? 'none')).size).toBe(296)
})

it('twelve funds have three countries, three currencies, five kinds and all structure types', () => {
  const counted = 'SELECT substr(isin, 1, 2) || count(*) FROM fund GROUP BY substr(isin, 1, 2)'
  expect(values(counted)).toEqual(['AT1', 'DE9', 'LU2'])
  expect(values('SELECT DISTINCT currency FROM fund ORDER BY 1')).toEqual(['CHF', 'EUR', 'USD'])
  const categories = values('SELECT category_de FROM profile').join()
  for (const kind of 'Aktienfonds Rentenfonds Mischfonds Immobilienfonds Geldmarktfonds'.split(' '))
    expect(categories).toContain(kind)
  const types = values('SELECT DISTINCT type FROM structure_item ORDER BY 1')
  expect(types).toEqual([...structureNames.keys()].sort())
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
    ['that is younger than a year', "SELECT isin FROM fund WHERE fund_inception_date > '2025-11-20'"],
    [
      'with prices and structures, but without figures, profile, allocations and EMT data',
      `${without(...late)}
       INTERSECT SELECT isin FROM price INTERSECT SELECT isin FROM structure_item`,
    ],
  ])('have one fund %s', (_, sql) => {
    expect(values(sql)).toHaveLength(1)
  })
})

it('profiles, EMT data and key figures have each optional value and each flag, present and absent', () => {
  const shapesOf = (table: string, expression: string) =>
    values<number>(`SELECT DISTINCT ${expression} FROM ${table} ORDER BY 1`)
  for (const column of ['benchmark', 'savings_plan', 'one_time_investment', 'capital_forming_payments'])
    expect(shapesOf('profile', `${column} IS NULL`)).toEqual([0, 1])
  for (const flag of ['accumulating', 'conformity', 'performance_fee'])
    expect(shapesOf('profile', flag)).toEqual([0, 1])
  expect(shapesOf('emt', 'governanceprocess')).toEqual(['A', 'B', 'C', 'D'])
  for (const column of ['srri', 'ongoing_costs', 'transaction_costs', 'incidental_costs', 'entry_costs'])
    expect(shapesOf('emt', `${column} IS NULL`)).toEqual([0, 1])
  expect(values('SELECT isin FROM emt WHERE ongoing_costs NOT BETWEEN 0.0005 AND 0.03')).toEqual([])
  expect(values("SELECT value FROM key_figure WHERE value GLOB '*[0-9].[0-9]*'")).toEqual([])
  expect(shapesOf('key_figure', 'has_value2 || (value2 IS NULL)')).toEqual(['01', '10', '11'])
})

const inHundredths = 'sum(CAST(round(percent * 100) AS INTEGER)) AS hundredths'

it('breakdowns and allocations add up to exactly 100.00, and lists to less', () => {
  const all = rows<{ type: string; hundredths: number }>(
    `SELECT type, ${inHundredths} FROM structure_item WHERE type <> 'correlation' GROUP BY isin, type
     UNION ALL SELECT 'allocation', ${inHundredths} FROM asset_allocation GROUP BY isin, derivatives, date`,
  )
  const isList = ({ type }: { type: string }) => type.startsWith('top_values')
  expect(all.filter((one) => !isList(one) && one.hundredths !== 10_000)).toEqual([])
  expect(all.filter(isList).filter(({ hundredths }) => hundredths <= 0 || hundredths >= 10_000)).toEqual([])
  const correlations = values<number>("SELECT percent FROM structure_item WHERE type = 'correlation'")
  expect(correlations.every((value) => Math.abs(value) <= 1)).toBe(true)
})

it('percents have two decimals, and are negative where derivatives hedge, and nowhere else', () => {
  const percents = values<number>(
    'SELECT percent FROM structure_item UNION ALL SELECT percent FROM asset_allocation',
  )
  expect(
    percents.filter((percent) => Number(percent.toFixed(2)) !== percent || Object.is(percent, -0)),
  ).toEqual([])
  const hedged = ['currencies_derivatives', 'asset_structure_derivatives', 'exposure_asset_structure']
  const negative = values('SELECT DISTINCT type FROM structure_item WHERE percent < 0')
  expect(negative).toEqual(expect.arrayContaining(hedged))
  expect(negative.filter((type) => ![...hedged, 'terms_derivatives'].includes(type))).toEqual([])
})

it('the largest holdings come first, positions count from 0, and no name comes twice', () => {
  const rising = `SELECT a.type FROM structure_item a JOIN structure_item b
    ON a.isin = b.isin AND a.type = b.type AND b.position = a.position + 1
    WHERE a.type LIKE 'top_values%' AND b.percent > a.percent`
  expect(values(rising)).toEqual([])
  const gaps = `SELECT isin || type FROM structure_item GROUP BY isin, type
    HAVING min(position) <> 0 OR max(position) <> count(*) - 1 OR count(DISTINCT name_de) <> count(*)`
  expect(values(gaps)).toEqual([])
})

it('some names are English too, none of them like the German one; some hold characters that XML escapes', () => {
  expect(values('SELECT DISTINCT name_en IS NULL FROM structure_item ORDER BY 1')).toEqual([0, 1])
  expect(values('SELECT name_de FROM structure_item WHERE name_de = name_en')).toEqual([])
  const names = values('SELECT name_de FROM structure_item').join()
  for (const character of '&<>"ä') expect(names).toContain(character)
})

it('allocations are those of the last 36 ends of a month, and end with the values of the structures', () => {
  const dates = values('SELECT DISTINCT date FROM asset_allocation ORDER BY date')
  expect(dates).toHaveLength(36)
  expect(dates.slice(-3)).toEqual(['2026-08-31', '2026-09-30', '2026-10-30'])
  const differing = `SELECT a.class_de FROM asset_allocation a JOIN structure_item s
    ON s.isin = a.isin AND s.position = a.position
      AND s.type = iif(a.derivatives, 'asset_structure_derivatives', 'asset_structure')
    WHERE a.date = '2026-10-30' AND (s.name_de IS NOT a.class_de OR s.percent IS NOT a.percent)`
  expect(values(differing)).toEqual([])
})
