/** Which lines of a file name its columns, and which are no rows: titles above, headings between, disclaimers below. Pure. */

import type { FileCell } from './values.ts'

/** A title or two may stand above the header. */
export const headerWithin = 50

/** The line that has most names of columns, and most cells among these; the first line if none has any. */
export function headerOf<Line>(
  lines: readonly [Line, ...Line[]],
  cellsOf: (line: Line) => readonly FileCell[],
  isName: (text: string) => boolean,
): Line {
  const [first] = lines
  const counted = lines.map((line) => {
    const cells = cellsOf(line).map(String)
    return {
      line,
      known: cells.filter(isName).length,
      filled: cells.filter((cell) => cell.trim() !== '').length,
    }
  })
  const best = counted.reduce((one, other) =>
    (other.known - one.known || other.filled - one.filled) > 0 ? other : one,
  )
  return best.known === 0 ? first : best.line
}

/** Spreadsheets write an empty line as delimiters only, and hosts end a file with Ctrl-Z. */
export const isEmptyLine = (cells: readonly FileCell[]): boolean =>
  cells.every((cell) => ['', '\u001a'].includes(String(cell).trim()))

/**
 * Finds lines of text: headings of a section, remarks and disclaimers have one cell with several words, behind an empty line or
 * another such line. A line that was cut off has no empty line before it.
 */
export function textFinder() {
  let mayCome = false
  return {
    /** Tells of an empty line. */
    empty: (): void => {
      mayCome = true
    },
    isText: (cells: readonly FileCell[]): boolean => {
      if (!mayCome) return false
      const filled = cells.map((cell) => String(cell).trim()).filter((text) => text !== '')
      mayCome = filled.length === 1 && /\s/.test(filled[0] ?? '')
      return mayCome
    },
  }
}
