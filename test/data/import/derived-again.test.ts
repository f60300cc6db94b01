/** What is derived follows from NAVs and corporate actions, whatever the order in which they come. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { readMark } from '../../../src/core/data/read/complete.ts'
import { editDatabase } from '../../support/database.ts'
import { run } from '../../cli/run.ts'
import { importFolder, isins } from './database.ts'
import { dump, plain } from './dialects.ts'

const folder = importFolder()
const [isin] = isins

const navs = [
  ['2023-12-29', '100.00'],
  ['2024-01-02', '102.00'],
  ['2024-01-03', '99.00'],
  ['2024-01-04', '49.50'],
  ['2024-01-05', '52.00'],
] as const
const prices = navs.map(([day, nav]) => [isin, day, nav, nav, nav])
const actions = [
  [isin, '2024-01-03', 'distribution', '5.00', 'EUR', ''],
  [isin, '2024-01-04', 'split', '', '', '2'],
]
const actionHeader = ['isin', 'ex_date', 'kind', 'amount', 'currency', 'factor']
const priceHeader = ['isin', 'date', 'issue_price', 'repurchase_price', 'net_asset_value']

const database = () => {
  const db = folder.database()
  editDatabase(
    folder.file(db),
    `DELETE FROM price WHERE isin = '${isin}'; DELETE FROM corporate_action; UPDATE fund SET currency = 'EUR' WHERE isin = '${isin}'`,
  )
  return db
}
const importPrices = (db: string, lines: readonly (readonly string[])[] = prices) =>
  folder.importLines(db, 'price', [priceHeader, ...lines], ['--derive'], plain)
const importActions = (
  db: string,
  lines: readonly (readonly string[])[] = actions,
  ...flags: readonly string[]
) => folder.importLines(db, 'corporate_action', [actionHeader, ...lines], flags, plain)
const figuresOf = (file: string) =>
  dump(file, 'price', 'isin, date, change, change_percent, performance')
    .rows.filter(([own]) => own === isin)
    .map(([, day, ...figures]) => [day, ...figures].join(' '))
const figures = (db: string) => figuresOf(folder.file(db))

const right = [
  '2023-12-29 0.00 0.00 ',
  '2024-01-02 2.00 2.00 2.00',
  // 99 with 5 of them paid: 104 of 100.
  '2024-01-03 -3.00 -2.94 4.00',
  '2024-01-04 0.00 0.00 4.00',
  '2024-01-05 2.50 5.05 9.25',
]
const without = [
  '2023-12-29 0.00 0.00 ',
  '2024-01-02 2.00 2.00 2.00',
  '2024-01-03 -3.00 -2.94 -1.00',
  '2024-01-04 -49.50 -50.00 -50.50',
  '2024-01-05 2.50 5.05 -48.00',
]

describe('derived figures', () => {
  it('are right when corporate actions come first', async () => {
    const db = database()
    await importActions(db)
    await importPrices(db)
    expect(figures(db)).toEqual(right)
  })

  it('are derived again when corporate actions come later, change or go', async () => {
    const db = database()
    await importPrices(db)
    expect(figures(db)).toEqual(without)
    const { stdout } = await importActions(db)
    expect(stdout).toContain(
      `derived again, since corporate actions have changed: 3 prices, the first of ${isin} on 2024-01-03`,
    )
    expect(figures(db)).toEqual(right)
    const again = await importActions(db)
    expect(again.stdout).not.toContain('derived again')
    await importActions(db, actions.slice(0, 1), '--replace', '--allow', 'removed-rows', '--reason', 'test')
    expect(figures(db)).toEqual([
      ...right.slice(0, 3),
      '2024-01-04 -49.50 -50.00 -48.00',
      '2024-01-05 2.50 5.05 -45.37',
    ])
  })

  it('are derived again by the next import of prices when another program has changed the actions', async () => {
    const db = database()
    await importPrices(db, prices.slice(0, 4))
    await importActions(db, actions.slice(0, 1))
    editDatabase(
      folder.file(db),
      `INSERT INTO corporate_action VALUES ('${isin}', '2024-01-04', 'split', NULL, NULL, '2', NULL)`,
    )
    await importPrices(db, prices.slice(4))
    expect(figures(db)).toEqual(right)
  })

  it('are right in a snapshot when another program has changed the actions since, and the database stays as it is', async () => {
    const db = database()
    await importPrices(db)
    const rows = actions.map(([own, day, kind, amount, currency, factor]) =>
      [own, day, kind, amount, currency, factor, '']
        .map((cell) => (cell === '' ? 'NULL' : `'${cell ?? ''}'`))
        .join(),
    )
    editDatabase(folder.file(db), `INSERT INTO corporate_action VALUES (${rows.join('), (')})`)
    const made = `--db ${db} --as-of 2024-05-03`
    const checked = await run(`check ${made} --json`, { cwd: folder.path })
    expect(checked.stdout).not.toContain(`"isin":"${isin}","table":"price","message":"performance`)
    const { code, stderr } = await run(`build ${made} --out out --jobs 1`, { cwd: folder.path })
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('rror') })
    const file = folder.file(join('out/api/v1/prices-current', isin, 'index.json'))
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      prices: { performance: { value: '9.25' } },
    })
    expect(figures(db)).toEqual(without)
    expect(readdirSync(folder.file('out')).filter((name) => name.includes('derived'))).toEqual([])
    expect(existsSync(folder.file('out/corporate-actions.json'))).toBe(true)
  })

  it('are not changed by a dry run', async () => {
    const db = database()
    await importPrices(db)
    await importActions(db, actions, '--dry-run')
    expect(figures(db)).toEqual(without)
  })

  it("stay the company's own where they are not what the NAVs gave", async () => {
    const db = database()
    await importPrices(db)
    editDatabase(
      folder.file(db),
      `UPDATE price SET performance = '4.01' WHERE isin = '${isin}' AND date = '2024-01-04'`,
    )
    await importActions(db)
    expect(figures(db)[3]).toBe('2024-01-04 0.00 0.00 4.01')
  })

  it('of a company that delivers all of them are never derived', async () => {
    const db = database()
    const header = [...priceHeader, 'change', 'change_percent', 'performance']
    const lines = prices.map((line, index) => [...line, ...(without[index] ?? '').split(' ').slice(1)])
    await folder.importLines(db, 'price', [header, ...lines], [], plain)
    const { stdout } = await importActions(db)
    expect(stdout).not.toContain('derived again')
    expect(figures(db)).toEqual(without)
  })

  it('are noted where prices change: a load that was complete stays complete if none does', async () => {
    const db = database()
    const header = [...priceHeader, 'change', 'change_percent', 'performance']
    const lines = prices.map((line, index) => [...line, ...(without[index] ?? '').split(' ').slice(1)])
    await folder.importLines(db, 'price', [header, ...lines], ['--complete'], plain)
    const mark = () => readMark(new Database(folder.file(db), { readonly: true }))
    expect(mark()).toMatchObject({ isWhole: true })
    const { stdout } = await importPrices(db)
    expect(stdout).toMatch(/price +0 new, 0 changed, 5 unchanged/)
    expect(mark()).toMatchObject({ isWhole: true })
  })
})
