/**
 * `datapackage.json`: what the files are, for programs. Source: Data Package 2.0 (datapackage.org), with the names of
 * Frictionless 1.0 beside them, which its tools still read.
 */

import { maxCharacters } from '../contract/fund-files.ts'
import { documentsName } from '../routes/pages.ts'
import type { Column, ColumnType, Table } from './column.ts'
import type { WrittenFile } from './file-sink.ts'
import { emtColumns, emtTemplateColumns } from './emt-csv.ts'
import { tables } from './tables.ts'

/** What may be done with the data, in the words of the settings. */
export interface Licence {
  /** For example `CC-BY-4.0`. */
  readonly name: string
  readonly url: string | null
}

export interface PackageFacts {
  /** ISO 8601 */
  readonly asOf: string
  readonly licence: Licence | null
}

/** @param files all others, in the order of their paths @param facts with whether texts in plain CSV stay as they are */
export function dataPackage(
  files: readonly WrittenFile[],
  { asOf, licence, isRawCsv }: PackageFacts & { readonly isRawCsv: boolean },
): unknown {
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    profile: 'data-package',
    name: 'fund-data',
    title: `Fund data as of ${asOf}`,
    description: about(isRawCsv),
    version: asOf,
    created: `${asOf}T00:00:00Z`,
    ...(licence === null ? {} : { licenses: [licenceOf(licence)] }),
    resources: files.filter(({ path }) => !isFundFile(path)).map(resource),
    fundFiles: {
      description:
        `Of each fund with prices, in a folder with its ISIN: prices.csv and prices.json (date, nav), ascending, with as ` +
        `many of the newest prices as ${maxCharacters} characters hold, which is what the web functions of spreadsheets ` +
        'take; the full history is in prices.csv and prices.parquet. nav.txt is the newest NAV alone.',
      paths: ['{isin}/prices.csv', '{isin}/prices.json', '{isin}/nav.txt'],
      maxCharacters,
      fullHistory: ['prices.csv', 'prices.parquet'],
      funds: new Set(files.flatMap(({ path }) => (isFundFile(path) ? path.slice(0, 12) : []))).size,
    },
  }
}

const about = (isRawCsv: boolean) =>
  'Prices, performance, structures, allocations, key figures, profiles and EMT data of funds. CSV is RFC 4180 in UTF-8 with ' +
  `decimal points and ISO dates${isRawCsv ? '' : ', and with an apostrophe before a text that a spreadsheet would run as a formula'}; ` +
  'the files in csv-excel/ are the same for a German Excel (byte order mark, semicolons, ' +
  'decimal commas; an apostrophe before a text that it would take for a formula, a day or a number). Parquet and SQLite hold the same tables with types.'

const licenceOf = ({ name, url }: Licence) => ({ name, ...(url === null ? {} : { path: url, title: name }) })

/** Below a folder that is named by an ISIN. */
export const isFundFile = (path: string) => /^[A-Z]{2}[A-Z0-9]{9}[0-9]\//.test(path)

interface Kind {
  readonly format: string
  readonly mediatype: string
}

const kinds: Readonly<Record<string, Kind>> = {
  csv: { format: 'csv', mediatype: 'text/csv' },
  parquet: { format: 'parquet', mediatype: 'application/vnd.apache.parquet' },
  sqlite: { format: 'sqlite', mediatype: 'application/vnd.sqlite3' },
  zip: { format: 'zip', mediatype: 'application/zip' },
}

export function kindOf(path: string): Kind {
  const kind = kinds[path.slice(path.lastIndexOf('.') + 1)]
  if (kind === undefined) throw new Error(`there is no kind of download for ${path}`)
  return kind
}

function resource({ path, bytes, sha256 }: WrittenFile): unknown {
  const { format, mediatype } = kindOf(path)
  const common = {
    name: path.toLowerCase().replace(/[^a-z0-9._-]/g, '-'),
    path,
    description: describeFile(path),
    format,
    mediatype,
    bytes,
    hash: `sha256:${sha256}`,
  }
  const columns = columnsOf(path)
  if (format !== 'csv') return common
  const isExcel = path.startsWith('csv-excel/')
  return {
    ...common,
    type: 'table',
    profile: 'tabular-data-resource',
    encoding: isExcel ? 'utf-8-sig' : 'utf-8',
    dialect: {
      delimiter: isExcel ? ';' : ',',
      lineTerminator: '\r\n',
      quoteChar: '"',
      doubleQuote: true,
      header: true,
    },
    schema: {
      fields: columns.map((column) => field(column, isExcel)),
      primaryKey: keyOf(path),
      missingValues: [''],
    },
  }
}

const fieldTypes: Readonly<Record<ColumnType, string>> = {
  text: 'string',
  date: 'date',
  decimal: 'number',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
}

const field = ({ name, type, describe, isNullable }: Column, isExcel: boolean) => ({
  name,
  type: fieldTypes[type],
  description: describe,
  ...(isExcel && (type === 'decimal' || type === 'number') ? { decimalChar: ',' } : {}),
  ...(type === 'boolean' ? words[isExcel ? 'excel' : 'plain'] : {}),
  // An empty text and none look alike to most readers of CSV.
  ...(isNullable || type === 'text' ? {} : { constraints: { required: true } }),
})

const words = {
  plain: { trueValues: ['true'], falseValues: ['false'] },
  excel: { trueValues: ['WAHR'], falseValues: ['FALSCH'] },
} as const

/** `csv-excel/prices_2026_part2.csv` is of the table prices. */
export function tableOf(path: string): Table | undefined {
  const stem = path.replace(/^csv-excel\//, '').replace(/\.[a-z]+$/, '')
  const bare = stem.replace(/_part[0-9]+$/, '').replace(/^prices_[0-9]{4}$/, 'prices')
  return tables.find(({ name, csvName = name }) => bare === (path.endsWith('.csv') ? csvName : name))
}

const columnsOf = (path: string): readonly Column[] => tableOf(path)?.columns ?? emtColumns

const keyOf = (path: string): readonly string[] =>
  tableOf(path)?.key ?? ['00010_Financial_Instrument_Identifying_Data']

/** That it is no EMT to be delivered has to be said: its first column looks as if it were. */
const describeEmt =
  `${emtColumns.length} of the ${emtTemplateColumns} fields of the European MiFID Template (FinDatEx EMT V4.3), by its ` +
  'names: those that the API has. 00001 is the version that the names are of; it is no complete EMT to be delivered'

/** One sentence for people. */
export function describeFile(path: string): string {
  const table = tableOf(path)
  if (table !== undefined) return table.describe
  if (path === 'emt.csv') return describeEmt
  if (path === documentsName) return 'The JSON answers of the API, as a tree of files'
  return 'All tables in one SQLite file; amounts are numbers there (CSV and Parquet have every digit)'
}
