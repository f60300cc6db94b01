/** Workbooks that would take more memory or time than a program has: refused with the reason, in little of both. */
import { writeFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { run, runAlone } from '../../cli/run.ts'
import { importFolder } from './database.ts'
import { workbook, workbookParts, zip } from './workbook.ts'

const folder = importFolder()
afterAll(folder.remove)

const fields = ['00001_EMT_Version', '00010_Financial_Instrument_Identifying_Data', '04020_Risk_Tolerance']
const row = ['V4.3', 'XF0000000012', '3']
const parts = workbookParts({ name: 'EMT', rows: [fields, row] })
const sheet = 'xl/worksheets/sheet1.xml'

/** With something in the sheet behind its rows. */
const withRows = (xml: string) => ({
  ...parts,
  [sheet]: (parts[sheet] ?? '').replace('</sheetData>', `${xml}</sheetData>`),
})
const valueAt = (place: string) => withRows(`<row><c r="${place}"><v>1</v></c></row>`)

/** Imports it; `isAlone` in a process of its own, which may not have much memory. */
async function importBook(content: Buffer, isAlone = false) {
  writeFileSync(folder.file('book.xlsx'), content)
  const args = ['import', 'emt', 'book.xlsx', '--db', folder.database()]
  const env = { NODE_OPTIONS: '--max-old-space-size=200' }
  return isAlone ? runAlone(args, { cwd: folder.path, env }) : run(args, { cwd: folder.path })
}

const tooFar =
  'up to 100,000 rows, 1,024 columns and 12,000,000 cells are read; delete the rows and columns behind the data'

/** In a part of its own, deflated. */
const packed = (name: string, content: string | Buffer, declared?: number) =>
  zip(
    { ...parts, [`xl/${name}.xml`]: content },
    declared === undefined ? { method: 8 } : { method: 8, declared },
  )
const texts = (count: number) => `<sst>${'<si><t>a</t></si>'.repeat(count)}</sst>`
const spaces = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`xl/${index}.xml`, Buffer.alloc(1e6, ' ')]))
const empty = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}.xml`, '']))

describe('import refuses a workbook with', () => {
  const cases: readonly (readonly [what: string, content: () => Buffer, reason: string])[] = [
    ['a value in its last cell', () => zip(valueAt('XFD1048576')), `has a cell in XFD1048576: ${tooFar}`],
    ['a value beyond the columns', () => zip(valueAt('AMK3')), `has a cell in AMK3: ${tooFar}`],
    ['a value beyond the rows', () => zip(valueAt('A100001')), `has a cell in A100001: ${tooFar}`],
    ['too many cells', () => zip(valueAt('AMJ50000')), `has 50000 rows of 1024 columns: ${tooFar}`],
    ['a place in no sheet', () => zip(valueAt('A1e9')), 'has a cell at "A1e9", which no sheet has'],
    [
      'a row in no sheet',
      () => zip(withRows('<row r="9999999"/>')),
      'has a row "9999999", which no sheet has',
    ],
    ['an escaped place', () => zip(valueAt('&#88;FD1048576')), 'has a tag that cannot be read'],
    [
      'a place without quotation marks',
      () => zip(withRows('<row><c r=XFD1048576><v>1</v></c></row>')),
      'has a tag that cannot be read',
    ],
    [
      'a place in single quotation marks, with a prefix',
      () => zip(withRows("<x:row><x:c x:r = 'XFD1048576'><v>1</v></x:c></x:row>")),
      `has a cell in XFD1048576: ${tooFar}`,
    ],
    [
      'a place behind a bracket',
      () => zip(withRows('<row><c a=">" r="XFD1048576"><v>1</v></c></row>')),
      `has a cell in XFD1048576: ${tooFar}`,
    ],
    [
      'more rows than a sheet has',
      () => zip(withRows('<row/>'.repeat(1_048_577)), { method: 8 }),
      `has 1048579 rows: ${tooFar}`,
    ],
    ['too many texts', () => packed('sharedStrings', texts(1_000_001)), 'it has more than 1,000,000 texts'],
    ['200 MB in a part', () => packed('a', Buffer.alloc(200e6)), 'unpacked it is larger than 128 MB'],
    [
      '200 MB declared as small',
      () => packed('a', Buffer.alloc(200e6), 10),
      'unpacked it is larger than 128 MB',
    ],
    [
      '200 MB in many parts',
      () => zip({ ...parts, ...spaces(200) }, { method: 8 }),
      'unpacked it is larger than 128 MB',
    ],
    ['too many parts', () => zip(empty(1001)), 'it has more than 1000 parts'],
    ['no end of its archive', () => zip(parts).subarray(0, 1500), 'it is incomplete'],
    // Bytes of its first part.
    ['a damaged part', () => zip(parts, { method: 8 }).fill(0xff, 60, 90), 'it is damaged'],
  ]

  it.each(cases)('%s', { timeout: 120_000 }, async (_, content, reason) => {
    const { code, stdout, stderr } = await importBook(content(), /MB|texts|XFD/.test(reason))
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^fundpress: book\.xlsx cannot be read as a workbook \(XLSX\): [^\n]*\n$/)
    expect(stderr).toContain(reason)
  })
})

it('import reads cells without a value anywhere, and ignores wrong sizes in the directory', async () => {
  const styled = withRows('<row r="1048576"><c r="XFD1048576" s="1"/></row>')
  for (const content of [
    zip(styled),
    zip(parts, { method: 8, declared: 2 ** 32 - 1 }),
    workbook({ name: 'A', rows: [fields, row] }),
  ]) {
    const { code, stderr } = await importBook(content)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  }
})

it('import reads tags that never end in linear time', { timeout: 120_000 }, async () => {
  const tags = `<c <c "<c '<c a="${'x'.repeat(50)}`.repeat(100_000)
  const { code } = await importBook(
    zip({ ...parts, [sheet]: `<worksheet><sheetData>${tags}` }, { method: 8 }),
  )
  expect(code).toBe(1)
})
