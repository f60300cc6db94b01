/** Files with a column for each fund, named by its ISIN, and a line for each day. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'
import { workbook } from './workbook.ts'

const folder = importFolder()
const [first, second] = isins

let files = 0
/** Imports into an empty table price. */
async function importWide(content: string | Buffer, ...args: readonly string[]) {
  const db = folder.database()
  editDatabase(folder.file(db), 'DELETE FROM price')
  const file = `wide-${files++}.dat`
  writeFileSync(folder.file(file), content)
  const ended = await folder.import(
    ...args.filter((one) => one === 'price'),
    file,
    '--db',
    db,
    ...args.filter((one) => one !== 'price'),
  )
  const rows = readDatabase(
    folder.file(db),
    'SELECT isin, date, net_asset_value AS nav FROM price ORDER BY 1, 2',
  )
  return { ...ended, file, rows: rows.map(({ isin, date, nav }) => [isin, date, nav].join(' ')) }
}

const flags = ['--map', 'Datum=date', '--map', '*=net_asset_value', '--derive']
const lines = [
  ['Datum', first, second],
  ['02.05.2024', '61,83', '100,5'],
  ['03.05.2024', '', '101,5'],
  ['06.05.2024', '62,01', ''],
]
const csv = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join(';')).join('\n')
const expected = [
  `${first} 2024-05-02 61.83`,
  `${first} 2024-05-06 62.01`,
  `${second} 2024-05-02 100.5`,
  `${second} 2024-05-03 101.5`,
].sort()

describe('a file with a column for each fund', () => {
  it.each([
    ['the table is named', ['price']],
    ['it is recognised', []],
  ])('is read by --map, if %s: a row for each cell that is not empty', async (_, table) => {
    const { code, stdout, rows } = await importWide(csv(lines), ...table, ...flags)
    expect({ code, rows: rows.sort() }).toEqual({ code: 0, rows: expected })
    expect(stdout).toContain('delimiter ;, a column for each of 2 funds, decimal comma, dates DD.MM.YYYY\n')
    expect(stdout).toContain('rows   4\n')
  })

  it('may be a workbook, with a title above', async () => {
    const cells = lines.map((row) =>
      row.map((cell, at) => (at === 0 || cell.startsWith('XF') ? cell : { number: cell.replace(',', '.') })),
    )
    const rows = [
      ['NAVs'],
      ...cells.map((row) =>
        row.map((cell) => (typeof cell === 'object' && cell.number === '' ? null : cell)),
      ),
    ]
    const found = await importWide(workbook({ name: 'A', rows }), ...flags)
    expect({ code: found.code, rows: found.rows.sort() }).toEqual({ code: 0, rows: expected })
  })

  it.each([
    ['the table is named', ['price']],
    ['it is not', []],
  ])('is called what it is without that, if %s', async (_, table) => {
    const { code, stderr, file } = await importWide(csv(lines), ...table)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `fundpress: ${file} has a column for each fund ("${first}", "${second}", …): --map '*=net_asset_value' takes their ` +
        `cells as NAVs, a row for each (and --map 'Datum=date', if it has the days)\n`,
    })
  })

  it('has bad lines with a cell too many or too few, and names them', async () => {
    const { code, stdout } = await importWide(
      csv([...lines, ['07.05.2024', '1'], ['08.05.2024', '1', '2', '3'], ['x', '1', '2']]),
      ...flags,
    )
    expect(code).toBe(1)
    expect(stdout.match(/^line \d+: .*$/gm)).toEqual([
      'line 5: it has 2 cells, the header 3',
      'line 6: it has 4 cells, the header 3',
      expect.stringMatching(/^line 7: Datum \(date\) "x" is not a day/),
    ])
  })

  it('is in the config that --explain proposes', async () => {
    const { stdout } = await importWide(csv(lines), ...flags, '--explain')
    expect(stdout).toContain(
      '"columns": {\n        "Datum": "date",\n        "*": "net_asset_value"\n      }',
    )
    const config = { import: { price: { derive: true, columns: { Datum: 'date', '*': 'net_asset_value' } } } }
    writeFileSync(folder.file('wide.json'), JSON.stringify(config))
    const { code, rows } = await importWide(csv(lines), '--config', 'wide.json')
    expect({ code, rows: rows.sort() }).toEqual({ code: 0, rows: expected })
  })

  it('is no file without such columns, whose unknown ones are still refused', async () => {
    const narrow = csv([
      ['isin', 'Datum', 'Foo', 'Bar'],
      [first, '02.05.2024', '1,5', '2,5'],
    ])
    const { code, stderr } = await importWide(narrow, 'price', ...flags)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('table price has no column "Foo", "Bar"') as string,
    })
  })

  it('is no file without a header, whose first line has two ISINs', async () => {
    const { stderr } = await importWide(csv([[first, '2024-05-02', 'merger', second]]), 'price')
    expect(stderr).toContain('the file has no header')
  })
})
