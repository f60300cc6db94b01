/** Plain tables as workbooks: what the file holds counts, whatever a spreadsheet shows. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import readWorkbook from 'read-excel-file/node'
import { readSheets } from '../../../src/extensions/import/workbook.ts'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { needsShared } from '../../support/shared-data.ts'
import { importFolder, isins } from './database.ts'
import { dumpAll } from './dialects.ts'
import { workbook, workbookParts, zip, type Sheet, type SheetCell } from './workbook.ts'

const folder = importFolder()
const [first, second] = isins

const header = [
  'isin',
  'date',
  'issue_price',
  'repurchase_price',
  'net_asset_value',
  'change',
  'change_percent',
]
const lineOf = (isin: string, date: SheetCell, nav: SheetCell): SheetCell[] => [
  isin,
  date,
  nav,
  nav,
  nav,
  { number: '0' },
  { number: '-1.5' },
]
const day: SheetCell = { day: '2024-05-03' }
const prices = (name: string, ...navs: readonly SheetCell[]): Sheet => ({
  name,
  rows: [header, ...navs.map((nav, index) => lineOf(isins[index] ?? '', day, nav))],
})

async function importBook(content: Buffer, ...args: readonly string[]) {
  const db = folder.database()
  editDatabase(folder.file(db), 'DELETE FROM price')
  const before = dumpAll(folder.file(db))
  writeFileSync(folder.file('book.xlsx'), content)
  const outcome = await folder.import(...args, 'book.xlsx', '--db', db)
  const rows = readDatabase(
    folder.file(db),
    'SELECT isin, date, net_asset_value AS nav, change_percent FROM price',
  )
  return {
    ...outcome,
    rows,
    isUnchanged: JSON.stringify(before) === JSON.stringify(dumpAll(folder.file(db))),
  }
}

describe('import of a table as a workbook', () => {
  it.each([
    ['with its table named', ['price']],
    ['by its columns', []],
  ])('takes it %s', async (_, args) => {
    const rows = [
      ['NAV list'],
      [],
      header,
      lineOf(first, day, { number: '101.5' }),
      [],
      lineOf(second, '03.05.2024', '1.234,50'),
    ]
    const { code, stdout, rows: taken } = await importBook(workbook({ name: 'NAV', rows }), ...args)
    expect({ code, taken }).toEqual({
      code: 0,
      taken: [
        { isin: first, date: '2024-05-03', nav: '101.5', change_percent: '-1.5' },
        { isin: second, date: '2024-05-03', nav: '1234.50', change_percent: '-1.5' },
      ],
    })
    expect(stdout).toMatch(/as +table price\nform +XLSX, sheet "NAV"/)
  })

  it('takes columns of other names by --map, in the sheet that has them', async () => {
    const rows = [
      ['ISIN', 'Datum', 'NAV', 'Note'],
      [first, day, { number: '1e-7' }, { error: '#REF!' }],
    ]
    const other = { name: 'Info', rows: [['A text'], ['another']] }
    const maps = ['--map', 'Datum=date', '--map', 'NAV=net_asset_value', '--map', '*=', '--derive']
    const { code, rows: taken } = await importBook(workbook(other, { name: 'NAV', rows }), 'price', ...maps)
    expect({ code, taken }).toMatchObject({ code: 0, taken: [{ nav: '0.0000001' }] })
  })

  it.each([
    ['12345678901234.5', '12345678901234.5'],
    ['61.834567', '61.834567'],
    ['0.1', '0.1'],
    ['1E+3', '1000'],
    // What Excel writes for 0.0012.
    ['1.1999999999999999E-3', '0.0012'],
    ['-7', '-7'],
  ])('takes the number %s', async (number, nav) => {
    const { code, rows } = await importBook(workbook(prices('A', { number })))
    expect({ code, nav: rows[0]?.nav }).toEqual({ code: 0, nav })
  })

  it.each([
    ['61.830000000000005', '61.83'],
    ['0.30000000000000004', '0.3'],
    ['-146.15999999999997', '-146.16'],
    ['0.028999999999999998', '0.029'],
  ])('takes %s of a formula for its neighbour %s, and says so', async (number, nav) => {
    const book = workbook(prices('A', { number, format: '0.00' }, { number: '1' }))
    const { code, rows, stdout } = await importBook(book)
    expect({ code, nav: rows[0]?.nav }).toEqual({ code: 0, nav })
    expect(stdout).toContain(
      `net_asset_value: 1 cell has more digits than a spreadsheet keeps, as formulas make them: "${number}" is ${nav}`,
    )
  })

  it('leaves out the times of days if it is asked to, and says so', async () => {
    const timed = (day: string, text: string) => lineOf(first, { number: day, format: text }, { number: '1' })
    const rows = [header, timed('45415.75', 'yyyy-mm-dd'), timed('45416', 'yyyy-mm-dd')]
    const { rows: taken, stdout } = await importBook(workbook({ name: 'A', rows }), 'price', '--drop-times')
    expect(taken).toMatchObject([{ date: '2024-05-03' }, { date: '2024-05-04' }])
    expect(stdout).toContain(
      'date: 1 cell has a time of day, which is left out: "2024-05-03 18:00:00" is 2024-05-03',
    )
  })

  it.each([
    ['23:59:59.997, as SQL Server ends a day', '45415.99999996528', '2024-05-03'],
    ['a millisecond before midnight', '45415.99999998843', '2024-05-03'],
    ['noise of a double before midnight', '45415.999999999993', '2024-05-04'],
  ])('never takes a time for the next day: %s', async (_, number, date) => {
    const rows = [header, lineOf(first, { number, format: 'yyyy-mm-dd' }, { number: '1' })]
    const book = workbook({ name: 'A', rows })
    const isNoise = date !== '2024-05-03'
    const asked = await importBook(book, 'price')
    expect(asked.code).toBe(isNoise ? 0 : 1)
    if (!isNoise)
      expect(asked.stdout).toContain(
        '2024-05-03 23:59:59: it has a time of day, which --drop-times leaves out',
      )
    expect((await importBook(book, 'price', '--drop-times')).rows).toMatchObject([{ date }])
  })

  it.each([
    [
      'a number of more digits than a spreadsheet keeps',
      { number: '61.83000000000002' },
      'with more than 15 digits',
    ],
    ['an error', { error: '#N/A' }, '"#N/A" is not a number'],
    ['a formula that was never calculated', { formula: 'A1*2' }, 'never calculated: open the workbook'],
    ['a date', { day: '2024-05-03' }, 'cannot be the date 2024-05-03'],
    ['a word', 'n/a', 'says that there is no value'],
  ] as const)('refuses %s in place of a NAV, and takes nothing', async (_, cell, reason) => {
    const { code, stdout, isUnchanged } = await importBook(workbook(prices('A', { number: '1' }, cell)))
    expect({ code, isUnchanged }).toEqual({ code: 1, isUnchanged: true })
    expect(stdout.split('\n')[0]).toContain('line 3: ')
    expect(stdout).toContain(reason)
  })

  it.each([{ error: '#DIV/0!' }, { formula: 'A1' }] as const)(
    'refuses %j in a text that may be missing',
    async (cell) => {
      const rows = [
        ['isin', 'wkn'],
        [first, cell],
      ]
      expect(await importBook(workbook({ name: 'A', rows }), 'fund')).toMatchObject({
        code: 1,
        isUnchanged: true,
      })
      const names = rows.map((row) => [row[0] ?? '', row[1] === 'wkn' ? 'name' : (row[1] ?? '')])
      expect(await importBook(workbook({ name: 'A', rows: names }), 'fund')).toMatchObject({
        code: 1,
        isUnchanged: true,
      })
    },
  )

  it('refuses them in a template, too, whose costs would go otherwise', async () => {
    const fields = ['00001_EMT_Version', '00010_ISIN', '08025_Entry', '08030_Ongoing']
    for (const cell of [{ error: '#N/A' }, { formula: 'A1' }]) {
      const rows = [fields, ['V4.3', first, cell, { number: '0.0158' }]]
      const { code, stdout, isUnchanged } = await importBook(workbook({ name: 'EMT', rows }))
      expect({ code, isUnchanged }).toEqual({ code: 1, isUnchanged: true })
      expect(stdout).toContain('line 2: 08025 (entry_costs) "#')
    }
  })

  it('takes the last value of a formula, and tells nothing of it', async () => {
    const { code, stdout, rows } = await importBook(workbook(prices('A', { formula: 'A1', value: '101.25' })))
    expect({ code, nav: rows[0]?.nav }).toEqual({ code: 0, nav: '101.25' })
    expect(stdout).not.toContain('decimals')
  })

  it('says what the sheet does not show, with the first cell', async () => {
    const shown = (number: string, format: string): SheetCell => ({ number, format })
    const book = workbook(prices('A', shown('61.834567', '#,##0.00 "EUR"'), shown('61.5', '0.00;[Red]-0.00')))
    const { code, stdout, rows } = await importBook(book)
    expect({ code, navs: rows.map(({ nav }) => nav) }).toEqual({ code: 0, navs: ['61.834567', '61.5'] })
    expect(stdout).toContain(
      '3 numbers have more decimals than the sheet shows: all of them count (the first: C2, 61.834567 with 2 decimals)',
    )
  })

  it.each([
    ['0', '1.5', true],
    ['0.00%', '0.0158', false],
    ['0%', '0.0158', true],
    ['0.0,', '1250', true],
    ['General', '1.23456', false],
    ['0.00E+00', '1.23456', false],
    ['# ?/?', '1.25', false],
    ['_-* #,##0.00\\ "€"_-', '1.234', true],
    ['0.###', '1.234', false],
  ])('knows how many decimals %s shows of %s', async (format, number, isShortened) => {
    const { stdout } = await importBook(workbook(prices('A', { number, format })))
    expect(stdout.includes('more decimals than the sheet shows')).toBe(isShortened)
  })

  it.each([
    ['yyyy-mm-dd', '45415'],
    ['dd.mm.yyyy;@', '45415'],
    ['[$-407]d. mmmm yyyy', '45415'],
    ['"Stand" dd/mm/yy', '45415.0000001'],
  ])('knows a day by its format %s', async (format, number) => {
    const rows = [header, lineOf(first, { number, format }, { number: '1' })]
    const { code, rows: taken } = await importBook(workbook({ name: 'A', rows }))
    expect({ code, date: taken[0]?.date }).toEqual({ code: 0, date: '2024-05-03' })
  })

  const with1904 = (sheet: Sheet) => {
    const parts = workbookParts(sheet)
    return zip({
      ...parts,
      'xl/workbook.xml': (parts['xl/workbook.xml'] ?? '').replace(
        '<sheets>',
        '<workbookPr date1904="1"/><sheets>',
      ),
    })
  }

  it('reads days of the calendar of 1904, and none that never was', async () => {
    const at = (number: string) => [header, lineOf(first, { number, format: 'yyyy-mm-dd' }, { number: '1' })]
    const { rows } = await importBook(with1904({ name: 'A', rows: at('43953') }))
    expect(rows).toMatchObject([{ date: '2024-05-03' }])
    expect((await importBook(workbook({ name: 'A', rows: at('59') }))).rows).toMatchObject([
      { date: '1900-02-28' },
    ])
    expect((await importBook(workbook({ name: 'A', rows: at('61') }))).rows).toMatchObject([
      { date: '1900-03-01' },
    ])
    expect(await importBook(workbook({ name: 'A', rows: at('60') }))).toMatchObject({
      code: 1,
      isUnchanged: true,
    })
    const timed = await importBook(workbook({ name: 'A', rows: at('45415.5') }))
    expect(timed.stdout).toContain(
      'date cannot be the date 2024-05-03 12:00:00: it has a time of day, which --drop-times leaves out\n',
    )
  })

  it('asks which sheet, if the header of several fits, and takes the one that is named', async () => {
    const book = workbook(prices('May', { number: '1' }), prices('June', { number: '2' }), {
      name: 'Notes',
      rows: [['isin']],
    })
    const { code, stderr } = await importBook(book, 'price')
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'fundpress: book.xlsx: the sheets "May", "June" have a line with columns of table price: choose one with --sheet\n',
    })
    const { rows } = await importBook(book, 'price', '--sheet', 'june')
    expect(rows).toMatchObject([{ nav: '2' }])
    const none = await importBook(book, 'price', '--sheet', 'July')
    expect(none.stderr).toContain('book.xlsx has no sheet "July"; it has "May", "June", "Notes"')
  })

  it('says which columns are wrong, as of a CSV', async () => {
    const rows = [
      ['ISIN', 'Datum', 'Kurs'],
      [first, day, { number: '1' }],
    ]
    const { stderr } = await importBook(workbook({ name: 'A', rows }), 'price')
    expect(stderr).toContain('table price has no column "Datum", "Kurs"')
    const foreign = await importBook(
      workbook({
        name: 'A',
        rows: [
          ['Kennung', 'Kurs'],
          ['x', 'y'],
        ],
      }),
      'price',
    )
    expect(foreign.stderr).toContain('line 1: table price has no column "Kennung", "Kurs"')
  })
})

describe('a second reader of workbooks', () => {
  // Everything that a spreadsheet writes into a cell: shared texts, runs, Japanese with its pronunciation, escapes, booleans.
  const parts = workbookParts({ name: 'A', rows: [['x']] })
  const shared = `<sst><si><t xml:space="preserve"> a &amp; b </t></si><si><r><t>ri</t></r><r><t>ch</t></r></si><si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si><si><t>a_x000D_b_x005F_x0041_</t></si><si><t/></si></sst>`
  const cells = `<row r="2"><c r="B2" t="s"><v>0</v></c><c r="C2" t="s"><v>1</v></c><c r="D2" t="s"><v>2</v></c><c r="E2" t="s"><v>3</v></c><c r="F2" t="s"><v>4</v></c></row>
    <row r="4"><c r="A4" t="b"><v>1</v></c><c r="B4" t="b"><v>0</v></c><c r="C4" t="str"><f>A1</f><v>t &lt; u</v></c><c r="D4" s="1"><v>45415</v></c><c r="E4"><v>-1.5E-3</v></c></row>
    <row r="6"><c r="A6" t="inlineStr"><is><t>&lt;x&gt;</t></is></c><c r="B6"><v>7</v></c></row><row r="9"><c r="H9" s="1"/></row>`
  const book = zip({
    ...parts,
    'xl/sharedStrings.xml': shared,
    'xl/_rels/workbook.xml.rels': (parts['xl/_rels/workbook.xml.rels'] ?? '').replace(
      '</Relationships>',
      '<Relationship Id="rId98" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>',
    ),
    'xl/worksheets/sheet1.xml': `<x:worksheet xmlns:x="a"><x:sheetData>${cells.replaceAll(/<(\/?)(?=[a-z])/g, '<$1x:')}</x:sheetData></x:worksheet>`,
  })

  /** The other reader leaves merged cells empty, as the file has them. */
  const asWritten = ({ name, lines, merged: { filled } }: ReturnType<typeof readSheets>[number]) => ({
    name,
    lines: lines.map((line, index) =>
      line.map((cell, at) => (filled.get(at)?.includes(index + 1) === true ? '' : cell)),
    ),
  })

  async function expectSame(content: Buffer) {
    writeFileSync(folder.file('compared.xlsx'), content)
    const others = await readWorkbook(content, { trim: false })
    const seen = others.map(({ sheet, data }) => ({
      name: sheet,
      lines: (data as readonly (readonly unknown[])[]).map((row) =>
        row.map((cell) => (cell === null ? '' : typeof cell === 'boolean' ? String(cell) : cell)),
      ),
    }))
    expect(readSheets(folder.file('compared.xlsx')).map(asWritten)).toEqual(seen)
    return seen
  }

  it('reads the same cells', async () => {
    const [sheet] = await expectSame(book)
    expect(sheet?.lines.flat()).toEqual(
      expect.arrayContaining([' a & b ', 'rich', '東京', 'a\rb_x0041_', 'true', '<x>', 7]),
    )
  })

  describe('of templates of FinDatEx', () => {
    const templates = needsShared('emt')
    it.each(['01_clean.xlsx', '03_bad_formats.xlsx', 'FinDatEx_EMT_V4.3_20251217.xlsx'])(
      'reads the same cells of %s',
      async (name) => {
        await expectSame(readFileSync(join(templates, name)))
      },
    )
  })
})
