/** Files as fund administrators write them: columns of other names, and prices without what follows from the NAVs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDatabase, isinOf, readDatabase } from '../../support/database.ts'
import { repository } from '../../support/folders.ts'
import { importFolder, isins } from './database.ts'
import { dump, plain } from './dialects.ts'

const folder = importFolder()
const [first, second, third] = isins
const schema = readFileSync(join(repository, 'templates/schema.sql'), 'utf8')

const german = { ...plain, encoding: 'windows-1252', decimal: ',', dates: 'german', lineEnd: '\r\n' } as const
const header = ['ISIN', 'Bewertungstag', 'Ausgabepreis', 'Rücknahmepreis', 'Anteilwert', 'Kommentar']
const line = (isin: string, day: string, nav: string) => [isin, day, '106,00', '100,00', nav, 'intern']
const names = {
  Bewertungstag: 'date',
  AUSGABEPREIS: 'issue_price',
  Rücknahmepreis: 'repurchase_price',
  Anteilwert: 'net_asset_value',
}
const mapped = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).flatMap(([source, target]) => ['--map', `${source}=${target}`])

/** Prices of a fund without the issue and repurchase price. */
const pricesOf = (db: string, isin: string) =>
  readDatabase(
    folder.file(db),
    'SELECT date, net_asset_value, change, change_percent, performance FROM price WHERE isin = ? ORDER BY date',
    isin,
  )

const importPrices = (db: string, lines: readonly string[][], ...flags: readonly string[]) =>
  folder.importLines(db, 'price', [header, ...lines], ['--derive', ...flags], german)

describe('import --derive', () => {
  const flags = mapped({ ...names, '*': '' })
  /** Replaces the prices of a fund. */
  const withPrices = (isin: string, ...days: readonly (readonly [string, string])[]) => {
    const db = folder.database()
    const rows = days.map(
      ([day, nav]) => `('${isin}', '${day}', '${nav}', '${nav}', '${nav}', '9', '9', '9', 1, 1, 1, 1)`,
    )
    const insert = rows.length === 0 ? '' : `INSERT INTO price VALUES ${rows.join()}`
    editDatabase(folder.file(db), `DELETE FROM price WHERE isin = '${isin}'; ${insert}`)
    return db
  }
  const old = { change: '9', change_percent: '9', performance: '9' }

  it('computes from the prices before, in the database or in the file', async () => {
    const db = withPrices(first, ['2023-12-28', '90.00'], ['2023-12-29', '80.00'], ['2024-01-02', '82.00'])
    const lines = [
      line(first, '4.1.2024', '79,9975'),
      line(first, '3.1.2024', '81,00'),
      line(third, '3.1.2024', '1'),
    ]
    const { code, stdout } = await importPrices(db, lines, ...flags)
    expect(code).toBe(0)
    expect(stdout).toContain(
      'derived: change, change_percent, performance (since the last price of the year before, distributions reinvested)',
    )
    expect(stdout).not.toContain('derived again')
    expect(pricesOf(db, first)).toEqual([
      { date: '2023-12-28', net_asset_value: '90.00', ...old },
      { date: '2023-12-29', net_asset_value: '80.00', ...old },
      { date: '2024-01-02', net_asset_value: '82.00', ...old },
      {
        date: '2024-01-03',
        net_asset_value: '81.00',
        change: '-1.00',
        change_percent: '-1.22',
        performance: '1.25',
      },
      {
        date: '2024-01-04',
        net_asset_value: '79.9975',
        change: '-1.0025',
        change_percent: '-1.24',
        performance: '0.00',
      },
    ])
    expect(pricesOf(db, third)).toEqual([
      { date: '2024-01-03', net_asset_value: '1', change: '0', change_percent: '0.00', performance: null },
    ])
  })

  it.each([
    ['200', '200,01', '0.01', '0.01'],
    ['200', '199,99', '-0.01', '-0.01'],
    ['200', '200,0099', '0.0099', '0.00'],
    ['200', '199,9901', '-0.0099', '0.00'],
    ['0.000000000000003', '0,000000000000004', '0.000000000000001', '33.33'],
    ['99999999999999999999999', '99999999999999999999998,5', '-0.5', '0.00'],
  ])('is exact and rounds halves away from zero: %s to %s', async (before, nav, change, percent) => {
    const db = withPrices(first, ['2024-01-02', before])
    expect(
      await importPrices(db, [line(first, '3.1.2024', nav)], ...flags, '--decimal', 'comma'),
    ).toMatchObject({ code: 0 })
    expect(pricesOf(db, first)[1]).toMatchObject({ change, change_percent: percent })
  })

  it('derives the performance of the year after again where the file corrects the last price of a year', async () => {
    const days = ['2023-12-28', '2023-12-29', '2024-01-02', '2024-12-30', '2025-01-02'] as const
    const db = withPrices(first, ...days.map((day) => [day, '100'] as const))
    const { stdout } = await importPrices(db, [line(first, '29.12.2023', '80')], ...flags)
    expect(stdout).toContain(`; derived again: 2 later prices, the first of ${first} on 2024-01-02; `)
    expect(pricesOf(db, first).slice(2)).toEqual([
      {
        date: '2024-01-02',
        net_asset_value: '100',
        change: '20',
        change_percent: '25.00',
        performance: '25.00',
      },
      { date: '2024-12-30', net_asset_value: '100', change: '9', change_percent: '9', performance: '25.00' },
      { date: '2025-01-02', net_asset_value: '100', ...old },
    ])
  })

  it('leaves the same prices as an import of all at once, whatever the file adds and corrects', async () => {
    const days = [
      '2022-11-30',
      '2022-12-30',
      '2023-01-02',
      '2023-12-29',
      '2024-01-02',
      '2024-01-03',
      '2025-06-02',
    ]
    // For each day: not there, stored only, of the file only, or stored with one NAV and corrected by the file.
    const nav = fc.integer({ min: 1, max: 30_000 }).map((cents) => (cents / 100).toFixed(2))
    const price = fc.record({ stored: fc.option(nav), given: fc.option(nav) })
    const all = fc.sample(fc.tuple(...days.map(() => price)), { numRuns: 300, seed: 1 })
    const funds = all.map((prices, index) => ({ isin: isinOf(100 + index), prices }))
    const linesOf = (navOf: (one: { stored: string | null; given: string | null }) => string | null) => [
      ['isin', 'date', 'issue_price', 'repurchase_price', 'net_asset_value'],
      ...funds.flatMap(({ isin, prices }) =>
        prices.flatMap((one, index) => {
          const value = navOf(one)
          return value === null ? [] : [[isin, days[index] ?? '', '1', '1', value]]
        }),
      ),
    ]
    const made = [0, 1].map(() => {
      const db = folder.database()
      const rows = funds.map(({ isin }) => `('${isin}', 'n', '2020-01-01', 'u', 'EUR')`)
      const columns = '(isin, name, fund_inception_date, url, currency)'
      editDatabase(folder.file(db), `INSERT INTO fund ${columns} VALUES ${rows.join()}`)
      return db
    })
    const [atOnce = '', inTwo = ''] = made
    const derive = (db: string, lines: readonly string[][]) =>
      folder.importLines(db, 'price', lines, ['--derive'])
    for (const [db, lines] of [
      [atOnce, linesOf(({ stored, given }) => given ?? stored)],
      [inTwo, linesOf(({ stored }) => stored)],
      [inTwo, linesOf(({ given }) => given)],
    ] as const)
      expect(await derive(db, lines)).toMatchObject({ code: 0, stderr: '' })
    const expected = dump(folder.file(atOnce), 'price').rows
    expect(expected.length).toBeGreaterThan(1000)
    expect(dump(folder.file(inTwo), 'price').rows).toEqual(expected)
  })

  it('takes no price before from rows that --replace removes', async () => {
    const db = withPrices(first, ['2024-01-02', '50'])
    await importPrices(
      db,
      [line(first, '3.1.2024', '102')],
      ...flags,
      '--replace',
      '--force',
      '--reason',
      'r',
    )
    expect(pricesOf(db, first)).toEqual([
      { date: '2024-01-03', net_asset_value: '102', change: '0', change_percent: '0.00', performance: null },
    ])
  })

  it('keeps a column that the file has', async () => {
    const db = withPrices(second, ['2024-01-02', '100'])
    const lines = [
      ['isin', 'date', 'issue_price', 'repurchase_price', 'net_asset_value', 'performance'],
      [second, '2024-01-03', '1', '1', '110', '7.5'],
    ]
    const { stdout } = await folder.importLines(db, 'price', lines, ['--derive'])
    expect(stdout).toMatch(/derived: change, change_percent\n/)
    expect(pricesOf(db, second)[1]).toEqual({
      date: '2024-01-03',
      net_asset_value: '110',
      change: '10',
      change_percent: '10.00',
      performance: '7.5',
    })
  })

  const months = (...days: readonly string[]) => days.map((day) => [day, '50'] as const)
  it.each<[string, readonly (readonly [string, string])[], string | null]>([
    ['of 30 December', months('2023-12-29', '2025-12-30'), '10.00'],
    ['of the first of the last ten days', months('2025-12-19', '2025-12-21'), '10.00'],
    ['before the last ten days, of a fund priced daily', months('2025-12-18', '2025-12-19'), null],
    ['a week before the last one, of a fund priced weekly', months('2025-12-09', '2025-12-16'), null],
    ['of the middle of December, of a fund priced monthly', months('2025-11-14', '2025-12-15'), '10.00'],
    ['of October, of a fund priced monthly', months('2025-08-31', '2025-09-30', '2025-10-31'), null],
    ['of November, of a fund priced twice a year', months('2024-11-29', '2025-05-30', '2025-11-28'), '10.00'],
    ['of three years ago: the fund was suspended', months('2022-02-28', '2022-03-01'), null],
    [
      'of two years ago, of a fund priced once a year',
      months('2022-12-30', '2023-12-29', '2024-12-30'),
      null,
    ],
    ['that does not exist: the fund is young', [], null],
  ])('counts a performance from the last price of the year before: %s', async (_, stored, performance) => {
    const db = withPrices(first, ...stored)
    const { stdout } = await importPrices(db, [line(first, '2.3.2026', '55')], ...flags)
    expect(pricesOf(db, first).at(-1)?.['performance']).toBe(performance)
    const without = `without a performance: 1 price of ${first} on 2026-03-02, since no price is of the end of the year before`
    expect(stdout.includes(without)).toBe(performance === null)
  })

  it('derives a performance when the price of the end of the year arrives late', async () => {
    const db = withPrices(first, ['2025-11-28', '50'])
    await importPrices(db, [line(first, '2.3.2026', '55')], ...flags)
    expect(pricesOf(db, first).at(-1)?.['performance']).toBeNull()
    await importPrices(db, [line(first, '30.12.2025', '44')], ...flags)
    expect(pricesOf(db, first).at(-1)).toEqual({
      date: '2026-03-02',
      net_asset_value: '55',
      change: '11',
      change_percent: '25.00',
      performance: '25.00',
    })
  })

  it('says what to do with a database that demands a performance', async () => {
    const db = withPrices(first)
    const sql = /CREATE TABLE price[^;]+;/.exec(
      schema.replace(/(\n {2}performance +TEXT)/, '$1 NOT NULL'),
    )?.[0]
    editDatabase(folder.file(db), `DROP TABLE price; ${sql ?? ''}`)
    const ended = await importPrices(db, [line(first, '2.3.2026', '55')], ...flags)
    const reason =
      'the database takes no row without price.performance, unlike templates/schema.sql: ' +
      'make a new one (`fundpress init`) and fill it again'
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
    expect(pricesOf(db, first)).toEqual([])
  })

  it('is refused after a NAV of 0, and for another table', async () => {
    const db = withPrices(first, ['2024-01-02', '0.00'])
    const ended = await importPrices(db, [line(first, '3.1.2024', '1')], ...flags)
    const reason = `${first}, 2024-01-03: nothing can be derived, because an earlier NAV is 0`
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
    const other = await folder.importLines(db, 'emt', [['isin']], ['--derive'])
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('--derive is for table price') })
  })
})
