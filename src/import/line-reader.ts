/** Lines of cells into staged rows: what is good goes on, what is bad is told. */

import { printable } from '../source/printable.ts'
import type { Cell } from './cells.ts'
import { convert, isProblem, type Value } from './convert.ts'
import type { Layout } from './layout.ts'
import type { Notations } from './notation.ts'
import type { Staging } from './staging.ts'

export interface BadLine {
  readonly line: number
  readonly reasons: readonly string[]
}

interface LineReading {
  readonly layout: Layout
  readonly notations: Notations
  /** The funds that there are; undefined where the file brings them. */
  readonly isins: ReadonlySet<string> | undefined
  readonly staging: Staging
  /** Told of the first bad lines; the others are counted. */
  readonly onBad: (bad: BadLine) => unknown
}

/** More of them tell nothing new, and would fill the memory faster than anybody reads them. */
export const maxBadLines = 1000

/** Converts and stages the good lines, tells of the bad ones. */
export function lineReader({ layout, notations, isins, staging, onBad }: LineReading) {
  const { fields, check } = layout
  const [least, most] = layout.width
  const columns = fields.map(({ column, at, label }, index) => {
    return {
      column,
      at,
      label,
      notation: { mark: notations.marks[index] ?? 'point', dates: notations.dates },
    }
  })
  const isinAt = fields.findIndex(({ column }) => column.kind === 'isin')
  let lines = 0
  let bad = 0
  const tell = (line: number, reasons: readonly string[]) => {
    bad++
    if (bad <= maxBadLines) onBad({ line, reasons })
  }
  const faultsOf = (cells: readonly Cell[], values: Value[]): string[] => {
    const faults = [...check(cells)]
    for (const { column, at, label, notation } of columns) {
      const cell = cells[at] ?? ''
      // Line after line of one fund: what is known needs no check digit again.
      const isKnown = column.kind === 'isin' && isins?.has(String(cell)) === true
      const value = isKnown ? String(cell) : convert(cell, column, notation)
      if (isProblem(value)) faults.push(`${label} ${value.reason}`)
      else values.push(value)
    }
    const isin = values[isinAt]
    if (faults.length === 0 && isins !== undefined && !isins.has(String(isin))) {
      faults.push(`there is no fund ${printable(String(isin))}`)
    }
    return faults
  }
  const readLine = (cells: readonly Cell[], line: number): void => {
    lines++
    if (cells.length < least || cells.length > most) {
      const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`
      tell(line, [`it has ${count}, the header ${most}`])
      return
    }
    const values: Value[] = []
    const faults = faultsOf(cells, values)
    const refused = faults.length === 0 ? staging.add(values, line) : undefined
    if (refused !== undefined) faults.push(refused)
    if (faults.length > 0) tell(line, faults)
  }
  const broken = (reason: string, line: number): void => {
    lines++
    tell(line, [reason])
  }
  return { visitor: { line: readLine, broken }, counts: () => ({ lines, bad }) }
}
