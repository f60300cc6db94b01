/**
 * `fundpress import FILE --explain`: how files would be read, what of the API they fill, and what in the config makes the next import
 * need no flag. It reads whole files, and changes nothing.
 */

import { existsSync } from 'node:fs'
import { endpoints } from '../../core/api/endpoints/index.ts'
import type { SchemaTable } from '../../core/data/model/columns.ts'
import { derivableColumns } from '../../core/data/derive/figures.ts'
import { derivableTables, type DeriveModes } from '../../core/data/derive/modes.ts'
import { printable } from '../../core/data/model/printable.ts'
import { schemaTables } from '../../core/data/model/schema.ts'
import { openFunds } from '../../core/data/read/open.ts'
import { messageOf } from '../../core/system/message.ts'
import { shellWord } from '../../core/system/shell-text.ts'
import { readEncoding } from './encoding.ts'
import type { KnownLater } from './import.ts'
import { foreignFile } from './readers/foreign.ts'
import type { FileStart, ReadColumn, ReadOptions, Reader, RowSink, Told } from './readers/reader.ts'
import { readerOf, readInOrder, readers as registry } from './readers/readers.ts'
import { openStart } from './readers/start.ts'
import { OpenTable, proposedTable, table as plainTable } from './readers/table.ts'
import { ofPlainTables } from './settings.ts'
import { usualElsewhere } from './usual-names.ts'
import { addWkn, hasRows, readCurrencies, readWkns } from './take/database.ts'
import type { Place } from './take/staging.ts'
import type { Value } from './values.ts'

export interface ExplainOptions extends Omit<ReadOptions, KnownLater | 'isProposing'> {
  /** Null or a file that does not exist yet: an empty database. */
  readonly db: string | null
  readonly table: string | undefined
  readonly files: readonly string[]
  readonly as: string | undefined
  readonly derive: DeriveModes
}

/** Rows of a table that a file has. */
export interface FoundTable {
  readonly table: string
  readonly rows: number
  /** With the first value of each that is not NULL. */
  readonly columns: readonly { readonly name: string; readonly example: Value }[]
}

export interface ExplainedFile {
  readonly file: string
  /** The name of the reader; null: nothing is known. */
  readonly format: string | null
  /** Of a plain table. */
  readonly table: string | null
  /** The part of `import` in the config that is for such files: of a table, or of a format. */
  readonly settings: string | null
  readonly isTableProposed: boolean
  /** Columns that a new row of the table needs, and no file of the table has. */
  readonly lacking: readonly string[]
  /** Columns that a new row of the table needs, and only other files have. */
  readonly completed: readonly string[]
  /** Whether the database has rows of the table, which need no more than their key. */
  readonly hasRows: boolean
  /** The prices lack figures that can be derived from their NAVs, and nothing says yet that they are. */
  readonly isDerivingProposed: boolean
  readonly form: readonly string[]
  readonly columns: readonly ReadColumn[]
  readonly tables: readonly FoundTable[]
  readonly bad: { readonly count: number; readonly first: string | null }
  readonly notes: readonly string[]
  readonly warnings: readonly string[]
  readonly leftOut: readonly string[]
  /** What stays open, with the flag that answers it; null if nothing does. */
  readonly question: string | null
}

export interface ExplainedEndpoint {
  readonly endpoint: string
  /** Tables and columns that neither the files nor the database have: `performance_year`, `profile.management_fee`. */
  readonly missing: readonly string[]
  /** Tables that are derived from prices, by the setting `derive`. */
  readonly derived: readonly string[]
}

export interface Explanation {
  readonly files: readonly ExplainedFile[]
  readonly endpoints: readonly ExplainedEndpoint[]
}

/** @throws {Error} if the signal of the options aborts, or a file cannot be read at all */
export async function explainFiles(options: ExplainOptions): Promise<Explanation> {
  const { filled, allocations: own, ...known } = knownOf(options.db)
  const allocations = new Set<Value>(own)
  const reading: ReadOptions = {
    ...options,
    ...known,
    table: Object.values(schemaTables).find(({ name }) => name === options.table),
    mayLack: (name) => filled.has(name),
    adviceToEmpty: () => '',
    isProposing: true,
  }
  const files = new Map<number, ExplainedFile>()
  const brought = new Map<string, Set<string>>()
  /** The same of the files of plain tables: their rows complete each other. */
  const broughtPlainly = new Map<string, Set<string>>()
  await readInOrder(options, async (file, number, mayWait) => {
    const what = await explainFile(file, reading, options.as, mayWait)
    if (what === 'behind the funds') return what
    const { explained, derives, allocations: found, wkns } = what
    for (const one of found) allocations.add(one)
    for (const { wkn, isin } of wkns) addWkn(known.isinsByWkn, wkn, isin)
    files.set(number, explained)
    for (const found of explained.tables) {
      const names = broughtBy(found, derives)
      addNames(brought, found.table, names)
      if (found.table === explained.table) addNames(broughtPlainly, found.table, names)
    }
    return undefined
  })
  const explained = options.files
    .flatMap((_, number) => files.get(number) ?? [])
    .map((one) => completedBy(one, broughtPlainly.get(one.table ?? '') ?? new Set()))
  return { files: explained, endpoints: endpointsBy({ brought, filled, allocations }, options.derive) }
}

/** @returns the columns that new rows of a table get from a file */
const broughtBy = ({ table, columns }: FoundTable, isDerived: boolean): readonly string[] => [
  ...columns.map(({ name }) => name),
  ...(isDerived && table === schemaTables.prices.name ? derivableColumns : []),
]

function addNames(brought: Map<string, Set<string>>, table: string, names: readonly string[]): void {
  const found = brought.get(table) ?? new Set()
  brought.set(table, found)
  for (const name of names) found.add(name)
}

/** Tells columns that no file brings from those that others bring. @param brought by all files of its table */
const completedBy = (explained: ExplainedFile, brought: ReadonlySet<string>): ExplainedFile => ({
  ...explained,
  lacking: explained.lacking.filter((name) => !brought.has(name)),
  completed: explained.lacking.filter((name) => brought.has(name)),
})

function knownOf(file: string | null) {
  if (file === null || !existsSync(file))
    return {
      filled: new Set<string>(),
      allocations: [],
      currencies: new Map<string, string>(),
      isinsByWkn: new Map<string, readonly string[]>(),
    }
  const db = openFunds(file)
  try {
    const names = Object.values(schemaTables).map(({ name }) => name)
    return {
      filled: new Set(names.filter((name) => hasRows(db, name))),
      allocations: db.prepare<[], number>('SELECT DISTINCT derivatives FROM asset_allocation').pluck().all(),
      currencies: readCurrencies(db),
      isinsByWkn: readWkns(db),
    }
  } finally {
    db.close()
  }
}

/** @param mayWait other files may say what this one needs */
async function explainFile(file: string, given: ReadOptions, as: string | undefined, mayWait: boolean) {
  if (!existsSync(file)) throw new Error(`${file} does not exist`)
  const start = openStart(file, given)
  const { reader, table, question } = await chosenReader(start, given, as)
  const options = table === undefined ? given : { ...given, table }
  if (mayWait && reader?.isBehindFunds?.(start, options) === true) return 'behind the funds'
  const recorder = recordingSink()
  const { form, notes, warnings, columns = [], ...told } = await toldBy(reader, start, recorder.sink, options)
  const { allocations, wkns, ...found } = recorder.found()
  const derives = derivesFor(reader, start, options)
  const isDerivingProposed = !derives && found.tables.some(lacksFigures)
  const isDerived = derives || isDerivingProposed
  const explained: ExplainedFile = {
    file,
    format: reader?.name ?? null,
    table: told.table ?? null,
    settings: told.table ?? nameOfSettings(reader),
    isTableProposed: table !== undefined,
    ...lackingIn(told.table, found.tables, isDerived, options),
    completed: [],
    isDerivingProposed,
    form,
    columns,
    notes: [...notes, ...notesOnOthers(file, told.table, columns)],
    warnings,
    ...found,
    question: question ?? told.question,
  }
  return { explained, allocations, wkns, derives: isDerived }
}

/** @param name of a plain table @returns what new rows of it need besides */
function lackingIn(
  name: string | undefined,
  found: readonly FoundTable[],
  isDerived: boolean,
  { mayLack: isFilled }: ReadOptions,
): Pick<ExplainedFile, 'lacking' | 'hasRows'> {
  const table = Object.values(schemaTables).find((one) => one.name === name)
  const own = found.find((one) => one.table === name)
  if (table === undefined || own === undefined) return { lacking: [], hasRows: false }
  const names = new Set(broughtBy(own, isDerived))
  return { lacking: missingColumns(table, names), hasRows: isFilled(table.name) }
}

/** Columns of a plain table that belong to another one: the file may be imported into both. */
function notesOnOthers(
  file: string,
  table: string | undefined,
  columns: readonly ReadColumn[],
): readonly string[] {
  const own = Object.values(schemaTables).find(({ name }) => name === table)
  if (own === undefined) return []
  const names = columns.map(({ name }) => name)
  const left = columns.filter(({ as }) => as === null).map(({ name }) => name)
  return usualElsewhere(own, names, left).map(
    (other) =>
      `${other.columns.map(printable).join(', ')} may be of table ${other.table.name}: ` +
      `\`fundpress import ${other.table.name} ${shellWord(file)} --explain\` says how it would be read`,
  )
}

const nameOfSettings = (reader: Reader | undefined) => (reader?.hasSettings === true ? reader.name : null)

const derivesFor = (reader: Reader | undefined, start: FileStart, options: ReadOptions) =>
  options.isDeriving || (reader?.derives?.(start, options) ?? false)

/** What a reader says of a file, and what it asks. */
async function toldBy(
  reader: Reader | undefined,
  start: FileStart,
  sink: RowSink,
  options: ReadOptions,
): Promise<Told & { readonly question: string | null }> {
  const nothing = { form: [], notes: [], warnings: [], question: null }
  if (reader === undefined) return nothing
  try {
    return { ...(await reader.read(start, sink, options)), question: null }
  } catch (error) {
    const known = error instanceof OpenTable ? { table: error.table, columns: error.columns } : {}
    return { ...nothing, ...known, question: messageOf(error) }
  }
}

/** Whether prices have their NAV, and lack what each price needs besides. */
function lacksFigures({ table, columns }: FoundTable): boolean {
  const names = columns.map(({ name }) => name)
  const lacked = missingColumns(schemaTables.prices, new Set(names))
  return table === 'price' && lacked.length > 0 && lacked.every((name) => derivableColumns.includes(name))
}

/** Columns that a new row needs. */
const missingColumns = ({ columns }: SchemaTable, own: ReadonlySet<string>): readonly string[] =>
  columns
    .filter(({ name, isNullable, hasDefault }) => !isNullable && hasDefault !== true && !own.has(name))
    .map(({ name }) => name)

/** A file of unknown columns may be a plain table: the one that its columns usually belong to. */
async function chosenReader(start: FileStart, options: ReadOptions, as: string | undefined): Promise<Chosen> {
  try {
    return { reader: readerOf(start, options, registry, as) }
  } catch (error) {
    const isForeign = foreignFile(start) !== undefined
    const proposal = isForeign ? undefined : proposedTable(start, options)
    if (proposal?.kind === 'table') return { reader: plainTable, table: proposal.table }
    const ofEncoding = isForeign || start.sheets !== null ? undefined : await whyNoText(start, options)
    return { question: ofEncoding ?? proposal?.question ?? messageOf(error) }
  }
}

/** Names may be unknown because they are read in a wrong encoding. */
async function whyNoText({ file }: FileStart, { encoding }: ReadOptions): Promise<string | undefined> {
  try {
    await readEncoding(file, { asked: encoding, configured: undefined, table: '<table>' }, () => undefined)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

interface Chosen {
  readonly reader?: Reader
  /** If it is proposed. */
  readonly table?: SchemaTable
  readonly question?: string
}

const placeText = (place: Place) => (typeof place === 'number' ? `line ${place}` : place)

/** Notes what rows bring, and checks nothing: whether they fit the database is for `--dry-run`. */
function recordingSink() {
  const tables = new Map<string, { rows: number; readonly columns: Map<string, Value> }>()
  const leftOut = new Map<string, number>()
  const bad = { count: 0, first: null as string | null }
  /** With derivatives (1), and without (0): of one table, for two endpoints. */
  const allocations = new Set<Value>()
  const wkns: { readonly wkn: string; readonly isin: string }[] = []
  const noteWkn = (values: ReadonlyMap<string, Value>): void => {
    const wkn = values.get('wkn') ?? null
    if (wkn !== null) wkns.push({ wkn: String(wkn), isin: String(values.get('isin')) })
  }
  const note = (table: string, entries: readonly (readonly [string, Value])[]) => {
    const found = tables.get(table) ?? { rows: 0, columns: new Map<string, Value>() }
    tables.set(table, found)
    found.rows++
    for (const [name, value] of entries) {
      if ((found.columns.get(name) ?? null) === null) found.columns.set(name, value)
      if (table === schemaTables.assetAllocations.name && name === 'derivatives') allocations.add(value)
    }
    if (table === schemaTables.fund.name) noteWkn(new Map(entries))
  }
  const row: RowSink['row'] = (table, values) => {
    note(table, Object.entries(values))
  }
  const sink: RowSink = {
    row,
    part: row,
    gone: () => undefined,
    spoilt: () => undefined,
    rowsOf: (table, columns) => (values) => {
      note(
        table,
        columns.map((name, at) => [name, values[at] ?? null] as const),
      )
    },
    bad: (place, reasons) => {
      bad.count++
      bad.first ??= `${placeText(place)}: ${reasons.join('; ')}`
    },
    leftOut: (what) => {
      leftOut.set(what, (leftOut.get(what) ?? 0) + 1)
    },
    bytes: () => undefined,
  }
  const found = () => ({
    tables: [...tables].map(([table, { rows, columns }]) => ({
      table,
      rows,
      columns: [...columns].map(([name, example]) => ({ name, example })),
    })),
    bad,
    allocations,
    wkns,
    leftOut: [...leftOut].map(([what, count]) => `${what} (${count})`),
  })
  return { sink, found }
}

/** What files and database have together. */
interface Supply {
  /** Columns by table, of the files. */
  readonly brought: ReadonlyMap<string, ReadonlySet<string>>
  /** Tables of the database that have rows. */
  readonly filled: ReadonlySet<string>
  /** The values of column `derivatives` of table asset_allocation. */
  readonly allocations: ReadonlySet<Value>
}

/** Which rows of asset_allocation the two endpoints of that table need. */
const derivativesOf: Readonly<Record<string, number>> = {
  'asset-allocations-with-derivatives': 1,
  'asset-allocations-without-derivatives': 0,
}

function endpointsBy(
  { brought, filled, allocations }: Supply,
  modes: DeriveModes,
): readonly ExplainedEndpoint[] {
  const isThere = ({ name }: SchemaTable) => filled.has(name) || brought.has(name)
  const isDerived = (table: SchemaTable) => {
    const mode = derivableTables.find((name) => name === table.name)
    return (
      mode !== undefined && modes[mode] !== 'delivered' && !isThere(table) && isThere(schemaTables.prices)
    )
  }
  const missingIn = (table: SchemaTable): readonly string[] => {
    const own = brought.get(table.name)
    if (filled.has(table.name) || isDerived(table)) return []
    return own === undefined
      ? [table.name]
      : missingColumns(table, own).map((name) => `${table.name}.${name}`)
  }
  return endpoints.map((endpoint) => {
    const { reads } = endpoint.scope === 'all' ? endpoint.of : endpoint
    const tables = [schemaTables.fund, ...reads.map((group) => schemaTables[group])]
    const derived = tables.filter(isDerived).map(({ name }) => name)
    const own = derivativesOf[endpoint.id]
    const lacksOwn = own !== undefined && isThere(schemaTables.assetAllocations) && !allocations.has(own)
    const missing = [
      ...tables.flatMap(missingIn),
      ...(lacksOwn ? [`asset_allocation.derivatives = ${own}`] : []),
    ]
    return { endpoint: endpoint.id, missing, derived }
  })
}

/** Settings of a table or a format, or of all files. */
type ConfigOfTables = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The part `import` of the config, by table or format, with what the flags say and what is proposed; and settings of all files. */
export type ImportConfig = Readonly<Record<string, unknown>>

/** What the command line says. */
export interface SaidByFlags {
  /** By settings of a table; without columns. */
  readonly ofTables: Readonly<Record<string, unknown>>
  /** By settings of all files. */
  readonly ofAll: Readonly<Record<string, unknown>>
}

/**
 * @param configured the part as the config has it
 * @returns the part that the config should have; undefined if it has all already
 */
export function configFor(
  { files }: Explanation,
  configured: ConfigOfTables,
  { ofTables: flags, ofAll }: SaidByFlags,
): ImportConfig | undefined {
  const parts: Record<string, Readonly<Record<string, unknown>>> = {}
  const ofFormats = Object.fromEntries(
    Object.entries(flags).filter(([name]) => !ofPlainTables.includes(name)),
  )
  for (const { table, settings, columns, isDerivingProposed } of files) {
    if (settings === null) continue
    const before = parts[settings] ?? configured[settings] ?? {}
    if (table === null) {
      const part = { ...before, ...ofFormats }
      if (Object.keys(part).length > 0) parts[settings] = part
      continue
    }
    const named = columns
      .filter(({ name, as }) => as !== name.trim().toLowerCase())
      .map(({ name, as }) => [name.trim(), as ?? ''] as const)
    const all = { ...(before['columns'] as object | undefined), ...Object.fromEntries(named) }
    const derive = isDerivingProposed ? { derive: true } : {}
    const part = { ...before, ...flags, ...derive, ...(Object.keys(all).length > 0 && { columns: all }) }
    if (Object.keys(part).length > 0) parts[settings] = part
  }
  const all = { ...parts, ...ofAll }
  const isNew = Object.entries(all).some(
    ([name, part]) => JSON.stringify(part) !== JSON.stringify(configured[name] ?? {}),
  )
  return isNew ? all : undefined
}
