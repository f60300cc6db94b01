/** A workbook (XLSX) as lines of cells: the sheet that has the header asked for. */

import { closeSync, openSync, readSync } from 'node:fs'
import { quoted } from '../source/printable.ts'
import type { Cell, CellLines } from './cells.ts'
import { boundedWorkbook } from './workbook-limits.ts'

/** A title or two may stand above the header. */
const headerWithin = 50

/** Whether the file is a ZIP archive, as every XLSX is. */
export function isWorkbook(file: string): boolean {
  const handle = openSync(file, 'r')
  try {
    const start = Buffer.alloc(4)
    readSync(handle, start)
    return start.equals(Buffer.from('PK\u0003\u0004', 'latin1'))
  } finally {
    closeSync(handle)
  }
}

/** @throws {Error} if it is no workbook, or if not exactly one of its sheets has such a header */
export async function openWorkbook(
  file: string,
  isHeader: (cells: readonly Cell[]) => boolean,
): Promise<CellLines> {
  const { default: readWorkbook } = await import('read-excel-file/node')
  const sheets = await readWorkbook(bounded(file), { trim: false }).catch((error: unknown) => {
    throw new Error(`${file} cannot be read as a workbook (XLSX)`, { cause: error })
  })
  const found = sheets.flatMap(({ sheet, data }) => {
    // The package's own type has the constructor in the place of a Date.
    const lines = (data as readonly (readonly unknown[])[]).map((row) => row.map(cellOf))
    const at = lines.slice(0, headerWithin).findIndex(isHeader)
    return at < 0 ? [] : [{ sheet, lines, at }]
  })
  const [first, ...others] = found
  if (first === undefined) {
    throw new Error(
      `${file}: no sheet has a line with the names of the template's fields (00010_…, and 00001_… for the version)`,
    )
  }
  if (others.length > 0) {
    const names = found.map(({ sheet }) => quoted(sheet)).join(' and ')
    throw new Error(
      `${file}: the sheets ${names} both have the template's fields: leave one of them in the file`,
    )
  }
  const { sheet, lines, at } = first
  return {
    header: lines[at] ?? [],
    headerLine: at + 1,
    form: `XLSX, sheet ${quoted(sheet)}`,
    read: (visitor) => {
      for (const [index, cells] of lines.entries()) {
        if (index > at && cells.some((cell) => cell !== '')) visitor.line(cells, index + 1)
      }
      return Promise.resolve()
    },
  }
}

/** @throws {Error} naming the file and the limit */
function bounded(file: string): Buffer {
  try {
    return boundedWorkbook(file)
  } catch (error) {
    const reason = error instanceof RangeError ? 'it is damaged' : error instanceof Error ? error.message : ''
    throw new Error(`${file} cannot be read as a workbook (XLSX): ${reason}`, { cause: error })
  }
}

function cellOf(value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || value instanceof Date) return value
  // What else there is are yes and no, and cells without anything.
  return typeof value === 'boolean' ? String(value) : ''
}
