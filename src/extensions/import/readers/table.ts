/** A plain table as CSV or a workbook: its columns have the schema's names, or names that a map has for them. */

import { schemaTables } from '../../../core/data/model/schema.ts'
import type { SchemaTable } from '../../../core/data/model/columns.ts'
import { printable, quoted } from '../../../core/data/model/printable.ts'
import { messageOf } from '../../../core/system/message.ts'
import { openCsv } from '../csv.ts'
import { readEncoding } from '../encoding.ts'
import {
  columnLayout,
  columnsOf,
  fitsTable,
  fundCurrency,
  headerName,
  onlyLines,
  place,
  targetsOf,
  type CellLines,
  type ColumnMap,
  type FileLines,
  type Layout,
} from '../layout.ts'
import { headerOf, headerWithin } from '../lines.ts'
import { shellWord } from '../../../core/system/shell-text.ts'
import { derivableColumns } from '../../../core/data/derive/figures.ts'
import { askedLines, isEmptyCell } from './asked-lines.ts'
import { passMeter, readCells, within } from './cells.ts'
import { withHabits } from './habits.ts'
import { navByRepurchase, proposedMap, unknownSorts, usualColumn, type CellSorts } from '../usual-names.ts'
import { convert, isDayCell, isIsinCell, isProblem, type FileCell } from '../values.ts'
import { currencyLineOf, daysHint, narrowed, narrowedLines, wideHint, withoutLine } from '../wide.ts'
import { linesOfSheet, visibleSheets } from '../workbook.ts'
import type { FileStart, ReadColumn, Reader, ReadOptions, RowSink, Sheet } from './reader.ts'

export const table: Reader = {
  name: 'table',
  about: 'a table of the schema, CSV or XLSX, with its columns or columns that --map names',
  recognises: (start, options) => fittingTables(start, options).length > 0,
  derives: (start, options) => {
    const { name } = tableOf(start, options)
    return name === 'price' && options.habitsOf(name).isDeriving
  },
  // Their funds may be named by WKNs, and say which of two currencies is right.
  isBehindFunds: (start, options) => tableOf(start, options) !== schemaTables.fund,
  read: async (start, sink, given) => {
    const { file } = start
    const own = tableOf(start, given)
    const { name } = own
    if (given.isDeriving && given.table !== undefined && name !== 'price')
      throw new Error(`--derive is for table price, not for ${name}`)
    const options = withHabits(given, name)
    const { suggest, named, constants, takesMinorUnits, isProposing } = options
    const known = options.columnMapOf(name)
    const opened = await openCells(start, own, sink, options)
    const hint = wideHint(opened.header, known, own) ?? daysHint(opened.header)
    if (hint !== undefined) throw new Error(`${file} ${hint}`)
    const { header: narrowHeader, columnMap: ownMap } = narrowed(opened.header, known)
    const isWide = narrowHeader !== opened.header
    // Before any line is left out: prices in pence are no pounds because nobody looks.
    const currencies = isWide && name === 'price' ? await currencyLineOf(opened) : undefined
    const rows = currencies === undefined ? opened : withoutLine(opened, currencies)
    const asked = askedLines(rows, options, true)
    const cells = narrowedLines(asked, known, options.skip, currencies)
    const sorts = isProposing ? await sortsOf(cells) : unknownSorts
    const columnMap = isProposing ? proposedMap(own, cells.header, ownMap, sorts) : ownMap
    const absence = absenceIn(own, options)
    const others = named.filter((one) => !cells.named.includes(one))
    const { numberOf } = cells
    const header = { suggest, columnMap, named: others, numberOf, constants, takesMinorUnits, isProposing }
    const ofFunds = isWide ? cells.header.length - narrowHeader.length + 2 : 0
    const columns = readColumns(own, cells.header, { columnMap, known, ofFunds })
    try {
      const layout = within(`${file}, line ${cells.headerLine}`, () =>
        columnLayout(own, cells.header, header, absence),
      )
      const told = await readCells({ file, table: own, cells, layout, sink, options })
      const notes = [...told.notes, ...(isProposing ? notesOnNav(columns) : [])]
      const warnings = [...told.warnings, ...otherCurrencies(sorts.currencies, layout, cells.header)]
      return { ...told, notes, warnings, table: name, columns }
    } catch (error) {
      throw isProposing ? new OpenTable(own, columns, error) : error
    }
  },
}

/** What a file may lack. */
const absenceIn = ({ name }: SchemaTable, { isDeriving, isProposing, scope, mayLack }: ReadOptions) => ({
  computed: isDeriving && name === 'price' ? derivableColumns : [place],
  isKeeping: isProposing || (scope === 'upsert' && mayLack(name)),
})

/** @param ofFunds how many columns at the end stand for those of the funds, for which the map has one name */
function readColumns(
  own: SchemaTable,
  header: readonly FileCell[],
  {
    columnMap,
    known,
    ofFunds,
  }: { readonly columnMap: ColumnMap; readonly known: ColumnMap; readonly ofFunds: number },
): readonly ReadColumn[] {
  const columns = header.slice(0, header.length - ofFunds).flatMap((cell): readonly ReadColumn[] => {
    const source = headerName(cell)
    const as = (columnMap.get(source) ?? source)
      .split(',')
      .filter((target) => targetsOf(target).every(({ name }) => isColumnOf(own, name)))
      .join(',')
    const isProposed = as !== source && !known.has(source) && !known.has('*')
    if (source === '' && !known.has('')) return []
    return [{ name: String(cell), as: as === '' ? null : as, ...(isProposed && { isProposed }) }]
  })
  return ofFunds === 0 ? columns : [...columns, { name: '*', as: String(header.at(-1)) }]
}

/** A table that leaves open how it is read, with its columns as far as they are known or proposed. */
export class OpenTable extends Error {
  readonly table: string
  readonly columns: readonly ReadColumn[]
  constructor({ name }: SchemaTable, columns: readonly ReadColumn[], cause: unknown) {
    super(messageOf(cause), { cause })
    this.table = name
    this.columns = columns
  }
}

const isColumnOf = (own: SchemaTable, name: string) =>
  name === 'wkn' || columnsOf(own).some((column) => column.name === name)

/** Finds the columns of which each cell that is not empty is of one sort. */
async function sortsOf({ read, header }: CellLines): Promise<CellSorts> {
  const currencies = sortFinder(isCurrencyCell)
  const days = sortFinder(isDayCell)
  const isins = sortFinder(isIsinCell)
  await read(
    onlyLines((cells) => {
      for (const [at, cell] of cells.slice(0, header.length).entries()) {
        if (isEmptyCell(cell)) continue
        for (const finder of [currencies, days, isins]) finder.look(at, cell)
      }
    }),
  )
  return { currencies: currencies.found(), days: days.found(), isins: isins.found() }
}

function sortFinder(isOfSort: (cell: FileCell) => boolean) {
  const found = new Set<number>()
  const others = new Set<number>()
  return {
    look: (at: number, cell: FileCell): void => {
      if (others.has(at)) return
      if (isOfSort(cell)) found.add(at)
      else others.add(at)
    },
    found: (): ReadonlySet<number> => new Set([...found].filter((at) => !others.has(at))),
  }
}

const isCurrencyCell = (cell: FileCell) => !isProblem(convert(cell, fundCurrency, codeNotation))

const codeNotation = { mark: 'point', dates: 'iso', takesMinorUnits: true } as const

/** Says why one column is proposed for two. */
const notesOnNav = (columns: readonly ReadColumn[]): readonly string[] =>
  columns
    .filter(({ as, isProposed }) => isProposed === true && as === navByRepurchase)
    .map(
      ({ name }) =>
        `${printable(name)} is proposed as the NAV, too, which the file lacks: of a fund without a redemption fee it is that`,
    )

/** Says which currencies of a file are compared with nothing. */
function otherCurrencies(codes: ReadonlySet<number>, { fields }: Layout, header: CellLines['header']) {
  const taken = fields.find(({ column }) => column.name === fundCurrency.name)
  const left = [...codes].filter((at) => !fields.some((field) => field.at === at))
  if (taken === undefined) return []
  return left.map(
    (at) =>
      `column ${printable(String(header[at]))} holds currencies, too, and is not taken: the currency is that of column ` +
      printable(String(header[taken.at])),
  )
}

async function openCells(
  { file, sheets: all }: FileStart,
  own: SchemaTable,
  sink: RowSink,
  options: ReadOptions,
): Promise<FileLines> {
  const { name, columns } = own
  const { delimiter, skipLines, sheet, constants } = options
  const columnMap = options.columnMapOf(name)
  const names = new Set(columns.map((column) => column.name))
  const isOfFunds = (columnMap.get('*') ?? '') !== ''
  const isName = (text: string) =>
    (isOfFunds && isIsinCell(text)) ||
    names.has(headerName(text)) ||
    (headerName(text) !== '' && columnMap.has(headerName(text))) ||
    (options.isProposing && usualColumn(own, text) !== undefined)
  const sheets = all !== null && options.skipHidden ? visibleSheets(file, all) : all
  if (sheets === null) {
    const asked = { asked: options.encoding, configured: options.habitsOf(name).encoding, table: name }
    const encoding = await readEncoding(file, asked, passMeter(sink, options))
    return openCsv(file, encoding, { delimiter, skipLines, isName })
  }
  const headerIn = (lines: Sheet['lines']): number => {
    if (skipLines !== undefined) return skipLines < lines.length ? skipLines : -1
    const [first, ...others] = [...lines.slice(0, headerWithin).entries()]
    if (first === undefined) return -1
    const [at, cells] = headerOf([first, ...others], ([, line]) => line, isName)
    return cells.some((cell) => isName(String(cell))) ? at : -1
  }
  const isWhole = (each: Sheet) => fits(own, each.lines[headerIn(each.lines)] ?? [], columnMap, constants)
  const whole = sheets.filter(isWhole)
  // A sheet that has all of the table, before others that have some words of it; a single sheet, to say what its columns are.
  const among = sheet === undefined && whole.length > 0 ? whole : sheets
  const isOnly = among.length === 1 && among.every(({ lines }) => headerIn(lines) < 0 && lines.length > 0)
  return linesOfSheet(file, among, {
    headerIn: isOnly ? () => 0 : headerIn,
    what: `columns of table ${name}`,
    sheet,
  })
}

/** Tables that have all columns of a header. */
export const fittingTables = (
  { heads }: FileStart,
  { columnMapOf, constants, habitsOf }: ReadOptions,
): readonly SchemaTable[] =>
  Object.values(schemaTables).filter((each) => {
    const own = new Map([...habitsOf(each.name).constants, ...constants])
    return heads.some((head) => fits(each, head, columnMapOf(each.name), own))
  })

const fits = (
  each: SchemaTable,
  head: readonly FileCell[],
  map: ColumnMap,
  constants: ReadonlyMap<string, string>,
): boolean => {
  const { header, columnMap } = narrowed(head, map)
  return fitsTable(each, header, { columnMap, constants })
}

/** What a file of unknown columns may be. */
type Proposal =
  | { readonly kind: 'table'; readonly table: SchemaTable }
  | { readonly kind: 'open'; readonly question: string }

/**
 * Proposes the table that most columns of a header usually belong to.
 * @returns undefined if the columns of no table are known in it
 */
export function proposedTable(start: FileStart, options: ReadOptions): Proposal | undefined {
  const { file, heads } = start
  if (heads.some((head) => daysHint(head) !== undefined)) return undefined
  const counted = Object.values(schemaTables).flatMap((own) =>
    heads.map((head) => ({ own, head, known: knownColumns(own, head, options) })),
  )
  const most = Math.max(0, ...counted.map(({ known }) => known))
  const [best, ...others] = counted.filter(({ known }) => known === most)
  if (best === undefined || most === 0) return undefined
  const tables = new Set([best, ...others].map(({ own }) => own.name))
  const way = (name: string) => `\`fundpress import ${name} ${shellWord(file)} --explain\``
  if (tables.size > 1) {
    const ways = [...tables].map(way).join(' or ')
    const question = `${file} may be of the tables ${[...tables].join(' and ')}: name the table, ${ways}`
    return { kind: 'open', question }
  }
  const unknown = best.head.filter((cell) => !isEmptyCell(cell) && !isKnownAnywhere(cell, options))
  if (unknown.length <= most) return { kind: 'table', table: best.own }
  const shown = unknown.slice(0, 5).map((cell) => quoted(String(cell)))
  const names = shown.join(', ') + (unknown.length > shown.length ? ', …' : '')
  const question =
    `${file} may be of table ${best.own.name}, but most of its columns are not known here (${names}): ` +
    `name the table, ${way(best.own.name)}`
  return { kind: 'open', question }
}

/** @returns how many columns of a table a header usually has; 0 if they are all of its key, which many tables have */
function knownColumns(
  own: SchemaTable,
  head: readonly FileCell[],
  { columnMapOf, constants, habitsOf }: ReadOptions,
): number {
  const set = [...habitsOf(own.name).constants.keys(), ...constants.keys()]
  const map = proposedMap(own, head, columnMapOf(own.name))
  const targets = head.flatMap((cell) => targetsOf(map.get(headerName(cell)) ?? headerName(cell)))
  const found = new Set([...targets.map(({ name }) => name), ...set])
  const names = columnsOf(own).filter(({ name }) => found.has(name))
  // Those of the key count: a list of prices has a day, and may name funds and their currencies, too.
  return names.some(({ isKey }) => !isKey) ? names.length : 0
}

const isKnownAnywhere = (cell: FileCell, { columnMapOf }: ReadOptions): boolean =>
  Object.values(schemaTables).some(
    (each) => usualColumn(each, cell) !== undefined || columnMapOf(each.name).has(headerName(cell)),
  )

function tableOf(start: FileStart, options: ReadOptions): SchemaTable {
  const isUnknown = options.table === undefined && options.isProposing
  const proposed =
    isUnknown && fittingTables(start, options).length === 0 ? proposedTable(start, options) : undefined
  if (options.table === undefined && proposed?.kind === 'table') return proposed.table
  return options.table ?? theOnlyTable(start, options)
}

/** @throws {Error} if the columns are those of several tables, or of none */
function theOnlyTable(start: FileStart, options: ReadOptions): SchemaTable {
  const [first, ...others] = fittingTables(start, options)
  if (first !== undefined && others.length === 0) return first
  const names = first === undefined ? ['<table>'] : [first, ...others].map(({ name }) => name)
  const ways = names.map((name) => `fundpress import ${name} FILE`).join(' or ')
  const found = first === undefined ? 'no table' : `the tables ${names.join(' and ')}`
  throw new Error(`${start.file} has the columns of ${found}: name the table, ${ways}`)
}
