/** A plain table as CSV or a workbook: its columns have the schema's names, or names that a map has for them. */

import { schemaTables } from '../../../core/data/model/schema.ts'
import type { SchemaTable } from '../../../core/data/model/columns.ts'
import { printable } from '../../../core/data/model/printable.ts'
import { openCsv } from '../csv.ts'
import { readEncoding } from '../encoding.ts'
import {
  columnLayout,
  columnsOf,
  fitsTable,
  fundCurrency,
  headerName,
  isOfGroup,
  keyNames,
  onlyLines,
  place,
  type CellLines,
  type ColumnMap,
  type FileLines,
  type Layout,
} from '../layout.ts'
import { headerOf, headerWithin } from '../lines.ts'
import { derivableColumns } from '../../../core/data/derive/figures.ts'
import { askedLines } from './asked-lines.ts'
import { passMeter, readCells, within } from './cells.ts'
import { withHabits } from './habits.ts'
import { proposedMap, usualColumn } from '../usual-names.ts'
import { convert, isIsinCell, isProblem, type FileCell } from '../values.ts'
import { currencyLineOf, narrowed, narrowedLines, wideHint, withoutLine } from '../wide.ts'
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
    const hint = wideHint(opened.header, known, own)
    if (hint !== undefined) throw new Error(`${file} ${hint}`)
    const { header: narrowHeader, columnMap: ownMap } = narrowed(opened.header, known)
    const isWide = narrowHeader !== opened.header
    // Before any line is left out: prices in pence are no pounds because nobody looks.
    const currencies = isWide && name === 'price' ? await currencyLineOf(opened) : undefined
    const rows = currencies === undefined ? opened : withoutLine(opened, currencies)
    const asked = askedLines(rows, options, true)
    const cells = narrowedLines(asked, known, options.skip, currencies)
    const codes = isProposing ? await columnsOfCodes(cells) : new Set<number>()
    const columnMap = isProposing ? proposedMap(own, cells.header, ownMap, codes) : ownMap
    const absence = {
      computed: options.isDeriving && name === 'price' ? derivableColumns : [place],
      isKeeping: isProposing || (options.scope === 'upsert' && options.hasRows(name)),
    }
    const others = named.filter((one) => !cells.named.includes(one))
    const { numberOf } = cells
    const header = { suggest, columnMap, named: others, numberOf, constants, takesMinorUnits }
    const layout = within(`${file}, line ${cells.headerLine}`, () =>
      columnLayout(own, cells.header, header, absence),
    )
    const told = await readCells({ file, table: own, cells, layout, sink, options })
    const columns = cells.header.flatMap((cell, at): readonly ReadColumn[] => {
      // The map has one name for the columns of all funds.
      const isOfFunds = isWide && at > narrowHeader.length - 3
      if (isOfFunds) return at === cells.header.length - 1 ? [{ name: '*', as: String(cell) }] : []
      const source = headerName(cell)
      const targets = layout.fields.filter((field) => field.at === at)
      const as = targets.map(({ column, isWkn }) => (isWkn ? 'wkn' : column.name)).join(',')
      const isProposed = as !== source && !known.has(source) && !known.has('*')
      if (source === '' && !known.has('')) return []
      return [{ name: String(cell), as: as === '' ? null : as, ...(isProposed && { isProposed }) }]
    })
    const warnings = [...told.warnings, ...otherCurrencies(codes, layout, cells.header)]
    return { ...told, warnings, table: name, columns }
  },
}

/** The columns, from 0, of which each cell that is not empty names a currency, or hundredths of one. */
async function columnsOfCodes({ read, header }: CellLines): Promise<ReadonlySet<number>> {
  const found = new Set<number>()
  const others = new Set<number>()
  await read(
    onlyLines((cells) => {
      for (const [at, cell] of cells.entries()) {
        if (others.has(at) || String(cell).trim() === '') continue
        const isCode = !isProblem(convert(cell, fundCurrency, codeNotation))
        if (isCode) found.add(at)
        else others.add(at)
      }
    }),
  )
  return new Set([...found].filter((at) => !others.has(at) && at < header.length))
}

const codeNotation = { mark: 'point', dates: 'iso', takesMinorUnits: true } as const

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

/** The table that most columns of a header usually belong to, its key among them; undefined if there is none. */
export function proposedTable(
  { heads }: FileStart,
  { columnMapOf, constants, habitsOf }: ReadOptions,
): SchemaTable | undefined {
  const counted = Object.values(schemaTables).map((each) => {
    const set = [...habitsOf(each.name).constants.keys(), ...constants.keys()]
    const counts = heads.map((head) => {
      const map = proposedMap(each, head, columnMapOf(each.name))
      const targets = head.flatMap((cell) => (map.get(headerName(cell)) ?? headerName(cell)).split(','))
      const found = new Set([...targets, ...set])
      const names = columnsOf(each).filter(({ name }) => found.has(name))
      const isKnown = (name: string) =>
        found.has(name) || (name === 'isin' && found.has('wkn')) || settable.has(name)
      // A list of one kind of rows does not name it in each.
      const settable = new Set(each.columns.filter(isOfGroup).map(({ name }) => name))
      const hasKey = keyNames(each).every(isKnown)
      // Those of the key count: a list of prices has a day, and may name funds and their currencies, too.
      return hasKey && names.some(({ isKey }) => !isKey) ? names.length : 0
    })
    return { each, count: Math.max(0, ...counts) }
  })
  const best = counted.reduce((one, other) => (other.count > one.count ? other : one))
  return best.count > 0 ? best.each : undefined
}

function tableOf(start: FileStart, options: ReadOptions): SchemaTable {
  const isUnknown = options.table === undefined && options.isProposing
  const proposed =
    isUnknown && fittingTables(start, options).length === 0 ? proposedTable(start, options) : undefined
  return options.table ?? proposed ?? theOnlyTable(start, options)
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
