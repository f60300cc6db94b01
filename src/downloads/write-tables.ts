/** Every table as CSV, as CSV for Excel, and as Parquet: read once, fund by fund. */

import type { Statement } from 'better-sqlite3'
import type { FundDatabase } from '../source/open.ts'
import type { Column, Row, Table } from './column.ts'
import { csvHeader, csvLine } from './csv.ts'
import { usualWidth, widthFor, type DecimalWidth } from './decimal-width.ts'
import { excelFiles } from './excel-files.ts'
import { fileSink, type WrittenFile } from './file-sink.ts'
import { parquetTable } from './parquet.ts'
import { permittedIsins, type FundScope } from './scope.ts'
import { fundQuery, tables } from './tables.ts'

/** @param folder of the downloads */
export function writeTables(
  db: FundDatabase,
  scopes: readonly FundScope[],
  folder: string,
): readonly WrittenFile[] {
  return tables.flatMap((table) => writeTable(db, table, permittedIsins(scopes, table.needs), folder))
}

/** A fund's rows of a table. */
type Rows = Statement<[string], Row>

function writeTable(
  db: FundDatabase,
  table: Table,
  isins: readonly string[],
  folder: string,
): readonly WrittenFile[] {
  const { columns, name, csvName = name } = table
  const statement: Rows = db.prepare<[string], Row>(fundQuery(table)).raw()
  const csv = fileSink(folder, `${csvName}.csv`)
  csv.write(csvHeader(namesOf(columns), 'plain'))
  const line = csvLine(columns, 'plain')
  const excel = excelFiles(folder, table)
  const path = `${name}.parquet`
  const parquet = parquetTable(folder, path, columns, () => usualWidth)
  let isTooWide = false
  let count = 0
  for (const isin of isins) {
    const rows = statement.all(isin)
    for (const row of rows) csv.write(line(row))
    excel.add(rows)
    isTooWide ||= unlessTooWide(() => parquet.add(rows)) === null
    count += rows.length
  }
  const typed =
    (isTooWide ? null : unlessTooWide(parquet.close)) ?? writeWider(statement, table, isins, folder, path)
  return [{ ...csv.close(), rows: count }, ...excel.close(), { ...typed, rows: count }]
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
  const parquet = parquetTable(folder, path, columns, (column) => widths.get(column) ?? usualWidth)
  for (const isin of isins) parquet.add(statement.all(isin))
  return parquet.close()
}
