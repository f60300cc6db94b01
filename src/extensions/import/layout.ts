/** Which cell of a line goes into which column, as the header says by the schema's own names, or by names that a map has for them. */

import { printable, quoted } from '../../core/data/model/printable.ts'
import type { Kind, SchemaTable, TableColumn } from '../../core/data/model/columns.ts'
import { shellWord } from '../../core/system/shell-text.ts'
import { derivableColumns } from '../../core/data/derive/figures.ts'
import { headerUnit } from './header-unit.ts'
import { convert, isIsinCell, isNumberOrDay, isProblem, type FileCell, type Value } from './values.ts'

/** The lines of a file as it has them. Flags act on them before a reader sees them: `readers/asked-lines.ts`. */
export interface FileLines {
  /** The cells of the line that names the columns. */
  readonly header: readonly FileCell[]
  readonly headerLine: number
  /** Form of the file, for people: `UTF-8, delimiter ;`. */
  readonly form: string
  /** The number that people find a column of the header by, from 1: others may be left out before it. */
  readonly numberOf: (at: number) => number
  /** Whether a cell is a number of several merged ones. @param at its column, from 0 */
  readonly isMergedNumber: (at: number, line: number) => boolean
  /** Whether a comma ends a cell, also one that was meant as a decimal comma. */
  readonly splitsAtCommas: boolean
  /** The lines after the header, in order. May be called again. */
  readonly read: (visitor: FileVisitor) => Promise<void>
  /** What people may not see of cells in these columns; after the file has been read. */
  readonly notesOn: (columns: readonly number[]) => readonly string[]
}

export interface FileVisitor {
  readonly line: (cells: readonly FileCell[], line: number) => void
  /** A line of text, which is no row: a heading between the rows, or a remark below them. */
  readonly text: (line: number) => void
  /** A line that cannot be split into cells, though the lines after it can. */
  readonly broken: (reason: string, line: number) => void
  /** One or more empty lines. */
  readonly empty: () => void
  /** A hidden row that is left out. Merged cells may have their value in it. */
  readonly hidden: (cells: readonly FileCell[], line: number) => void
  /** How many bytes were read since the last call. If it throws, reading ends. */
  readonly bytes: (count: number) => void
}

/** The lines of a file as flags want them. */
export interface CellLines extends Omit<FileLines, 'read'> {
  readonly read: (visitor: LineVisitor) => Promise<void>
  /** Tells that the line that is being read is bad: its cells fill none below. */
  readonly forget: () => void
  /** Columns that flags about lines name and the file has, as `headerName` has them. */
  readonly named: readonly string[]
}

export interface LineVisitor extends Pick<FileVisitor, 'line' | 'text' | 'bytes'> {
  /** A line that is no row, though it was meant to be one. @param cells none if it cannot be split */
  readonly broken: (reason: string, line: number, cells: readonly FileCell[]) => void
  /** What is above belongs to nothing below: a text is between, an empty or a broken line, or a header. */
  readonly gap: () => void
  readonly leftOut: (why: string, line: number) => void
  /** A line at the end that a flag leaves out. If it would be a row, it is bad. @param rows those that it would be: a file may have one for each fund */
  readonly last: (rows: readonly (readonly FileCell[])[], line: number) => void
}

const nothing = () => undefined

/** Visits nothing but lines. */
export const onlyLines = (line: LineVisitor['line'], bytes: LineVisitor['bytes'] = nothing): LineVisitor => ({
  line,
  bytes,
  text: nothing,
  broken: nothing,
  gap: nothing,
  leftOut: nothing,
  last: nothing,
})

export interface Field {
  readonly column: TableColumn
  readonly at: number
  /** Name in messages. */
  readonly label: string
  /** The cell has the WKN of the fund, and the column takes the ISIN. */
  readonly isWkn?: true
  /** How many units of the column one of the cell is; absent: one. */
  readonly factor?: number
}

/** A value of all rows, which the file does not have. */
interface Constant {
  readonly column: TableColumn
  readonly value: Value
}

export interface Layout {
  readonly fields: readonly Field[]
  readonly constants: readonly Constant[]
  /** The columns of which a line says nothing, though it has their cells, by the reason for the report. None of its rows has them. */
  readonly unsaid?: (cells: readonly FileCell[]) => ReadonlyMap<string, string>
  /** Finds faults of a line beside those of its values. */
  readonly check: (cells: readonly FileCell[], line: number) => readonly string[]
  /** Missing columns and other notes; after the file has been read. */
  readonly notes: () => readonly string[]
  /** Faults that refuse no line; after the file has been read. */
  readonly warnings: () => readonly string[]
}

/** Names that are like an unknown one: the end of a message. */
export type Suggest = (word: string, names: readonly string[]) => string

/** A header's name as it is compared: macOS takes letters apart, Word writes blanks that do not break, and spreadsheets wrap lines. */
export const headerName = (cell: FileCell): string =>
  String(cell).normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase()

/**
 * The columns of the schema by the names that the file gives them, as `headerName` has them; several have commas between them, and
 * amounts in thousands or more a factor: `total_fund_assets*1000000`. '' ignores a column, the key `*` all others.
 */
export type ColumnMap = ReadonlyMap<string, string>

/** A column of the schema that a map names. */
export interface Target {
  readonly name: string
  /** Undefined if the map has none. */
  readonly factor: number | undefined
}

/** @param mapped what a map has for a column of a file */
export const targetsOf = (mapped: string): readonly Target[] =>
  mapped.split(',').map((text) => {
    const [, name = text, factor] = /^(.*)\*(1(?:000){0,3})$/.exec(text.trim()) ?? []
    return { name: headerName(name), factor: factor === undefined ? undefined : Number(factor) }
  })

export interface HeaderOptions {
  readonly suggest: Suggest
  readonly columnMap: ColumnMap
  /** Columns of the file that have to be there, because the command line names them. */
  readonly named: readonly string[]
  readonly numberOf: FileLines['numberOf']
  /** Values of all rows, by columns of the table. */
  readonly constants: ReadonlyMap<string, string>
  readonly takesMinorUnits: boolean
  /** Columns are ignored because nothing is proposed for them. */
  readonly isProposing: boolean
}

/**
 * The layout of a file that has the schema's own columns, in any order, or others that a map names.
 * @param absence what a file may lack: computed columns, and those whose values existing rows keep
 * @throws {Error} that names every column that is unknown, without a name, there twice, or missing where no row keeps it
 */
export function columnLayout(
  table: SchemaTable,
  header: readonly FileCell[],
  options: HeaderOptions,
  absence: Readonly<{ computed: readonly string[]; isKeeping: boolean }>,
): Layout {
  const found = header.slice(0, 4).map((cell) => quoted(String(cell)))
  if (hasNoNames(header, assign(table, header, options)))
    throw new Error(
      `the file has no header: its first line, ${found.join(', ')}, holds values. It has to name the columns: ` +
        table.columns.map(({ name }) => name).join(', '),
    )
  const assigned = assign(table, header, options)
  const { fields, ignored } = assigned
  const { constants, faults: wrongConstants } = constantsOf(table, fields, options)
  const inNames = currencyInNames(assigned, header, options)
  const faults = [...faultsOf(assigned, table, header, options), ...wrongConstants, ...inNames.faults]
  const isThere = (name: string) =>
    options.constants.has(name) || fields.some(({ column }) => column.name === name)
  const absent = table.columns.filter(({ name }) => !isThere(name) && !absence.computed.includes(name))
  const needed = absent.filter(({ isNullable, hasDefault }) => !isNullable && hasDefault !== true)
  const names = needed.map(({ name }) => name)
  // Without its key, no line says which row it is of.
  if (names.length > 0 && (!absence.isKeeping || needed.some(({ isKey }) => isKey))) {
    // One of the unknown columns may be the one that is missing.
    const hint = assigned.unknown.length + assigned.unnamed.length === 0 ? setHint(needed) : ''
    const [noun, verb] = names.length === 1 ? ['column', 'is'] : ['columns', 'are']
    faults.push(
      `${noun} ${names.join(', ')} of table ${table.name} ${verb} missing${deriveHint(names)}${hint}${options.isProposing ? ignoredHint(ignored, names) : ''}`,
    )
  }
  const whereElse = fields.length === 0 ? '; if the header is further down, --skip-lines says where' : ''
  if (faults.length > 0) throw new Error(faults.join('; ') + mapHint(assigned, table, options) + whereElse)
  const currency = fields.find(({ column }) => column === fundCurrency)
  const left = absent.map(({ name }) => name)
  return {
    fields,
    constants: [...constants, ...inNames.constants],
    check: () => [],
    notes: () => [
      ...notInFile(left).map((note) => note + deriveHint(left)),
      ...(constants.length === 0 ? [] : [`set: ${constants.map(({ column }) => column.name).join(', ')}`]),
      ...(currency === undefined ? [] : [`compared with the fund: ${currency.label}`]),
      ...inNames.constants.map(({ value }) => `compared with the fund: ${value}, as names of columns say`),
      ...fields
        .filter(({ factor = 1 }) => factor > 1)
        .map(({ label, factor }) => `multiplied by ${factor}: ${label}`),
      ...(ignored.length === 0 ? [] : [`ignored: ${ignored.join(', ')}`]),
    ],
    warnings: () => [],
  }
}

/** A line without any known name, and with a number, a day or an ISIN, is a row. */
const hasNoNames = (header: readonly FileCell[], { fields }: ReturnType<typeof assign>): boolean =>
  fields.length === 0 && header.some((cell) => isNumberOrDay(cell) || isIsinCell(cell))

function faultsOf(
  { fields, unknown, unnamed }: ReturnType<typeof assign>,
  { name: table, columns }: SchemaTable,
  header: readonly FileCell[],
  { suggest, named, numberOf }: HeaderOptions,
): string[] {
  const found = header.map(headerName)
  const faults = [
    ...named
      .filter((name) => !found.includes(name))
      .map((name) => `the file has no column ${name === '' ? 'without a name' : quoted(name)}`),
    ...unnamed.map((at) => `column ${numberOf(at)} has no name${unnamed.length === 1 ? ` ${nameHint}` : ''}`),
  ]
  for (const { column, at, factor } of fields) {
    const cell = header[at] ?? ''
    const times = headerUnit(headerName(cell)).factor
    if (factor !== undefined || times === 1 || !takesFactor(column)) continue
    const flag = (own: number) => `--map ${shellWord(`${printable(String(cell))}=${column.name}*${own}`)}`
    faults.push(
      `column ${printable(String(cell))} says that one is ${times}: ${flag(times)} multiplies by that, ${flag(1)} takes its numbers as they are`,
    )
  }
  const [first = '', ...others] = unknown
  const names = columns.map(({ name }) => name)
  const end = others.length === 0 ? suggest(headerName(first), names) : ` (there are ${names.join(', ')})`
  if (unknown.length > 0) faults.push(`table ${table} has no column ${unknown.map(quoted).join(', ')}${end}`)
  for (const [column, several] of Map.groupBy(fields, (field) => field.column.name)) {
    const labels = several.map(({ at }) => printable(String(header[at])))
    if (new Set(labels.map(headerName)).size < labels.length)
      faults.push(`column ${labels[0]} is there twice`)
    else if (labels.length > 1) faults.push(`the columns ${labels.join(' and ')} are both for ${column}`)
  }
  return faults
}

/** The end of a message about a column without a name. */
const nameHint = "(--map '=<column>' takes it as that column of the table, --map '=' ignores it)"

/** The end of a message about columns of other names, as foreign files have them. A misspelt one is only corrected. */
function mapHint(
  { foreign }: ReturnType<typeof assign>,
  table: SchemaTable,
  { suggest }: HeaderOptions,
): string {
  const [first, ...others] = foreign
  const names = table.columns.map(({ name }) => name)
  if (first === undefined || (others.length === 0 && suggest(headerName(first), names) !== '')) return ''
  const flag = (target: string) => `--map ${shellWord(`${printable(first)}=${target}`)}`
  return (
    `; take a column of another name with ${flag('<column>')}, ignore one with ${flag('')}, or list them in ` +
    `import.${table.name}.columns of the config`
  )
}

/** The end of a message about columns that a file lacks. */
export function deriveHint(columns: readonly string[]): string {
  const derivable = columns.filter((name) => derivableColumns.includes(name))
  return derivable.length === 0 ? '' : ` (--derive computes ${derivable.join(', ')})`
}

/** The end of a message about columns that a file lacks: one that is ignored may have another name of it. */
function ignoredHint([first, ...others]: readonly string[], [lacked = '']: readonly string[]): string {
  if (first === undefined) return ''
  const all = [first, ...others].slice(0, shownNames).join(', ')
  const more = others.length < shownNames ? '' : ', …'
  return `; if one of the columns that are ignored is it (${all}${more}), --map ${shellWord(`${first}=${lacked}`)} says so`
}

const shownNames = 8

const kindsOfGroups: readonly Kind[] = ['structureType', 'currency', 'country', 'language', 'flag', 'year']

/** Whether all rows of a file may well have one value in a column. */
export const isOfGroup = ({ kind, allowed }: TableColumn): boolean =>
  kindsOfGroups.includes(kind) || allowed !== undefined

/** The end of a message about columns that a file lacks: those that may well be the same in all of its rows. */
export function setHint(columns: readonly TableColumn[]): string {
  const flags = columns
    .filter((column) => isOfGroup(column) || (column.isKey && ['isin', 'day'].includes(column.kind)))
    .map(({ name }) => `--set ${name}=…`)
  const verb = flags.length === 1 ? 'gives' : 'give'
  return flags.length === 0 ? '' : ` (${flags.join(' ')} ${verb} all rows one value)`
}

/** The end of a message about a word that a list lacks, in a column that says of what sort a row is: it may be the same in all rows. */
export function setInsteadHint({ name, isKey, kind, allowed }: TableColumn, header: FileCell): string {
  if (!isKey || (kind !== 'structureType' && allowed === undefined)) return ''
  return `; if all lines are of one, --map ${shellWord(`${printable(String(header).trim())}=`)} --set ${name}=… says which`
}

/** A price has no currency of its own, but a file may say in which its prices are: it is compared with the fund's, and not stored. */
export const fundCurrency: TableColumn = {
  name: 'currency',
  field: 'currency',
  kind: 'currency',
  isKey: false,
  isNullable: false,
  download: null,
}

/** The currency that names of prices say (`NAV in EUR`), for a file without a column of currencies. */
function currencyInNames(
  { fields }: Pick<ReturnType<typeof assign>, 'fields'>,
  header: readonly FileCell[],
  { constants, takesMinorUnits }: HeaderOptions,
): { readonly constants: readonly Constant[]; readonly faults: readonly string[] } {
  const none = { constants: [], faults: [] }
  const isPrice = fields.some(({ column }) => column.name === 'net_asset_value')
  const isNamed = constants.has(fundCurrency.name) || fields.some(({ column }) => column === fundCurrency)
  if (!isPrice || isNamed) return none
  const codes = new Set(
    fields
      .filter(({ column }) => column.money === 'amount')
      .flatMap(
        ({ at }) => /(?: in |[([])\s*([A-Z]{2}[A-Za-z])\s*[)\]]?$/.exec(String(header[at]).trim())?.[1] ?? [],
      )
      .filter((code) => !isProblem(convert(code, fundCurrency, { ...codeNotation, takesMinorUnits: true }))),
  )
  const [code, ...others] = codes
  if (code === undefined) return none
  if (others.length > 0) {
    const all = [code, ...others].join(' and ')
    const fault = `the names of columns say ${all}, but a price has one currency: correct them, or --set currency=… says which`
    return { constants: [], faults: [fault] }
  }
  const value = convert(code, fundCurrency, { ...codeNotation, takesMinorUnits })
  return isProblem(value)
    ? { constants: [], faults: [`the names of columns say ${code}: currency ${value.reason}`] }
    : { constants: [{ column: fundCurrency, value }], faults: [] }
}

const codeNotation = { mark: 'point', dates: 'iso' } as const

/** Columns of the table, and those of its rows that are not stored. */
export const columnsOf = (table: SchemaTable): readonly TableColumn[] =>
  table.name === 'price' ? [...table.columns, fundCurrency] : table.columns

/** Whether a header has columns of the table only, all of its key, and others: a file with these is of this table. */
export function fitsTable(
  table: SchemaTable,
  header: readonly FileCell[],
  options: Pick<HeaderOptions, 'columnMap' | 'constants'>,
): boolean {
  const width = header.findLastIndex((cell) => headerName(cell) !== '') + 1
  const { fields, unknown, unnamed } = assign(table, header.slice(0, width), options)
  const names = new Set([...fields.map(({ column }) => column.name), ...options.constants.keys()])
  const others = columnsOf(table).filter(({ name, isKey }) => !isKey && names.has(name))
  const isWhole = unknown.length === 0 && unnamed.length === 0 && others.length > 0
  return isWhole && keyNames(table).every((name) => names.has(name))
}

/** The key column of lists, which says where in its list a row stands. Lists without it are numbered. */
export const place = 'position'

/** Columns without which no row says which one it is. */
export const keyNames = ({ columns }: SchemaTable): readonly string[] =>
  columns
    .filter(({ name, isKey, hasDefault }) => isKey && hasDefault !== true && name !== place)
    .map(({ name }) => name)

/** @returns what is set for all rows of the table, and what is wrong with it */
function constantsOf(
  table: SchemaTable,
  fields: readonly Field[],
  { constants, suggest, takesMinorUnits }: HeaderOptions,
): { readonly constants: readonly Constant[]; readonly faults: readonly string[] } {
  const faults: string[] = []
  const found: Constant[] = []
  for (const [name, text] of constants) {
    const column = columnsOf(table).find((each) => each.name === name)
    const field = fields.find((each) => each.column.name === name)
    const value = column && convert(text, column, { mark: 'point', dates: 'iso', takesMinorUnits })
    if (column === undefined || value === undefined) {
      const names = table.columns.map((each) => each.name)
      faults.push(`--set: table ${table.name} has no column ${quoted(name)}${suggest(name, names)}`)
    } else if (field !== undefined)
      faults.push(`--set ${name}: the file has that column, too (${field.label})`)
    else if (isProblem(value)) faults.push(`--set ${name}: ${value.reason}`)
    else found.push({ column, value })
  }
  return { constants: found, faults }
}

/** Whether the amounts of a column may be in thousands or more. */
export const takesFactor = ({ kind, unit }: TableColumn): boolean => kind === 'decimal' && unit === undefined

/** Assigns cells to columns: `unknown` cells have no column, the `foreign` ones of them no map either, `unnamed` ones no name. */
function assign(
  table: SchemaTable,
  header: readonly FileCell[],
  { columnMap, constants }: Pick<HeaderOptions, 'columnMap' | 'constants'>,
) {
  const fields: Field[] = []
  const ignored: string[] = []
  const unknown: string[] = []
  const foreign: string[] = []
  const unnamed: number[] = []
  const cells = header.map((cell, at) => {
    const name = headerName(cell)
    const mapped = columnMap.get(name)
    const targets = mapped === undefined ? [{ name, factor: undefined }] : targetsOf(mapped)
    return { at, cell: String(cell), name, mapped, targets }
  })
  const hasIsin =
    constants.has('isin') || cells.some(({ targets }) => targets.some((target) => target.name === 'isin'))
  const columns = columnsOf(table)
  const columnNamed = (target: string): Pick<Field, 'column' | 'isWkn'> | undefined => {
    const column = columns.find(({ name }) => name === target)
    const isin = columns.find(({ kind, isKey }) => kind === 'isin' && isKey)
    if (column !== undefined) return { column }
    // The WKN names a fund as well as its ISIN.
    return target === 'wkn' && !hasIsin && isin !== undefined ? { column: isin, isWkn: true } : undefined
  }
  for (const { at, cell, name, mapped, targets } of cells) {
    const shown = printable(cell)
    for (const { name: target, factor } of targets) {
      const column = columnNamed(target)
      const found =
        factor === undefined || column === undefined || takesFactor(column.column) ? column : undefined
      if (found !== undefined) {
        const label = mapped === undefined ? name : `${shown} (${target})`
        fields.push({ ...found, at, label, ...(factor !== undefined && { factor }) })
      } else if ((mapped ?? columnMap.get('*')) === '') ignored.push(shown)
      else if (name === '') unnamed.push(at)
      else {
        unknown.push(mapped === undefined ? cell : factor === undefined ? target : `${target}*${factor}`)
        if (mapped === undefined) foreign.push(cell)
      }
    }
  }
  return { fields, ignored, unknown, foreign, unnamed }
}

export const notInFile = (names: readonly string[]) =>
  names.length === 0 ? [] : [`not in the file: ${names.join(', ')}`]
