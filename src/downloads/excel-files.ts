/** A table for Excel, in files that fit into its sheets: prices by calendar year, others cut where a sheet is full. */

import type { Row, Table } from './column.ts'
import { csvHeader, csvLine, excelLines } from './csv.ts'
import { fileSink, type FileSink, type WrittenFile } from './file-sink.ts'
import type { PriceLines } from './price-lines.ts'

/** A sheet has 1,048,576 rows, and one is the header. */
const maxRows = 1_048_575

export interface ExcelFiles {
  readonly add: (rows: readonly Row[]) => void
  /** In the order of their names. */
  readonly close: () => readonly WrittenFile[]
}

export function excelFiles(folder: string, { name, csvName = name, columns }: Table): ExcelFiles {
  const line = csvLine(columns, 'excel')
  const { sheet, close } = sheets(folder, columns, maxRows)
  // A table without rows is a file with a header all the same.
  sheet(csvName)
  return {
    add: (rows) => {
      for (const row of rows) sheet(csvName).add(line(row), 1)
    },
    close,
  }
}

export interface ExcelPrices {
  readonly add: (prices: PriceLines) => void
  /** In the order of their names. */
  readonly close: () => readonly WrittenFile[]
}

/** A file a year. @param rowsPerFile what a sheet holds */
export function excelPrices(
  folder: string,
  { name, columns }: Table,
  rowsPerFile: number = maxRows,
): ExcelPrices {
  const { sheet, close } = sheets(folder, columns, rowsPerFile)
  let space = Buffer.allocUnsafeSlow(1 << 15)
  return {
    add: ({ year, lines, rows }) => {
      if (lines.length > space.length) space = Buffer.allocUnsafeSlow(2 * lines.length)
      const all = excelLines(lines, space)
      let start = 0
      for (let left = rows; left > 0;) {
        const { room, add } = sheet(`${name}_${year}`)
        const count = Math.min(left, room)
        const end = count === left ? all.length : endOfLines(all, start, count)
        add(all.subarray(start, end), count)
        start = end
        left -= count
      }
    },
    close,
  }
}

/** Where the lines end that start there, so many of them. */
function endOfLines(lines: Uint8Array, start: number, count: number): number {
  let end = start
  for (let line = 0; line < count; line++) end = lines.indexOf(lineFeed, end) + 1
  return end
}

const lineFeed = 0x0a

interface Sheet {
  /** How many rows it can still take, one at least. */
  readonly room: number
  readonly add: (lines: string | Uint8Array, rows: number) => void
}

interface Part {
  readonly sink: FileSink
  rows: number
  /** Which file of its name it is. */
  readonly number: number
}

function sheets(folder: string, columns: Table['columns'], rowsPerFile: number) {
  const header = csvHeader(
    columns.map(({ name }) => name),
    'excel',
  )
  const done: WrittenFile[] = []
  const parts = new Map<string, Part>()
  const open = (stem: string, number: number): Part => {
    const sink = fileSink(folder, `csv-excel/${stem}${number === 1 ? '' : `_part${number}`}.csv`)
    sink.write(header)
    return { sink, rows: 0, number }
  }
  const finish = ({ sink, rows }: Part) => done.push({ ...sink.close(), rows })
  const partOf = (stem: string): Part => {
    const last = parts.get(stem)
    if (last !== undefined && last.rows < rowsPerFile) return last
    if (last !== undefined) finish(last)
    const part = open(stem, (last?.number ?? 0) + 1)
    parts.set(stem, part)
    return part
  }
  return {
    /** The one that is not full yet. @param stem its name without its part and ending */
    sheet: (stem: string): Sheet => {
      const part = partOf(stem)
      return {
        room: rowsPerFile - part.rows,
        add: (lines, rows) => {
          part.sink.write(lines)
          part.rows += rows
        },
      }
    },
    close: () => {
      for (const part of parts.values()) finish(part)
      return done.sort((one, other) => (one.path < other.path ? -1 : 1))
    },
  }
}
