/** Structures and allocations, with two seeds: what adds up, what may be negative, and that every type is there. */
import { describe, expect, it } from 'vitest'
import { structureNames } from '../../src/conform/oracle/facts.ts'
import { demoForTests } from './demo-database.ts'

const demos = [1, 2].map((seed) => demoForTests({ seed, years: 4 }))

const inHundredths = 'sum(CAST(round(percent * 100) AS INTEGER)) AS hundredths'

describe.each(demos.map((demo, at) => [at + 1, demo] as const))('with seed %i', (_, { rows, values }) => {
  it('there are structures of all 33 types', () => {
    expect(structureNames.size).toBe(33)
    const types = values('SELECT DISTINCT type FROM structure_item ORDER BY 1')
    expect(types).toEqual([...structureNames.keys()].sort())
  })

  it('breakdowns add up to exactly 100.00, and lists to less', () => {
    const all = rows<{ isin: string; type: string; hundredths: number }>(
      `SELECT isin, type, ${inHundredths} FROM structure_item WHERE type <> 'correlation' GROUP BY isin, type`,
    )
    const isList = ({ type }: { type: string }) => type.startsWith('top_values')
    const breakdowns = all.filter((structure) => !isList(structure))
    expect(breakdowns.length).toBeGreaterThan(60)
    expect(breakdowns.filter(({ hundredths }) => hundredths !== 10_000)).toEqual([])
    expect(all.filter(isList).filter(({ hundredths }) => hundredths <= 0 || hundredths >= 10_000)).toEqual([])
  })

  it('percents have two decimals, and correlations are between -1 and 1', () => {
    const percents = values<number>('SELECT percent FROM structure_item')
    expect(percents.filter((percent) => Number(percent.toFixed(2)) !== percent)).toEqual([])
    expect(percents.some((percent) => Object.is(percent, -0))).toBe(false)
    const correlations = values<number>("SELECT percent FROM structure_item WHERE type = 'correlation'")
    expect(correlations.every((value) => Math.abs(value) <= 1)).toBe(true)
  })

  it('percents are negative where derivatives hedge, and nowhere else', () => {
    const hedged = ['currencies_derivatives', 'asset_structure_derivatives', 'exposure_asset_structure']
    const negative = values(
      "SELECT DISTINCT type FROM structure_item WHERE percent < 0 AND type <> 'correlation'",
    )
    expect(negative).toEqual(expect.arrayContaining(hedged))
    expect(negative.every((type) => [...hedged, 'terms_derivatives'].includes(type))).toBe(true)
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

  it('allocations add up to 100.00 on each day, with derivatives and without, and name each class once', () => {
    const days = rows<{ hundredths: number; derivatives: number }>(
      `SELECT ${inHundredths}, derivatives FROM asset_allocation GROUP BY isin, derivatives, date`,
    )
    expect(days.length).toBeGreaterThan(500)
    expect(days.filter(({ hundredths }) => hundredths !== 10_000)).toEqual([])
    expect(new Set(days.map(({ derivatives }) => derivatives))).toEqual(new Set([0, 1]))
    const classes = `SELECT isin FROM asset_allocation GROUP BY isin, derivatives
      HAVING count(DISTINCT position) <> count(DISTINCT class_de)
          OR count(DISTINCT position) <> count(DISTINCT coalesce(class_en, class_de))`
    expect(values(classes)).toEqual([])
  })

  it.each([
    [0, 'asset_structure'],
    [1, 'asset_structure_derivatives'],
  ])('allocations with derivatives = %i end with the values of %s', (derivatives, type) => {
    const differing = values(
      `SELECT a.class_de FROM asset_allocation a
       LEFT JOIN structure_item s ON s.isin = a.isin AND s.type = ? AND s.position = a.position
       WHERE a.derivatives = ? AND a.date = '2026-10-30'
         AND a.isin IN (SELECT isin FROM structure_item WHERE type = ?)
         AND (s.name_de IS NOT a.class_de OR s.percent IS NOT a.percent)`,
      ...[type, derivatives, type],
    )
    expect(differing).toEqual([])
  })

  it('allocations are those of the last business days of the last 36 months', () => {
    const dates = values('SELECT DISTINCT date FROM asset_allocation ORDER BY date')
    expect(dates).toHaveLength(36)
    expect(dates.slice(-8).join(' ')).toBe(
      '2026-03-31 2026-04-30 2026-05-29 2026-06-30 2026-07-31 2026-08-31 2026-09-30 2026-10-30',
    )
  })
})
