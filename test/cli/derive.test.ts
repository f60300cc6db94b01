/** `fundpress derive`, and what nights derive: a company that has NAVs and distributions has every performance endpoint. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { editDatabase, isinOf, readDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { run } from './run.ts'

const folder = tempFolder()
const here = { cwd: folder.path }
const ask = async (line: string) => {
  const { code, stdout, stderr } = await run(line, here)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}
const accumulating = isinOf(1)
const distributing = isinOf(2)
const young = isinOf(3)
const asOf = '2026-11-20'

const lines = (rows: readonly (readonly (string | number)[])[]) =>
  rows.map((row) => row.join(';')).join('\n') + '\n'
const write = (name: string, rows: readonly (readonly (string | number)[])[]) =>
  writeFileSync(folder.file(name), lines(rows))

const mondays = (from: string) => {
  const days: string[] = []
  for (let day = Date.parse(from); day <= Date.parse('2026-11-16'); day += 7 * 86_400_000)
    days.push(new Date(day).toISOString().slice(0, 10))
  return days
}
/** NAVs grow by a cent a week, and fall by what is paid. */
const navs = (isin: string, from: string, paid: (day: string) => number = () => 0) =>
  mondays(from).map((day, week) => [isin, day, (50 + week / 100 - paid(day)).toFixed(2)])

write('funds.csv', [
  ['isin', 'wkn', 'name', 'fund_inception_date', 'url', 'currency'],
  [accumulating, '', 'Keeps', '2019-01-07', 'https://funds.example/1', 'EUR'],
  [distributing, '', 'Pays', '2019-01-07', 'https://funds.example/2', 'EUR'],
  [young, '', 'Young', '2026-03-02', 'https://funds.example/3', 'EUR'],
])
write('navs.csv', [
  ['isin', 'date', 'net_asset_value'],
  ...navs(accumulating, '2019-01-07'),
  ...navs(distributing, '2019-01-07', (day) => (day < '2025-06-16' ? 0 : 1.25)),
  ...navs(young, '2026-03-02'),
])
write('actions.csv', [
  ['isin', 'ex_date', 'kind', 'amount', 'currency'],
  [distributing, '2025-06-16', 'distribution', '1.25', 'EUR'],
])

let count = 0
/** A database with funds, NAVs and distributions, and nothing else. */
async function database(): Promise<string> {
  const name = `${count++}.sqlite`
  await ask(`init --db ${name}`)
  await ask(`import fund funds.csv --db ${name} --no-backup`)
  await ask(`import corporate_action actions.csv --db ${name} --no-backup`)
  await ask(`import price navs.csv --db ${name} --derive --no-backup`)
  return name
}
const answer = (out: string, path: string) =>
  JSON.parse(readFileSync(folder.file(join(out, 'api/v1', path, 'index.json')), 'utf8')) as Readonly<
    Record<string, unknown>
  >
const rowsOf = (db: string, table: string, isin = accumulating) =>
  readDatabase(folder.file(db), `SELECT * FROM ${table} WHERE isin = ? ORDER BY 1, 2`, isin)
const build = (db: string, ...more: readonly string[]) =>
  ask(['build', '--db', db, '--as-of', asOf, '--jobs', '1', '--out', `${db}.out`, ...more].join(' '))

describe('a company with NAVs and distributions only', () => {
  it('has answers at every performance endpoint, without a setting', async () => {
    const db = await database()
    const before = statSync(folder.file(db)).mtimeMs
    await build(db)
    const years = { '2020': 1.03, '2021': 1.02, '2022': 1.01, '2023': 1, '2024': 1.01, '2025': 0.98 }
    expect(answer(`${db}.out`, `performance-years/${accumulating}`)['years']).toEqual(years)
    // From 53.12 to 52.39, and 1.25 buys shares at 52.11.
    const paid = { ...years, '2025': 0.99 }
    expect(answer(`${db}.out`, `performance-years/${distributing}`)['years']).toEqual(paid)
    expect(Object.keys(answer(`${db}.out`, 'performance-years-all')['funds'] as object)).toEqual([
      accumulating,
      distributing,
    ])
    const legal = answer(`${db}.out`, `performance-legal/${accumulating}`)['performance'] as Readonly<
      Record<'periods' | 'line' | 'bargross' | 'barnet', object>
    >
    expect(legal.bargross).toEqual({ '2022': 1.01, '2023': 1, '2024': 0.99, '2025': 0.98, '2026': 0.99 })
    expect(legal.barnet).toEqual({})
    expect(legal.line).toHaveLength(62)
    const launch = answer(`${db}.out`, `performance-launch/${accumulating}`)['performance']
    expect(launch).toHaveLength(96)
    expect((launch as readonly object[])[0]).toEqual({ x: Date.parse('2019-01-07'), y: 100 })
    expect(answer(`${db}.out`, `prices-current/${accumulating}`)).toMatchObject({
      prices: { issue_price: { value: '54.10' }, performance: { value: '0.86' } },
    })
    // A night derives on a copy.
    expect(statSync(folder.file(db)).mtimeMs).toBe(before)
    expect(rowsOf(db, 'performance_year')).toEqual([])
  })

  it('has the rows that `derive` writes', async () => {
    const db = await database()
    const derived = await database()
    expect(await ask(`derive --db ${derived}`)).toBe(
      [
        `database          ${derived}`,
        'price             0 new rows of 0 funds',
        'performance_year  12 new rows of 2 funds, 1 fund whose prices give none',
        'legal_period      10 new rows of 2 funds, 1 fund whose prices give none',
        'legal_point       124 new rows of 2 funds, 1 fund whose prices give none',
        'launch_point      202 new rows of 3 funds',
        '',
      ].join('\n'),
    )
    await build(db)
    await build(derived)
    const [one, other] = [db, derived].map(
      (name) =>
        JSON.parse(
          readFileSync(
            folder.file(`${name}.out/api/v1/performance-legal/${distributing}/index.json`),
            'utf8',
          ),
        ) as unknown,
    )
    expect(one).toEqual(other)
  })

  it('has no findings', async () => {
    const db = await database()
    const checked = await run(`check --db ${db} --as-of ${asOf} --json`, here)
    expect(JSON.parse(checked.stdout)).toMatchObject({ errors: 0, findings: [] })
  })
})

describe('derive', () => {
  it('tells programs what it has done, and with --dry-run changes nothing', async () => {
    const db = await database()
    const before = readFileSync(folder.file(db))
    const told = JSON.parse(await ask(`derive --db ${db} --dry-run --json`)) as object
    expect(told).toMatchObject({
      database: db,
      dryRun: true,
      tables: {
        price: { mode: 'missing', funds: 0, rows: 0, kept: 0, without: 0 },
        performance_year: { mode: 'missing', funds: 2, rows: 12, kept: 0, without: 1 },
      },
      again: { count: 0, first: '' },
      doubts: [],
    })
    expect(readFileSync(folder.file(db)).equals(before)).toBe(true)
  })

  it('leaves figures of the company, derives again what it has derived, and changes no more than that', async () => {
    const db = await database()
    editDatabase(folder.file(db), `INSERT INTO performance_year VALUES ('${accumulating}', 2024, 1.23)`)
    await ask(`derive --db ${db}`)
    expect(rowsOf(db, 'performance_year')).toEqual([{ isin: accumulating, year: 2024, percent: 1.23 }])
    write('next.csv', [
      ['isin', 'date', 'net_asset_value'],
      [distributing, '2026-11-20', '60.00'],
    ])
    await ask(`import price next.csv --db ${db} --derive --no-backup`)
    const last = () => rowsOf(db, 'launch_point', distributing).at(-1)
    expect(last()).toMatchObject({ date: '2026-11-16' })
    expect(await ask(`derive --db ${db}`)).toContain('legal_point       1 new row of 1 fund')
    expect(last()).toMatchObject({ date: '2026-11-20' })
    expect(await ask(`derive --db ${db}`)).toContain('legal_point       0 new rows of 0 funds')
    // Rows that somebody has written since are the company's own.
    editDatabase(
      folder.file(db),
      `UPDATE launch_point SET value = 7 WHERE isin = '${distributing}' AND date > '2026-11-01'`,
    )
    expect(await ask(`derive --db ${db}`)).toContain(
      'launch_point      0 new rows of 0 funds, 1 fund with own figures',
    )
  })

  it('replaces figures of the company where the setting says `derived`, and nothing where it says `delivered`', async () => {
    const db = await database()
    editDatabase(folder.file(db), `INSERT INTO performance_year VALUES ('${accumulating}', 2024, 1.23)`)
    writeFileSync(
      folder.file('derive.json'),
      JSON.stringify({ derive: { performance_year: 'derived', launch_point: 'delivered' } }),
    )
    const text = await ask(`derive --db ${db} --config derive.json`)
    expect(text).toContain('performance_year  12 new rows of 2 funds')
    expect(text).toContain('launch_point      as delivered')
    expect(rowsOf(db, 'performance_year')).toHaveLength(6)
    expect(rowsOf(db, 'launch_point')).toEqual([])
    await build(db, '--config', 'derive.json')
    expect(() => answer(`${db}.out`, `performance-launch/${accumulating}`)).toThrow()
  })

  it('gives prices the performance that they lack, and keeps a load complete', async () => {
    const db = await database()
    await ask(`import --complete --db ${db}`)
    editDatabase(folder.file(db), `UPDATE price SET performance = NULL; UPDATE complete_load SET changed = 0`)
    expect(await ask(`derive --db ${db}`)).toContain('price             718 new rows of 2 funds')
    expect(rowsOf(db, 'price').at(-1)).toMatchObject({ performance: '0.86' })
    expect(readDatabase(folder.file(db), 'SELECT day, changed FROM complete_load')).toEqual([
      { day: '2026-11-16', changed: 0 },
    ])
  })

  it('derives nothing from prices that may not be given out', async () => {
    const db = await database()
    editDatabase(folder.file(db), `UPDATE fund SET prices_permitted = 0 WHERE isin = '${accumulating}'`)
    expect(await ask(`derive --db ${db}`)).toContain('performance_year  6 new rows of 1 fund')
    expect(rowsOf(db, 'launch_point')).toEqual([])
  })

  it('derives nothing by a split that the NAVs contradict, and says so', async () => {
    const db = await database()
    editDatabase(
      folder.file(db),
      `INSERT INTO corporate_action VALUES ('${accumulating}', '2024-03-04', 'split', NULL, NULL, '10', NULL)`,
    )
    const text = await ask(`derive --db ${db}`)
    expect(text).toContain(`not derived: ${accumulating}: the split by 10 on 2024-03-04 would make about`)
    expect(rowsOf(db, 'performance_year')).toEqual([])
    expect(rowsOf(db, 'performance_year', distributing)).toHaveLength(6)
    // What was derived before stays, too.
    expect(rowsOf(db, 'price').at(-1)).toMatchObject({ performance: '0.86' })
  })
})

describe('import price --derive', () => {
  const splitOf = (isin: string) =>
    `INSERT INTO corporate_action VALUES ('${isin}', '2026-06-01', 'split', NULL, NULL, '10', NULL)`
  /** A history as data vendors have it: in the shares of today. */
  const adjusted = mondays('2025-12-01').map((day, week) => [young, day, (10 + week / 100).toFixed(2)])

  it('asks whether a history is adjusted for a split, and takes it as it was', async () => {
    const db = `${count++}.sqlite`
    await ask(`init --db ${db}`)
    await ask(`import fund funds.csv --db ${db} --no-backup`)
    editDatabase(folder.file(db), splitOf(young))
    write('adjusted.csv', [['isin', 'date', 'net_asset_value'], ...adjusted])
    const line = `import price adjusted.csv --db ${db} --derive --no-backup`
    const { code, stderr } = await run(line, here)
    expect(code).toBe(1)
    expect(stderr).toContain(`${young}: the split by 10 on 2026-06-01 would make about`)
    expect(stderr).toContain('say so with --history adjusted, which takes them as they were')
    expect(rowsOf(db, 'price', young)).toEqual([])
    await ask(`${line} --history adjusted`)
    const found = rowsOf(db, 'price', young)
    expect(found.find(({ date }) => date === '2026-05-25')).toMatchObject({
      net_asset_value: '102.50',
      issue_price: '102.50',
    })
    expect(found.find(({ date }) => date === '2026-06-01')).toMatchObject({
      net_asset_value: '10.26',
      change: '0.01',
      change_percent: '0.10',
      // Against 10.04 of 29 December.
      performance: '2.19',
    })
    // Later files have prices after the split only.
    write('later.csv', [
      ['isin', 'date', 'net_asset_value'],
      [young, '2026-11-19', '10.60'],
    ])
    await ask(`import price later.csv --db ${db} --derive --no-backup`)
    expect(await run(`${line} --history original`, here)).toMatchObject({ code: 0 })
  })

  it('makes issue and repurchase price of the NAV, and leaves those that were delivered', async () => {
    const db = await database()
    editDatabase(
      folder.file(db),
      `INSERT INTO profile (isin, category_de, fund_assets, total_fund_assets, end_of_fiscal_year, accumulating, conformity,
          issue_surcharge, redemption_fee, total_expense_ratio, management_fee, custodian_bank_fee, performance_fee)
        VALUES ('${young}', 'Aktien', '1', '1', '12-31', 1, 1, 5.25, 0.5, 1, 1, 0, 0);
      UPDATE price SET issue_price = '52.00' WHERE isin = '${young}' AND date = '2026-11-09'`,
    )
    write('corrected.csv', [
      ['isin', 'date', 'net_asset_value'],
      [young, '2026-11-09', '50.50'],
      [young, '2026-11-16', '50.60'],
      [young, '2026-11-20', '50.70'],
    ])
    const stdout = await ask(`import price corrected.csv --db ${db} --derive --no-backup`)
    expect(stdout).toContain('issue_price (the NAV with the issue surcharge)')
    expect(stdout).not.toContain('the issue price is the NAV')
    const prices = rowsOf(db, 'price', young)
      .slice(-3)
      .map(({ date, issue_price: issue, repurchase_price: repurchase }) =>
        [date, issue, repurchase].join(' '),
      )
    expect(prices).toEqual([
      // Its issue price was delivered.
      '2026-11-09 52.00 50.50',
      // Without a profile, both were the NAV.
      '2026-11-16 50.60 50.60',
      '2026-11-20 53.36 50.45',
    ])
  })
})
