/** Lines of cells become rows of one table: what the readers of CSV and workbooks share. */

import type { SchemaTable, TableColumn } from '../../../core/data/model/columns.ts'
import { quoted } from '../../../core/data/model/printable.ts'
import type { CellLines, Layout } from '../layout.ts'
import { notationSniffer, type Notations } from '../notation.ts'
import { convert, isPercentage, isProblem, wknOf, type FileCell, type Value } from '../values.ts'
import type { Absent, ReadOptions, RowSink, TakeRow, Told } from './reader.ts'

/** Tools to read the lines of a file with. */
interface Reading {
  readonly file: string
  readonly table: SchemaTable
  readonly cells: CellLines
  readonly layout: Layout
  readonly sink: RowSink
  readonly options: ReadOptions
}

/** @throws {Error} if the file leaves open how it is to be read, or has no line after its header */
export async function readCells({ file, table, cells, layout, sink, options }: Reading): Promise<Told> {
  const bytes = passMeter(sink, options)
  const notations = await sniffNotations(file, { cells, layout, bytes }, options)
  const percentages = percentageMeter()
  const valuesIn = lineConverter(table, layout, notations, options, percentages)
  const columns = [...layout.fields, ...layout.constants].map(({ column }) => column.name)
  const isNumbered = table.key.includes(place) && !columns.includes(place)
  const absent = options.scope === 'upsert' ? 'kept' : 'emptied'
  const take = isNumbered
    ? numberedRows(table, columns, sink, absent)
    : sink.rowsOf(table.name, columns, absent)
  let lines = 0
  await cells.read({
    line: (found, line) => {
      lines++
      const { values, faults } = valuesIn(found, line)
      if (faults.length > 0) sink.bad(line, faults)
      else take(values, line)
    },
    broken: (reason, line) => {
      lines++
      sink.bad(line, [reason])
    },
    text: (line) => sink.leftOut('lines of text', `line ${line}`),
    bytes,
  })
  // A broken export may leave no line: to read it as `no rows` would empty the table.
  if (lines === 0)
    throw new Error(
      `${file} has no line after its header: nothing was imported; check that the export is complete` +
        options.adviceToEmpty(table.name),
    )
  return {
    form: [cells.form, ...notations.form],
    notes: [
      ...layout.notes(),
      ...(isNumbered ? ['numbered by the order of the lines: position'] : []),
      ...percentages.notes(),
      ...cells.notesOn(layout.fields.map(({ at }) => at)),
    ],
    warnings: layout.warnings(),
  }
}

/** The key column of lists, which says where in its list a row stands. */
export const place = 'position'

/** Numbers the rows of each list, which replaces the one that the database has: it may have been longer. */
function numberedRows(
  table: SchemaTable,
  columns: readonly string[],
  sink: RowSink,
  absent: Absent,
): TakeRow {
  const take = sink.rowsOf(table.name, [...columns, place], absent)
  const keys = table.key.filter((name) => name !== place)
  const counts = new Map<string, number>()
  return (values, line) => {
    const key = Object.fromEntries(keys.map((name) => [name, values[columns.indexOf(name)] ?? null]))
    const list = Object.values(key).join(' ')
    const count = counts.get(list) ?? 0
    if (count === 0) sink.gone(table.name, key, `line ${String(line)}`)
    counts.set(list, count + 1)
    take([...values, count + 1], line)
  }
}

/** Counts the bytes of a file that is read several times: for its encoding, its notations, and its rows. */
export function passMeter(sink: RowSink, { decimal, dates }: ReadOptions): (count: number) => void {
  const passes = decimal === undefined || dates === undefined ? 3 : 2
  return (count) => sink.bytes(count / passes)
}

async function sniffNotations(
  file: string,
  { cells, layout, bytes }: Pick<Reading, 'cells' | 'layout'> & Readonly<{ bytes: (count: number) => void }>,
  { decimal, dates }: ReadOptions,
): Promise<Notations> {
  const [least, most] = layout.width
  const sniffer = notationSniffer(layout.fields, { decimal, dates })
  if (sniffer.isNeeded) {
    const line = (found: readonly FileCell[], number: number) => {
      if (found.length >= least && found.length <= most) sniffer.look(found, number)
    }
    await cells.read({ line, broken: () => undefined, text: () => undefined, bytes })
  }
  return within(file, sniffer.notations)
}

/** Counts cells with a percent sign, field by field. */
export function percentageMeter() {
  const found = new Map<string, { readonly first: string; count: number }>()
  return {
    /** @param value of the cell */
    look: (label: string, cell: FileCell, column: TableColumn, value: Value): void => {
      if (!isPercentage(cell, column)) return
      const own = found.get(label) ?? { first: `${quoted(String(cell))} is ${String(value)}`, count: 0 }
      own.count++
      found.set(label, own)
    },
    notes: (): readonly string[] =>
      [...found].map(
        ([label, { first, count }]) =>
          `${label}: ${count === 1 ? '1 cell has' : `${count} cells have`} a percent sign: ${first}`,
      ),
  }
}

/** Names the place in an error. */
export function within<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new Error(`${place}: ${error.message}`, { cause: error })
  }
}

/** @returns a function that gives the values of a line, or its faults */
function lineConverter(
  table: SchemaTable,
  { fields, constants, check, width: [least, most] }: Layout,
  { marks, dates }: Notations,
  { currencies, isinsByWkn, takesMinorUnits }: ReadOptions,
  percentages: ReturnType<typeof percentageMeter>,
) {
  const columns = fields.map((field, index) => {
    return { ...field, notation: { mark: marks[index] ?? 'point', dates, takesMinorUnits } }
  })
  // Many lines are of one fund: a known ISIN needs no check of its digit.
  const isKnown = (cell: FileCell) => table.name !== 'fund' && currencies.has(String(cell))
  return (cells: readonly FileCell[], line: number) => {
    const values: Value[] = []
    if (cells.length < least || cells.length > most) {
      const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`
      return { values, faults: [`it has ${count}, the header ${most}`] }
    }
    const faults = [...check(cells, line)]
    for (const { column, at, label, notation, isWkn } of columns) {
      const cell = cells[at] ?? ''
      const value = isWkn
        ? isinOfWkn(cell, isinsByWkn)
        : column.kind === 'isin' && isKnown(cell)
          ? String(cell)
          : convert(cell, column, notation)
      if (isProblem(value)) faults.push(`${label} ${value.reason}`)
      else {
        percentages.look(label, cell, column, value)
        values.push(value)
      }
    }
    for (const { value } of constants) values.push(value)
    return { values, faults }
  }
}

/** @param isins of the funds in the database */
function isinOfWkn(cell: FileCell, isins: ReadonlyMap<string, readonly string[]>) {
  const wkn = wknOf(cell)
  if (isProblem(wkn)) return wkn
  const [isin, ...others] = isins.get(wkn) ?? []
  if (isin === undefined) return { reason: `${quoted(wkn)} is the WKN of no fund in the database` }
  return others.length === 0
    ? isin
    : { reason: `${quoted(wkn)} is the WKN of ${[isin, ...others].join(' and ')}` }
}
