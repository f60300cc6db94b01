/** A percent sign behind a number, in a text or as the format of a workbook's cell: it says what the number is. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'
import { workbook, type SheetCell } from './workbook.ts'

const folder = importFolder()
const [first, second] = isins

async function importContent(content: string | Buffer, ...args: readonly string[]) {
  const db = folder.database()
  writeFileSync(folder.file('data.dat'), content)
  const outcome = await folder.import(...args, 'data.dat', '--db', db)
  return { ...outcome, query: (sql: string) => readDatabase(folder.file(db), sql), db }
}

const book = (...rows: readonly (readonly SheetCell[])[]) => workbook({ name: 'Data', rows })
const shownAs = (number: string, format = '0.00%'): SheetCell => ({ number, format })

const countries = <Cell extends SheetCell>(share: Cell): readonly (readonly (string | Cell)[])[] => [
  ['isin', 'type', 'position', 'name_de', 'name_en', 'percent'],
  [first, 'top_values', '1', 'Alpha', 'Alpha', share],
]
const shares = `SELECT percent FROM structure_item WHERE isin = '${first}' AND type = 'top_values'`

describe('import of cells with a percent sign', () => {
  it.each([
    ['0.0523', '0.00%', 5.23],
    ['0.07', '0%', 7],
    ['-0.005', '0.0%;[Red]-0.0%', -0.5],
    ['1', '0%', 100],
    ['5.23E-2', '#,##0.00 %', 5.23],
    // The sign is a text here: the sheet shows the number as it is.
    ['5.23', '0.00"%"', 5.23],
    ['5.23', '0.00\\%', 5.23],
  ])('takes %s in the format %s as the percentage that a sheet shows', async (number, format, percent) => {
    const { code, query } = await importContent(book(...countries(shownAs(number, format))))
    expect({ code, rows: query(shares) }).toEqual({ code: 0, rows: [{ percent }] })
  })

  it.each([
    ['5,23 %', 5.23],
    ['5,23%', 5.23],
    ['-0,50\u00a0%', -0.5],
    ['5,23', 5.23],
  ])('takes the text %s as a percentage', async (text, percent) => {
    const lines = countries(text).map((cells) => cells.join(';'))
    const { code, query } = await importContent(lines.join('\n'))
    expect({ code, rows: query(shares) }).toEqual({ code: 0, rows: [{ percent }] })
  })

  it('takes what a sheet and its CSV say alike, and the report says how, with the first cell', async () => {
    const header = [
      'isin',
      'issue_surcharge',
      'management_fee',
      'total_expense_ratio',
      'fund_assets',
    ] as const
    const inSheet = await importContent(
      book(
        [...header],
        [first, shownAs('0.05'), shownAs('0.0125'), shownAs('0.0145'), '7'],
        [second, shownAs('0'), shownAs('0.01'), shownAs('0.02'), '7'],
      ),
      'profile',
    )
    const inCsv = await importContent(
      `${header.join(';')}\n${first};5,00 %;1,25 %;1,45 %;7\n${second};0,00 %;1,00 %;2,00 %;7\n`,
      'profile',
    )
    const fees = 'SELECT issue_surcharge, management_fee, total_expense_ratio FROM profile ORDER BY isin'
    const expected = [
      { issue_surcharge: 5, management_fee: 1.25, total_expense_ratio: 1.45 },
      { issue_surcharge: 0, management_fee: 1, total_expense_ratio: 2 },
    ]
    expect({ sheet: inSheet.query(fees), csv: inCsv.query(fees) }).toEqual({ sheet: expected, csv: expected })
    expect(inSheet.stdout).toContain('management_fee: 2 cells have a percent sign: "1.25 %" is 1.25')
    expect(inCsv.stdout).toContain('management_fee: 2 cells have a percent sign: "1,25 %" is 1.25')
  })

  it.each([
    ['5 %', '0.05', '157.9'],
    ['100 %', '1', '300.8'],
  ])('derives the issue price from a surcharge that a sheet shows as %s', async (_, surcharge, price) => {
    const profile = await importContent(
      book(['isin', 'issue_surcharge'], [first, shownAs(surcharge, '0%')]),
      'profile',
    )
    editDatabase(folder.file(profile.db), 'DELETE FROM price')
    writeFileSync(
      folder.file('nav.csv'),
      `isin;date;net_asset_value;change;change_percent\n${first};2024-05-02;150.4;0;0\n`,
    )
    const { code, stdout } = await folder.import('price', 'nav.csv', '--db', profile.db, '--derive')
    const rows = profile.query(
      `SELECT issue_price FROM price WHERE isin = '${first}' AND date = '2024-05-02'`,
    )
    expect({ code, rows }).toEqual({ code: 0, rows: [{ issue_price: price }] })
    expect(stdout).not.toContain('no issue surcharge')
  })

  it('takes a percentage as a fraction where the column has fractions: in the EMT', async () => {
    const fields = ['00001_EMT_Version', '00010_ISIN', '08025_Entry', '08030_Ongoing']
    const costs = 'SELECT entry_costs, ongoing_costs FROM emt ORDER BY isin LIMIT 1'
    const expected = [{ entry_costs: 0.05, ongoing_costs: 0.0158 }]
    const inSheet = await importContent(
      book(fields, ['V4.3', first, shownAs('0.05', '0%'), shownAs('0.0158')]),
    )
    const inCsv = await importContent(`${fields.join(';')}\nV4.3;${first};5%;1,58 %\n`)
    expect({ sheet: inSheet.query(costs), csv: inCsv.query(costs) }).toEqual({
      sheet: expected,
      csv: expected,
    })
    expect(inCsv.stdout).toContain('08030 (ongoing_costs): 1 cell has a percent sign: "1,58 %" is 0.0158')
  })

  it('takes a percentage as a fraction in openfunds, which the profile has as a percentage', async () => {
    const ids = 'OFST020000;OFST020540;OFST452000;OFST451320;OFRE100100;OFRE100108;OFRE100110'
    const line = `${first};EUR;1,25%;5 %;OFRE000500;Alpha;5,23 %`
    const { code, stdout, query } = await importContent(`${ids}\n${line}\n`)
    expect({
      code,
      fees: query(`SELECT management_fee, issue_surcharge FROM profile WHERE isin = '${first}'`),
      shares: query(shares),
    }).toEqual({
      code: 0,
      fees: [{ management_fee: 1.25, issue_surcharge: 5 }],
      shares: [{ percent: 5.23 }],
    })
    expect(stdout).toContain(
      'OFST452000 (Management Fee Applied): 1 cell has a percent sign: "1,25%" is 0.0125',
    )
  })

  it.each([
    ['an amount', 'price', 'net_asset_value'],
    ['a position', 'structure_item', 'position'],
    ['a day', 'price', 'date'],
  ])('refuses a percentage in place of %s, from a sheet and from a CSV', async (_, table, column) => {
    const rows = {
      price: {
        isin: first,
        date: '2024-05-02',
        issue_price: '7',
        repurchase_price: '7',
        net_asset_value: '7',
        change: '0',
        change_percent: '0',
      },
      structure_item: {
        isin: first,
        type: 'countries',
        position: '1',
        name_de: 'A',
        name_en: 'A',
        percent: '5',
      },
    }[table] as Readonly<Record<string, string>>
    const cellsWith = <Cell extends SheetCell>(cell: Cell): readonly (string | Cell)[] =>
      Object.entries(rows).map(([name, value]) => (name === column ? cell : value))
    const header = Object.keys(rows)
    const inSheet = await importContent(book(header, cellsWith(shownAs('0.0523'))), table)
    const inCsv = await importContent(`${header.join(';')}\n${cellsWith('5.23 %').join(';')}\n`, table)
    expect({ sheet: inSheet.code, csv: inCsv.code }).toEqual({ sheet: 1, csv: 1 })
    expect(inSheet.stdout).toContain(`${column} cannot be the percentage`)
  })

  it('takes what a sheet shows as the text of a key figure', async () => {
    const { code, query } = await importContent(
      book(['isin', 'position', 'name_de', 'value'], [first, '9', 'Volatilität', shownAs('0.1234')]),
    )
    expect({ code, rows: query('SELECT value FROM key_figure WHERE position = 9') }).toEqual({
      code: 0,
      rows: [{ value: '12,34 %' }],
    })
  })

  it.each([
    ['0.85', '0,85'],
    ['0.30000000000000004', '0,3'],
    ['5E-7', '0,0000005'],
    ['-1234.5', '-1234,5'],
    ['7', '7'],
  ])('writes a number of a sheet as a key figure with a decimal comma: %s', async (number, value) => {
    const { code, query } = await importContent(
      book(['isin', 'position', 'name_de', 'value'], [first, '9', 'Sharpe Ratio', { number }]),
    )
    expect({ code, rows: query('SELECT value FROM key_figure WHERE position = 9') }).toEqual({
      code: 0,
      rows: [{ value }],
    })
  })

  it('takes a dash before a percent sign for a missing value', async () => {
    const { code, query } = await importContent(`isin;issue_surcharge\n${first};- %\n`, 'profile')
    expect({
      code,
      rows: query(`SELECT issue_surcharge FROM profile WHERE isin = '${first}'`),
    }).toEqual({ code: 0, rows: [{ issue_surcharge: null }] })
  })
})

describe('import of a share that was computed', () => {
  const third = '0.3333333333333333'
  const kept = [{ percent: 0.333333333333333 }]

  it.each([
    ['a workbook', book(...countries({ number: third }))],
    [
      'CSV',
      countries(third)
        .map((cells) => cells.join(';'))
        .join('\n'),
    ],
  ])('keeps the fifteen digits that amounts have, from %s, and says so', async (_, content) => {
    const { code, stdout, query } = await importContent(content)
    expect({ code, rows: query(shares) }).toEqual({ code: 0, rows: kept })
    expect(stdout).toContain(
      `percent: 1 cell has more digits than a spreadsheet keeps, as formulas make them: "${third}" is 0.333333333333333`,
    )
  })

  it('takes 14.499999999999998 of a formula for 14.5', async () => {
    const { query } = await importContent(book(...countries({ number: '14.499999999999998' })))
    expect(query(shares)).toEqual([{ percent: 14.5 }])
  })
})
