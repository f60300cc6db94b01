/** Workbooks that would take more memory or time than a program has: refused with the reason, in little of both. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run, runAlone } from '../../cli/run.ts'
import { importFolder } from './database.ts'
import { workbookParts, zip } from './workbook.ts'

const folder = importFolder()

const fields = ['00001_EMT_Version', '00010_Financial_Instrument_Identifying_Data', '04020_Risk_Tolerance']
const row = ['V4.3', 'XF0000000012', '3']
const parts = workbookParts({ name: 'EMT', rows: [fields, row] })
const sheet = 'xl/worksheets/sheet1.xml'

/** With something in the sheet behind its rows. */
const withRows = (xml: string) => ({
  ...parts,
  [sheet]: (parts[sheet] ?? '').replace('</sheetData>', `${xml}</sheetData>`),
})
const inRows = (xml: string) => zip(withRows(xml))
const valueAt = (place: string) => withRows(`<row><c r="${place}"><v>1</v></c></row>`)

/** Imports it; `isAlone` in a process of its own, which may not have much memory. */
async function importBook(content: Buffer, isAlone = false) {
  writeFileSync(folder.file('book.xlsx'), content)
  const env = isAlone ? { NODE_OPTIONS: '--max-old-space-size=200' } : {}
  return (isAlone ? runAlone : run)(`import emt book.xlsx --db ${folder.database()}`, {
    cwd: folder.path,
    env,
  })
}

const tooFar =
  'up to 100,000 rows, 1,024 columns and 12,000,000 cells are read; delete the rows and columns behind the data'

/** In a part of its own, deflated. */
const packed = (name: string, content: string | Buffer, sizes = {}) =>
  zip({ ...parts, [`xl/${name}.xml`]: content }, { method: 8, ...sizes })
const texts = (count: number) => `<sst>${'<si><t>a</t></si>'.repeat(count)}</sst>`
const many = (count: number, content: Buffer | string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`xl/${index}.xml`, content]))

const last = 'XFD1048576'
const manyRows = '<row/>'.repeat(1_048_577)
const blanks = Buffer.alloc(1e6, ' ')
const tooLarge = 'unpacked it is larger than 128 MB'
const noTag = 'has a tag that cannot be read'
const beyond = `has a cell in ${last}: ${tooFar}`

describe('import refuses a workbook with', () => {
  const cases: readonly (readonly [what: string, content: () => Buffer, reason: string])[] = [
    ['a value in its last cell', () => zip(valueAt(last)), beyond],
    ['a value beyond the columns', () => zip(valueAt('AMK3')), `has a cell in AMK3: ${tooFar}`],
    ['a value beyond the rows', () => zip(valueAt('A100001')), `has a cell in A100001: ${tooFar}`],
    ['too many cells', () => zip(valueAt('AMJ50000')), `has 50000 rows of 1024 columns: ${tooFar}`],
    ['a tag that is cut', () => zip({ ...parts, [sheet]: '<worksheet><sheetData><row><c r="A1"' }), noTag],
    ['a place in no sheet', () => zip(valueAt('A1e9')), 'has a cell at "A1e9", which no sheet has'],
    ['a row in no sheet', () => inRows('<row r="9999999"/>'), 'has a row "9999999", which no sheet has'],
    ['an escaped place', () => zip(valueAt('&#88;FD1048576')), beyond],
    [
      'a place without quotation marks',
      () => inRows(`<row><c r=${last}><v>1</v></c></row>`),
      'has a cell at ""',
    ],
    [
      'too many rows',
      () => zip(withRows(manyRows), { method: 8 }),
      `has more than 1,048,576 rows: ${tooFar}`,
    ],
    ['too many texts', () => packed('sharedStrings', texts(1_000_001)), 'it has more than 1,000,000 texts'],
    [
      'cells that are too many in all sheets together',
      () =>
        zip({
          ...parts,
          ...Object.fromEntries(
            [2, 3].map((n) => [
              `xl/worksheets/sheet${n}.xml`,
              '<worksheet><sheetData><row><c r="DP99999"><v>1</v></c></row></sheetData></worksheet>',
            ]),
          ),
        }),
      'xl/worksheets/sheet3.xml has 99999 rows of 120 columns, with the other sheets 23,999,766 cells: ',
    ],
    [
      'too many sheets',
      () => zip({ ...parts, ...many(101, '<worksheet><sheetData/></worksheet>') }),
      'it has more than 100 sheets',
    ],
    [
      'a row of a million attributes',
      () =>
        zip(withRows(`<row ${Array.from({ length: 1e6 }, (_, n) => `a${n}=""`).join(' ')}/>`), { method: 8 }),
      'bytes, more than 16,384',
    ],
    [
      'an attribute of 1 MB',
      () => zip(withRows(`<row><c r="${'A'.repeat(1e6)}"><v>1</v></c></row>`), { method: 8 }),
      'sheet1.xml has a tag of 1000008 bytes, more than 16,384',
    ],
    [
      'a cell of 60 MB',
      () =>
        zip(withRows(`<row><c r="A3" t="inlineStr"><is><t>${'a'.repeat(60e6)}</t></is></c></row>`), {
          method: 8,
        }),
      'sheet1.xml has a text of 60000000 bytes, more than 131,072',
    ],
    [
      'five million formats',
      () => packed('styles', `<styleSheet><cellXfs>${'<xf/>'.repeat(5e6)}</cellXfs></styleSheet>`),
      'xl/styles.xml has 65537 formats of cells, more than 65,536',
    ],
    [
      'millions of names',
      () => packed('workbook', `<workbook><definedNames>${'<d/>'.repeat(4e6)}</definedNames></workbook>`),
      'xl/workbook.xml has 3000001 elements, more than 3,000,000',
    ],
    [
      'elements that are nested deeply',
      () => inRows('<row>'.repeat(1e5)),
      'has elements in 65 levels, more than 64',
    ],
    [
      'a cell of millions of runs',
      () =>
        zip(withRows(`<row><c r="A3" t="inlineStr"><is>${'<t>a</t>'.repeat(3e6)}</is></c></row>`), {
          method: 8,
        }),
      'sheet1.xml has more than 100,000 elements in one cell or text',
    ],
    ['200 MB declared as small', () => packed('a', Buffer.alloc(200e6), { declared: 10 }), 'unclosed'],
    ['200 MB in many parts', () => zip({ ...parts, ...many(200, blanks) }, { method: 8 }), tooLarge],
    ['too many parts', () => zip(many(1001, '')), 'it has more than 1000 parts'],
    ['no end of its archive', () => zip(parts).subarray(0, 1500), 'it is incomplete'],
    // Bytes of its first part.
    ['a damaged part', () => zip(parts, { method: 8 }).fill(0xff, 60, 90), 'it is damaged'],
  ]

  it.each(cases)('%s', async (_, content, reason) => {
    const { code, stdout, stderr } = await importBook(content(), /MB|texts|XFD/.test(reason))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^fundpress: book\.xlsx cannot be read as a workbook \(XLSX\): [^\n]*\n$/)
    expect(stderr).toContain(reason)
  })
})

it('import reads cells without a value anywhere', async () => {
  const styled = inRows(`<row r="1048576"><c r="${last}" s="1"/></row>`)
  expect(await importBook(styled)).toMatchObject({ code: 0, stderr: '' })
})
