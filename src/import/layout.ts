/** Which cell of a line goes into which column, as the header says. */

import { isIsinInEitherCase } from '../routes/values.ts'
import { quoted } from '../source/printable.ts'
import type { Cell } from './cells.ts'
import type { Column, Table } from './tables.ts'

export interface Field {
  readonly column: Column
  /** The cell's place in the line, from 0. */
  readonly at: number
  /** What a message calls it. */
  readonly label: string
}

export interface Layout {
  readonly fields: readonly Field[]
  /** How many cells a line has, at least and at most. */
  readonly width: readonly [least: number, most: number]
  /** What is wrong with a line beside the values of its fields. */
  readonly check: (cells: readonly Cell[]) => readonly string[]
  /** What the file does not have, and other things to be told once it has been read. */
  readonly notes: () => readonly string[]
}

/** Names that are like an unknown one, to be put behind a message. */
export type Suggest = (word: string, names: readonly string[]) => string

/** As headers are compared: case does not count. */
export const headerName = (cell: Cell): string => String(cell).trim().toLowerCase()

/**
 * The layout of a file that has the schema's own columns, in any order.
 * @throws {Error} if a column is unknown, without a name, there twice, or missing where it may not be NULL
 */
export function columnLayout(table: Table, header: readonly Cell[], suggest: Suggest): Layout {
  const names = table.columns.map(({ name }) => name)
  if (header.some((cell) => isIsinInEitherCase(String(cell).trim()))) {
    throw new Error(`the first line has to name the columns: ${names.join(', ')}`)
  }
  // Delimiters at the end of all lines are what Excel writes of columns that were in use once.
  const named = header.findLastIndex((cell) => headerName(cell) !== '') + 1
  const fields = header.slice(0, named).map((cell, at): Field => {
    const name = headerName(cell)
    if (name === '') throw new Error(`column ${at + 1} has no name`)
    const column = table.columns.find((each) => each.name === name)
    if (column === undefined) {
      throw new Error(`table ${table.name} has no column ${quoted(String(cell))}${suggest(name, names)}`)
    }
    return { column, at, label: name }
  })
  const seen = new Set<string>()
  for (const { label } of fields) {
    if (seen.has(label)) throw new Error(`column ${label} is there twice`)
    seen.add(label)
  }
  const absent = table.columns.filter(({ name }) => !seen.has(name))
  const missing = absent.filter(({ isNotNull, hasDefault }) => isNotNull && !hasDefault)
  if (missing.length > 0) {
    const found = missing.map(({ name }) => name).join(', ')
    throw new Error(
      `column${missing.length === 1 ? '' : 's'} ${found} of table ${table.name} ${missing.length === 1 ? 'is' : 'are'} missing`,
    )
  }
  const left = absent.map(({ name }) => name).join(', ')
  const notes = absent.length === 0 ? [] : [`not in the file: ${left}`]
  const width = [named, header.length] as const
  return { fields, width, check: (cells) => namelessFaults(cells, named), notes: () => notes }
}

/** @param named how many cells have a column with a name, from the first */
function namelessFaults(cells: readonly Cell[], named: number): readonly string[] {
  if (cells.length === named) return []
  return cells.slice(named).flatMap((cell, index) => {
    const text = String(cell).trim()
    return text === ''
      ? []
      : [`column ${named + index + 1} has no name in the header, but here ${quoted(text)}`]
  })
}
