/**
 * CSV for programs: RFC 4180 with commas, decimal points, ISO dates, and an apostrophe before a text that a spreadsheet
 * would run as a formula. `--raw-csv` leaves these texts as they are. The file for Excel is written with the same code.
 */

import { isFormula } from '../../../core/api/contract/texts.ts'
import { shortestDecimal } from '../../../core/api/encode/json.ts'
import { fileSink } from '../../../core/snapshot/file-sink.ts'
import { type EarlierFile, fileParts, partFrom } from '../../../core/snapshot/parts.ts'
import { type FundTables, inBoth, pieceOfTable, type RowsFormat } from './format.ts'
import {
  type ColumnType,
  type OutputCell,
  type OutputColumn,
  type OutputRow,
  type OutputTable,
  fundsTable,
  newestPrices,
  pricesTable,
  tables,
} from '../tables.ts'

/**
 * - `plain`: as this file's first sentence says. `raw`: the same with texts as they are.
 * - `excel`: what a German Excel opens by a double click: a byte order mark, semicolons, decimal commas, and no text that
 *   Excel could take for something else.
 */
type Dialect = 'plain' | 'raw' | 'excel'

const csvTables = [newestPrices, ...tables]

const pathOf = ({ name, csvName = name }: OutputTable) => `${csvName}.csv`

export const csv: RowsFormat = {
  id: 'csv',
  kind: 'rows',
  name: 'csv',
  mediatype: 'text/csv',
  label: inBoth('CSV'),
  advice: {
    en: 'UTF-8, commas, decimal points, ISO 8601 dates: for programs and for Power Query in Excel.',
    de: 'UTF-8, Komma als Trennzeichen, Dezimalpunkt, Datum nach ISO 8601: für Programme und für Power Query in Excel.',
  },
  pieces: (funds) =>
    csvTables.map((table) => ({ ...pieceOfTable(table, funds), resource: csvResource(table) })),
  open: ({ folder, isRawCsv, earlierFiles, wanted, madeBy }) => {
    const made = csvTables
      .filter(({ name }) => wanted.has(name))
      .map((table) => {
        const path = pathOf(table)
        const dialect = isRawCsv ? 'raw' : 'plain'
        return { table, file: csvFile(folder, path, table.columns, dialect, earlierFiles.get(path)) }
      })
    return {
      add: (fund) => {
        for (const { table, file } of made) addFund(file, table, fund, madeBy)
      },
      close: () => made.map(({ table, file }) => ({ ...file.close(), piece: table.name })),
    }
  },
}

/** The years before the newest are a part of the file: in most nights, they are as they were. */
function addFund(file: GrowingCsv, table: OutputTable, fund: FundTables, madeBy: string): void {
  const { rows, newest, older, olderDigest, isin } = fund
  const isParted = table === pricesTable && olderDigest !== null
  if (isParted) file.addPart(partFrom(madeBy, table.name, isin, olderDigest), () => older(table))
  file.add(table === pricesTable ? newest(table) : rows(table))
}

export type GrowingCsv = ReturnType<typeof csvFile>

export function csvFile(
  folder: string,
  path: string,
  columns: readonly OutputColumn[],
  dialect: Dialect,
  earlier?: EarlierFile,
) {
  const sink = fileSink(folder, path)
  const parts = fileParts(earlier, sink.bytes, sink.write)
  const line = csvLine(columns, dialect)
  sink.write(csvHeader(columns, dialect))
  let count = 0
  const write = (rows: readonly OutputRow[]) => {
    if (rows.length > 0) sink.write(rows.map(line).join(''))
    return rows.length
  }
  return {
    add: (rows: readonly OutputRow[]) => {
      count += write(rows)
    },
    addPart: (from: string, rows: () => readonly OutputRow[]) => {
      count += parts.put(from, () => write(rows()))
    },
    /** Their number, without the header. */
    rows: () => count,
    close: () => ({ ...sink.close(), rows: count, parts: parts.close() }),
  }
}

/** The first line, with the byte order mark that Excel needs. */
function csvHeader(columns: readonly OutputColumn[], dialect: Dialect): string {
  const names = columns.map(({ name }) => quoted(name, dialect))
  return `${dialect === 'excel' ? '\ufeff' : ''}${names.join(delimiters[dialect])}\r\n`
}

/** @returns the line of a row of these columns, with CRLF. NULL is an empty field, an empty text is `""`. */
export function csvLine(
  columns: readonly Pick<OutputColumn, 'type'>[],
  dialect: Dialect,
): (row: OutputRow) => string {
  const fields = columns.map(({ type }) => fieldsOf[dialect][type])
  const delimiter = delimiters[dialect]
  return (row) => {
    let line = ''
    // Millions of rows: an iterator over the fields would take half as long again.
    for (let index = 0; index < fields.length; index++) {
      const cell = row[index] ?? null
      if (index > 0) line += delimiter
      if (cell !== null) line += fields[index]?.(cell) ?? ''
    }
    return `${line}\r\n`
  }
}

const delimiters: Readonly<Record<Dialect, string>> = { plain: ',', raw: ',', excel: ';' }

type Field = (cell: NonNullable<OutputCell>) => string | number

const asItIs: Field = (cell) => cell
const withComma: Field = (cell) => String(cell).replace('.', ',')

const rawFields: Readonly<Record<ColumnType, Field>> = {
  text: (cell) => quoted(String(cell), 'raw'),
  date: asItIs,
  decimal: asItIs,
  number: (cell) => shortestDecimal(Number(cell)),
  integer: asItIs,
  boolean: (cell) => (cell === 1 ? 'true' : 'false'),
}

const fieldsOf: Readonly<Record<Dialect, Readonly<Record<ColumnType, Field>>>> = {
  raw: rawFields,
  plain: { ...rawFields, text: (cell) => quoted(defused(String(cell)), 'plain') },
  excel: {
    ...rawFields,
    text: (cell) => quoted(readAsText(String(cell)), 'excel'),
    decimal: withComma,
    number: (cell) => withComma(shortestDecimal(Number(cell))),
    boolean: (cell) => (cell === 1 ? 'WAHR' : 'FALSCH'),
  },
}

/** Source: RFC 4180, 2. Fields of blanks alone or at an end are quoted too: some readers trim. */
function quoted(text: string, dialect: Dialect): string {
  const needsQuotes = text === '' || text.includes(delimiters[dialect]) || /["\r\n]|^\s|\s$/.test(text)
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text
}

/** An apostrophe marks text: before what a spreadsheet would run as a formula. Source: OWASP, "CSV Injection". */
const defused = (text: string) => (isFormula(text) ? `'${text}` : text)

/** The same, and before what Excel would take for something else. */
const readAsText = (text: string) => (isMisread(text) ? `'${text}` : defused(text))

/**
 * Whether Excel, in German or English, could take a text for a number, a date, a time, an amount, a truth value or an error. It does so
 * only if it knows every word of the text: `Mai 2025` becomes a day, `Fonds 2030` and `A 50/50` stay. A whole number keeps its
 * digits, up to eleven of them, unless it begins with 0: numbers such as a WKN stay as they are.
 */
const isMisread = (text: string) =>
  !/^[1-9]\d{0,10}$/.test(text) && (fixedWords.test(text) || (/\d/.test(text) && knownWords.test(text)))

const fixedWords = /^\s*(?:wahr|falsch|true|false|#[\p{L}\d/!?]+)\s*$/iu

const months =
  'januar|jänner|jan|jän|februar|feber|feb|märz|mär|mrz|april|apr|mai|juni|jun|juli|jul|august|aug|september|sept|sep|oktober|okt|' +
  'november|nov|dezember|dez|january|february|march|mar|may|june|july|october|oct|december|dec'
const weekdays =
  'montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag|mo|di|mi|do|fr|sa|so|' +
  'monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun'
/** Behind a number: a time of day, the exponent of a number, a time as in ISO 8601. */
const afterDigit = String.raw`(?<=\d\s?)(?:am|pm|uhr|(?<=\s)[ap]|e(?=[+-]?\d)|t(?=\d)|z)`
const knownWords = new RegExp(
  String.raw`^(?:[\d\s.,:;/()%'’+\-‐‑–−]|\p{Sc}|(?<!\p{L})(?:${months}|${weekdays}|eur|euro|usd|chf|gbp|dm)(?!\p{L})|${afterDigit})+$`,
  'iu',
)

/** The resource of a plain CSV file in `datapackage.json`. Each table but that of the funds refers to the funds by ISIN. */
function csvResource({ source, columns, key }: OutputTable) {
  const reference = { resource: `${fundsTable.name}.csv`, fields: fundsTable.key }
  const toFund = { fields: fundsTable.key, reference }
  return {
    type: 'table',
    profile: 'tabular-data-resource',
    encoding: 'utf-8',
    dialect: {
      delimiter: delimiters.plain,
      lineTerminator: '\r\n',
      quoteChar: '"',
      doubleQuote: true,
      header: true,
    },
    schema: {
      fields: columns.map(fieldResource),
      primaryKey: key,
      ...(source === fundsTable.source ? {} : { foreignKeys: [toFund] }),
      missingValues: [''],
    },
  }
}

const fieldResource = ({ name, type, describe, isNullable }: OutputColumn) => ({
  name,
  type: type === 'text' ? 'string' : type === 'decimal' ? 'number' : type,
  description: describe.en,
  ...(type === 'boolean' ? { trueValues: ['true'], falseValues: ['false'] } : {}),
  // An empty text and none look alike to most readers of CSV.
  ...(isNullable || type === 'text' ? {} : { constraints: { required: true } }),
})
