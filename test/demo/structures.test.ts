/** Structures and allocations: what adds up, what may lie below nothing, and that every type is there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeDemo, temporaryFolder, type DemoDatabase } from './demo-database.ts'

const folder = temporaryFolder()
const demos: DemoDatabase[] = []

beforeAll(async () => {
  for (const seed of [1, 2, 3]) demos.push(await makeDemo(folder.file(`${seed}.sqlite`), { seed, years: 4 }))
})
afterAll(() => {
  for (const demo of demos) demo.close()
  folder.remove()
})

/** As the interface lists them. */
const types =
  'asset_structure asset_structure_derivatives asset_structure_classes business_sectors countries currencies ' +
  'currencies_derivatives terms funds_categories industrial_sectors industrial_sectors_stoxx_sector ' +
  'industrial_sectors_stoxx terms_derivatives securities segments correlation degree_of_investment ' +
  'exposure_asset_structure individual_asset_structure_1 individual_asset_structure_2 ' +
  'individual_asset_structure_3 individual_asset_structure_4 individual_asset_structure_5 index_structure ' +
  'lease_terms precious_metals age_groups market_capitalization top_values_bonds top_values_certificates ' +
  'top_values_funds top_values top_values_securities'

const isList = (type: string) => type.startsWith('top_values') || type === 'correlation'

describe('the structures of twelve funds', () => {
  it('are of all 33 types, whatever the seed', () => {
    expect(types.split(' ')).toHaveLength(33)
    for (const demo of demos)
      expect(demo.values('SELECT DISTINCT type FROM structure_item ORDER BY 1')).toEqual(
        types.split(' ').sort(),
      )
  })

  it('add up to exactly 100.00 where they break a fund down', () => {
    for (const demo of demos) {
      const structures = demo.rows<{ isin: string; type: string; hundredths: number }>(
        `SELECT isin, type, sum(CAST(round(percent * 100) AS INTEGER)) AS hundredths
         FROM structure_item GROUP BY isin, type`,
      )
      const breakdowns = structures.filter(({ type }) => !isList(type))
      expect(breakdowns.length).toBeGreaterThan(60)
      expect(breakdowns.filter(({ hundredths }) => hundredths !== 10_000)).toEqual([])
      const lists = structures.filter(({ type }) => type.startsWith('top_values'))
      expect(lists.filter(({ hundredths }) => hundredths <= 0 || hundredths >= 10_000)).toEqual([])
    }
  })

  it('have percents of two decimals and correlations between -1 and 1', () => {
    for (const demo of demos) {
      const percents = demo.values<number>('SELECT percent FROM structure_item')
      expect(percents.filter((percent) => Number(percent.toFixed(2)) !== percent)).toEqual([])
      expect(percents.some((percent) => Object.is(percent, -0))).toBe(false)
      const correlations = "SELECT percent FROM structure_item WHERE type = 'correlation'"
      expect(demo.values<number>(correlations).every((value) => Math.abs(value) <= 1)).toBe(true)
    }
  })

  it('lie below nothing where derivatives hedge, and nowhere else', () => {
    const below = ['currencies_derivatives', 'asset_structure_derivatives', 'exposure_asset_structure']
    for (const demo of demos) {
      const negative = demo.values(
        "SELECT DISTINCT type FROM structure_item WHERE percent < 0 AND type <> 'correlation'",
      )
      expect(negative).toEqual(expect.arrayContaining(below))
      expect(negative.every((type) => [...below, 'terms_derivatives'].includes(type))).toBe(true)
    }
  })

  it('list the largest holdings first', () => {
    for (const demo of demos) {
      const rising = demo.values(
        `SELECT a.type FROM structure_item a JOIN structure_item b
         ON a.isin = b.isin AND a.type = b.type AND b.position = a.position + 1
         WHERE a.type LIKE 'top_values%' AND b.percent > a.percent`,
      )
      expect(rising).toEqual([])
    }
  })

  it('count positions from 0 and name no item twice', () => {
    for (const demo of demos) {
      const gaps =
        'HAVING min(position) <> 0 OR max(position) <> count(*) - 1 OR count(DISTINCT name_de) <> count(*)'
      expect(demo.values(`SELECT isin || type FROM structure_item GROUP BY isin, type ${gaps}`)).toEqual([])
    }
  })

  it('have English names, none where the German one does, and characters that XML escapes', () => {
    for (const demo of demos) {
      expect(demo.values('SELECT DISTINCT name_en IS NULL FROM structure_item ORDER BY 1')).toEqual([0, 1])
      expect(demo.values('SELECT name_de FROM structure_item WHERE name_de = name_en')).toEqual([])
      const names = demo.values('SELECT name_de FROM structure_item').join()
      for (const character of '&<>"ä') expect(names).toContain(character)
    }
  })
})

describe('the allocations over time', () => {
  it('add up to 100.00 on each day, with derivatives and without', () => {
    for (const demo of demos) {
      const days = demo.rows<{ hundredths: number; classes: number; derivatives: number }>(
        `SELECT sum(CAST(round(percent * 100) AS INTEGER)) AS hundredths, count(*) AS classes, derivatives
         FROM asset_allocation GROUP BY isin, derivatives, date`,
      )
      expect(days.length).toBeGreaterThan(500)
      expect(days.filter(({ hundredths }) => hundredths !== 10_000)).toEqual([])
      expect(new Set(days.map(({ derivatives }) => derivatives))).toEqual(new Set([0, 1]))
    }
  })

  it('stand at the last business days of the last 36 months, or of those since the launch', () => {
    const dates = demos[0]?.values('SELECT DISTINCT date FROM asset_allocation ORDER BY date') ?? []
    expect(dates).toHaveLength(36)
    expect(dates.slice(-8)).toEqual(
      '2026-03-31 2026-04-30 2026-05-29 2026-06-30 2026-07-31 2026-08-31 2026-09-30 2026-10-30'.split(' '),
    )
  })

  it('end where the asset structure of the fund stands', () => {
    for (const demo of demos) {
      const compare = (derivatives: number, type: string) =>
        demo.values(
          `SELECT a.class_de FROM asset_allocation a
           LEFT JOIN structure_item s ON s.isin = a.isin AND s.type = ? AND s.position = a.position
           WHERE a.derivatives = ? AND a.date = '2026-10-30'
             AND a.isin IN (SELECT isin FROM structure_item WHERE type = ?)
             AND (s.name_de IS NOT a.class_de OR s.percent IS NOT a.percent)`,
          type,
          derivatives,
          type,
        )
      expect(compare(0, 'asset_structure')).toEqual([])
      expect(compare(1, 'asset_structure_derivatives')).toEqual([])
    }
  })

  it('name each class once in each language', () => {
    for (const demo of demos) {
      const classes = `SELECT isin FROM asset_allocation GROUP BY isin, derivatives
        HAVING count(DISTINCT position) <> count(DISTINCT class_de)
            OR count(DISTINCT position) <> count(DISTINCT coalesce(class_en, class_de))`
      expect(demo.values(classes)).toEqual([])
    }
  })
})
