/** A table for Excel, in files that fit into its sheets: prices by calendar year, others cut where a sheet is full. */

import type { Row, Table } from './column.ts'
import { csvHeader, csvLine } from './csv.ts'
import { fileSink, type FileSink, type WrittenFile } from './file-sink.ts'

/** A sheet has 1,048,576 rows, and one is the header. */
const maxRows = 1_048_575

export interface ExcelFiles {
  readonly add: (rows: readonly Row[]) => void
  /** In the order of their names. */
  readonly close: () => readonly WrittenFile[]
}

interface Part {
  sink: FileSink
  rows: number
  /** Which file of its name it is. */
  number: number
}

export function excelFiles(folder: string, { name, csvName = name, columns }: Table): ExcelFiles {
  const line = csvLine(columns, 'excel')
  const header = csvHeader(
    columns.map((column) => column.name),
    'excel',
  )
  const yearAt = name === 'prices' ? columns.findIndex((column) => column.name === 'date') : -1
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
    if (last !== undefined && last.rows < maxRows) return last
    if (last !== undefined) finish(last)
    const part = open(stem, (last?.number ?? 0) + 1)
    parts.set(stem, part)
    return part
  }
  // A table without rows is a file with a header all the same.
  if (yearAt < 0) partOf(csvName)
  return {
    add: (rows) => {
      for (const row of rows) {
        const part = partOf(yearAt < 0 ? csvName : `${csvName}_${String(row[yearAt]).slice(0, 4)}`)
        part.sink.write(line(row))
        part.rows++
      }
    },
    close: () => {
      for (const part of parts.values()) finish(part)
      return done.sort((one, other) => (one.path < other.path ? -1 : 1))
    },
  }
}
