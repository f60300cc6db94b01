/** Readers by the registry: files of any format with rows of any tables, through the front door of the import. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { schemaTables } from '../../../src/core/data/model/schema.ts'
import { importFiles, type ImportOptions } from '../../../src/extensions/import/import.ts'
import type { Reader } from '../../../src/extensions/import/readers/reader.ts'
import { readers } from '../../../src/extensions/import/readers/readers.ts'
import type { BadRow } from '../../../src/extensions/import/take/sink.ts'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins, unknownIsin } from './database.ts'
import { dumpAll } from './dialects.ts'

const folder = importFolder()
const [first, second] = isins

/**
 * An invented format: a line is a table and the columns of a row as `name=value`. Before a table, `~` takes rows back, and `?` knows a
 * part of a row; `-` leaves one out on purpose, and `!` is a fault.
 */
const notes: Reader = {
  name: 'notes',
  about: 'an invented format',
  recognises: ({ text }) => text.startsWith('%notes'),
  read: ({ text }, sink) => {
    for (const [index, line] of text.split('\n').entries()) {
      const place = `line ${index + 1}, /notes`
      const [table = '', ...cells] = line.split(' ')
      const values = cells.map((cell): [string, string | number | null] => {
        const [name = '', value = ''] = cell.split('=')
        return [name, value === '' ? null : value]
      })
      if (table === '-') sink.leftOut('estimated prices', place)
      else if (table === '!') sink.bad(place, ['it is a fault'])
      else if (table === '~') sink.gone(cells[0] ?? '', Object.fromEntries(values.slice(1)), place)
      else if (table === '?') sink.part(cells[0] ?? '', Object.fromEntries(values.slice(1)), place)
      else if (table !== '' && index > 0) sink.row(table, Object.fromEntries(values), place)
    }
    sink.bytes(text.length)
    return Promise.resolve({ form: ['notes 1'], notes: [], warnings: [] })
  },
}

it('a number of 31 bits says which columns a row has', () => {
  const widest = Math.max(...Object.values(schemaTables).map(({ columns }) => columns.length))
  expect(widest).toBeLessThan(32)
})

const quiet = { onBytes: () => undefined, onFund: () => undefined, onWait: () => undefined }

/** Imports texts as files of their own. @returns the summary, the bad rows, and the database */
async function importTexts(
  texts: readonly string[],
  options: Partial<ImportOptions> = {},
  db = folder.database(),
) {
  const files = texts.map((text, index) => {
    const file = folder.file(`${db}-${index}.txt`)
    writeFileSync(file, text)
    return file
  })
  const bad: Omit<BadRow, 'file' | 'rows'>[] = []
  const before = dumpAll(folder.file(db))
  const ended = await importFiles({
    ...quiet,
    db: folder.file(db),
    table: undefined,
    files,
    as: undefined,
    readers: [...readers, notes],
    suggest: () => '',
    columnMapOf: () => new Map(),
    named: [],
    encoding: undefined,
    sheet: undefined,
    habitsOf: () => ({ constants: new Map(), isDeriving: false }),
    isProposing: false,
    delimiter: undefined,
    skipLines: undefined,
    skipLast: undefined,
    constants: new Map(),
    takesMinorUnits: false,
    splitFactor: undefined,
    maxBadShare: 1,
    decimal: undefined,
    dates: undefined,
    dropTimes: false,
    skip: [],
    keep: [],
    fillDown: [],
    skipHidden: false,
    isDeriving: false,
    scope: 'upsert',
    isSkippingBad: false,
    isDryRun: false,
    complete: undefined,
    isCopied: false,
    override: { allow: [], isForced: false, reason: null, who: 'test' },
    now: new Date('2026-11-29T12:00:00Z'),
    signal: new AbortController().signal,
    patienceMs: 0,
    onBad: ({ place, reasons }) => bad.push({ place, reasons }),
    ...options,
  }).then(
    (summary) => ({ summary, error: undefined }),
    (error: unknown) => ({
      summary: undefined,
      error: error instanceof Error ? error.message : String(error),
    }),
  )
  const isUnchanged = JSON.stringify(dumpAll(folder.file(db))) === JSON.stringify(before)
  const query = (sql: string) => readDatabase(folder.file(db), sql).map((row) => Object.values(row))
  return { ...ended, bad, isUnchanged, query }
}
const text = (...lines: readonly string[]) => ['%notes', ...lines].join('\n')

const newFund = `fund isin=${unknownIsin} name=New fund_inception_date=2020-01-02 url=https://funds.example/new currency=EUR`
const years = 'SELECT isin, year, percent FROM performance_year WHERE year < 1990 ORDER BY isin, year'

describe('importFiles with an invented reader', () => {
  it('takes rows of two tables in one transaction, the fund after its rows', async () => {
    const year = `performance_year isin=${unknownIsin} year=1980 percent=1.5`
    const { summary, bad, query } = await importTexts([text(year, '-', newFund, '-')])
    expect(bad).toEqual([])
    expect(summary).toMatchObject({
      files: [{ format: 'notes', form: ['notes 1'], rows: 2, bad: 0 }],
      changes: {
        fund: { added: 1, changed: 0, unchanged: 0, removed: 0 },
        performance_year: { added: 1, changed: 0, unchanged: 0, removed: 0 },
      },
    })
    expect([...(summary?.files[0]?.leftOut ?? [])]).toEqual([
      ['estimated prices', { count: 2, first: 'line 3, /notes' }],
    ])
    expect(query(years)).toEqual([[unknownIsin, 1980, 1.5]])
  })

  const year = (isin: string, percent: number | string = 1.5) =>
    `performance_year isin=${isin} year=1980 percent=${percent}`

  it('takes nothing of any table and file if one row is bad, and names the place of each', async () => {
    const later = text(year(second, 'x'), '!')
    const { summary, bad, isUnchanged } = await importTexts([text(newFund, year(first)), later])
    expect(bad).toEqual([
      { place: 'line 2, /notes', reasons: ['percent "x" is not a number (with a decimal point)'] },
      { place: 'line 3, /notes', reasons: ['it is a fault'] },
    ])
    expect(summary).toMatchObject({ rows: 4, bad: 2, changes: undefined })
    expect(isUnchanged).toBe(true)
  })

  it('takes the others with --skip-bad, and no row of a fund that is not taken', async () => {
    const badFund = newFund.replace('currency=EUR', 'currency=GBp')
    const file = text(
      year(unknownIsin),
      badFund,
      year(first),
      `corporate_action isin=${unknownIsin} ex_date=2020-01-02 kind=merger successor_isin=${first}`,
    )
    const { bad, query } = await importTexts([file], { isSkippingBad: true })
    expect(bad.map(({ place }) => place)).toEqual(['line 2, /notes', 'line 3, /notes'])
    expect(bad[0]?.reasons).toEqual([`there is no fund ${unknownIsin}`])
    expect(query(years)).toEqual([[first, 1980, 1.5]])
    // A merger may be of a fund that is gone.
    expect(query(`SELECT kind FROM corporate_action WHERE isin = '${unknownIsin}'`)).toEqual([['merger']])
  })

  it('leaves the database as it was if a later table fails', async () => {
    const db = folder.database()
    editDatabase(
      folder.file(db),
      `CREATE TRIGGER no_years BEFORE INSERT ON performance_year BEGIN SELECT raise(ABORT, 'no years'); END`,
    )
    const { error, isUnchanged } = await importTexts([text(newFund, year(unknownIsin))], {}, db)
    expect(error).toContain('no years')
    expect(isUnchanged).toBe(true)
  })

  it('shows with --dry-run what would change', async () => {
    const { summary, isUnchanged } = await importTexts([text(newFund, year(unknownIsin))], { isDryRun: true })
    expect(summary?.changes).toMatchObject({ fund: { added: 1 }, performance_year: { added: 1 } })
    expect(isUnchanged).toBe(true)
  })

  it('keeps what a row does not bring, whatever others of the table bring', async () => {
    const db = folder.database()
    const rows = `SELECT name, wkn, currency FROM fund WHERE isin IN ('${first}', '${second}') ORDER BY isin`
    const set = `UPDATE fund SET name = 'Old', wkn = 'A0RPWH', currency = 'EUR'`
    editDatabase(folder.file(db), set)
    const file = text(`fund isin=${first} name=New`, `fund isin=${second} wkn= currency=USD`, newFund)
    const { query, summary } = await importTexts([file], {}, db)
    expect(query(rows)).toEqual([
      ['New', 'A0RPWH', 'EUR'],
      ['Old', null, 'USD'],
    ])
    expect(summary?.changes).toMatchObject({ fund: { added: 1, changed: 2, unchanged: 0 } })
    const again = await importTexts([file], {}, db)
    expect(again.summary?.changes).toMatchObject({ fund: { added: 0, changed: 0, unchanged: 3 } })
  })

  it('says what a new row lacks', async () => {
    const { bad } = await importTexts([
      text(`fund isin=${unknownIsin} name=New`, 'performance_year year=1980'),
    ])
    expect(bad.map(({ reasons }) => reasons)).toEqual([
      [
        `${unknownIsin} is new, and the file lacks fund_inception_date, currency` +
          '; a file with isin, fund_inception_date, currency in the same import completes it',
      ],
      ['it lacks isin, percent'],
    ])
  })

  it('takes a new row that two files have parts of, in any order, and refuses what they lack together', async () => {
    const parts = [
      text(`fund isin=${unknownIsin} name=New`),
      text(`fund isin=${unknownIsin} fund_inception_date=2026-01-02 currency=EUR`),
    ]
    for (const files of [parts, parts.toReversed()]) {
      const { bad, summary, query } = await importTexts(files)
      expect(bad).toEqual([])
      expect(summary?.changes).toMatchObject({ fund: { added: 1 } })
      expect(summary?.files.map(({ completing }) => completing)).toEqual([0, 1])
      expect(
        query(`SELECT name, fund_inception_date, currency FROM fund WHERE isin = '${unknownIsin}'`),
      ).toEqual([['New', '2026-01-02', 'EUR']])
    }
    const lacking = [parts[0] ?? '', text(`fund isin=${unknownIsin} currency=EUR`)]
    const { bad } = await importTexts(lacking)
    const why =
      `${unknownIsin} is new, and the files lack fund_inception_date` +
      '; a file with isin, fund_inception_date in the same import completes it'
    expect(bad.map(({ reasons }) => reasons)).toEqual([[why], [why]])
  })

  it('counts rows that repeat others, and names both places of a contradiction', async () => {
    const files = [text(year(first), year(first)), text(year(first, 2), year(first, '1.50'))]
    const { bad, summary } = await importTexts(files, { isSkippingBad: true })
    const reason = (pattern: RegExp) => ({ reasons: [expect.stringMatching(pattern)] })
    expect(bad).toMatchObject([
      reason(/^the same isin, year as in line 2, \/notes of .*-1\.txt, where percent is "2", not "1\.5"$/),
      reason(/^the same isin, year as in line 2, \/notes of .*-0\.txt, where percent is "1\.5", not "2"$/),
    ])
    expect(summary?.files.map(({ repeated }) => repeated)).toEqual([1, 1])
  })

  const prices = 'issue_price=1 repurchase_price=1 net_asset_value=1 change=0 change_percent=0'

  it('compares the currency of a price with that of the fund in the files, or in the database', async () => {
    const price = (isin: string, currency: string) =>
      `price isin=${isin} date=1999-01-04 ${prices} currency=${currency}`
    const isNowInFrancs = `fund isin=${first} currency=CHF`
    const rows = [price(unknownIsin, 'USD'), price(first, 'chf'), price(second, 'USD')]
    const { bad } = await importTexts([text(...rows, `${newFund.slice(0, -3)}USD`, isNowInFrancs)])
    expect(bad).toEqual([
      { place: 'line 4, /notes', reasons: [`currency is "USD", but fund ${second} is in EUR`] },
    ])
  })

  it('makes one load of all tables, with one copy, and marks it as complete', async () => {
    const file = text(newFund, year(first))
    const { summary, query } = await importTexts([file], { isCopied: true, complete: '2026-11-24' })
    expect(readDatabase(summary?.copy ?? '', years)).toEqual([])
    expect(query('SELECT is_open, tables FROM fundpress_load')).toEqual([[0, '']])
    expect(query('SELECT day FROM complete_load')).toEqual([['2026-11-24']])
    const open = await importTexts([file], { isCopied: true })
    expect(open.query('SELECT is_open, tables FROM fundpress_load')).toEqual([[1, 'fund, performance_year']])
  })

  it('takes nothing of any table if a guard refuses what goes from one', async () => {
    const db = folder.database()
    const old = Array.from({ length: 9 }, (_, at) => `('${first}', '199${at}-01-04', 1)`)
    editDatabase(folder.file(db), `DELETE FROM launch_point; INSERT INTO launch_point VALUES ${old.join()}`)
    const file = text(newFund, `launch_point isin=${first} date=1990-01-04 value=2`)
    const { error, isUnchanged } = await importTexts([file], { scope: 'funds' }, db)
    expect(error).toContain('it would remove 8 of 9 rows of table launch_point, more than 0')
    expect(isUnchanged).toBe(true)
    const dry = await importTexts([file], { scope: 'funds', isDryRun: true }, db)
    expect(dry.summary).toMatchObject({
      changes: { fund: { added: 1 }, launch_point: { changed: 1, removed: 8 } },
      objections: [{ guard: 'removed-rows', subject: 'launch_point' }],
    })
  })

  it('replaces the rows of the funds in the files, by table, and refuses to replace several whole tables', async () => {
    const db = folder.database()
    const count = (table: string, isin: string) => `SELECT count(*) FROM ${table} WHERE isin = '${isin}'`
    editDatabase(
      folder.file(db),
      `DELETE FROM performance_year; DELETE FROM legal_point; INSERT INTO performance_year VALUES ('${first}', 1990, 1), ('${second}', 1990, 1); INSERT INTO legal_point VALUES ('${first}', '1990-01-02', 1)`,
    )
    const files = [text(year(first), `launch_point isin=${first} date=1990-01-02 value=1`)]
    const whole = await importTexts(files, { scope: 'table' }, db)
    expect(whole.error).toContain(
      '--replace-all is for one table, and the files have rows of performance_year, launch_point',
    )
    expect(whole.isUnchanged).toBe(true)
    const allowed = { allow: ['removed-rows'], isForced: false, reason: 'test', who: 'test' }
    const { query } = await importTexts(files, { scope: 'funds', override: allowed }, db)
    expect(query(`SELECT isin, year FROM performance_year ORDER BY isin`)).toEqual([
      [first, 1980],
      [second, 1990],
    ])
    expect(query(count('legal_point', first))).toEqual([[1]])
  })

  it('derives what a price does not bring, and keeps what it brings', async () => {
    const db = folder.database()
    editDatabase(folder.file(db), `DELETE FROM price`)
    const price = (day: string, nav: number, more = '') =>
      `price isin=${first} date=${day} issue_price=${nav} repurchase_price=${nav} net_asset_value=${nav}${more}`
    const file = text(
      price('2024-01-02', 100),
      price('2024-01-03', 110),
      price('2024-01-04', 121, ' change=7'),
    )
    const { query } = await importTexts([file], { isDeriving: true }, db)
    expect(query('SELECT change, change_percent FROM price ORDER BY date')).toEqual([
      ['0', '0.00'],
      ['10', '10.00'],
      ['7', '10.00'],
    ])
  })

  it('refuses a file in which the reader finds nothing', async () => {
    const { error, isUnchanged } = await importTexts([text(newFund), text('-')])
    expect(error).toMatch(/-1\.txt has nothing for a table: .*; left out: estimated prices \(1\)$/)
    expect(isUnchanged).toBe(true)
  })

  it('reads files of several formats into one transaction', async () => {
    const csv = `isin;year;percent\n${first};1980;2.5\n`
    const { summary, query } = await importTexts([csv, text(newFund, year(unknownIsin))])
    expect(summary?.files.map(({ format, table }) => [format, table])).toEqual([
      ['table', 'performance_year'],
      ['notes', undefined],
    ])
    expect(query(years)).toEqual([
      [first, 1980, 2.5],
      [unknownIsin, 1980, 1.5],
    ])
  })

  it('takes back the rows that a list lacks, and leaves out parts of rows that are not there', async () => {
    const db = folder.database()
    const item = (isin: string, type: string, position: number) =>
      `('${isin}', '${type}', ${position}, 'A', NULL, 10)`
    const filler = Array.from({ length: 20 }, (_, at) => item(second, 'currencies', at + 1))
    const old = [
      item(first, 'countries', 1),
      item(first, 'countries', 2),
      item(first, 'currencies', 1),
      ...filler,
    ]
    editDatabase(
      folder.file(db),
      `DELETE FROM structure_item; INSERT INTO structure_item VALUES ${old.join()}`,
    )
    const file = text(
      `~ structure_item isin=${first} type=countries`,
      `structure_item isin=${first} type=countries position=1 name_de=B percent=60`,
      `? structure_item isin=${first} type=currencies position=1 name_en=C`,
      `? structure_item isin=${first} type=currencies position=2 name_en=D`,
    )
    const { query, summary, bad, error } = await importTexts([file], {}, db)
    expect({ bad, error }).toEqual({ bad: [], error: undefined })
    expect(summary?.changes).toEqual({
      structure_item: { added: 0, changed: 2, unchanged: 0, removed: 1 },
    })
    expect([...(summary?.files[0]?.leftOut.values() ?? [])]).toEqual([{ count: 1, first: 'line 5, /notes' }])
    const items = `SELECT type, position, name_de, name_en FROM structure_item WHERE isin = '${first}' ORDER BY type`
    expect(query(items)).toEqual([
      ['countries', 1, 'B', null],
      ['currencies', 1, 'A', 'C'],
    ])
  })

  it('shows in a dry run what is derived by corporate actions of the same files', async () => {
    const db = folder.database()
    editDatabase(folder.file(db), 'DELETE FROM price; DELETE FROM corporate_action')
    const price = (day: string, nav: number) =>
      `price isin=${first} date=${day} issue_price=${nav} repurchase_price=${nav} net_asset_value=${nav}`
    const split = `corporate_action isin=${first} ex_date=2024-01-03 kind=split factor=10`
    const file = text(price('2024-01-02', 100), price('2024-01-03', 11), split)
    const real = await importTexts([file], { isDeriving: true }, db)
    expect(real.query('SELECT change, change_percent FROM price ORDER BY date')).toEqual([
      ['0', '0.00'],
      ['1', '10.00'],
    ])
    editDatabase(folder.file(db), 'DELETE FROM corporate_action')
    const dry = await importTexts([file], { isDeriving: true, isDryRun: true }, db)
    expect(dry.summary?.changes?.['price']).toEqual({ added: 0, changed: 0, unchanged: 2, removed: 0 })
  })

  it('wants each column that the command line names in one of the files', async () => {
    const files = [`isin;Jahr;percent\n${first};1980;2.5\n`, text(newFund)]
    const map = new Map([['jahr', 'year']])
    const options = { columnMapOf: () => map, named: ['jahr'] }
    const { query } = await importTexts(files, options)
    expect(query(years)).toEqual([[first, 1980, 2.5]])
    const { error } = await importTexts(files, { ...options, named: ['jahr', 'monat'] })
    expect(error).toBe('none of the files has a column "monat", which the command line names')
  })

  it('asks for the format of a file that two readers recognise, and takes the one that is named', async () => {
    const twin: Reader = { ...notes, name: 'twin' }
    const two = [...readers, notes, twin]
    const { error } = await importTexts([text(newFund)], { readers: two })
    expect(error).toMatch(/ may be of several formats: choose one with --as notes or --as twin$/)
    const { summary } = await importTexts([text(newFund)], { readers: two, as: 'twin' })
    expect(summary?.files[0]?.format).toBe('twin')
  })
})
