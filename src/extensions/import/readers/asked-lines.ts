/** Lines as flags want them: some are left out, and empty cells have the value above. */

import { printable, quoted } from '../../../core/data/model/printable.ts'
import { shellWord } from '../../../core/system/shell-text.ts'
import { headerName, type CellLines, type LineVisitor } from '../layout.ts'
import { shownCell, type FileCell } from '../values.ts'
import type { SkippedCell } from './reader.ts'

/** Lines that are no rows come last, and may be of any form: as many as are asked for are held back until others follow. */
export function withoutLast(cells: CellLines, count: number): CellLines {
  if (count === 0) return cells
  const read = (visitor: LineVisitor) => {
    const held: (() => void)[] = []
    const hold = (visit: () => void) => {
      held.push(visit)
      if (held.length > count) held.shift()?.()
    }
    return cells.read({
      ...visitor,
      line: (found, line) => hold(() => visitor.line(found, line)),
      text: (line) => hold(() => visitor.text(line)),
      broken: (reason, line) => hold(() => visitor.broken(reason, line)),
    })
  }
  return { ...cells, read }
}

/** @returns a function that says why a line is left out; undefined if it is not */
export function skippedBy(header: readonly FileCell[], skip: readonly SkippedCell[]) {
  const found = skip.flatMap(({ column, text }) => {
    const at = header.findIndex((cell) => headerName(cell) === column)
    const shown = printable(String(header[at] ?? ''))
    const what = text === '' ? `without ${shown}` : `with ${shown} ${quoted(text)}`
    return at < 0 ? [] : [{ at, text: headerName(text), why: `lines ${what}, as --skip says` }]
  })
  return (cells: readonly FileCell[]): string | undefined =>
    found.length === 0
      ? undefined
      : found.find(({ at, text }) => headerName(shownCell(cells[at] ?? '')) === text)?.why
}

/** How a line with this cell is left out. */
export const skipFlag = (column: FileCell, text: string) =>
  `--skip ${shellWord(`${printable(String(column))}=${printable(text)}`)}`

/** Gives an empty cell of some columns the value above it: a spreadsheet writes that of merged cells once. */
export function filledDown(
  cells: CellLines,
  names: readonly string[],
  isHeader: (cells: readonly FileCell[]) => boolean,
) {
  const places = cells.header.flatMap((cell, at) => (names.includes(headerName(cell)) ? [at] : []))
  const counts = new Map<number, number>()
  const read = (visitor: LineVisitor) => {
    const above = new Map<number, FileCell>()
    counts.clear()
    const filled = (found: readonly FileCell[]): readonly FileCell[] => {
      const line = [...found]
      for (const at of places) {
        const value = above.get(at)
        if (!isEmptyCell(found[at])) above.set(at, found[at] ?? '')
        else if (value !== undefined) {
          line[at] = value
          counts.set(at, (counts.get(at) ?? 0) + 1)
        }
      }
      return line
    }
    return cells.read({
      ...visitor,
      line: (found, line) => visitor.line(isHeader(found) ? found : filled(found), line),
      broken: (reason, line) => {
        // It may have had another value.
        above.clear()
        visitor.broken(reason, line)
      },
    })
  }
  const notes = (): readonly string[] =>
    [...counts].map(
      ([at, count]) =>
        `filled with the cell above, as --fill-down says: ${printable(String(cells.header[at]))} (${countOfLines(count)})`,
    )
  return { cells: places.length === 0 ? cells : { ...cells, read }, notes }
}

export const isEmptyCell = (cell: FileCell | undefined) => String(cell ?? '').trim() === ''
export const countOfLines = (count: number) => (count === 1 ? '1 line' : `${count} lines`)
