/**
 * Rows as CSV. `plain` is RFC 4180: commas, decimal points, ISO dates, and an apostrophe before a text that a spreadsheet
 * would run as a formula; `raw` is the same with texts as they are. `excel` is what a German Excel opens by a double click:
 * a byte order mark, semicolons, decimal commas, and no text that it would take for a formula, a day or a number.
 */

import { isFormula } from '../contract/texts.ts'
import { shortestDecimal } from '../encode/number.ts'
import type { Cell, Column, ColumnType, Row } from './column.ts'

export type Dialect = 'plain' | 'raw' | 'excel'

/** The form of the CSV files that are not for Excel. @param isRaw as `--raw-csv` asks for */
export const plainDialect = (isRaw: boolean): Dialect => (isRaw ? 'raw' : 'plain')

export const byteOrderMark = '\ufeff'

/** @returns the first line; ends with CRLF, as each does */
export function csvHeader(names: readonly string[], dialect: Dialect): string {
  const line = names.map((name) => quoted(name, dialect)).join(delimiters[dialect])
  return `${dialect === 'excel' ? byteOrderMark : ''}${line}\r\n`
}

/** @returns the line of a row of these columns. NULL is an empty field, an empty text is `""`. */
export function csvLine(columns: readonly Column[], dialect: Dialect): (row: Row) => string {
  const fields = columns.map(({ type }) => fieldsOf[dialect][type])
  const delimiter = delimiters[dialect]
  return (row) => {
    let line = ''
    for (let index = 0; index < fields.length; index++) {
      const cell = row[index] ?? null
      if (index > 0) line += delimiter
      if (cell !== null) line += fields[index]?.(cell) ?? ''
    }
    return `${line}\r\n`
  }
}

/**
 * Lines of bare columns (`isBare`) in the form for Excel.
 * @param plain ASCII, as they are in the other form @param space where they come to stand, as large at least
 */
export function excelLines(plain: Uint8Array, space: Uint8Array): Uint8Array {
  const lines = space.subarray(0, plain.length)
  for (let at = 0; at < plain.length; at++) {
    const byte = plain[at] ?? 0
    lines[at] = byte === comma ? semicolon : byte === point ? comma : byte
  }
  return lines
}

const comma = 0x2c
const semicolon = 0x3b
const point = 0x2e

const delimiters: Readonly<Record<Dialect, string>> = { plain: ',', raw: ',', excel: ';' }

type Field = (cell: NonNullable<Cell>) => string

const asItIs: Field = (cell) => String(cell)
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
    text: (cell) => quoted(readAsText(String(cell)), 'excel'),
    date: asItIs,
    decimal: withComma,
    number: (cell) => withComma(shortestDecimal(Number(cell))),
    integer: asItIs,
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

/** The same, and before what Excel would make something else of. */
const readAsText = (text: string) => (isMisread(text) ? `'${text}` : defused(text))

/**
 * Whether a German Excel turns a text into another: `12-31` and `1.5` into days, `04E310` into a number of zeros, `0815`
 * and numbers of more than 15 digits into others. `1.234` is a number that it reads as it is meant.
 */
const isMisread = (text: string) =>
  /^\s*(?:\d{1,2}[-./](?:\d{1,2}|\d{4})[-./]?|0\d+|\d+(?:[.,]\d+)?e[+-]?\d+|\d{16,})\s*$/i.test(text)
