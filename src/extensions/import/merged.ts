/** Merged cells of a sheet, which has their value in the first of them only: it is that of each row of their range. Pure. */

import type { MergedRows } from './readers/reader.ts'
import { Percentage, type FileCell } from './values.ts'

/** Merged cells, as far as they lie one below the other. Rows are counted from 1, columns from 0. */
export interface MergedRange {
  readonly column: number
  readonly first: number
  readonly last: number
}

/**
 * Gives the values of merged cells to each of their rows, but to one that has nothing else.
 * @param lines of the sheet, whose cells change
 */
export function fillMerged(lines: readonly FileCell[][], ranges: readonly MergedRange[]): MergedRows {
  const hasCells = lines.map((cells) => cells.some((cell) => cell !== ''))
  const filled = new Map<number, number[]>()
  const numbers = new Map<number, Set<number>>()
  let before: MergedRange | undefined
  for (const range of ranges.toSorted((one, other) => one.column - other.column || one.first - other.first)) {
    const { column, first, last } = range
    // No spreadsheet writes ranges with cells in common, and a file of such ranges would take hours.
    if (before?.column === column && first <= before.last) continue
    before = range
    const value = lines[first - 1]?.[column] ?? ''
    if (value === '') continue
    const ownFilled = filled.get(column) ?? []
    const ownNumbers = numbers.get(column) ?? new Set()
    for (let row = first + 1; row <= Math.min(last, lines.length); row++) {
      const cells = lines[row - 1]
      if (cells === undefined || hasCells[row - 1] !== true || cells[column] !== '') continue
      cells[column] = value
      filled.set(column, ownFilled)
      ownFilled.push(row)
      if (!isNumber(value)) continue
      numbers.set(column, ownNumbers)
      ownNumbers.add(first).add(row)
    }
  }
  return { filled, numbers }
}

const isNumber = (cell: FileCell) => typeof cell === 'number' || cell instanceof Percentage
