/** Lines that contradict each other: nothing says which is right, so --skip-bad takes none of them, and names all. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
const [isin, other] = isins

let files = 0
/** @param contents lines of `isin;year;percent` of each file */
async function importYears(contents: readonly (readonly string[])[], ...flags: string[]) {
  const db = folder.database()
  editDatabase(folder.file(db), 'DELETE FROM performance_year')
  const names = contents.map((lines) => {
    const name = `years-${files++}.csv`
    writeFileSync(folder.file(name), ['isin;year;percent', ...lines, ''].join('\n'))
    return name
  })
  const ended = await folder.import(
    'performance_year',
    ...names,
    '--db',
    db,
    '--decimal',
    'point',
    '--skip-bad',
    ...flags,
  )
  const found = readDatabase(
    folder.file(db),
    'SELECT isin, year, percent FROM performance_year ORDER BY 1, 2',
  )
  return { ...ended, names, found: found.map((row) => Object.values(row).join(' ')) }
}

describe('lines that contradict each other', () => {
  it('are both bad, whatever stands between them', async () => {
    const { stdout, found } = await importYears([
      [`${isin};2020;1.5`, `${other};2020;7.5`, `${isin};2021;2.5`, `${isin};2020;-1.5`],
    ])
    expect(stdout).toContain('line 2: the same isin, year as in line 5, where percent is "-1.5", not "1.5"\n')
    expect(stdout).toContain('line 5: the same isin, year as in line 2, where percent is "1.5", not "-1.5"\n')
    expect(stdout).toContain('4, 2 of them bad')
    expect(found).toEqual([`${isin} 2021 2.5`, `${other} 2020 7.5`].sort())
  })

  it('are all bad, if a third one repeats one of them', async () => {
    const { stdout, found } = await importYears([
      [`${isin};2020;1.5`, `${isin};2020;-1.5`, `${isin};2020;1.5`, `${isin};2020;3.5`, `${isin};2021;2.5`],
    ])
    expect(stdout).toContain('line 4: the same isin, year as in line 2, which another one contradicts\n')
    expect(stdout).toContain('line 5: the same isin, year as in line 2, where percent is "1.5", not "3.5"\n')
    expect(found).toEqual([`${isin} 2021 2.5`])
  })

  it('are both bad in two files of one import', async () => {
    const { stdout, found, names } = await importYears([
      [`${isin};2020;1.5`, `${isin};2021;2.5`],
      [`${isin};2020;-1.5`, `${isin};2021;2.5`],
    ])
    const [first = '', second = ''] = names
    expect(stdout).toContain(
      `${first}, line 2: the same isin, year as in line 2 of ${second}, where percent is "-1.5", not "1.5"\n`,
    )
    expect(stdout).toContain(
      `${second}, line 2: the same isin, year as in line 2 of ${first}, where percent is "1.5", not "-1.5"\n`,
    )
    expect(found).toEqual([`${isin} 2021 2.5`])
  })

  it('take nothing away from what the database has', async () => {
    const db = folder.database()
    editDatabase(
      folder.file(db),
      `DELETE FROM performance_year; INSERT INTO performance_year VALUES ('${isin}', 2020, 9.5)`,
    )
    const lines = [`${isin};2020;1.5`, `${isin};2020;-1.5`, `${isin};2021;2.5`]
    writeFileSync(folder.file('kept.csv'), ['isin;year;percent', ...lines, ''].join('\n'))
    await folder.import('performance_year', 'kept.csv', '--db', db, '--decimal', 'point', '--skip-bad')
    expect(
      readDatabase(folder.file(db), 'SELECT year, percent FROM performance_year ORDER BY year'),
    ).toMatchObject([
      { year: 2020, percent: 9.5 },
      { year: 2021, percent: 2.5 },
    ])
  })

  it('of several payments of a day are none of them', async () => {
    const db = folder.database()
    editDatabase(folder.file(db), 'DELETE FROM corporate_action')
    const header = ['isin', 'ex_date', 'kind', 'amount', 'currency']
    const line = (amount: string, currency: string) => [isin, '2024-03-18', 'distribution', amount, currency]
    const { stdout } = await folder.importLines(
      db,
      'corporate_action',
      [
        header,
        line('1.25', 'EUR'),
        line('0.50', 'USD'),
        line('0.75', 'EUR'),
        [other, '2024-03-18', 'distribution', '1', 'EUR'],
      ],
      ['--skip-bad'],
    )
    expect(stdout).toContain('4, 3 of them bad')
    expect(readDatabase(folder.file(db), 'SELECT isin FROM corporate_action')).toEqual([{ isin: other }])
  })
})

describe('two lines that say the same in other digits', () => {
  const price = (cells: readonly string[]) => cells.join(';')

  /** @returns the NAV that is taken, and the report */
  async function importNavs(lines: readonly string[], ...flags: string[]) {
    const db = folder.database()
    editDatabase(
      folder.file(db),
      `DELETE FROM price; UPDATE fund SET currency = 'GBP' WHERE isin = '${isin}'`,
    )
    writeFileSync(folder.file('same.csv'), ['isin;date;net_asset_value;currency', ...lines, ''].join('\n'))
    const all = ['price', 'same.csv', '--db', db, '--derive', '--decimal', 'point', ...flags]
    const { code, stdout } = await folder.import(...all)
    const found = readDatabase(folder.file(db), 'SELECT net_asset_value AS nav FROM price')
    return { code, stdout, navs: found.map(({ nav }) => nav) }
  }

  it.each([
    ['61.83', '61.830'],
    ['61.830', '61.83'],
    ['1.0', '1.00'],
    ['1', '1.000'],
  ])('repeat each other: %s and %s', async (one, other) => {
    const { code, stdout, navs } = await importNavs([
      price([isin, '2024-06-03', one, 'GBP']),
      price([isin, '2024-06-03', other, 'GBP']),
    ])
    expect({ code, navs }).toEqual({ code: 0, navs: [one] })
    expect(stdout).toContain('1 row repeats another one')
  })

  it('repeat each other in pence and pounds', async () => {
    const { code, stdout, navs } = await importNavs(
      [price([isin, '2024-06-03', '20020', 'GBp']), price([isin, '2024-06-03', '200.2', 'GBP'])],
      '--minor-units',
    )
    expect({ code, navs }).toEqual({ code: 0, navs: ['200.20'] })
    expect(stdout).toContain('1 row repeats another one')
  })

  it('contradict each other if one more digit is none of zero', async () => {
    const { code, stdout } = await importNavs([
      price([isin, '2024-06-03', '61.83', 'GBP']),
      price([isin, '2024-06-03', '61.831', 'GBP']),
    ])
    expect(code).toBe(1)
    expect(stdout).toContain('where net_asset_value is "61.831", not "61.83"')
  })
})

describe('two prices of a day in two currencies', () => {
  const usd = `${isin};2024-06-03;68.01;USD`
  const eur = `${isin};2024-06-03;61.83;EUR`
  const fund = `isin;name;fund_inception_date;currency;url\n${isin};Elbe;2010-01-04;EUR;https://funds.example/elbe\n`
  const otherCurrency = (line: number) => `line ${line}: currency is "USD", but fund ${isin} is in EUR\n`

  /** @param known where the fund and its currency are */
  async function importPrices(lines: readonly string[], known: 'database' | 'file before' | 'file behind') {
    const db = folder.database()
    const isKnown = known === 'database'
    const gone = isKnown ? `UPDATE fund SET currency = 'EUR'` : `DELETE FROM fund WHERE isin = '${isin}'`
    editDatabase(folder.file(db), `PRAGMA foreign_keys = OFF; DELETE FROM price; ${gone}`)
    const file = `prices-${files++}.csv`
    writeFileSync(folder.file(file), ['isin;date;net_asset_value;currency', ...lines, ''].join('\n'))
    writeFileSync(folder.file('fund.csv'), fund)
    const all = { database: [file], 'file before': ['fund.csv', file], 'file behind': [file, 'fund.csv'] }
    const flags = ['--derive', '--decimal', 'point', '--skip-bad']
    const { stdout } = await folder.import(...all[known], '--db', db, ...flags)
    const found = readDatabase(folder.file(db), 'SELECT net_asset_value AS nav FROM price')
    return { stdout, navs: found.map(({ nav }) => nav) }
  }

  it.each([
    ['the good one first', [eur, usd], 3],
    ['the wrong one first', [usd, eur], 2],
    ['the good one again behind it', [eur, usd, eur], 3],
  ])('do not contradict each other where the currency is known: %s', async (_, lines, wrong) => {
    const { stdout, navs } = await importPrices(lines, 'database')
    expect(stdout).toContain(otherCurrency(wrong))
    expect(stdout).not.toContain('the same isin')
    expect(navs).toEqual(['61.83'])
  })

  it.each(['file before', 'file behind'] as const)('are judged by a fund that a %s has', async (known) => {
    const { stdout, navs } = await importPrices([usd, eur], known)
    expect(stdout).toContain(otherCurrency(2))
    expect(navs).toEqual(['61.83'])
  })
})

it('names a price that the database has as another text than a number, where a file contradicts it', async () => {
  const db = folder.database()
  editDatabase(folder.file(db), `UPDATE price SET issue_price = 'abc' WHERE isin = '${isin}'`)
  const [day = ''] = readDatabase(folder.file(db), `SELECT date FROM price WHERE isin = '${isin}'`).map(
    ({ date }) => String(date),
  )
  writeFileSync(folder.file('nav.csv'), `isin;date;net_asset_value\n${isin};${day};61.83\n`)
  writeFileSync(
    folder.file('issue.csv'),
    `isin;date;net_asset_value;issue_price\n${isin};${day};61.830;64.92\n`,
  )
  const { code, stdout } = await folder.import(
    'price',
    'nav.csv',
    'issue.csv',
    '--db',
    db,
    '--decimal',
    'point',
  )
  expect(code).toBe(1)
  expect(stdout).toContain('where issue_price is "abc", not "64.92"')
})
