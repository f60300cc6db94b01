/** Every table as CSV, as CSV for Excel, and as Parquet: read once, fund by fund. */

import type { Statement } from 'better-sqlite3'
import type { FundDatabase } from '../source/open.ts'
import type { Column, Row, Table } from './column.ts'
import { csvHeader, csvLine } from './csv.ts'
import { usualWidth, widthFor, type DecimalWidth } from './decimal-width.ts'
import { excelFiles, excelPrices } from './excel-files.ts'
import { fileSink, type FileSink, type WrittenFile } from './file-sink.ts'
import { parquetFile, parquetOfLines, type ParquetFile, type WidthOf } from './parquet.ts'
import { pieceOf } from './pieces.ts'
import { priceLines } from './price-lines.ts'
import { permittedIsins, type FundScope } from './scope.ts'
import { fundQuery, tables } from './tables.ts'

/** @param folder of the downloads @param wanted names of the pieces that are to be made */
export function writeTables(
  db: FundDatabase,
  scopes: readonly FundScope[],
  folder: string,
  wanted: ReadonlySet<string>,
): readonly WrittenFile[] {
  return tables.flatMap((table) => {
    const isins = permittedIsins(scopes, table.needs)
    if (table.name === 'prices') return writePrices(db, table, isins, folder, wanted)
    return wanted.has(pieceOf.table(table.name)) ? writeTable(db, table, isins, folder) : []
  })
}

/** A fund's rows of a table. */
type Rows = Statement<[string], Row>

function writeTable(
  db: FundDatabase,
  table: Table,
  isins: readonly string[],
  folder: string,
): readonly WrittenFile[] {
  const statement = rowsOf(db, table)
  const csv = openCsv(folder, table)
  const line = csvLine(table.columns, 'plain')
  const excel = excelFiles(folder, table)
  const typed = openTyped(folder, table, parquetFile)
  let count = 0
  for (const isin of isins) {
    const rows = statement.all(isin)
    for (const row of rows) csv.write(line(row))
    excel.add(rows)
    typed.add(rows)
    count += rows.length
  }
  const parquet = typed.close(statement, isins)
  return [{ ...csv.close(), rows: count }, ...excel.close(), { ...parquet, rows: count }]
}

/** The same for the one table with millions of rows: they go from SQLite to the files without becoming objects. */
function writePrices(
  db: FundDatabase,
  table: Table,
  isins: readonly string[],
  folder: string,
  wanted: ReadonlySet<string>,
): readonly WrittenFile[] {
  const linesOf = priceLines(db, table)
  const whole = wanted.has(pieceOf.table(table.name)) ? openWhole(folder, table) : null
  const excel = excelPrices(folder, table)
  let count = 0
  for (const isin of isins) {
    const years = linesOf(isin).filter(({ year }) => whole !== null || wanted.has(pieceOf.prices(year)))
    for (const prices of years) {
      whole?.csv.write(prices.lines)
      if (wanted.has(pieceOf.prices(prices.year))) excel.add(prices)
      count += prices.rows
    }
    whole?.typed.add(years.map(({ lines }) => lines))
  }
  if (whole === null) return excel.close()
  const parquet = whole.typed.close(rowsOf(db, table), isins)
  return [{ ...whole.csv.close(), rows: count }, ...excel.close(), { ...parquet, rows: count }]
}

const openWhole = (folder: string, table: Table) => ({
  csv: openCsv(folder, table),
  typed: openTyped(folder, table, parquetOfLines),
})

const rowsOf = (db: FundDatabase, table: Table): Rows => db.prepare<[string], Row>(fundQuery(table)).raw()

function openCsv(folder: string, { columns, name, csvName = name }: Table): FileSink {
  const csv = fileSink(folder, `${csvName}.csv`)
  csv.write(csvHeader(namesOf(columns), 'plain'))
  return csv
}

type OpenParquet<Rows> = (
  folder: string,
  path: string,
  columns: readonly Column[],
  widthOf: WidthOf,
) => ParquetFile<Rows>

/** The Parquet file of a table: with the usual widths, or once more with wider ones where a value did not fit. */
function openTyped<Content>(folder: string, table: Table, open: OpenParquet<Content>) {
  const path = `${table.name}.parquet`
  const parquet = open(folder, path, table.columns, () => usualWidth)
  let isTooWide = false
  return {
    add: (content: Content) => {
      isTooWide ||=
        unlessTooWide(() => {
          parquet.add(content)
          return parquet
        }) === null
    },
    close: (statement: Rows, isins: readonly string[]): WrittenFile =>
      (isTooWide ? null : unlessTooWide(parquet.close)) ?? writeWider(statement, table, isins, folder, path),
  }
}

const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name)

/** @returns null if a value does not fit: nobody could know before all were seen */
function unlessTooWide<T>(write: () => T): T | null {
  try {
    return write()
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Once more, with decimals as wide as the values need. */
function writeWider(
  statement: Rows,
  { columns }: Table,
  isins: readonly string[],
  folder: string,
  path: string,
): WrittenFile {
  const widths = new Map<Column, DecimalWidth>()
  for (const [index, column] of columns.entries()) {
    if (column.type === 'decimal') widths.set(column, widthFor(values(index)))
  }
  function* values(index: number): Generator<string> {
    for (const isin of isins) {
      for (const row of statement.all(isin)) {
        const cell = row[index] ?? null
        if (cell !== null) yield String(cell)
      }
    }
  }
  const parquet = parquetFile(folder, path, columns, (column) => widths.get(column) ?? usualWidth)
  for (const isin of isins) parquet.add(statement.all(isin))
  return parquet.close()
}
