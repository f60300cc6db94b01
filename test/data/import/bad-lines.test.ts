/** What is wrong with lines: each is named by its number with all reasons, and nothing is taken, or only the others. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../../../src/core/data/check/finding.ts'
import structureNames from '../../../src/core/api/contract/structure-types.json' with { type: 'json' }
import { run } from '../../cli/run.ts'
import { asOf, editDatabase, goodRows, isinOf, type Row } from '../../support/database.ts'
import { repository } from '../../support/product.ts'
import { importFolder, isins, refusal, unknownIsin } from './database.ts'
import { dumpAll } from './dialects.ts'

const folder = importFolder()

const [isin] = isins
const textOf = (row: Row): string[] => Object.values(row).map((value) => String(value ?? ''))

/** A file with one good line, one that is changed, and another good one. */
async function importChanged(table: string, changed: Row, flags: readonly string[] = []) {
  const db = folder.database()
  const good = { isin, ...goodRows[table] }
  const rows = [good, { ...good, isin: isins[1], ...changed }, { ...good, isin: isins[2] }]
  const lines = [Object.keys(good), ...rows.map(textOf)]
  const before = dumpAll(folder.file(db))
  const ended = await folder.importLines(db, table, lines, ['--decimal', 'point', '--dates', 'iso', ...flags])
  return { ...ended, isUnchanged: JSON.stringify(dumpAll(folder.file(db))) === JSON.stringify(before) }
}

const isinFault = 'is not an ISIN: wrong form or check digit'
const noDay = 'is not a day (YYYY-MM-DD)'
const otherForms = '; other forms, by --dates: DD.MM.YYYY, YYYYMMDD, DD/MM/YYYY, MM/DD/YYYY'
const noNumber = 'is not a number (with a decimal point)'
const inOne = "; if all lines are of one, --map 'type=' --set type=… says which"
const noFlag = 'is not one of 0, 1, false, falsch, no, nein, n, f, true, wahr, yes, ja, y, j, t, x'

const asPence = (whole: string) =>
  `it looks like a part of ${whole}, as pence (GBp, GBX) are hundredths of pounds; convert the amounts and write ${whole}, or let --minor-units do it`

/** One of each kind; a reason that begins with `is` or `has` follows the column and the cell in the message. */
const faults: readonly (readonly [table: string, column: string, cell: string, reason: string])[] = [
  ['price', 'isin', 'DE0008471401', isinFault],
  [
    'price',
    'isin',
    '',
    `is empty; the last one above is "${isins[0]}": if the cells are merged, --fill-down isin takes it`,
  ],
  ['price', 'isin', unknownIsin, `there is no fund ${unknownIsin}`],
  ['price', 'date', '2023-02-29', noDay],
  ['price', 'date', '02.05.2024', noDay],
  ['price', 'date', '2024-05-02 00:01', `${noDay}: it has a time of day, which --drop-times leaves out`],
  ['price', 'date', '1699-12-31', noDay],
  ['price', 'date', '1899-12-30', 'is what programs store for no day'],
  ['price', 'date', 'soon', `${noDay}${otherForms}`],
  ['price', 'issue_price', '1,5', noNumber],
  ['price', 'issue_price', '  ', 'is empty (--derive computes issue_price)'],
  ['price', 'change', `0.${'1'.repeat(16)}`, 'has more than 30 digits, 23 before and 15 after the point'],
  ['fund', 'currency', 'Eur', 'is not an ISO 4217 code of a currency in use'],
  ['fund', 'currency', 'GBp', `is not an ISO 4217 code of a currency in use: ${asPence('GBP')}`],
  ['corporate_action', 'currency', 'EUc', `is not an ISO 4217 code of a currency in use: ${asPence('EUR')}`],
  ['fund', 'currency', 'DEM', 'is not an ISO 4217 code of a currency in use'],
  ['fund', 'name', '', 'is empty'],
  ['fund', 'name', 'Fund\u0000', 'name holds U+0000, which XML cannot hold'],
  ['fund', 'name', 'ä'.repeat(50_001), 'name has more than 100000 bytes'],
  ['fund', 'data_permitted', 'maybe', noFlag],
  ['fund', 'data_permitted', 'constructor', noFlag],
  ['performance_year', 'year', '24', 'is not a year of four digits'],
  ['performance_year', 'percent', '5 ‰', noNumber],
  ['performance_year', 'percent', '1e999', noNumber],
  [
    'structure_item',
    'type',
    'country',
    `is not one of the structure types: countries, currencies, terms, industrial_sectors, segments and 28 more, which \`import --help\` lists${inOne}`,
  ],
  ['structure_item', 'position', '1.5', 'is not a whole number'],
  ['profile', 'end_of_fiscal_year', '31.12.', 'is not a day of the year (MM-DD)'],
]

const faultLines = ({ stdout }: { readonly stdout: string }) => stdout.match(/^line .*$/gm)

describe.concurrent('import refuses a file with', () => {
  it.for(faults)('%s.%s = %j, because it %s', async ([table, column, cell, reason]) => {
    const { code, stdout, stderr, isUnchanged } = await importChanged(table, { [column]: cell })
    expect({ code, isUnchanged }).toEqual({ code: 1, isUnchanged: true })
    const about = reason.startsWith('is empty') ? `${column} ` : `${column} ${JSON.stringify(cell)} `
    const message = /^(?:is|has) /.test(reason) ? about + reason : reason
    expect(faultLines({ stdout })).toEqual([`line 3: ${message}`])
    expect(stderr).toMatch(
      /^fundpress: \d+\.csv has 1 bad row: nothing was taken \(--skip-bad takes the other 2\)\n$/,
    )
  })
})

it('import names what a column may hold, for each column that the schema limits to a list', async () => {
  const schema = readFileSync(join(repository, 'templates/schema.sql'), 'utf8').replace(/--.*$/gm, '')
  const tables = schema.matchAll(/CREATE TABLE (\w+) \(([\s\S]*?)\n\) STRICT/g)
  let checks = 0
  for (const [, table = '', body = ''] of tables)
    for (const [, column = '', check = ''] of body.matchAll(
      /(\w+) +(?:INTEGER|TEXT)[^,(]*CHECK \(([^)]*\)?)\)/g,
    )) {
      const wrong = check.includes("'") ? 'X' : 9
      const ended = await importChanged(table, { [column]: wrong })
      const stdout = expect.stringMatching(
        new RegExp(`line 3: ${column} "?${wrong}"? is not one of (?:\\w+, )+\\w+(?:\n|;)`),
      ) as string
      expect(ended).toMatchObject({ stdout, isUnchanged: true })
      checks++
    }
  expect(checks).toBeGreaterThan(12)
})

describe('import names the types that are like a wrong one', () => {
  it.each([
    ['structure_item', 'type', 'Länder', 'structure types: countries, '],
    ['structure_item', 'type', 'Breakdown by currency', 'structure types: currencies, '],
    ['structure_item', 'type', 'Top holdings', 'structure types: top_'],
    ['document', 'kind', 'KIID', 'kid'],
    ['asset_allocation', 'derivatives', 'both', '0, 1, '],
  ])('%s.%s = %j', async (table, column, wrong, first) => {
    const { stdout, isUnchanged } = await importChanged(table, { [column]: wrong })
    expect(isUnchanged).toBe(true)
    expect(stdout).toContain(`line 3: ${column} ${JSON.stringify(wrong)} is not one of `)
    expect(stdout).toContain(first)
    expect(stdout).toContain(`; if all lines are of one, --map '${column}=' --set ${column}=… says which`)
  })

  it('and the help lists all', async () => {
    const { stdout } = await run(['import', '--help'], { cwd: folder.path })
    for (const type of Object.keys(structureNames)) expect(stdout).toMatch(new RegExp(`\\b${type}\\b`))
  })

  it('and takes a right one in any case', async () => {
    const { code } = await importChanged('structure_item', { type: 'Countries' })
    expect(code).toBe(0)
  })
})

it('import counts lines as an editor does, with empty lines and cells of several lines', async () => {
  const text = `\r\nisin;position;name_de;value\r
${isin};1;"of\r\ntwo";x\r\n\r\n;;;\r
${isin};x;1;x\r
${isin};2;"of\nthree\r\nlines";x\r
${isin};3;a "quote";x\r
${isin};4;"of\n\n\nfour";\r
${isin};x;2;x`
  writeFileSync(folder.file('lines.csv'), text)
  const { stdout } = await folder.import('key_figure', 'lines.csv', '--db', folder.database())
  expect(faultLines({ stdout })).toEqual([
    'line 7: position "x" is not a whole number',
    'line 11: a quotation mark inside a cell that is not in quotation marks itself',
    'line 12: value is empty',
    'line 16: position "x" is not a whole number',
  ])
})

it('check finds no error in what import takes, whatever the cells hold', async () => {
  const db = folder.database()
  writeFileSync(folder.file('any.json'), JSON.stringify({ import: { maxBadShare: 1 } }))
  const funds = Array.from(
    { length: 300 },
    (_, at) => `('${isinOf(100 + at)}', 'Fund ${at}', '2010-01-04', 'EUR')`,
  )
  editDatabase(
    folder.file(db),
    `INSERT INTO fund (isin, name, fund_inception_date, currency) VALUES ${funds.join(', ')}`,
  )
  const cells = '1|-1.5||1e5|0| 2 |EUR|2024-02-29|2023-02-29|12-31|N|A|x\u0000'.split('|')
  for (const [table, good] of Object.entries(goodRows)) {
    const columns = ['isin', ...Object.keys(good)]
    // Each line is of another fund: those of one would contradict each other.
    const lines = columns
      .flatMap((column) => cells.map((cell) => ({ [column]: cell })))
      .map((changed, at) => textOf({ isin: isinOf(100 + at), ...good, ...changed }))
    const flags = ['--skip-bad', '--config', 'any.json', '--quiet', '--decimal', 'point', '--dates', 'iso']
    const { code } = await folder.importLines(db, table, [columns, ...lines], flags)
    expect({ table, code }).toEqual({ table, code: 0 })
  }
  const { stdout } = await run(['check', '--db', db, '--as-of', asOf, '--json'], { cwd: folder.path })
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
  // Two classes of one name are no fault of a line, nor is a price that does not go with others.
  const ofLines = findings.filter(
    ({ severity, message, guard }) =>
      severity === 'error' && guard === undefined && !/another class|out of order/.test(message),
  )
  expect(ofLines).toEqual([])
})

it('import refuses a database without the schema before it reads the file', async () => {
  const file = folder.file('other.sqlite')
  const other = new Database(file)
  other.exec('CREATE TABLE fund (isin TEXT); PRAGMA user_version = 1')
  other.close()
  const ended = await folder.importLines('other.sqlite', 'fund', [['isin']])
  expect(ended).toMatchObject(refusal('fundpress: other.sqlite does not have the schema: fund: '))
})

it('import lists a thousand bad lines and counts the others', async () => {
  const db = folder.database()
  const lines = Array.from({ length: 1500 }, (_, line) => [isin, `day ${line}`, '1'])
  const args = [db, 'legal_point', [['isin', 'date', 'value'], ...lines]] as const
  const plain = await folder.importLines(...args)
  expect(plain.code).toBe(1)
  expect(plain.stdout.match(/^line .*$/gm)).toHaveLength(1000)
  expect(plain.stdout).toContain('\nand 500 more bad rows\n')
  expect(plain.stderr).toContain('has 1,500 bad rows: nothing was taken')
  const { stdout } = await folder.importLines(...args, ['--json'])
  const { bad, ...summary } = JSON.parse(stdout) as { readonly bad: readonly unknown[] }
  expect(bad).toHaveLength(1000)
  const reasons = [`date "day 999" ${noDay}${otherForms}`]
  expect(bad[999]).toEqual({ file: expect.any(String), place: 'line 1001', reasons, rows: 1 })
  const files = [{ format: 'table', table: 'legal_point', rows: 1500, badCount: 1500 }]
  expect(summary).toMatchObject({ files, dryRun: false, rows: 1500, badCount: 1500 })
})
