/** `fundpress import`: a file into a table of the fund database, all of it or nothing. */

import { statSync } from 'node:fs'
import { currencyFault, writtenCurrency } from '../../core/data/model/currencies.ts'
import { printable, quoted } from '../../core/data/model/printable.ts'
import type { SchemaTable } from '../../core/data/model/columns.ts'
import { schemaTables } from '../../core/data/model/schema.ts'
import { databaseError } from '../../core/data/read/open.ts'
import type { AllowedObjection, Objection } from '../../core/guards/guards.ts'
import { assertFile } from '../../core/system/place.ts'
import { shellWord } from '../../core/system/shell-text.ts'
import { openCsv, type Delimiter } from './csv.ts'
import {
  hasRows,
  noneDerived,
  openForWriting,
  openKept,
  openStaging,
  readCurrencies,
  takeLines,
  type Changes,
  type KeptValues,
  type StagedLines,
  type TakeOptions,
} from './database.ts'
import { derivableColumns } from '../../core/data/derive/figures.ts'
import { readEncoding, type ChoosableEncoding } from './encoding.ts'
import {
  columnLayout,
  deriveHint,
  fieldNumber,
  headerName,
  isTemplateHeader,
  templateLayout,
  type CellLines,
  type HeaderOptions,
  type Layout,
} from './layout.ts'
import { notationSniffer, type Notations } from './notation.ts'
import type { DateForm } from './days.ts'
import { convert, isProblem, type FileCell, type DecimalMark, type Value } from './values.ts'
import { isWorkbook, openWorkbook } from './workbook.ts'

export interface BadLine {
  readonly line: number
  readonly reasons: readonly string[]
}

export interface ImportOptions extends TakeOptions, HeaderOptions {
  readonly db: string
  readonly table: string
  readonly file: string
  /** These options are sniffed if they are undefined. */
  readonly encoding: ChoosableEncoding | undefined
  readonly delimiter: Delimiter | undefined
  readonly decimal: DecimalMark | undefined
  readonly dates: DateForm | undefined
  /** For files that do not say themselves what they are, unless `encoding` says it. */
  readonly usualEncoding: ChoosableEncoding | undefined
  /** Takes the good lines even if there are bad ones. */
  readonly isSkippingBad: boolean
  /** The first 1,000 come in ascending order; the others are counted. */
  readonly onBad: (bad: BadLine) => unknown
  readonly onBytes: (done: number, of: number) => void
}

export interface ImportSummary {
  /** Form of the file, sniffed or as asked for; for people. */
  readonly form: readonly string[]
  readonly notes: readonly string[]
  /** Faults of the template's fields that the API does not show. */
  readonly warnings: readonly string[]
  /** After the header, without empty ones. */
  readonly lines: number
  readonly bad: number
  /** Undefined if nothing was taken because of bad lines. For a dry run: what would change. */
  readonly changes: Changes | undefined
  /** Objections of guards, of a dry run. */
  readonly objections: readonly Objection[]
  readonly allowed: readonly AllowedObjection[]
  /** The copy of the database as it was before the load; null if there is none, or nothing changed. */
  readonly copy: string | null
}

/**
 * Imports a file. Its lines are put in a table of their own first, on disk and outside of the database, which is
 * changed in one transaction at the end.
 * @throws {Refusal} if the import would remove too much
 * @throws {Error} if the file or the database cannot be read, if the file leaves open how it is to be read, or has no
 * line after its header, or if the signal aborts: the database is as it was
 */
export async function importFile(options: ImportOptions): Promise<ImportSummary> {
  const { file, signal } = options
  const table = Object.values(schemaTables).find(({ name }) => name === options.table)
  if (table === undefined) throw new Error(`the schema has no table ${options.table}`)
  const content = contentOf(file)
  const db = openForWriting(options.db)
  let kept: KeptValues | undefined
  try {
    const meter = byteMeter(options)
    const computed = options.isDeriving ? derivableColumns : []
    if (options.isDeriving && table.name !== 'price')
      throw new Error(`--derive is for table price, not for ${table.name}`)
    const cells = await openCells(options, table, meter)
    const { header, headerLine } = cells
    const isKeeping = options.scope === 'upsert' && hasRows(db, table)
    const layout = within(`${file}, line ${headerLine}`, () =>
      table.name === 'emt' && isTemplateHeader(header) && options.columnMap.size === 0
        ? templateLayout(table, header)
        : columnLayout(table, header, options, { computed, isKeeping }),
    )
    const derived = computed.filter((name) => !layout.fields.some(({ column }) => column.name === name))
    const notations = await sniffNotations(options, cells, layout, meter)
    const columns = [...layout.fields.map(({ column }) => column.name), ...derived]
    const staging = openStaging(db, table, [...columns, ...layout.kept])
    kept = openKept(options.db, table, layout.kept)
    const funds = table.name === 'fund' ? undefined : readCurrencies(db)
    const reader = lineReader(table, { layout, notations, funds, staging, derived, kept }, options.onBad)
    await cells.read({ ...reader.visitor, bytes: meter })
    const staged = staging.end()
    // The file may have been half written.
    const advice = 'nothing was imported; import it when it is complete'
    if (contentOf(file) !== content) throw new Error(`${file} changed while it was being read: ${advice}`)
    const { lines, bad } = reader.counts()
    if (lines === 0) throw new Error(whyNothing(options))
    const isTaken = bad === 0 || (options.isSkippingBad && bad < lines)
    const { again, withoutBase, byActions, ...taken } = isTaken
      ? await takeLines(db, { table, columns, derived, isins: staged }, options)
      : nothing
    const notes = [...layout.notes(), ...notesOn(derived, again, withoutBase), ...notesOnActions(byActions)]
    const form = [cells.form, ...notations.form]
    return { form, notes, warnings: layout.warnings(), lines, bad, ...taken }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw databaseError(options.db, error)
  } finally {
    kept?.close()
    db.close()
  }
}

const nothing = {
  changes: undefined,
  objections: [],
  allowed: [],
  copy: null,
  again: noneDerived,
  byActions: noneDerived,
  withoutBase: noneDerived,
}

type Derived = typeof noneDerived

/** @param again prices of the database that were derived again @param withoutBase prices of the file without a performance */
function notesOn(derived: readonly string[], again: Derived, withoutBase: Derived): string[] {
  if (derived.length === 0) return []
  const names = derived.map((name) =>
    name === 'performance'
      ? `${name} (since the last price of the year before, distributions reinvested)`
      : name,
  )
  const later = again.count === 1 ? '1 later price' : `${again.count} later prices, the first`
  const prices = withoutBase.count === 1 ? '1 price' : `${withoutBase.count} prices, the first`
  return [
    `derived: ${names.join(', ')}`,
    ...(again.count === 0 ? [] : [`derived again: ${later} of ${again.first}`]),
    ...(withoutBase.count === 0
      ? []
      : [
          `without a performance: ${prices} of ${withoutBase.first}, since no price is of the end of the year before`,
        ]),
  ]
}

/** @param byActions prices of the database that were derived again, because the corporate actions of their fund have changed */
function notesOnActions({ count, first }: Derived): string[] {
  if (count === 0) return []
  const prices = count === 1 ? '1 price' : `${count} prices, the first`
  return [`derived again, since corporate actions have changed: ${prices} of ${first}`]
}

/** A text that changes when a program writes to the file or replaces it. */
function contentOf(file: string): string {
  // An import reads its file several times: a pipe cannot be read again.
  assertFile(file)
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`${file} does not exist`)
  return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`
}

/** A broken export may leave no line: to read it as `no rows` would empty the table. */
function whyNothing({ db, table, file, scope }: ImportOptions): string {
  const broken = `${file} has no line after its header: nothing was imported; check that the export is complete`
  if (scope !== 'table') return broken
  const deletion = `sqlite3 ${shellWord(db)} 'DELETE FROM ${table}'`
  const way = table === 'fund' ? 'make a new database (`fundpress init`)' : deletion
  return `${broken}. If table ${table} is to be empty: ${way}`
}

async function openCells(
  { file, encoding: asked, usualEncoding: configured, delimiter, columnMap }: ImportOptions,
  table: SchemaTable,
  meter: (count: number) => void,
): Promise<CellLines> {
  if (isWorkbook(file)) {
    if (table.name === 'emt') return openWorkbook(file, isTemplateHeader)
    throw new Error(`${file} is a workbook, which is read for the EMT template only: save the sheet as CSV`)
  }
  const encoding = await readEncoding(file, { asked, configured, table: table.name }, meter)
  const names = new Set(table.columns.map(({ name }) => name))
  const isName = (text: string) =>
    names.has(headerName(text)) ||
    columnMap.has(headerName(text)) ||
    (table.name === 'emt' && fieldNumber(text) !== undefined)
  return openCsv(file, encoding, delimiter, isName)
}

async function sniffNotations(
  { file, decimal, dates }: ImportOptions,
  cells: CellLines,
  { fields, width: [least, most] }: Layout,
  meter: (count: number) => void,
): Promise<Notations> {
  const sniffer = notationSniffer(fields, { decimal, dates })
  if (sniffer.isNeeded) {
    const line = (found: readonly FileCell[], number: number) => {
      if (found.length >= least && found.length <= most) sniffer.look(found, number)
    }
    await cells.read({ line, broken: () => undefined, bytes: meter })
  }
  return within(file, sniffer.notations)
}

/** Counts bytes. The file is read up to three times. Each piece asks whether it is to go on. */
function byteMeter({ file, decimal, dates, onBytes, signal }: ImportOptions): (count: number) => void {
  const of = statSync(file).size * (decimal === undefined || dates === undefined ? 3 : 2)
  let done = 0
  return (count) => {
    done += count
    onBytes(done, of)
    signal.throwIfAborted()
  }
}

/** Names the place in an error. */
function within<T>(place: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new Error(`${place}: ${error.message}`, { cause: error })
  }
}

/** More bad lines tell nothing new and would fill the memory. */
const maxBadLines = 1000

/** Tools to read the lines of a file with. */
interface Reading {
  readonly layout: Layout
  readonly notations: Notations
  /** The currency of each fund in the database; undefined if the file has the funds themselves. */
  readonly funds: ReadonlyMap<string, string> | undefined
  readonly staging: StagedLines
  readonly derived: readonly string[]
  /** The values of rows that exist; undefined if the file has all that a new row needs. */
  readonly kept: KeptValues | undefined
}

function lineReader(table: SchemaTable, reading: Reading, onBad: ImportOptions['onBad']) {
  const { layout, staging, derived, kept } = reading
  const valuesIn = lineConverter(table, reading)
  const keyAt = table.key.map((name) => layout.fields.findIndex(({ column }) => column.name === name))
  const lacking = `the file lacks ${layout.kept.join(', ')}${deriveHint(layout.kept)}`
  let lines = 0
  let bad = 0
  const refuse = (line: number, reasons: readonly string[]) => {
    bad++
    if (bad <= maxBadLines) onBad({ line, reasons })
  }
  const faultsOf = (cells: readonly FileCell[], line: number): readonly string[] => {
    const { values, faults } = valuesIn(cells, line)
    if (faults.length > 0) return faults
    const key = keyAt.map((at) => values[at] ?? null)
    const own = kept === undefined ? [] : kept.read(key)
    if (own === undefined) return [`${key.join(', ')} is new, and ${lacking}`]
    const refused = staging.add([...values, ...derived.map(() => '0'), ...own], line)
    return refused === undefined ? [] : [refused]
  }
  const visitor = {
    line: (cells: readonly FileCell[], line: number) => {
      lines++
      const faults = faultsOf(cells, line)
      if (faults.length > 0) refuse(line, faults)
    },
    broken: (reason: string, line: number) => {
      lines++
      refuse(line, [reason])
    },
  }
  return { visitor, counts: () => ({ lines, bad }) }
}

/** @returns a function that gives the values of a line, or its faults */
function lineConverter({ outlives }: SchemaTable, { layout, notations: { marks, dates }, funds }: Reading) {
  const { check, currency } = layout
  const [least, most] = layout.width
  const columns = layout.fields.map((field, index) => {
    return { ...field, notation: { mark: marks[index] ?? 'point', dates } }
  })
  const isinAt = columns.findIndex(({ column }) => column.name === 'isin')
  const outlivesAt = columns.findIndex(({ column }) => column.name === outlives?.[0])
  const faultOfFund = (cells: readonly FileCell[], values: readonly Value[]): string | undefined => {
    const isin = String(values[isinAt])
    const own = funds?.get(isin)
    const mayBeGone = outlives !== undefined && values[outlivesAt] === outlives[1]
    if (funds !== undefined && own === undefined && !mayBeGone) return `there is no fund ${printable(isin)}`
    if (currency === undefined) return undefined
    const text = String(cells[currency.at] ?? '').trim()
    const written = writtenCurrency(text)
    if (written === own) return undefined
    const fault = text === '' ? undefined : currencyFault(written)
    return `${currency.label} ${fault ?? `is ${quoted(text)}, but fund ${isin} is in ${own ?? ''}`}`
  }
  return (cells: readonly FileCell[], line: number) => {
    const values: Value[] = []
    if (cells.length < least || cells.length > most) {
      const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`
      return { values, faults: [`it has ${count}, the header ${most}`] }
    }
    const faults = [...check(cells, line)]
    for (const { column, at, label, notation } of columns) {
      const cell = cells[at] ?? ''
      // Many lines are of one fund: a known ISIN needs no check of its digit.
      const isKnown = column.kind === 'isin' && funds?.has(String(cell)) === true
      const value = isKnown ? String(cell) : convert(cell, column, notation)
      if (isProblem(value)) faults.push(`${label} ${value.reason}`)
      else values.push(value)
    }
    const fault = faults.length > 0 ? undefined : faultOfFund(cells, values)
    return { values, faults: fault === undefined ? faults : [fault] }
  }
}
