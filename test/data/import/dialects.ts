/** Databases written as CSV in any dialect, and read back with plain SQL: nothing of src/ has a say. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { goodRows, type Value } from '../../support/database.ts'

/** Funds first: the others refer to them. */
export const tableNames = Object.keys(goodRows)

export interface Dialect {
  readonly encoding: 'utf-8' | 'utf-8 with BOM' | 'windows-1252'
  readonly delimiter: ';' | ',' | '\t'
  readonly decimal: ',' | '.'
  readonly dates: 'iso' | 'german'
  readonly lineEnd: '\n' | '\r\n'
}

export const plain: Dialect = { encoding: 'utf-8', delimiter: ';', decimal: '.', dates: 'iso', lineEnd: '\n' }

/** The bytes of Windows-1252, by their characters. */
const bytes = new Map(
  Array.from({ length: 256 }, (_, byte) => [
    new TextDecoder('windows-1252').decode(Uint8Array.of(byte)),
    byte,
  ]),
)

function encode(text: string, encoding: Dialect['encoding']): Buffer {
  if (encoding !== 'windows-1252') return Buffer.from((encoding === 'utf-8' ? '' : '\ufeff') + text)
  return Buffer.from(Array.from(text, (letter) => bytes.get(letter) ?? NaN))
}

const isDecimal = (table: string, column: string): boolean =>
  (table === 'price' && !['isin', 'date'].includes(column)) ||
  (table === 'corporate_action' && ['amount', 'factor'].includes(column)) ||
  (table === 'profile' && /fund_assets$|_minimum$/.test(column))
const isDate = (column: string): boolean => column === 'date' || /^date_|_date$/.test(column)

function cellText(table: string, column: string, value: Value, { decimal, dates }: Dialect): string {
  if (value === null) return ''
  if (typeof value === 'number') return String(value).replace('.', decimal)
  if (isDecimal(table, column)) return value.replace('.', decimal)
  if (dates === 'iso') return value
  if (isDate(column)) return value.split('-').reverse().join('.')
  return column === 'end_of_fiscal_year' ? `${value.split('-').reverse().join('.')}.` : value
}

function quoteCell(text: string, delimiter: string): string {
  const needsQuotes = text.includes(delimiter) || /["\r\n]/.test(text)
  return needsQuotes ? `"${text.replaceAll('"', '""')}"` : text
}

/** Writes lines of cells as a file. */
export function writeCsv(file: string, lines: readonly (readonly string[])[], dialect = plain): void {
  const { delimiter, lineEnd, encoding } = dialect
  const text = lines.map((cells) => cells.map((cell) => quoteCell(cell, delimiter)).join(delimiter) + lineEnd)
  writeFileSync(file, encode(text.join(''), encoding))
}

/** Writes each table as `<folder>/<table>.csv`. */
export function exportTables(db: string, folder: string, dialect: Dialect): void {
  mkdirSync(folder, { recursive: true })
  for (const table of tableNames) {
    const { columns, rows } = dump(db, table)
    const lines = rows.map((row) =>
      row.map((value, index) => cellText(table, columns[index] ?? '', value, dialect)),
    )
    writeCsv(join(folder, `${table}.csv`), [columns, ...lines], dialect)
  }
}

interface Dump {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Value[])[]
}

/** All rows of a table, in the order of its key. */
export function dump(file: string, table: string, columns = '*'): Dump {
  const db = new Database(file, { readonly: true })
  try {
    const statement = db.prepare<[], Value[]>(`SELECT ${columns} FROM ${table}`).raw()
    return { columns: statement.columns().map(({ name }) => name), rows: statement.all() }
  } finally {
    db.close()
  }
}

export const dumpAll = (file: string): Readonly<Record<string, Dump>> =>
  Object.fromEntries(tableNames.map((table) => [table, dump(file, table)]))
