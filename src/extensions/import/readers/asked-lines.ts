/**
 * Lines as flags want them, for each reader of cells. The flags act on the lines as the file has them, in this order:
 *
 * 1. `--skip-last`: the last lines are no rows. What follows is asked of them, too, so that a row among them is told. Hidden rows that
 *    are left out do not count.
 * 2. `--fill-down`: an empty cell has the value above it, also that of a hidden row: merged cells have theirs in the first row.
 * 3. `--skip-hidden`: hidden rows go (hidden columns are gone before the header is looked for).
 * 4. `--skip`: lines go by the text of a cell, as it is filled.
 * 5. A line of another width than the header is bad, and moves no cell to another column.
 *
 * Only then a line becomes a row, or a row for each fund (`wide.ts`).
 */

import { printable, quoted } from '../../../core/data/model/printable.ts'
import { shellWord } from '../../../core/system/shell-text.ts'
import { headerName, type CellLines, type FileLines, type FileVisitor, type LineVisitor } from '../layout.ts'
import type { FileCell } from '../values.ts'
import type { NamedCell, ReadOptions } from './reader.ts'

/** Why lines are left out, for the report. */
export const atEnd = 'lines at the end, as --skip-last says'
export const repeatedHeader = 'lines that repeat the header'

/** Why a line is bad that would be a row like the others, and that `--skip-last` leaves out. */
export const rowAtEnd =
  'it is a row like the others, and --skip-last leaves it out: the file may be incomplete; if it has no line to leave out, ' +
  '--skip-last 0 takes all'

/**
 * @param isTable each line has a cell for each column, and a header may come again
 * @returns the lines with the notes on what the flags did
 */
export function askedLines(
  file: FileLines,
  { skip, skipLast = 0, fillDown, keep }: Pick<ReadOptions, 'skip' | 'skipLast' | 'fillDown' | 'keep'>,
  isTable: boolean,
): CellLines {
  // Excel writes delimiters at the end of all lines for columns that were in use once.
  const width = widthOf(file.header)
  const header = isTable ? file.header.slice(0, width) : file.header
  const isHeader = repeatsOf(header)
  const faultOf = (cells: readonly FileCell[]) =>
    isTable ? widthFault(cells, width, file.header.length) : undefined
  const skipping = skippedBy(header, skip)
  const filling = fillingOf(header, fillDown)
  /** @returns gives lines on, as the flags want them */
  const asked = (visitor: LineVisitor): FileVisitor => {
    const end = (): void => {
      filling.forget()
      visitor.gap()
    }
    return {
      line: (found, line) => {
        const isAgain = isTable && isHeader(found)
        const fault = isAgain ? undefined : faultOf(found)
        if (isAgain || fault !== undefined) end()
        const cells = isAgain || fault !== undefined ? found : filling.filled(found)
        const skipped = isAgain ? repeatedHeader : skipping.whyOf(cells)
        if (skipped !== undefined) visitor.leftOut(skipped, line)
        else if (fault !== undefined) visitor.broken(fault, line, cells)
        else visitor.line(cells, line)
      },
      hidden: (found) => {
        if (faultOf(found) === undefined) filling.look(found)
      },
      empty: end,
      text: (line) => {
        end()
        visitor.text(line)
      },
      broken: (reason, line) => {
        end()
        visitor.broken(reason, line, [])
      },
      bytes: visitor.bytes,
    }
  }
  const read = async (visitor: LineVisitor) => {
    skipping.begin()
    filling.begin()
    const taking = asked(visitor)
    if (skipLast === 0) return file.read(taking)
    const holding = heldBack(taking, skipLast)
    await file.read(holding.visitor)
    const atTheEnd = asked(endOf(visitor))
    for (const give of holding.held()) give(atTheEnd)
  }
  const names = new Set(header.map(headerName))
  return {
    ...file,
    header,
    read,
    forget: filling.forget,
    named: [...[...skip, ...keep].map(({ column }) => column), ...fillDown].filter((name) => names.has(name)),
    notesOn: (columns) => [...skipping.notes(), ...filling.notes(), ...file.notesOn(columns)],
  }
}

/** Visits the last lines, which a flag leaves out: of all that they may be, only a row is told. */
function endOf(visitor: LineVisitor): LineVisitor {
  const leftOut = (line: number) => visitor.leftOut(atEnd, line)
  return {
    ...visitor,
    line: (cells, line) => visitor.last([cells], line),
    text: leftOut,
    broken: (_, line) => leftOut(line),
    leftOut: (_, line) => leftOut(line),
  }
}

/** Gives something of a file to a visitor. */
type Give = (visitor: FileVisitor) => void

/** Gives lines on once enough others follow them. */
function heldBack(visitor: FileVisitor, count: number) {
  const held: { readonly give: Give; readonly isLine: boolean }[] = []
  let lines = 0
  const hold = (give: Give, isLine: boolean) => {
    held.push({ give, isLine })
    if (isLine) lines++
    while (lines > count) {
      const first = held.shift()
      if (first?.isLine === true) lines--
      first?.give(visitor)
    }
  }
  const holding: FileVisitor = {
    line: (cells, line) => hold((to) => to.line(cells, line), true),
    text: (line) => hold((to) => to.text(line), true),
    broken: (reason, line) => hold((to) => to.broken(reason, line), true),
    hidden: (cells, line) => hold((to) => to.hidden(cells, line), false),
    empty: () => hold((to) => to.empty(), false),
    bytes: visitor.bytes,
  }
  return {
    visitor: holding,
    held: (): readonly Give[] => held.map(({ give }) => give),
  }
}

/** Cells up to the last column that has a name. */
export const widthOf = (header: readonly FileCell[]): number =>
  header.findLastIndex((cell) => headerName(cell) !== '') + 1

/** @returns tells a line that says what the header says: files that were joined have theirs again */
function repeatsOf(header: readonly FileCell[]) {
  const names = header.map(headerName)
  return (cells: readonly FileCell[]): boolean =>
    names.every((name, at) => headerName(cells[at] ?? '') === name) &&
    cells.slice(names.length).every(isEmptyCell)
}

/**
 * Some programs write a delimiter at the end of each line but the header.
 * @param width up to the last column that has a name @param all cells of the header @param measure that line, for messages
 */
export function widthFault(
  cells: readonly FileCell[],
  width: number,
  all: number,
  measure = 'the header',
): string | undefined {
  if (cells.length === width) return undefined
  if (cells.length < width || !cells.slice(all).every(isEmptyCell))
    return `it has ${cells.length === 1 ? '1 cell' : `${cells.length} cells`}, ${measure} ${all}`
  const at = cells.findIndex((cell, index) => index >= width && !isEmptyCell(cell))
  return at < 0
    ? undefined
    : `column ${at + 1} has no name in the header, but here ${quoted(String(cells[at] ?? ''))}`
}

/** Knows which lines have one of some cells, and which cells no line has. */
function linesWith(header: readonly FileCell[], cells: readonly NamedCell[]) {
  const wanted = cells.flatMap(({ column, text }) => {
    const at = header.findIndex((cell) => headerName(cell) === column)
    const shown = printable(String(header[at] ?? ''))
    return at < 0 ? [] : [{ at, shown, text, name: headerName(text) }]
  })
  const met = new Set<(typeof wanted)[number]>()
  return {
    /** Begins to read the lines. */
    begin: (): void => met.clear(),
    cellOf: (line: readonly FileCell[]) => {
      if (wanted.length === 0) return undefined
      const own = wanted.find(({ at, name }) => headerName(line[at] ?? '') === name)
      if (own !== undefined) met.add(own)
      return own
    },
    /** To be called after the last line. */
    missed: () => wanted.filter((cell) => !met.has(cell)),
  }
}

/** Knows which lines go by the text of a cell. */
export function skippedBy(header: readonly FileCell[], skip: readonly NamedCell[]) {
  const lines = linesWith(header, skip)
  return {
    begin: lines.begin,
    /** @returns why a line is left out; undefined if it is not */
    whyOf: (line: readonly FileCell[]): string | undefined => {
      const found = lines.cellOf(line)
      if (found === undefined) return undefined
      const { shown, text } = found
      return `lines ${text === '' ? `without ${shown}` : `with ${shown} ${quoted(text)}`}, as --skip says`
    },
    /** To be called after the last line. */
    notes: (): readonly string[] =>
      lines.missed().map(({ shown, text }) => `${cellFlag('--skip', shown, text)} left out no line`),
  }
}

/** Knows which lines are items, though they look like totals. */
export function keptBy(header: readonly FileCell[], keep: readonly NamedCell[]) {
  const lines = linesWith(header, keep)
  return {
    has: (line: readonly FileCell[]): boolean => lines.cellOf(line) !== undefined,
    /** To be called after the last line. */
    notes: (): readonly string[] =>
      lines.missed().map(({ shown, text }) => `${cellFlag('--keep', shown, text)} is of no line`),
  }
}

/** How a flag names a line with this cell. */
export const cellFlag = (flag: '--skip' | '--keep', column: FileCell, text: string) =>
  `${flag} ${shellWord(`${printable(String(column))}=${printable(text)}`)}`

/** Gives an empty cell of some columns the value above it: a spreadsheet writes that of merged cells once. */
function fillingOf(header: readonly FileCell[], names: readonly string[]) {
  const places = header.flatMap((cell, at) => (names.includes(headerName(cell)) ? [at] : []))
  const above = new Map<number, FileCell>()
  const counts = new Map<number, number>()
  const look = (found: readonly FileCell[]): void => {
    for (const at of places) if (!isEmptyCell(found[at])) above.set(at, found[at] ?? '')
  }
  return {
    begin: (): void => {
      above.clear()
      counts.clear()
    },
    /** What is above belongs to nothing below. */
    forget: (): void => above.clear(),
    look,
    filled: (found: readonly FileCell[]): readonly FileCell[] => {
      if (places.length === 0) return found
      look(found)
      const line = [...found]
      for (const at of places) {
        const value = above.get(at)
        if (!isEmptyCell(found[at]) || value === undefined) continue
        line[at] = value
        counts.set(at, (counts.get(at) ?? 0) + 1)
      }
      return line
    },
    notes: (): readonly string[] =>
      [...counts].map(
        ([at, count]) =>
          `filled with the cell above, as --fill-down says: ${printable(String(header[at]))} (${countOfLines(count)})`,
      ),
  }
}

export const isEmptyCell = (cell: FileCell | undefined) => String(cell ?? '').trim() === ''
export const countOfLines = (count: number) => (count === 1 ? '1 line' : `${count} lines`)
