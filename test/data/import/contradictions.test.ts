/** Lines that contradict each other: nothing says which is right, so --skip-bad takes none of them, and names all. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
const [isin, other] = isins

function permutations<T>(all: readonly T[]): readonly (readonly T[])[] {
  if (all.length === 0) return [[]]
  return all.flatMap((one, at) => permutations(all.toSpliced(at, 1)).map((others) => [one, ...others]))
}

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

  it('are all bad, and one that repeats one of them is counted', async () => {
    const { stdout, found } = await importYears([
      [`${isin};2020;1.5`, `${isin};2020;-1.5`, `${isin};2020;1.5`, `${isin};2020;3.5`, `${isin};2021;2.5`],
    ])
    expect(stdout).toContain('line 2: the same isin, year as in line 3, where percent is "-1.5", not "1.5"\n')
    expect(stdout).toContain('line 5: the same isin, year as in line 2, where percent is "1.5", not "3.5"\n')
    expect(stdout).toContain('1 row repeats another one')
    expect(stdout).toContain('5, 3 of them bad')
    expect(found).toEqual([`${isin} 2021 2.5`])
  })

  it.each([
    ['5, 5 and 3', ['5', '5', '3'], ['4, 2 of them bad', '1 row repeats another one']],
    ['5, 5, 3 and 3', ['5', '5', '3', '3'], ['5, 2 of them bad', '2 rows repeat others']],
    ['5, 4 and 3', ['5', '4', '3'], ['4, 3 of them bad', '']],
  ])('are counted alike in any order: %s', async (_, percents, expected) => {
    for (const order of permutations(percents)) {
      const lines = [...order.map((percent) => `${isin};2020;${percent}`), `${isin};2021;1`]
      const { stdout, found } = await importYears([lines])
      const told = [/\d+, \d of them bad/, /\d rows? repeats? .*/].map((form) => form.exec(stdout)?.[0] ?? '')
      expect({ order, told, found }).toEqual({ order, told: expected, found: [`${isin} 2021 1`] })
    }
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

  it('of several payments of a day are none of them, in any order', async () => {
    const db = folder.database()
    editDatabase(folder.file(db), 'DELETE FROM corporate_action')
    const header = ['isin', 'ex_date', 'kind', 'amount', 'currency']
    const line = (amount: string, currency: string) => [isin, '2024-03-18', 'distribution', amount, currency]
    const payments = [line('1.25', 'EUR'), line('0.50', 'USD'), line('0.75', 'EUR')]
    const good = [other, '2024-03-18', 'distribution', '1', 'EUR']
    for (const order of permutations(payments)) {
      const lines = [header, ...order, good]
      const { stdout } = await folder.importLines(db, 'corporate_action', lines, ['--skip-bad'])
      expect(stdout).toContain('4, 3 of them bad')
      expect(stdout).not.toContain('that were added')
      expect(readDatabase(folder.file(db), 'SELECT isin FROM corporate_action')).toEqual([{ isin: other }])
    }
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
    ['61.83', '61.830', '61.830'],
    ['61.830', '61.83', '61.830'],
    ['1.0', '1.00', '1.00'],
    ['1', '1.000', '1.000'],
  ])('repeat each other: of %s and %s it takes %s, with all digits', async (one, other, nav) => {
    const { code, stdout, navs } = await importNavs([
      price([isin, '2024-06-03', one, 'GBP']),
      price([isin, '2024-06-03', other, 'GBP']),
    ])
    expect({ code, navs }).toEqual({ code: 0, navs: [nav] })
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

  it('are counted alike, whichever is repeated', async () => {
    for (const lines of permutations([usd, usd, eur])) {
      const { stdout, navs } = await importPrices(lines, 'database')
      expect(stdout).toContain('1 row repeats another one')
      expect(stdout).toContain('3, 1 of them bad')
      expect(navs).toEqual(['61.83'])
    }
  })

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

describe('two lines of one price, each of which lacks something', () => {
  const header = 'isin;date;net_asset_value;issue_price;repurchase_price'
  const day = '2024-06-03'

  async function importPrices(contents: readonly (readonly string[])[]) {
    const db = folder.database()
    editDatabase(
      folder.file(db),
      'DELETE FROM price; UPDATE profile SET issue_surcharge = 5, redemption_fee = 0',
    )
    const names = contents.map((lines) => {
      const name = `lacking-${files++}.csv`
      writeFileSync(folder.file(name), [...lines, ''].join('\n'))
      return name
    })
    const flags = ['--derive', '--decimal', 'point', '--delimiter', 'semicolon']
    const { code, stdout } = await folder.import('price', ...names, '--db', db, ...flags)
    const columns = 'net_asset_value AS nav, issue_price AS issue, repurchase_price AS repurchase'
    return { code, stdout, prices: readDatabase(folder.file(db), `SELECT ${columns} FROM price`) }
  }

  it('are one price, in any order', async () => {
    const lines = [`${isin};${day};100.00;104.00;`, `${isin};${day};100.00;;99.00`, `${isin};${day};100.0;;`]
    for (const order of permutations(lines)) {
      const { code, stdout, prices } = await importPrices([[header, ...order]])
      expect({ code, prices }).toEqual({
        code: 0,
        prices: [{ nav: '100.00', issue: '104.00', repurchase: '99.00' }],
      })
      expect(stdout).toContain('2 rows complete others')
    }
  })

  it('are one price, if they are of two files with other columns', async () => {
    const one = ['isin;date;net_asset_value;issue_price', `${isin};${day};100.00;104.00`]
    const two = ['isin;date;net_asset_value;repurchase_price', `${isin};${day};100.00;99.00`]
    for (const order of permutations([one, two])) {
      const { code, stdout, prices } = await importPrices(order)
      expect({ code, prices }).toEqual({
        code: 0,
        prices: [{ nav: '100.00', issue: '104.00', repurchase: '99.00' }],
      })
      expect(stdout).toContain('1 row completes another one')
    }
  })

  it('have what both lack derived', async () => {
    const lines = [`${isin};${day};100.00;;99.00`, `${isin};${day};100.00;;`]
    const { prices } = await importPrices([[header, ...lines]])
    expect(prices).toEqual([{ nav: '100.00', issue: '105.00', repurchase: '99.00' }])
  })

  it('are all bad, if two of them contradict each other', async () => {
    const lines = [
      `${isin};${day};100.00;;`,
      `${isin};${day};100.00;104.00;`,
      `${isin};${day};100.00;105.00;99.00`,
    ]
    for (const order of permutations(lines)) {
      const { code, stdout, prices } = await importPrices([[header, ...order]])
      expect({ code, prices }).toEqual({ code: 1, prices: [] })
      expect(stdout).toContain('3, 3 of them bad')
      expect(stdout).toMatch(/where issue_price is "104\.00", not "105\.00"/)
      expect(stdout).toMatch(/which another one contradicts/)
    }
  })
})

it('completes a row of the database by two files that have other columns of it', async () => {
  const db = folder.database()
  writeFileSync(folder.file('names.csv'), `isin;name\n${isin};Elbe\n`)
  writeFileSync(folder.file('pages.csv'), `isin;url\n${isin};https://funds.example/elbe\n`)
  const { code, stdout } = await folder.import('fund', 'names.csv', 'pages.csv', '--db', db)
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 row completes another one'),
  })
  expect(readDatabase(folder.file(db), `SELECT name, url FROM fund WHERE isin = '${isin}'`)).toEqual([
    { name: 'Elbe', url: 'https://funds.example/elbe' },
  ])
})

it('takes a price that the database has as another text than a number, where a file brings a better one', async () => {
  const db = folder.database()
  editDatabase(folder.file(db), `UPDATE price SET issue_price = 'abc' WHERE isin = '${isin}'`)
  const price = `FROM price WHERE isin = '${isin}' ORDER BY date LIMIT 1`
  const [day = ''] = readDatabase(folder.file(db), `SELECT date ${price}`).map(({ date }) => String(date))
  writeFileSync(folder.file('nav.csv'), `isin;date;net_asset_value\n${isin};${day};61.83\n`)
  const issue = `isin;date;net_asset_value;issue_price\n${isin};${day};61.830;64.92\n`
  writeFileSync(folder.file('issue.csv'), issue)
  const { code } = await folder.import('price', 'nav.csv', 'issue.csv', '--db', db, '--decimal', 'point')
  expect(code).toBe(0)
  expect(readDatabase(folder.file(db), `SELECT issue_price AS issue ${price}`)).toEqual([{ issue: '64.92' }])
})
