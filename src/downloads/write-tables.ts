/** Every table as CSV, as CSV for Excel, and as Parquet: read once, fund by fund. */

import type { Statement } from 'better-sqlite3'
import type { FundDatabase } from '../source/open.ts'
import type { Column, Row, Table } from './column.ts'
import { csvHeader, csvLine, type Dialect } from './csv.ts'
import { excelFiles, excelPrices } from './excel-files.ts'
import { fileSink, type FileSink, type WrittenFile } from './file-sink.ts'
import { parquetFile, parquetOfLines } from './parquet.ts'
import { pieceOf } from './pieces.ts'
import { priceLines } from './price-lines.ts'
import { permittedIsins, type FundScope } from './scope.ts'
import { fundQuery, tables } from './tables.ts'

/** @param folder of the downloads @param wanted names of the pieces that are to be made @param dialect of the plain CSV */
export function writeTables(
  db: FundDatabase,
  scopes: readonly FundScope[],
  folder: string,
  wanted: ReadonlySet<string>,
  dialect: Dialect,
): readonly WrittenFile[] {
  return tables.flatMap((table) => {
    const isins = permittedIsins(scopes, table.needs)
    if (table.name === 'prices') return writePrices(db, table, isins, folder, wanted)
    return wanted.has(pieceOf.table(table.name)) ? writeTable(db, table, isins, folder, dialect) : []
  })
}

/** A fund's rows of a table. */
type Rows = Statement<[string], Row>

function writeTable(
  db: FundDatabase,
  table: Table,
  isins: readonly string[],
  folder: string,
  dialect: Dialect,
): readonly WrittenFile[] {
  const statement = rowsOf(db, table)
  const csv = openCsv(folder, table)
  const line = csvLine(table.columns, dialect)
  const excel = excelFiles(folder, table)
  const typed = parquetFile(folder, parquetName(table), table.columns)
  let count = 0
  for (const isin of isins) {
    const rows = statement.all(isin)
    for (const row of rows) csv.write(line(row))
    excel.add(rows)
    typed.add(rows)
    count += rows.length
  }
  const parquet = typed.close()
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
  const parquet = whole.typed.close()
  return [{ ...whole.csv.close(), rows: count }, ...excel.close(), { ...parquet, rows: count }]
}

const openWhole = (folder: string, table: Table) => ({
  csv: openCsv(folder, table),
  typed: parquetOfLines(folder, parquetName(table), table.columns),
})

const parquetName = ({ name }: Table) => `${name}.parquet`

const rowsOf = (db: FundDatabase, table: Table): Rows => db.prepare<[string], Row>(fundQuery(table)).raw()

function openCsv(folder: string, { columns, name, csvName = name }: Table): FileSink {
  const csv = fileSink(folder, `${csvName}.csv`)
  csv.write(csvHeader(namesOf(columns), 'plain'))
  return csv
}

const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name)
