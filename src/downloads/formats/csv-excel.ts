/** CSV for a German Excel, in files that fit into its sheets: prices by calendar year, every table cut where a sheet is full. */

import type { WrittenFile } from '../file-sink.ts'
import { type OutputRow, type OutputTable, tables } from '../tables.ts'
import { csvFile, csvResource, type GrowingCsv } from './csv.ts'
import { rowsOfTable, type Piece, type PieceFile, type RowsFormat } from './format.ts'

/** A sheet has 1,048,576 rows, and one is the header. */
const maxRows = 1_048_575

/** The table with files by year. */
const isByYear = ({ name }: OutputTable) => name === 'prices'

export const csvForExcel: RowsFormat = {
  ...{ id: 'csv-excel', kind: 'rows', name: 'csv', mediatype: 'text/csv', section: 'excel' },
  pieces: (funds) =>
    tables.flatMap((table): readonly Piece[] => {
      const rows = rowsOfTable(table, funds)
      const common = { describe: table.describe, resource: csvResource(table, 'excel') }
      if (!isByYear(table)) return [{ ...common, name: table.csvName ?? table.name, rows }]
      const yearsOf = (isin: string) => funds.digests.get(isin)?.prices ?? {}
      const years = new Set(rows.isins.flatMap((isin) => Object.keys(yearsOf(isin))))
      return [...years].sort().map((year) => {
        const isins = rows.isins.filter((isin) => yearsOf(isin)[year] !== undefined)
        const ofYear = {
          isins,
          digest: ({ prices }: { prices: Readonly<Record<string, string>> }) => prices[year] ?? '',
        }
        return { ...common, name: nameOfYear(table, year), rows: ofYear }
      })
    }),
  open: ({ folder, wanted }) => {
    const made = tables.map((table) => ({ table, write: excelFiles(folder, table, wanted) }))
    return {
      add: ({ rows }) => {
        for (const { table, write } of made) if (write.isWanted) write.add(rows(table))
      },
      close: () => made.flatMap(({ write }) => write.close()),
    }
  },
}

const nameOfYear = ({ name }: OutputTable, year: string) => `${name}_${year}`

/** Writes the pieces of a table that are wanted. @param rowsPerFile what a sheet holds */
export function excelFiles(
  folder: string,
  table: OutputTable,
  wanted: ReadonlySet<string>,
  rowsPerFile: number = maxRows,
) {
  const { columns, name, csvName = name, key } = table
  const sheets = new Map<string, Sheets>()
  const sheetsOf = (piece: string) => {
    const found = sheets.get(piece) ?? openSheets(folder, piece, columns, rowsPerFile)
    sheets.set(piece, found)
    return found
  }
  const dayAt = columns.findIndex((column) => column.name === key[1])
  const isWhole = !isByYear(table)
  // A table without rows is a file with a header all the same.
  if (isWhole && wanted.has(csvName)) sheetsOf(csvName)
  return {
    isWanted: isWhole ? wanted.has(csvName) : wanted.size > 0,
    add: (rows: readonly OutputRow[]) => {
      if (isWhole) {
        sheetsOf(csvName).add(rows)
        return
      }
      for (const [year, some] of Map.groupBy(rows, (row) => String(row[dayAt]).slice(0, 4))) {
        const piece = nameOfYear(table, year)
        if (wanted.has(piece)) sheetsOf(piece).add(some)
      }
    },
    close: (): readonly PieceFile[] =>
      [...sheets].flatMap(([piece, { close }]) => close().map((file) => ({ ...file, piece }))),
  }
}

interface Sheets {
  readonly add: (rows: readonly OutputRow[]) => void
  readonly close: () => readonly WrittenFile[]
}

/** A file, and another one whenever it is full. */
function openSheets(
  folder: string,
  name: string,
  columns: OutputTable['columns'],
  rowsPerFile: number,
): Sheets {
  const done: WrittenFile[] = []
  const open = (part: number): GrowingCsv =>
    csvFile(folder, `csv-excel/${name}${part === 1 ? '' : `_part${part}`}.csv`, columns, 'excel')
  let file = open(1)
  return {
    add: (rows) => {
      for (let at = 0; at < rows.length;) {
        if (file.rows() === rowsPerFile) {
          done.push(file.close())
          file = open(done.length + 1)
        }
        const some = rows.slice(at, at + rowsPerFile - file.rows())
        file.add(some)
        at += some.length
      }
    },
    close: () => [...done, file.close()],
  }
}
