/** Every table in every format, and the files of each fund, read by programs that share no code with ours, against plain SQL. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { unzipSync } from 'fflate'
import readWorkbook from 'read-excel-file/node'
import { beforeAll, describe, expect, it } from 'vitest'
import { excelFiles } from '../../src/extensions/downloads/formats/csv-excel.ts'
import type { ColumnType, OutputTable } from '../../src/extensions/downloads/tables.ts'
import { csvLine } from '../../src/extensions/downloads/formats/csv.ts'
import { isMissing, lacks } from '../support/programs.ts'
import { editDatabase } from '../support/database.ts'
import { mustRun, tempFolder } from '../support/product.ts'
import { filesIn, hashesOf, sumsOf } from '../support/tree.ts'
import { buildNight, demoNight, hostileNames, oddNight, type Night, withDownloads } from './night.ts'
import {
  decimals,
  expectedHistories,
  expectedPrices,
  expectedRows,
  historyColumns,
  oracle,
} from './oracle.ts'
import type { Value, Values } from './oracle.ts'
import { duckdb, hasDuckdb, readCsv, readCsvs, readSqlite } from './readers.ts'

const folder = tempFolder()
const unbuilt: Night = { db: '', out: '', asOf: '', folder: '' }
const nights = { demo: unbuilt, odd: unbuilt }
const lacksPython = lacks('python3')

/** Excel has no days before 1900, and a day too many in its February. */
const dayCell = (day: string) => (day < '1900-03-01' ? day : new Date(day))

beforeAll(async () => {
  nights.demo = await demoNight()
  nights.odd = await oddNight()
})

const demoText = (name: string) => readFileSync(join(nights.demo.folder, name), 'utf8')

const tables = Object.keys(oracle)
const csvName = (table: string) => (table === 'emt' ? 'emt_data' : table)

/** Of a value of the database as CSV: numbers are compared as numbers, everything else as it is written. */
const asField = (field: string, value: Value) => (typeof value === 'number' ? Number(field) : field)
const expectedField = (value: Value) => (isRun(value) ? `'${value}` : (value ?? ''))
/** Whether a spreadsheet would run it: signed numbers are what it should read as such. */
const isRun = (value: Value) =>
  typeof value === 'string' &&
  /^(\s*[=+\-@＝＋－＠]|[\t\r])/.test(value) &&
  !/^[-+][0-9.,]*[0-9]( ?%)?$/.test(value)

/** Shows the first row that differs: to show the difference of thousands takes minutes. */
function expectRows(found: readonly unknown[][], expected: readonly Values[]): void {
  const at = expected.findIndex((row, index) => !isDeepStrictEqual(found[index], row))
  expect({ length: found.length, row: found[at] }).toEqual({ length: expected.length, row: expected[at] })
}

describe.each(['demo', 'odd'] as const)('the %s funds', (which) => {
  const night = () => nights[which]
  const rowsOf = (table: string) => expectedRows(night().db, table, night().asOf)
  const file = (name: string) => join(night().folder, name)
  /** Parquet has the prices of the newest year behind all others. */
  const inParquet = (table: string) => {
    const rows = rowsOf(table)
    if (table !== 'prices') return rows
    const newest = rows
      .map(([, day]) => String(day).slice(0, 4))
      .reduce((one, other) => (one > other ? one : other))
    const isNewest = ([, day]: readonly Value[]) => Number(String(day).startsWith(newest))
    return rows.toSorted((one, other) => isNewest(one) - isNewest(other))
  }
  let csv: Readonly<Record<string, string[][]>> = {}
  let sqlite: readonly unknown[][][] = []
  beforeAll(() => {
    if (lacksPython) return
    const names = filesIn(night().folder).filter((name) => /^(csv-excel\/)?[\w-]+\.csv$/.test(name))
    csv = readCsvs(night().folder, names)
    sqlite = readSqlite(file('fund-data.sqlite'), ...tables.map((table) => `SELECT * FROM ${table}`))
  })

  it.skipIf(lacksPython).each(tables)(
    '%s.csv has the rows of the database, with an apostrophe before a formula',
    (table) => {
      const expected = rowsOf(table)
      const [header = [], ...rows] = csv[`${csvName(table)}.csv`] ?? []
      expect(rows.length).toBe(expected.length)
      expect(new Set(header).size).toBe(expected[0]?.length ?? header.length)
      const read = rows.map((row, index) =>
        row.map((field, at) => asField(field, expected[index]?.[at] ?? null)),
      )
      expectRows(
        read,
        expected.map((row) => row.map(expectedField)),
      )
      expect(rows.flat().filter((field) => /^-?\d+(\.\d+)?e/i.test(field))).toEqual([])
    },
  )

  it.skipIf(lacksPython).each(tables)(
    'the Excel files of %s have the same rows, with decimal commas, no formulas',
    (table) => {
      const expected = rowsOf(table)
      const name = table === 'prices' ? 'prices_\\d{4}' : csvName(table)
      const files = Object.keys(csv).filter((file) =>
        new RegExp(`^csv-excel/${name}-excel\\.csv$`).test(file),
      )
      const rows = files.flatMap((file) => csv[file]?.slice(1) ?? [])
      if (table === 'prices') rows.sort((a, b) => (a.slice(0, 2).join() < b.slice(0, 2).join() ? -1 : 1))
      const isDecimal = (at: number) => decimals[table]?.includes(at) ?? false
      const fields = expected.map((row) => row.map((value, at) => excelField(value, isDecimal(at))))
      expect(rows.length).toBe(fields.length)
      const read = rows.map((row, index) => row.map((field, at) => excelValue(field, fields[index]?.[at])))
      expectRows(read, fields)
    },
  )

  it.skipIf(lacksPython).each(tables)(
    'table %s of the SQLite file has the same rows, amounts as numbers',
    (table) => {
      const isDecimal = (at: number) => decimals[table]?.includes(at) ?? false
      const expected = rowsOf(table).map((row) => row.map((value, at) => sqliteValue(value, isDecimal(at))))
      expectRows(sqlite[tables.indexOf(table)] ?? [], expected)
    },
  )

  it.skipIf(isMissing(hasDuckdb)).each(tables)('%s.parquet has the same rows for DuckDB', async (table) => {
    const rows = await duckdb(`SELECT * FROM '${file(`${table}.parquet`)}'`)
    const isDecimal = (at: number) => decimals[table]?.includes(at) ?? false
    const expected = inParquet(table).map((row) => row.map((value, at) => asDouble(value, isDecimal(at))))
    expect(rows.map((row) => row.map(plain))).toEqual(expected.map((row) => row.map(plain)))
  })

  it.skipIf(isMissing(hasDuckdb))(
    'DuckDB reads every amount of prices.csv as a number, as the page says',
    async () => {
      const page = readFileSync(file('index.html'), 'utf8')
      const [query = ''] =
        /SELECT \* FROM read_csv\([^)]*\)/.exec(page.replaceAll('&#39;', "'").replaceAll('&apos;', "'")) ?? []
      const columns = await duckdb(`DESCRIBE ${query.replace('prices.csv', file('prices.csv'))}`)
      const types = new Map(columns.map(([name, type]) => [name, type]))
      for (const name of historyColumns.slice(1, -1))
        expect({ name, type: types.get(name) }).toEqual({ name, type: 'DOUBLE' })
      expect(types.get('date')).toBe('DATE')
    },
  )

  it.skipIf(isMissing(hasDuckdb))(
    'prices-exact.parquet has every digit of the prices for DuckDB',
    async () => {
      const rows = await duckdb(`SELECT * FROM '${file('prices-exact.parquet')}'`)
      expect(rows.map((row) => row.map(plain))).toEqual(inParquet('prices').map((row) => row.map(plain)))
    },
  )

  it.each([
    ['fund-data.xlsx', 3],
    ['fondsdaten.xlsx', 2],
  ])(
    '%s has prices, computed figures, funds and key figures, with numbers and days as such',
    async (name, named) => {
      const asCell = (value: Value = null, isDay = false) =>
        value === '' ? null : isDay && value !== null ? dayCell(String(value)) : value
      const sheets = await readWorkbook(file(name), { trim: false })
      const [prices = [], computed = [], funds = [], figures = []] = sheets.map(({ data }): unknown[][] =>
        data.slice(1),
      )
      const nameOf = new Map(rowsOf('funds').map(([isin, , fund]) => [isin, fund]))
      const newest = new Map(rowsOf('prices').map((row) => [row[0], row]))
      expectRows(
        prices,
        [...newest.values()].map(([isin = null, day = null, ...amounts]) => {
          const numbers = amounts.slice(0, -1).map((amount) => (amount === null ? null : Number(amount) + 0))
          return [
            isin,
            nameOf.get(isin) ?? null,
            asCell(day, true),
            ...numbers,
            amounts.at(-1) ?? null,
          ] as Values
        }),
      )
      expectRows(
        computed,
        rowsOf('computed_figures').map((row) =>
          row.map((value, at) => (at === 4 ? Number(value) : asCell(value, at === 3))),
        ) as Values[],
      )
      expectRows(
        funds.map((row) => row.slice(0, 11)),
        rowsOf('funds').map((row) =>
          row.map((value, at) => asCell(value, [3, 4, 7, 9, 10].includes(at))),
        ) as Values[],
      )
      expectRows(
        figures,
        rowsOf('key_figures').map((row) =>
          [row[0], row[named], ...row.slice(4)].map((value) => asCell(value)),
        ) as Values[],
      )
    },
  )

  it.each(['fund-data.xlsx', 'fondsdaten.xlsx'])(
    '%s names its default style, as openpyxl wants it',
    (name) => {
      expect(partsOf(file(name))('xl/styles.xml')).toContain(
        '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
      )
    },
  )

  it('a workbook has a filter over all rows of each sheet, and columns as wide as their longest cell, up to 60', async () => {
    const name = 'fondsdaten.xlsx'
    const part = partsOf(file(name))
    const sheets = await readWorkbook(file(name), { trim: false })
    expect(sheets).toHaveLength(5)
    for (const [index, { data }] of sheets.slice(0, 4).entries()) {
      const xml = part(`xl/worksheets/sheet${index + 1}.xml`)
      const last = `${String.fromCharCode(64 + (data[0]?.length ?? 0))}${data.length}`
      expect(xml).toContain(`<autoFilter ref="A1:${last}"/>`)
      expect(xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>')
      const widths = [...xml.matchAll(/<col min="\d+" max="\d+" width="(\d+)"/g)].map(([, width]) =>
        Number(width),
      )
      const longest = widths.map((_, at) =>
        Math.max(...data.slice(1).map((row) => (typeof row[at] === 'string' ? row[at].length : 0))),
      )
      const narrow = widths.filter((width, at) => width < Math.min(longest[at] ?? 0, 60))
      expect({ index, narrow, widest: Math.max(...widths) <= 62 }).toEqual({
        index,
        narrow: [],
        widest: true,
      })
    }
  })

  it('CSV ends its lines with CRLF, and only that for Excel begins with a byte order mark', () => {
    const plainBytes = readFileSync(file('funds.csv'))
    const excelBytes = readFileSync(file('csv-excel/funds-excel.csv'))
    expect(plainBytes.subarray(0, 5).toString()).toBe('isin,')
    expect(excelBytes.subarray(0, 3).toString('hex')).toBe('efbbbf')
    expect([plainBytes, excelBytes].map((bytes) => bytes.subarray(-2).toString())).toEqual(['\r\n', '\r\n'])
  })

  it('sha256sum finds every file as it is listed, and no file is missing from the list', () => {
    execFileSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: night().folder })
    const listed = [...sumsOf(night().folder).keys()]
    expect(listed).toEqual(filesIn(night().folder).filter((name) => name !== 'SHA256SUMS'))
  })
})

it.skipIf(isMissing(hasDuckdb)).each([
  ['prices', 'DOUBLE'],
  ['prices-exact', 'DECIMAL(38,15)'],
])('types days as DATE and amounts of %s.parquet as %s, whatever a row holds', async (name, type) => {
  for (const night of [nights.demo, nights.odd]) {
    const columns = 'isin, date, net_asset_value, change'
    const rows = await duckdb(`DESCRIBE SELECT ${columns} FROM '${join(night.folder, `${name}.parquet`)}'`)
    expect(rows.map((row) => row[1])).toEqual(['VARCHAR', 'DATE', type, type])
  }
})

// An analyst who asks for one fund over HTTP reads these groups alone.
it.skipIf(isMissing(hasDuckdb))('has a fund in two row groups of prices.parquet at most', async () => {
  const groups = await duckdb(
    `SELECT row_group_id, stats_min_value, stats_max_value FROM parquet_metadata('${join(nights.demo.folder, 'prices.parquet')}')
      WHERE path_in_schema = 'isin'`,
  )
  expect(groups.length).toBeGreaterThan(2)
  const isins = expectedRows(nights.demo.db, 'funds', nights.demo.asOf).map(([isin]) => String(isin))
  const countOf = (isin: string) =>
    groups.filter(([, first, last]) => String(first) <= isin && isin <= String(last)).length
  expect(Math.max(...isins.map(countOf))).toBe(2)
})

describe.skipIf(lacksPython)('a text that a spreadsheet would run', () => {
  const { formula } = hostileNames
  const fieldsOf = (night: Night, path: string) => readCsv(night.folder, path).flat()
  const aboutOf = (night: Night) => readFileSync(join(night.folder, 'datapackage.json'), 'utf8')

  it('has an apostrophe before it in all CSV files, which datapackage.json says', () => {
    for (const path of ['funds.csv', 'csv-excel/funds-excel.csv']) {
      const fields = fieldsOf(nights.odd, path)
      expect({ path, fields }).toEqual({ path, fields: expect.arrayContaining([`'${formula}`]) })
      expect(fields).not.toContain(formula)
    }
    const rule = 'apostrophe before a text that a spreadsheet would run as a formula.'
    expect(aboutOf(nights.odd)).toContain(rule)
  })

  it('is unchanged in plain CSV with --raw-csv, also if the folder holds a snapshot without it', async () => {
    const { db, out, asOf } = nights.odd
    const raw = folder.file('raw')
    cpSync(out, raw, { recursive: true })
    const night = await buildNight(db, raw, asOf, '--raw-csv', '--since', raw)
    expect(fieldsOf(night, 'funds.csv')).toContain(formula)
    expect(fieldsOf(night, 'csv-excel/funds-excel.csv')).toContain(`'${formula}`)
    expect(aboutOf(night)).not.toContain('would run as a formula')
    const before = hashesOf(join(out, 'downloads', asOf))
    const differ = Object.entries(hashesOf(night.folder)).flatMap(([name, sha256]) =>
      before[name] === sha256 ? [] : name,
    )
    const changed = ['SHA256SUMS', 'datapackage.json', 'funds.csv']
    expect(differ).toEqual(expect.arrayContaining(changed))
    expect(differ.filter((name) => name.endsWith('.parquet') || name.startsWith('csv-excel/'))).toEqual([])
  })
})

/** Reads parts of a workbook. */
function partsOf(file: string) {
  const parts = unzipSync(readFileSync(file))
  return (path: string) => Buffer.from(parts[path] ?? []).toString()
}

it('workbooks say who publishes which data on which terms, in their properties and on their last sheet, and FundsXML of which country', async () => {
  const { db, asOf } = nights.demo
  const out = folder.file('published')
  const env = {
    ...withDownloads.env,
    FUNDPRESS_SITE_NAME: 'Muster & Söhne KVG',
    FUNDPRESS_SITE_COUNTRY: 'AT',
    FUNDPRESS_LICENCE_NAME: 'CC-BY-4.0',
    FUNDPRESS_LICENCE_URL: 'https://licence.example/by',
    FUNDPRESS_BASE_URL: 'https://api.example.org',
  }
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'], { env })
  const file = join(out, 'downloads', asOf, 'fund-data.xlsx')
  const properties = partsOf(file)('docProps/core.xml')
  const address = `https://api.example.org/downloads/${asOf}/`
  expect(properties).toContain('<dc:title>Fund data as of 20\u00a0Nov\u00a02026</dc:title>')
  expect(properties).toContain('<dc:creator>Muster &amp; Söhne KVG</dc:creator>')
  expect(properties).toContain(
    `<dc:description>Source: ${address}\nLicence: CC-BY-4.0 (https://licence.example/by)</dc:description>`,
  )
  expect(properties).toContain(`${asOf}T00:00:00Z</dcterms:created>`)
  const systemCountry = (snapshot: string) =>
    /<SystemCountry>(\w+)</.exec(readFileSync(join(snapshot, 'downloads', asOf, 'fundsxml.xml'), 'utf8'))?.[1]
  expect([systemCountry(out), systemCountry(nights.demo.out)]).toEqual(['AT', 'ZZ'])
  const sheets = await readWorkbook(file)
  expect(sheets.map(({ sheet }) => sheet)).toEqual([
    'Newest prices',
    'Return and volatility',
    'Funds',
    'Key figures',
    'About these data',
  ])
  const facts = sheets.at(-1)?.data ?? []
  expect(facts.slice(1, 5)).toEqual([
    ['As-of date', new Date(asOf)],
    ['Publisher', 'Muster & Söhne KVG'],
    ['Licence', 'CC-BY-4.0 (https://licence.example/by)'],
    ['Source', address],
  ])
})

it.skipIf(lacksPython)('a split changes no computed figure', async () => {
  const { db, asOf } = nights.demo
  const [, ...rows] = readCsv(nights.demo.folder, 'computed_figures.csv')
  const before = rows.find((row) => row.every((field) => field !== '')) ?? []
  const [isin = '', , , , nav] = before
  const split = folder.file('split.sqlite')
  copyFileSync(db, split)
  const half = (column: string) => `${column} = printf('%.12f', ${column} / 2)`
  const columns = ['net_asset_value', 'issue_price', 'repurchase_price', 'change'].map(half)
  editDatabase(
    split,
    `UPDATE price SET ${columns.join(', ')} WHERE isin = '${isin}' AND date >= '2026-03-02';
     UPDATE corporate_action SET ${half('amount')} WHERE isin = '${isin}' AND ex_date >= '2026-03-02' AND kind = 'distribution';
     INSERT INTO corporate_action (isin, ex_date, kind, factor) VALUES ('${isin}', '2026-03-02', 'split', '2');`,
  )
  const night = await buildNight(split, folder.file('split'), asOf)
  const after = readCsv(night.folder, 'computed_figures.csv').find(([one]) => one === isin) ?? []
  expect(Number(after[4])).toBeCloseTo(Number(nav) / 2, 9)
  expect(after.slice(5)).toEqual(before.slice(5))
})

/** What Excel takes for something else, in German or English. */
const misread = [
  'Mai 2025',
  '2. Mai',
  'Jan 26',
  '1.5.2026',
  '2026-01',
  '12:30',
  '1 1/2',
  '1.000',
  '1.234.567',
  '1,5',
  '3%',
  '(5)',
  'WAHR',
  '12-31',
  '1.5',
  '31.12.',
  '3/4',
  '048652',
  '848E10',
  '1,5e-3',
  '12345678901234567',
  '123456789012',
  '1.234',
  '31.12.2025',
  'TRUE',
  'true',
  'Falsch',
  'FALSE',
  ' wahr ',
  '1E5',
  '1e+5',
  '1E-05',
  '0',
  '007',
  '00',
  '0,5',
  '.5',
  ',5',
  '5.',
  '5,',
  '1,234',
  '1,234.56',
  '1.234,56',
  '1 000',
  "1'000",
  '(1.234,56)',
  '5-',
  '50 %',
  '3,5 %',
  '1,5 %',
  '5 €',
  '€ 5',
  '€5',
  '5,00 €',
  '$5',
  '$ 1,000.00',
  '£5',
  '5 EUR',
  'EUR 5',
  'CHF 5',
  '5 DM',
  '1.000,00 EUR',
  '2025-12-31',
  '31-12-2025',
  '31/12/2025',
  '12/31/2025',
  '1/2',
  '1-2-3',
  '1.2.3',
  '31.12.25',
  '2025/12',
  '12/2025',
  '5.2026',
  '1. Januar 2026',
  '1 January 2026',
  'January 1, 2026',
  'Jan. 2026',
  'Jan-26',
  '26-Jan',
  '3. Okt. 2025',
  'März 2025',
  'Mrz 25',
  'Dezember 2030',
  'DEZ 30',
  'December 2030',
  'May 5',
  '5 May',
  'Jänner 2026',
  'Mo 1.5.2026',
  'Freitag, 1. Mai 2026',
  '12:30:15',
  '1:00 PM',
  '1 pm',
  '5 a',
  '5 AM',
  '12:30 Uhr',
  '31.12.2025 12:30',
  '2025-12-31T12:30:00Z',
  '2025-12-31 12:30',
  '25:00',
  '#N/A',
  '#NV',
  '#DIV/0!',
  '#WERT!',
  '#REF!',
  ' 1,5',
  '1,5 ',
  '1\u00a0000',
  '5\u00a0%',
  '1 2/3',
]
/** Names and codes that stay as they are. A whole number has the same digits as a number. */
const texts = [
  'Fonds 2030',
  'A 50/50',
  'ABC123',
  '848652',
  '1',
  '99999999999',
  'DAX 40',
  'MSCI World 1.5',
  'Mai',
  'März',
  'Januar',
  'Mo',
  'Laufzeit Mai 2025',
  'Rente 1.1.2030',
  '3 % Bund 2030',
  '1,500 % Stadt Neuhafen 2038',
  '4,125 % Great Lakes Rail 2037',
  'Mischfonds 60/40',
  '1 bis 3 Jahre',
  '1 to 3 years',
  '< 1 Jahr',
  '> 10 years',
  '5 Jahre',
  '1st May 2025',
  '3M',
  '5Y',
  '10y',
  'A',
  'A1',
  'R2',
  'Klasse A (EUR)',
  'EUR',
  'USD',
  '€',
  '%',
  '-',
  '–',
  'n/a',
  'E5',
  'AM',
  'PM',
  'Wahrheit',
  'True North',
  'Falschgeld',
  'DE0008471400',
  'AT000FP64816',
  '12e',
  '1. Halbjahr',
  'Q1 2026',
  'KW 12',
  'Mai-Fonds 2025',
  'Sonntag',
  'BBB',
  '0815-Fonds',
  '1a',
  'Euro Rent 2027',
  'Deka-Mai 5',
  'Oktoberfest 2025',
  'Marathon 42',
  'Maystone 5',
  'Dezemberfonds 3',
  'Sofia 1.5',
  'Fr. 5 Anleihe',
]

const column = { name: 'value', type: 'text', describe: '', isNullable: true, sql: 'value' } as const

it.each([
  ['an', "'", misread],
  ['no', '', texts],
])('writes %s apostrophe before a text, depending on what Excel could make of it', (_, mark, values) => {
  const written = values.map((value) => readCsvLine(csvLine([column], 'excel')([value]), ';'))
  expect(written).toEqual(values.map((value) => mark + value))
  const plain = values.map((value) => readCsvLine(csvLine([column], 'plain')([value]), ','))
  expect(plain).toEqual(values)
})

it.skipIf(lacks('soffice'))(
  'keeps each text as it is in LibreOffice, in German and English, and a whole number with its digits',
  () => {
    const all = [...misread, ...texts]
    writeFileSync(
      folder.file('texts.csv'),
      csvLine([column], 'excel')(['value']) +
        all.map((value) => csvLine([column], 'excel')([value])).join(''),
    )
    for (const language of [1031, 1033]) {
      const filter = `CSV:59,34,76,1,,${language},false,true`
      const profile = `-env:UserInstallation=${pathToFileURL(folder.file('office')).href}`
      const args = [
        profile,
        '--headless',
        `--infilter=${filter}`,
        '--convert-to',
        'fods',
        '--outdir',
        folder.path,
      ]
      execFileSync('soffice', [...args, folder.file('texts.csv')], { stdio: 'pipe' })
      const sheet = readFileSync(folder.file('texts.fods'), 'utf8')
      const cells = [
        ...sheet.matchAll(/<table:table-cell[^>]*office:value-type="(\w+)"[^>]*>\s*<text:p>(.*?)<\/text:p>/g),
      ]
      const read = cells.slice(1).map(([, type, text = '']) => ({
        type,
        text: text
          .replace(/<text:s\/>/g, ' ')
          .replaceAll('&apos;', "'")
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&amp;', '&'),
      }))
      const expected = all.map((value) => {
        const type = /^[1-9]\d*$/.test(value) && texts.includes(value) ? 'float' : 'string'
        return { type, text: misread.includes(value) ? `'${value}` : value }
      })
      expect(read).toEqual(expected)
    }
  },
)

/** One field. */
const readCsvLine = (line: string, delimiter: string) => {
  const [, quoted, plain] = /^(?:"((?:[^"]|"")*)"|(.*))\r\n$/s.exec(line) ?? []
  if (plain?.includes(delimiter)) throw new Error(`two fields: ${line}`)
  return quoted?.replaceAll('""', '"') ?? plain
}

it('continues in another file if a sheet is full, in the middle of a fund, too', () => {
  const column = (name: string, type: ColumnType) => {
    return { describe: { en: '', de: '' }, isNullable: false, sql: '', name, type }
  }
  const table: OutputTable = {
    name: 'prices',
    describe: { en: '', de: '' },
    source: 'price',
    needs: 'prices',
    key: ['isin', 'date'],
    columns: [column('isin', 'text'), column('date', 'date'), column('nav', 'decimal')],
  }
  const excel = excelFiles(folder.path, table, new Set(['prices_2024']), 3)
  const add = (isin: string, rows: number) => {
    excel.add(Array.from({ length: rows }, (_, day) => [isin, `2024-01-0${day + 1}`, `1.${day}`]))
  }
  add('A', 2)
  add('B', 5)
  excel.add([['C', '2025-01-01', '1.0']])
  const files = excel.close()
  expect(files.map(({ path, rows }) => ({ path, rows }))).toEqual([
    { path: 'csv-excel/prices_2024-excel.csv', rows: 3 },
    { path: 'csv-excel/prices_2024_part2-excel.csv', rows: 3 },
    { path: 'csv-excel/prices_2024_part3-excel.csv', rows: 1 },
  ])
  const header = '\ufeffisin;date;nav'
  expect(files.map(({ path }) => readFileSync(folder.file(path), 'utf8').trimEnd().split('\r\n'))).toEqual([
    [header, 'A;2024-01-01;1,0', 'A;2024-01-02;1,1', 'B;2024-01-01;1,0'],
    [header, 'B;2024-01-02;1,1', 'B;2024-01-03;1,2', 'B;2024-01-04;1,3'],
    [header, 'B;2024-01-05;1,4'],
  ])
})

it('describes every column of the SQLite file', ({ skip }) => {
  skip(lacks('python3'), 'needs python3')
  const [described, there] = readSqlite(
    join(nights.demo.folder, 'fund-data.sqlite'),
    'SELECT table_name, column_name FROM columns WHERE length(description) > 3',
    `SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
      WHERE t.type = 'table' AND t.name NOT IN ('columns', 'about') ORDER BY t.name, c.cid`,
  )
  expect(described).toEqual(there)
})

/** A cell of a spreadsheet. */
const limit = 32_767

describe.each(['demo', 'odd'] as const)('one fund of the %s funds', (which) => {
  const night = () => nights[which]
  const pricesOf = () => expectedPrices(night().db, night().asOf)
  const textOf = (isin: string, name: string) => readFileSync(join(night().folder, isin, name), 'utf8')

  it('has a folder for each fund with prices that may be given out, and for no other', () => {
    const folders = readdirSync(night().folder).filter((name) => /^[A-Z0-9]{12}$/.test(name))
    expect(folders.sort()).toEqual([...pricesOf().keys()].sort())
    expect(folders.length).toBeGreaterThan(1)
  })

  it('prices.csv ends with the newest price and reaches as far back as a cell holds', ({ skip }) => {
    skip(lacks('python3'), 'needs python3')
    const names = [...pricesOf().keys()].map((isin) => `${isin}/prices.csv`)
    const files = readCsvs(night().folder, names)
    for (const [isin, prices] of pricesOf()) {
      const [header, ...rows] = files[`${isin}/prices.csv`] ?? []
      expect(header).toEqual(['date', 'nav'])
      expect(rows).toEqual(prices.slice(-rows.length).map(([, date, nav]) => [date, nav]))
      const { length } = textOf(isin, 'prices.csv')
      const [, date = '', nav = ''] = prices[prices.length - rows.length - 1] ?? []
      expect(length).toBeLessThan(limit)
      if (rows.length < prices.length)
        expect(length + `${date},${nav}\r\n`.length).toBeGreaterThanOrEqual(limit)
    }
  })

  it('prices.json has the same prices as numbers, digit for digit', () => {
    for (const [isin, prices] of pricesOf()) {
      const text = textOf(isin, 'prices.json')
      const { length } = JSON.parse(text) as unknown[]
      expect(text.length).toBeLessThan(limit)
      const rows = prices.slice(-length).map(([, date, nav]) => `{"date":"${date}","nav":${nav}}`)
      expect(text).toBe(`[${rows.join(',')}]`)
    }
  })

  it('nav.txt is the newest net asset value and nothing else', () => {
    for (const [isin, prices] of pricesOf()) expect(textOf(isin, 'nav.txt')).toBe(prices.at(-1)?.[2])
  })

  it('<isin>-prices.json has every price of the fund as numbers, digit for digit, without missing tax figures', () => {
    for (const [isin, rows] of expectedHistories(night().db, night().asOf)) {
      const memberOf = (value: Value, at: number) => {
        const name = historyColumns[at] ?? ''
        return `"${name}":${name === 'date' || name === 'currency' ? `"${String(value)}"` : String(value)}`
      }
      const records = rows.map((row) => {
        const members = row.flatMap((value, at) => (value === null ? [] : [memberOf(value, at)]))
        return `{${members.join(',')}}`
      })
      const text = textOf(isin, `${isin}-prices.json`)
      expect(text).toBe(`[\n${records.join(',\n')}\n]\n`)
      expect(JSON.parse(text)).toHaveLength(rows.length)
    }
  })

  it('newest_prices.csv has the newest price of each fund with its name and currency', ({ skip }) => {
    skip(lacks('python3'), 'needs python3')
    const names = new Map(
      expectedRows(night().db, 'funds', night().asOf).map(([isin, , name]) => [isin, name]),
    )
    const expected = [...expectedHistories(night().db, night().asOf)].map(([isin, rows]) => {
      return [isin, expectedField(names.get(isin) ?? ''), ...(rows.at(-1) ?? []).map((value) => value ?? '')]
    })
    const [header, ...rows] = readCsv(night().folder, 'newest_prices.csv')
    expect(header).toEqual(['isin', 'name', ...historyColumns])
    expect(rows).toEqual(expected)
    expect(readCsv(night().folder, 'csv-excel/newest_prices-excel.csv')).toHaveLength(expected.length + 1)
  })
})

it('cuts the history of funds that are long enough to need it, and of no others', () => {
  const { db, asOf } = nights.demo
  const lengths = [...expectedPrices(db, asOf)].map(([isin, prices]) => {
    const [, ...lines] = demoText(`${isin}/prices.csv`).trimEnd().split('\n')
    return { isCut: lines.length < prices.length, isLong: prices.length > 2000 }
  })
  expect(lengths.map(({ isCut }) => isCut)).toEqual(lengths.map(({ isLong }) => isLong))
  expect(new Set(lengths.map(({ isCut }) => isCut)).size).toBe(2)
})

it('the data package and the pages say how far the files of one fund reach, and where the full history is', () => {
  const described = JSON.parse(demoText('datapackage.json')) as {
    fundFiles: { maxCharacters: number; fullHistory: string[] }
  }
  expect(described.fundFiles.maxCharacters).toBe(limit - 1)
  const [isin = ''] = expectedPrices(nights.demo.db, nights.demo.asOf).keys()
  for (const path of described.fundFiles.fullHistory)
    expect({ path, isThere: existsSync(join(nights.demo.folder, path.replaceAll('{isin}', isin))) }).toEqual({
      path,
      isThere: true,
    })
  const flat = (name: string) => demoText(name).replace(/\s+/g, ' ')
  expect(flat('index.html')).toContain('newest prices (up to 32,766 characters)')
  expect(flat('de.html')).toContain('bis zu 32.766 Zeichen')
})

it('has each digest whole on the page, to be copied', () => {
  const shown = [...demoText('index.html').matchAll(/<code class="digest"[^>]*>(\w+)<\/code>/g)]
  const sums = demoText('SHA256SUMS')
  expect(shown.length).toBeGreaterThan(20)
  expect(shown.filter(([, digest = '-']) => !sums.includes(`${digest}  `))).toEqual([])
})

/** In a form that two programs agree on: trailing zeros of decimals do not count, whole numbers can be texts. */
function plain(value: unknown): unknown {
  if (typeof value === 'boolean') return String(value)
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || !/^-?\d+(\.\d+)?$/.test(value)) return value
  const digits = value.includes('.') ? value.replace(/\.?0+$/, '') : value
  return digits === '-0' ? '0' : digits
}

const excelWords: Readonly<Record<string, string>> = { true: 'WAHR', false: 'FALSCH' }

function excelField(value: Value, isDecimal: boolean): Value {
  if (value === null) return ''
  if (typeof value === 'number') return value
  if (isDecimal) return value.replace('.', ',')
  // Days of the year, and key figures: Excel would make days and numbers of them.
  if (/^[-+\d.,:%\s]*\d[-+\d.,:%\s]*$/.test(value) && !/^(?:[1-9]\d*|\d{4}-\d\d-\d\d)$/.test(value))
    return `'${value}`
  return excelWords[value] ?? (isRun(value) ? `'${value}` : value)
}

const excelValue = (field: string, expected: Value | undefined) =>
  typeof expected === 'number' ? Number(field.replace(',', '.')) : field

function sqliteValue(value: Value, isDecimal: boolean): Values[number] {
  if (value === 'true' || value === 'false') return value === 'true' ? 1 : 0
  return asDouble(value, isDecimal)
}

/** As a double. There is one zero. */
const asDouble = (value: Value, isDecimal: boolean): Value =>
  isDecimal && value !== null ? Number(value) + 0 : value
