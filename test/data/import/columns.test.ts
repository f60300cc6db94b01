/** Files as fund administrators write them: columns of other names, and prices without what follows from the NAVs. */
import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
import { editDatabase, type Value } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'
import { dump, plain } from './dialects.ts'

const folder = importFolder()
afterAll(folder.remove)
const [first, second, third] = isins

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
  dump(folder.file(db), 'price', 'isin, date, net_asset_value, change, change_percent, performance')
    .rows.filter(([own]) => own === isin)
    .map(([, ...row]) => row)

const importPrices = (db: string, lines: readonly string[][], ...flags: readonly string[]) =>
  folder.importLines(db, 'price', [header, ...lines], ['--derive', ...flags], german)

describe('import --map', () => {
  const flags = mapped({ ...names, Kommentar: '' })

  it('takes the columns of a foreign file, in any case, and shows what it ignores', async () => {
    const db = folder.database()
    const ended = await importPrices(db, [line(third, '3.5.2024', '101,5')], ...flags)
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('ignored: Kommentar')
    const columns = 'isin, date, issue_price, repurchase_price, net_asset_value'
    expect(dump(folder.file(db), 'price', columns).rows).toContainEqual([
      third,
      '2024-05-03',
      '106.00',
      '100.00',
      '101.5',
    ])
  })

  it('names a value by both names of its column', async () => {
    const { stdout } = await importPrices(
      folder.database(),
      [line(third, '3.5.2024', 'x')],
      ...flags,
      '--decimal',
      'comma',
    )
    expect(stdout).toContain(
      'line 2: Anteilwert (net_asset_value) "x" is not a number (with a decimal comma)\n',
    )
  })

  it('ignores all that is unknown with *=', async () => {
    const all = mapped({ ...names, '*': '' })
    const ended = await importPrices(folder.database(), [line(third, '3.5.2024', '101,5')], ...all)
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('ignored: Kommentar') })
  })

  it('names all wrong columns at once', async () => {
    const wrong = {
      Datum: 'date',
      Bewertungstag: 'day',
      Anteilwert: 'issue_price',
      Ausgabepreis: 'issue_price',
    }
    const ended = await importPrices(folder.database(), [line(third, '3.5.2024', '101,5')], ...mapped(wrong))
    expect(ended.code).toBe(1)
    for (const fault of [
      'the file has no column "datum"',
      'table price has no column "day", "Rücknahmepreis", "Kommentar" (there are isin, date, ',
      'the columns Ausgabepreis and Anteilwert are both for issue_price',
      'columns date, repurchase_price, net_asset_value of table price are missing',
    ])
      expect(ended.stderr).toContain(fault)
  })

  it('names a column of the table that the file also has itself', async () => {
    const both = [
      ['isin', 'date', 'Tag', 'value'],
      [first, '2024-01-01', '2024-01-02', '1'],
    ]
    const ended = await folder.importLines(folder.database(), 'legal_point', both, ['--map', 'Tag=date'])
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('date and Tag are both for date'),
    })
    const ignored = ['--map', 'Tag=date', '--map', 'date=']
    expect(await folder.importLines(folder.database(), 'legal_point', both, ignored)).toMatchObject({
      code: 0,
    })
  })

  it.each([
    [['--map', 'Datum'], "option '--map <column=name>' argument 'Datum' is invalid"],
    [['--map', '=date'], "argument '=date' is invalid"],
    [['--map', 'a=date', '--map', 'A=value'], '--map names a column of the file twice'],
    [['--map', '*=date'], '--map *= ignores columns: it takes no name'],
  ])('refuses %j', async (flags, reason) => {
    const ended = await folder.importLines(folder.database(), 'legal_point', [['isin']], flags)
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
  })
})

describe('import.<table>.columns in the config', () => {
  const withConfig = async (db: string, config: object, ...flags: readonly string[]) => {
    writeFileSync(folder.file('own.json'), JSON.stringify(config))
    return importPrices(db, [line(third, '3.5.2024', '101,5')], '--config', 'own.json', ...flags)
  }

  it('maps columns, and a flag wins', async () => {
    const db = folder.database()
    const columns = { ...names, Anteilwert: 'share_profit', Kommentar: '' }
    const config = { import: { price: { columns } } }
    expect(await withConfig(db, config, '--map', 'Anteilwert=net_asset_value')).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(pricesOf(db, third)).toEqual([['2024-05-03', '101.5', '0.0', '0.00', '0.00']])
  })

  it.each([
    [{ prices: { columns: {} } }, 'config import.prices: there is no such table (did you mean "price"?)'],
    [{ price: { column: {} } }, 'unknown key "import.price.column"'],
    [
      { price: { columns: { Datum: 1 } } },
      '"import.price.columns.Datum" must be the name of a column, or "", not 1',
    ],
  ])('refuses %j', async (config, reason) => {
    const ended = await withConfig(folder.database(), { import: config })
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) })
  })
})

describe('import --derive', () => {
  const flags = mapped({ ...names, '*': '' })
  /** Replaces the prices of a fund. */
  const withPrices = (isin: string, ...days: readonly (readonly [string, string])[]) => {
    const db = folder.database()
    const rows = days.map(
      ([day, nav]) => `('${isin}', '${day}', '1', '1', '${nav}', '9', '9', '9', 1, 1, 1, 1)`,
    )
    const insert = rows.length === 0 ? '' : `INSERT INTO price VALUES ${rows.join()}`
    editDatabase(folder.file(db), `DELETE FROM price WHERE isin = '${isin}'; ${insert}`)
    return db
  }
  const old: readonly Value[] = ['9', '9', '9']

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
      'derived: change, change_percent, performance (since the last price of an earlier year, without distributions)',
    )
    expect(stdout).not.toContain('derived again')
    expect(pricesOf(db, first)).toEqual([
      ['2023-12-28', '90.00', ...old],
      ['2023-12-29', '80.00', ...old],
      ['2024-01-02', '82.00', ...old],
      ['2024-01-03', '81.00', '-1.00', '-1.22', '1.25'],
      ['2024-01-04', '79.9975', '-1.0025', '-1.24', '0.00'],
    ])
    expect(pricesOf(db, third)).toEqual([['2024-01-03', '1', '0', '0.00', '0.00']])
  })

  it('begins a year with the last price of an earlier one, and a new fund with its first', async () => {
    const db = withPrices(first)
    const days = ['30.12.2021', '31.12.2021', '3.1.2022', '2.1.2024', '3.1.2024']
    const navs = ['100', '110', '121', '60,5', '0,01']
    await importPrices(
      db,
      days.map((day, index) => line(first, day, navs[index] ?? '')),
      ...flags,
    )
    expect(pricesOf(db, first).map((row) => row.slice(1))).toEqual([
      ['100', '0', '0.00', '0.00'],
      ['110', '10', '10.00', '10.00'],
      ['121', '11', '10.00', '10.00'],
      ['60.5', '-60.5', '-50.00', '-50.00'],
      ['0.01', '-60.49', '-99.98', '-99.99'],
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
    expect(pricesOf(db, first)[1]?.slice(2, 4)).toEqual([change, percent])
  })

  it('leaves later prices of the database alone, and says so', async () => {
    const db = withPrices(first, ['2024-01-02', '100'], ['2024-01-04', '104'])
    const { stdout } = await importPrices(db, [line(first, '3.1.2024', '102')], ...flags)
    expect(stdout).toContain('prices after those of the file were not derived again: of 1 fund')
    expect(pricesOf(db, first)).toEqual([
      ['2024-01-02', '100', ...old],
      ['2024-01-03', '102', '2', '2.00', '2.00'],
      ['2024-01-04', '104', ...old],
    ])
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
    expect(pricesOf(db, first)).toEqual([['2024-01-03', '102', '0', '0.00', '0.00']])
  })

  it('keeps a column that the file has', async () => {
    const db = withPrices(second, ['2024-01-02', '100'])
    const lines = [
      ['isin', 'date', 'issue_price', 'repurchase_price', 'net_asset_value', 'performance'],
      [second, '2024-01-03', '1', '1', '110', '7.5'],
    ]
    const { stdout } = await folder.importLines(db, 'price', lines, ['--derive'])
    expect(stdout).toMatch(/derived: change, change_percent\n/)
    expect(pricesOf(db, second)[1]).toEqual(['2024-01-03', '110', '10', '10.00', '7.5'])
  })

  it('is refused after a NAV of 0, and for another table', async () => {
    const db = withPrices(first, ['2024-01-02', '0.00'])
    const ended = await importPrices(db, [line(first, '3.1.2024', '1')], ...flags)
    const reason = `${first}, 2024-01-03: nothing can be derived, because an earlier NAV is 0`
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
    const other = await folder.importLines(db, 'emt', [['isin']], ['--derive'])
    expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('--derive is for table price') })
  })

  it('shows in a dry run what it would do, and is plausible', async () => {
    const db = withPrices(first, ['2024-05-02', '100.00'])
    const dry = await importPrices(db, [line(first, '3.5.2024', '101,00')], ...flags, '--dry-run')
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('1 new') })
    await importPrices(db, [line(first, '3.5.2024', '101,00')], ...flags)
    const check = await run(`check --db ${db} --as-of 2024-05-03 --json`, { cwd: folder.path })
    expect(JSON.parse(check.stdout)).toMatchObject({ errors: 0 })
  })
})

it('import of prices without --derive needs every column', async () => {
  const lines = [['isin', 'date', 'issue_price', 'repurchase_price', 'net_asset_value']]
  const ended = await folder.importLines(folder.database(), 'price', lines)
  const reason = 'columns change, change_percent, performance of table price are missing'
  expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
})
