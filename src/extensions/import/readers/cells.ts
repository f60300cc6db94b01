/** Lines of cells become rows of one table: what the readers of CSV and workbooks share. */

import type { SchemaTable, TableColumn } from '../../../core/data/model/columns.ts'
import { printable, quoted } from '../../../core/data/model/printable.ts'
import { derivableColumns } from '../../../core/data/derive/figures.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import {
  deriveHint,
  headerName,
  onlyLines,
  place,
  setInsteadHint,
  type CellLines,
  type Layout,
  type LineVisitor,
} from '../layout.ts'
import { isOpen, notationSniffer, type Notations } from '../notation.ts'
import { shellWord } from '../../../core/system/shell-text.ts'
import type { Place } from '../take/staging.ts'
import { totalFinder } from '../totals.ts'
import {
  convert,
  isIsinCell,
  isPercentage,
  isProblem,
  multiplied,
  odditiesOf,
  wknOf,
  type FileCell,
  type Notation,
  type Value,
} from '../values.ts'
import {
  atEnd,
  cellFlag,
  countOfLines,
  isEmptyCell,
  keptBy,
  repeatedHeader,
  rowAtEnd,
} from './asked-lines.ts'
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
export async function readCells(reading: Reading): Promise<Told> {
  const { file, table, cells, layout, sink, options } = reading
  const bytes = passMeter(sink, options)
  const notations = await sniffNotations(file, { cells, layout, bytes }, options)
  const oddities = oddityMeter()
  const converterOf = (own: Layout, meter: ReturnType<typeof oddityMeter>) =>
    lineConverter(table, own, cells, notations, options, meter)
  const columns = [...layout.fields, ...layout.constants].map(({ column }) => column.name)
  const isNumbered = table.key.includes(place) && !columns.includes(place)
  const absent = options.scope === 'upsert' ? 'kept' : 'emptied'
  const numbered = isNumbered ? numberedRows(table, columns, sink, absent) : undefined
  const take = numbered?.take ?? sink.rowsOf(table.name, columns, absent)
  const lackingRows = rowsThatLack(table, columns, sink, absent)
  /** For lines that may be no rows: it notes nothing. */
  const quietOf = () => converterOf({ ...layout, check: () => none }, oddityMeter())
  const totals = await totalsIn(table, columns, (visit) => {
    const { valuesOf } = quietOf()
    const line: LineVisitor['line'] = (found, number) => {
      const { values, faults } = valuesOf(found, number)
      if (faults.length === 0) visit(values, number)
      else cells.forget()
    }
    // The bytes were counted, but a break is to be heard.
    const last: LineVisitor['last'] = (rows, number) => {
      for (const row of rows) line(row, number)
    }
    return cells.read({ ...onlyLines(line, () => sink.bytes(0)), last })
  })
  const converter = converterOf(layout, oddities)
  const { valuesOf: valuesAtEnd } = quietOf()
  const hasWkn = (cell: FileCell, at: number) =>
    layout.fields.some((field) => field.isWkn && field.at === at) && !isProblem(wknOf(cell))
  const keeping = keptBy(cells.header, options.keep)
  const ending = badEnding()
  let lines = 0
  await cells.read({
    line: (found, line) => {
      lines++
      const { values, faults: own, lacking } = converter.valuesOf(found, line)
      // All lines are asked, so that a cell of none is told.
      const isKept = keeping.has(found)
      const total = totals.has(line) && !isKept ? [whyTotal(found, layout, cells.header)] : []
      const faults = [...own, ...total]
      // A line with an ISIN is meant to be a row.
      ending.look(line, faults.length > 0 && !found.some((cell, at) => isIsinCell(cell) || hasWkn(cell, at)))
      if (faults.length > 0) {
        cells.forget()
        sink.bad(line, faults)
        // A total is no item.
        if (total.length === 0) numbered?.spoil(values, line)
      } else if (lacking.size > 0) lackingRows.take(values, lacking, line)
      else take(values, line)
    },
    leftOut: (why, line) => {
      if (why !== repeatedHeader) {
        lines++
        ending.look(line, false)
      }
      sink.leftOut(why, `line ${line}`)
    },
    last: (rows, line) => {
      const read = rows.map((row) => valuesAtEnd(row, line))
      // A price that is none, such as an error of a formula, does not make the others worthless.
      const isRow = !totals.has(line) && read.some(({ faults }) => faults.length === 0)
      if (!isRow) {
        cells.forget()
        sink.leftOut(atEnd, `line ${line}`)
      }
      for (const { values } of isRow ? read : []) {
        sink.bad(line, [rowAtEnd])
        numbered?.spoil(values, line)
      }
    },
    broken: (reason, line, found) => {
      lines++
      ending.look(line, found.length > 0 && !found.some(isIsinCell))
      sink.bad(line, [reason])
      numbered?.spoil([], line)
    },
    gap: converter.gap,
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
      ...oddities.notes(),
      ...lackingRows.notes(),
      ...keeping.notes(),
      ...cells.notesOn(layout.fields.map(({ at }) => at)),
    ],
    warnings: [...layout.warnings(), ...ending.warnings(options.skipLast ?? 0)],
    named: cells.named,
  }
}

/** The column of a table that names the items of a list of shares, and that of their shares; undefined if it has no such lists. */
function columnsOfShares({ columns, key }: SchemaTable) {
  const share = columns.find(({ unit }) => unit === 'percent')
  const name = columns.find(({ kind, allowed }) => kind === 'text' && allowed === undefined)
  return key.includes(place) && share !== undefined && name !== undefined ? { name, share } : undefined
}

/** @param read gives the values of good lines to a visitor @returns the lines that are totals of others */
async function totalsIn(
  table: SchemaTable,
  columns: readonly string[],
  read: (visit: TakeRow) => Promise<void>,
): Promise<ReadonlySet<Place>> {
  const shares = columnsOfShares(table)
  if (shares === undefined) return new Set()
  const finder = totalFinder<Place>()
  const keyAt = table.key.filter((name) => name !== place).map((name) => columns.indexOf(name))
  const nameAt = columns.indexOf(shares.name.name)
  const shareAt = columns.indexOf(shares.share.name)
  if (nameAt < 0 || shareAt < 0) return new Set()
  const typeAt = columns.indexOf('type')
  const derivativesAt = columns.indexOf('derivatives')
  const isWhole = (values: readonly Value[]) =>
    !String(values[typeAt] ?? '').endsWith('derivatives') && !Number(values[derivativesAt] ?? 0)
  await read((values, line) => {
    const list = keyAt.map((at) => values[at]).join(' ')
    finder.look(list, String(values[nameAt]), Number(values[shareAt]), line, isWhole(values))
  })
  return finder.totals()
}

/** Why a total is a bad line, with the flags that leave it out and keep it. */
function whyTotal(cells: readonly FileCell[], { fields }: Layout, header: readonly FileCell[]): string {
  const names = fields.filter(({ column }) => column.kind === 'text')
  const [name] = names
  const shown = String(cells[name?.at ?? 0] ?? '')
  const flagOf = (flag: '--skip' | '--keep') => cellFlag(flag, header[name?.at ?? 0] ?? '', shown)
  return (
    `${name?.label ?? 'the name'} is ${quoted(shown)}: it looks like a total of other lines, which is no item; ` +
    `${flagOf('--skip')} leaves it out, ${flagOf('--keep')} takes it as an item`
  )
}

/** More bad lines at the end are no total. */
const mostAtEnd = 5

/** Knows whether the bad lines that name no fund are the last ones of a file, and no others. */
function badEnding() {
  let bad = 0
  let isInside = false
  let last = 0
  return {
    look: (line: number, isBad: boolean): void => {
      // A line may have a row for each fund.
      if (isBad && line !== last) bad++
      else if (!isBad && bad > 0) isInside = true
      last = line
    },
    warnings: (skipped: number): readonly string[] => {
      if (bad === 0 || isInside || bad > mostAtEnd) return []
      const flag = `--skip-last ${skipped + bad}`
      return [
        bad === 1
          ? `the bad line is the last one: if it is no row, such as a total, ${flag} leaves it out`
          : `the bad lines are the last ${bad}: if they are no rows, such as a total, ${flag} leaves them out`,
      ]
    },
  }
}

const derivedWhereEmpty = 'derived where the cell is empty or 0'

/** Takes rows of which some columns are absent, though the file has them. */
function rowsThatLack(table: SchemaTable, columns: readonly string[], sink: RowSink, absent: Absent) {
  const takers = new Map<string, TakeRow>()
  const counts = new Map<string, Map<string, number>>()
  return {
    /** @param values without those of the lacking columns @param lacking columns, by the reason for the report */
    take: (values: readonly Value[], lacking: ReadonlyMap<string, string>, line: number): void => {
      const id = [...lacking.keys()].join()
      const given = columns.filter((name) => !lacking.has(name))
      const take = takers.get(id) ?? sink.rowsOf(table.name, given, absent)
      takers.set(id, take)
      for (const [name, why] of lacking) {
        const own = counts.get(why) ?? new Map<string, number>()
        counts.set(why, own.set(name, (own.get(name) ?? 0) + 1))
      }
      take(values, line)
    },
    notes: (): readonly string[] =>
      [...counts].map(([why, own]) => {
        const shown = [...own].map(([name, count]) => `${name} (${countOfLines(count)})`)
        return `${why}: ${shown.join(', ')}`
      }),
  }
}

/** Numbers the rows of each list, which replaces the one that the database has: it may have been longer. */
function numberedRows(table: SchemaTable, columns: readonly string[], sink: RowSink, absent: Absent) {
  const taker = sink.rowsOf(table.name, [...columns, place], absent)
  const keys = table.key.filter((name) => name !== place)
  const keyOf = (values: readonly Value[]) =>
    Object.fromEntries(keys.map((name) => [name, values[columns.indexOf(name)] ?? null]))
  const counts = new Map<string, number>()
  let last: ReturnType<typeof keyOf> | undefined
  /** A bad line of a list that nobody knows, until the next line. */
  let unknown: Place | undefined
  const take: TakeRow = (values, line) => {
    const key = keyOf(values)
    const list = Object.values(key).join(' ')
    const count = counts.get(list) ?? 0
    if (count === 0) sink.gone(table.name, key, `line ${String(line)}`)
    counts.set(list, count + 1)
    if (unknown !== undefined) sink.spoilt(table.name, key, `line ${unknown}`)
    unknown = undefined
    last = key
    taker([...values, count + 1], line)
  }
  return {
    take,
    /** Notes the list of a bad line; without a key that can be read, the lists of the lines above and below. */
    spoil: (values: readonly Value[], line: Place): void => {
      const key = keyOf(values)
      const isUnknown = Object.values(key).includes(null)
      if (isUnknown) unknown ??= line
      const own = isUnknown ? last : key
      if (own !== undefined) sink.spoilt(table.name, own, `line ${line}`)
    },
  }
}

/** Counts the bytes of a file that is read several times: for its encoding, its notations, and its rows. */
export function passMeter(sink: RowSink, options: ReadOptions): (count: number) => void {
  const passes = isOpen(options) ? 3 : 2
  return (count) => sink.bytes(count / passes)
}

async function sniffNotations(
  file: string,
  { cells, layout, bytes }: Pick<Reading, 'cells' | 'layout'> & Readonly<{ bytes: (count: number) => void }>,
  options: ReadOptions,
): Promise<Notations> {
  const sniffer = notationSniffer(layout.fields, cells, options)
  if (isOpen(options)) await cells.read(onlyLines(sniffer.look, bytes))
  return within(file, sniffer.notations)
}

/** Counts cells with a percent sign and others whose value does not show all that they say, field by field. */
export function oddityMeter() {
  const found = new Map<string, { readonly label: string; readonly end: string; count: number }>()
  return {
    /** @param value of the cell */
    look: (label: string, cell: FileCell, column: TableColumn, value: Value, notation: Notation): void => {
      for (const oddity of odditiesOf(cell, column, notation)) {
        const id = `${label} ${oddity}`
        const end = `${oddity}: ${quoted(String(cell))} is ${String(value)}`
        const own = found.get(id) ?? { label, end, count: 0 }
        own.count++
        found.set(id, own)
      }
    },
    notes: (): readonly string[] =>
      [...found.values()].map(
        ({ label, end, count }) => `${label}: ${count === 1 ? '1 cell has' : `${count} cells have`} ${end}`,
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

/** The type of structures whose items have coefficients. */
const correlation = 'correlation'

/** A coefficient has no percent sign, though its column has percentages of other structures. */
function coefficientChecker(
  fields: Layout['fields'],
  constants: Layout['constants'],
  header: readonly FileCell[],
) {
  const typeAt = [...fields, ...constants].findIndex(({ column }) => column.name === 'type')
  const type = fields.find(({ column }) => column.name === 'type')
  const way =
    type === undefined
      ? ''
      : `; or ${cellFlag('--skip', header[type.at] ?? '', correlation)} leaves such lines out`
  return (cells: readonly FileCell[], values: readonly Value[]): readonly string[] =>
    typeAt < 0 || values[typeAt] !== correlation
      ? none
      : fields
          .filter(({ column, at }) => isPercentage(cells[at] ?? '', column))
          .map(({ label, at }) => {
            const shown = quoted(String(cells[at] ?? ''))
            return `${label} is ${shown}: a correlation is a coefficient, 0.5 and not 50 %${way}`
          })
}

const none: readonly string[] = []

/** Knows the last cells of key columns: an empty one below may be merged with it. */
function mergedHints(header: readonly FileCell[]) {
  const above = new Map<number, FileCell>()
  let hints: string[] = []
  return {
    forget: (): void => above.clear(),
    /** Begins a line. */
    begin: (): void => {
      if (hints.length > 0) hints = []
    },
    look: (at: number, cell: FileCell): void => {
      above.set(at, cell)
    },
    /** Notes a cell that has no value. */
    note: ({ isKey }: TableColumn, at: number, cell: FileCell): void => {
      const other = above.get(at)
      if (!isKey || !isEmptyCell(cell) || other === undefined) return
      const flag = `--fill-down ${shellWord(printable(String(header[at])))}`
      hints.push(`the last one above is ${quoted(String(other))}: if the cells are merged, ${flag} takes it`)
    },
    /** @param faults of the line: one with others is hardly a row of which a part is merged */
    hints: (faults: number): readonly string[] => (faults === hints.length ? hints : none),
  }
}

function noneOfEach(cell: FileCell, column: FileCell) {
  const flag = `--fill-down ${shellWord(printable(String(column)))}`
  return {
    reason: `is ${quoted(String(cell))} in merged cells: that may be the sum of their rows; ${flag} takes it for each of them`,
  }
}

/** Makes values of lines that come one after the other. */
function lineConverter(
  table: SchemaTable,
  { fields, constants, unsaid, check }: Layout,
  { header, isMergedNumber }: CellLines,
  { marks, dates, days }: Notations,
  { currencies, isinsByWkn, takesMinorUnits, isDeriving, fillDown }: ReadOptions,
  oddities: ReturnType<typeof oddityMeter>,
) {
  const columns = fields.map((field, index) => {
    const { column } = field
    const isDerivable = table === schemaTables.prices && derivableColumns.includes(column.name)
    return {
      ...field,
      // The number of all rows together is none of each.
      mayBeSum: column.addsUp === true && !fillDown.includes(headerName(header[field.at] ?? '')),
      notation: { mark: marks[index] ?? 'point', dates: dates[index] ?? 'iso', days, takesMinorUnits },
      // An empty cell of these is no fault, but a figure to derive.
      ifEmpty: isDerivable && !column.isNullable ? { ...column, isNullable: true } : undefined,
    } as const
  })
  const merged = mergedHints(header)
  const coefficientFaults = coefficientChecker(fields, constants, header)
  // Many lines are of one fund: a known ISIN needs no check of its digit.
  const isKnown = (cell: FileCell) => table.name !== 'fund' && currencies.has(String(cell))
  const valueOf = (field: (typeof columns)[number], cell: FileCell, line: number) => {
    const { column, at, notation, isWkn, mayBeSum, factor = 1 } = field
    if (mayBeSum && isMergedNumber(at, line)) return noneOfEach(cell, header[at] ?? '')
    if (isWkn) return isinOfWkn(cell, isinsByWkn)
    if (column.kind === 'isin' && isKnown(cell)) return String(cell)
    const value = convert(cell, column, notation)
    if (factor === 1 || typeof value !== 'string') return value
    return convert(multiplied(value, factor), column, { ...notation, mark: 'point' })
  }
  /** @returns the values of a line, or its faults */
  const valuesOf = (cells: readonly FileCell[], line: number) => {
    const values: Value[] = []
    const lacking = new Map(unsaid?.(cells))
    const faults = [...check(cells, line)]
    merged.begin()
    for (const field of columns) {
      const { column, at, label, notation, ifEmpty } = field
      if (lacking.has(column.name)) continue
      const cell = cells[at] ?? ''
      const value = valueOf(field, cell, line)
      const isDerived = isProblem(value) && ifEmpty !== undefined && convert(cell, ifEmpty, notation) === null
      if (isDerived && isDeriving) lacking.set(column.name, derivedWhereEmpty)
      else if (isProblem(value)) {
        merged.note(column, at, cell)
        const hint = isDerived ? deriveHint([column.name]) : setInsteadHint(column, header[at] ?? '')
        faults.push(`${label} ${value.reason}${hint}`)
        // The others keep their places.
        values.push(null)
      } else {
        if (column.isKey) merged.look(at, cell)
        oddities.look(label, cell, column, value, notation)
        values.push(value)
      }
    }
    for (const { value } of constants) values.push(value)
    return { values, lacking, faults: allFaults(cells, values, faults) }
  }
  /** @param faults of single cells @returns them with those of the whole line */
  const allFaults = (cells: readonly FileCell[], values: readonly Value[], faults: readonly string[]) => {
    const more = faults.length === 0 ? coefficientFaults(cells, values) : merged.hints(faults.length)
    const isOnlyMerged = faults.length > 0 && more.length > 0
    if (faults.length + more.length > 0 && !isOnlyMerged) merged.forget()
    return [...faults, ...more]
  }
  return { valuesOf, gap: merged.forget }
}

/** @param isins of the funds in the database */
function isinOfWkn(cell: FileCell, isins: ReadonlyMap<string, readonly string[]>) {
  const wkn = wknOf(cell)
  if (isProblem(wkn)) return wkn
  const [isin, ...others] = isins.get(wkn) ?? []
  if (isin === undefined)
    return { reason: `${quoted(wkn)} is the WKN of no fund in the database, or in a file of this import` }
  return others.length === 0
    ? isin
    : { reason: `${quoted(wkn)} is the WKN of ${[isin, ...others].join(' and ')}` }
}
