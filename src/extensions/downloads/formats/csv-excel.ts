/** CSV for a German Excel, in files that fit into its sheets: prices by calendar year, every table cut where a sheet is full. */

import {
  newestPrices,
  type OutputRow,
  type OutputTable,
  permittedFunds,
  pricesTable,
  tables,
} from '../tables.ts'
import { csvFile, type GrowingCsv } from './csv.ts'
import { pieceOfTable, type Piece, type PieceFile, type PieceRows, type RowsFormat } from './format.ts'

/** A sheet has 1,048,576 rows, and one is the header. */
const maxRows = 1_048_575

const excelTables = [newestPrices, ...tables]

const isByYear = ({ name }: OutputTable) => name === pricesTable.name

export const csvForExcel: RowsFormat = {
  id: 'csv-excel',
  kind: 'rows',
  name: 'csv',
  mediatype: 'text/csv',
  label: { en: 'CSV for Excel', de: 'CSV für Excel' },
  advice: {
    en:
      'CSV for the German version of Excel, to be opened with a double-click: semicolons, decimal commas, byte order mark. ' +
      'An apostrophe in front keeps Excel from converting texts such as 12-31 or May 2025.',
    de:
      'CSV für die deutsche Version von Excel, zum Öffnen per Doppelklick: Semikolon als Trennzeichen, Dezimalkomma, ' +
      'Byte Order Mark. Ein vorangestellter Apostroph verhindert, dass Excel Texte wie 12-31 oder Mai 2025 umwandelt.',
  },
  // No resources: Excel needs the byte order mark, and common readers of data packages take it for a part of a name.
  inPackage: (files) => ({
    excelFiles: {
      description:
        'The rows of the CSV files for the German version of Excel: UTF-8 with a byte order mark, semicolons, decimal commas, ' +
        'WAHR and FALSCH, and an apostrophe before a text that Excel in German or English could take for a formula, a number, an ' +
        'amount, a date, a time, a truth value or an error. Whole numbers of up to eleven digits have none.',
      paths: files.map(({ path }) => path),
    },
  }),
  pieces: (funds) =>
    excelTables.flatMap((table): readonly Piece[] => {
      const { name, csvName = name } = table
      if (!isByYear(table)) return [{ ...pieceOfTable(table, funds), name: csvName }]
      const priced = permittedFunds(funds, table.needs)
      const years = new Set(priced.flatMap(({ rows }) => Object.keys(rows.prices)))
      return [...years].sort().map((year) => {
        const some = priced.filter(({ rows }) => rows.prices[year] !== undefined)
        const digest: PieceRows['digest'] = ({ rows: { fund, prices } }) => `${fund} ${prices[year]}`
        const rows = { funds: some, digest }
        return { name: nameOfYear(table, year), row: name, describe: pricesOf(year), rows }
      })
    }),
  open: ({ folder, wanted }) => {
    const made = excelTables.map((table) => ({ table, write: excelFiles(folder, table, wanted) }))
    return {
      add: ({ rows, newest, years }) => {
        // Most nights want the newest year alone.
        const hasOlder = years.slice(0, -1).some((year) => wanted.has(nameOfYear(pricesTable, year)))
        for (const { table, write } of made)
          if (write.isWanted) write.add(isByYear(table) && !hasOlder ? newest(table) : rows(table))
      },
      close: () => made.flatMap(({ write }) => write.close()),
    }
  },
}

const pricesOf = (year: string) => ({
  en: `All prices of all funds in ${year}`,
  de: `Alle Preise aller Fonds im Jahr ${year}`,
})

const nameOfYear = ({ name }: OutputTable, year: string) => `${name}_${year}`

/** Writes the pieces of a table that are wanted. @param rowsPerFile what a sheet holds */
export function excelFiles(
  folder: string,
  table: OutputTable,
  wanted: ReadonlySet<string>,
  rowsPerFile: number = maxRows,
) {
  const { columns, name, csvName = name, key } = table
  const done: PieceFile[] = []
  /** By piece: the file that is not full yet, and the number of those before it. */
  const sheets = new Map<string, { readonly file: GrowingCsv; readonly before: number }>()
  const open = (piece: string, before: number) => {
    const part = before === 0 ? '' : `_part${before + 1}`
    const sheet = { file: csvFile(folder, `csv-excel/${piece}${part}-excel.csv`, columns, 'excel'), before }
    sheets.set(piece, sheet)
    return sheet
  }
  const addTo = (piece: string, rows: readonly OutputRow[]) => {
    let sheet = sheets.get(piece) ?? open(piece, 0)
    for (let at = 0; at < rows.length;) {
      if (sheet.file.rows() === rowsPerFile) {
        done.push({ ...sheet.file.close(), piece })
        sheet = open(piece, sheet.before + 1)
      }
      const some = rows.slice(at, at + rowsPerFile - sheet.file.rows())
      sheet.file.add(some)
      at += some.length
    }
  }
  const dayAt = columns.findIndex((column) => column.name === key[1])
  const isWhole = !isByYear(table)
  // A table without rows is a file with a header all the same.
  if (isWhole && wanted.has(csvName)) open(csvName, 0)
  return {
    isWanted: isWhole ? wanted.has(csvName) : wanted.size > 0,
    add: (rows: readonly OutputRow[]) => {
      if (isWhole) addTo(csvName, rows)
      else
        for (const [year, some] of Map.groupBy(rows, (row) => String(row[dayAt]).slice(0, 4)))
          if (wanted.has(nameOfYear(table, year))) addTo(nameOfYear(table, year), some)
    },
    close: (): readonly PieceFile[] => [
      ...done,
      ...[...sheets].map(([piece, { file }]) => ({ ...file.close(), piece })),
    ],
  }
}
