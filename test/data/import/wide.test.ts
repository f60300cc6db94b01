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
      'line 5: it has 2 cells, the header 3 (2 rows)',
      'line 6: it has 4 cells, the header 3 (2 rows)',
      expect.stringMatching(/^line 7: Datum \(date\) "x" is not a day.* \(2 rows\)$/),
    ])
  })

  describe('with bad lines', () => {
    const days = (bad: number, cells: readonly string[]) => [
      ['Datum', first, second],
      ...Array.from({ length: 11 - bad }, (_, at) => [`1${at}.05.2024`, '1,5', '2,5']),
      ...Array.from({ length: bad }, () => [...cells]),
    ]

    it.each([
      ['days that are none', ['x', '1,5', '2,5']],
      ['lines of another width', ['20.05.2024', '1,5']],
    ])('ends with 0 below a tenth of its rows, and else with 1: %s', async (_, cells) => {
      const below = await importWide(csv(days(1, cells)), ...flags, '--skip-bad')
      expect(below).toMatchObject({ code: 0, rows: { length: 20 } })
      expect(below.stdout).toContain('rows   22, 2 of them bad\n')
      const above = await importWide(csv(days(2, cells)), ...flags, '--skip-bad')
      expect({ code: above.code, stderr: above.stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(
          'has 4 bad rows of 22, a share that is not below 0.1 (import.maxBadShare): good rows were taken (18)',
        ) as string,
      })
      expect(above.stdout).not.toContain('more bad rows')
    })
  })

  it.each(['n/a', '#N/A', '-', 'NA', 'k.A.'])(
    'has no price in a cell with %s, and the report counts it',
    async (word) => {
      const { code, stdout, rows } = await importWide(
        csv([...lines.slice(0, 2), ['03.05.2024', word, '101,5'], ['06.05.2024', '62,01', word]]),
        ...flags,
      )
      expect({ code, rows: rows.sort() }).toEqual({ code: 0, rows: expected })
      expect(stdout).toContain('cells of funds that say that there is no value (2, the first: line 3)')
    },
  )

  it('may have cells left out by a text, and a fund', async () => {
    const zeros = csv([...lines.slice(0, 2), ['03.05.2024', '0', '101,5'], ['06.05.2024', '62,01', '0']])
    const cells = await importWide(zeros, ...flags, '--skip', 'net_asset_value=0')
    expect({ code: cells.code, rows: cells.rows.sort() }).toEqual({ code: 0, rows: expected })
    const fund = await importWide(csv(lines), ...flags, '--skip', `isin=${first}`)
    expect(fund.rows).toEqual(expected.filter((row) => row.startsWith(second)))
  })

  it('may have a first column without a name, which a flag or the config names', async () => {
    const unnamed = csv([['', first, second], ...lines.slice(1)])
    const asked = await importWide(unnamed, 'price')
    expect(asked.stderr).toContain("(and --map '=date', if it has the days)")
    const [, , ...others] = flags
    const lacking = await importWide(unnamed, 'price', ...others)
    expect(lacking.stderr).toContain("column 1 has no name (--map '=<column>' takes it as that column")
    expect(lacking.stderr).not.toContain('--set date')
    const named = await importWide(unnamed, '--map', '=date', ...others)
    expect({ code: named.code, rows: named.rows.sort() }).toEqual({ code: 0, rows: expected })
    const { stdout } = await importWide(unnamed, 'price', '--map', '=date', ...others, '--explain')
    expect(stdout).toContain('"columns": {\n        "": "date",\n        "*": "net_asset_value"\n      }')
  })

  it('may have a delimiter more at the end of each line', async () => {
    const { code, rows } = await importWide(csv(lines.map((row) => [...row, ''])), ...flags)
    expect({ code, rows: rows.sort() }).toEqual({ code: 0, rows: expected })
  })

  describe('with a line of currencies', () => {
    const pence = [
      ['date', first, second],
      ['', 'GBX', 'EUR'],
      ['2026-11-25', '24512.3', '20.5'],
    ]
    const inPounds = `UPDATE fund SET currency = 'GBP' WHERE isin = '${first}'`
    const imported = async (rows: readonly (readonly string[])[], ...more: readonly string[]) => {
      const db = folder.database()
      editDatabase(folder.file(db), 'DELETE FROM price')
      editDatabase(folder.file(db), inPounds)
      writeFileSync(folder.file('pence.csv'), csv(rows))
      const ended = await folder.import(
        'price',
        'pence.csv',
        '--db',
        db,
        '--map',
        '*=net_asset_value',
        '--derive',
        '--decimal',
        'point',
        ...more,
      )
      const found = readDatabase(folder.file(db), 'SELECT net_asset_value AS nav FROM price ORDER BY isin')
      return { ...ended, navs: found.map(({ nav }) => nav) }
    }

    it('compares them with those of the funds', async () => {
      const { code, stdout, navs } = await imported([pence[0] ?? [], ['', 'GBP', 'EUR'], pence[2] ?? []])
      expect({ code, navs }).toEqual({
        code: 0,
        navs: first < second ? ['24512.3', '20.5'] : ['20.5', '24512.3'],
      })
      expect(stdout).toContain('a column for each of 2 funds, their currencies in line 2')
      const wrong = await imported([pence[0] ?? [], ['Währung', 'USD', 'EUR'], pence[2] ?? []])
      expect(wrong.code).toBe(1)
      expect(wrong.stdout).toMatch(/line 3: currency is "USD", but fund/)
    })

    it('takes no pence for pounds, whatever flag leaves lines out', async () => {
      for (const more of [[], ['--skip', 'date=']]) {
        const asked = await imported(pence, ...more)
        expect({ code: asked.code, navs: asked.navs }).toEqual({ code: 1, navs: [] })
        expect(asked.stdout).toContain('let --minor-units do it')
      }
      const taken = await imported(pence, '--minor-units')
      expect(taken.navs).toContain('245.123')
    })
  })

  it('is not whole if --skip-last would leave out a price beside a cell that has none', async () => {
    const rows = [...lines, ['07.05.2024', '#REF!', '102,5']]
    const { code, stdout } = await importWide(csv(rows), 'price', ...flags, '--skip-last', '1')
    expect(code).toBe(1)
    expect(stdout).toContain('--skip-last leaves it out: the file may be incomplete')
  })

  it('is named with the columns of its table', async () => {
    const items = csv([
      ['Land', first, second],
      ['Japan', '60', '40'],
    ])
    writeFileSync(folder.file('items.csv'), items)
    const { stderr } = await folder.import('structure_item', 'items.csv', '--db', folder.database())
    expect(stderr).toContain(
      "--map '*=percent' takes their cells as percent, a row for each (and --map 'Land=name_de', if it has the names)",
    )
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
