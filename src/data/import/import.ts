/** `fundpress import`: a file into a table of the fund database, all of it or nothing. */

import { statSync, type BigIntStats } from 'node:fs'
import Database from 'better-sqlite3'
import { printable } from '../model/printable.ts'
import { schemaTables, type SchemaTable } from '../model/schema.ts'
import { readIsins } from '../read/fund-reader.ts'
import { databaseError } from '../read/open.ts'
import { shellWord } from '../../system/shell-text.ts'
import { openCsv, readEncoding, type Delimiter, type Encoding } from './csv.ts'
import {
  openForWriting,
  openStaging,
  takeLines,
  type Changes,
  type Scope,
  type StagedLines,
} from './database.ts'
import {
  columnLayout,
  fieldNumber,
  headerName,
  isTemplateHeader,
  templateLayout,
  type CellLines,
  type Layout,
  type Suggest,
} from './layout.ts'
import { notationSniffer, type Notations } from './notation.ts'
import { convert, isProblem, type FileCell, type DateForm, type DecimalMark, type Value } from './values.ts'
import { isWorkbook, openWorkbook } from './workbook.ts'

export interface ImportOptions {
  readonly db: string
  /** A table of the schema. */
  readonly table: string
  readonly file: string
  /** What was asked for; what is undefined is sniffed. */
  readonly encoding: Encoding | undefined
  readonly delimiter: Delimiter | undefined
  readonly decimal: DecimalMark | undefined
  readonly dates: DateForm | undefined
  readonly scope: Scope
  /** Takes the good lines even if there are bad ones. */
  readonly isSkippingBad: boolean
  readonly isDryRun: boolean
  readonly patienceMs: number
  readonly suggest: Suggest
  /** The first 1,000 come in ascending order; the others are counted. */
  readonly onBad: (bad: BadLine) => unknown
  readonly onBytes: (done: number, of: number) => void
  readonly onFund: (done: number, of: number) => void
  readonly onWait: () => void
  readonly signal: AbortSignal
}

export interface ImportSummary {
  /** What the file is, sniffed or as it was asked for, for people. */
  readonly form: readonly string[]
  readonly notes: readonly string[]
  /** After the header, without empty ones. */
  readonly lines: number
  readonly bad: number
  /** Undefined if nothing was taken because of bad lines. For a dry run: what would change. */
  readonly changes: Changes | undefined
}

/**
 * Imports a file. Its lines are put in a table of their own first, on disk and outside of the database, which is
 * changed in one transaction at the end.
 * @throws {Error} if the file or the database cannot be read, if the file leaves open how it is to be read, or has no
 * line after its header, or if the signal aborts: the database is as it was
 */
export async function importFile(options: ImportOptions): Promise<ImportSummary> {
  const table = Object.values(schemaTables).find(({ name }) => name === options.table)
  if (table === undefined) throw new Error(`the schema has no table ${options.table}`)
  const file = mustBeFile(options.file)
  const db = openForWriting(options.db)
  try {
    return await importInto(db, table, { ...options, assertSame: sameContent(options.file, file) })
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    throw withAdvice(error, options.db)
  } finally {
    db.close()
  }
}

async function importInto(
  db: Database.Database,
  table: SchemaTable,
  options: ImportOptions & { readonly assertSame: () => void },
): Promise<ImportSummary> {
  const { file, scope, isSkippingBad, isDryRun, patienceMs, onFund, onWait, signal } = options
  const meter = byteMeter(options)
  const cells = await openCells(options, table, meter)
  const layout = within(file, cells.headerLine, () => layoutOf(table, cells, options.suggest))
  const notations = await sniffNotations(options, cells, layout, meter)
  const columns = layout.fields.map(({ column }) => column.name)
  const staging = openStaging(db, table, columns)
  const isins = table.name === 'fund' ? undefined : new Set(readIsins(db))
  const reader = lineReader({ layout, notations, isins, staging, onBad: options.onBad })
  await cells.read({ ...reader.visitor, bytes: meter })
  const staged = staging.end()
  options.assertSame()
  const { lines, bad } = reader.counts()
  if (lines === 0) throw new Error(whyNothing(options))
  const isTaken = bad === 0 || (isSkippingBad && bad < lines)
  const take = {
    db,
    table,
    columns,
    scope,
    isins: staged,
    isDryRun,
    patienceMs,
    onWait,
    onFund,
    signal,
  }
  const { decimalForm, dateForm } = notations
  return {
    form: [cells.form, decimalForm, dateForm].filter((part) => part !== undefined),
    notes: layout.notes(),
    lines,
    bad,
    changes: isTaken ? await takeLines(take) : undefined,
  }
}

/** A broken export may leave no line: to read it as `no rows` would empty the table. */
function whyNothing({ db, table, file, scope }: ImportOptions): string {
  const broken = `${file} has no line after its header: nothing was imported; check that the export is complete`
  if (scope !== 'table') return broken
  const way =
    table === 'fund'
      ? 'make a new database (`fundpress init`)'
      : `sqlite3 ${shellWord(db)} 'DELETE FROM ${table}'`
  return `${broken}. If table ${table} is to be empty: ${way}`
}

async function openCells(
  options: ImportOptions,
  table: SchemaTable,
  meter: (count: number) => void,
): Promise<CellLines> {
  const { file, encoding: wanted, delimiter } = options
  if (isWorkbook(file)) {
    if (table.name === 'emt') return openWorkbook(file, isTemplateHeader)
    throw new Error(`${file} is a workbook, which is read for the EMT template only: save the sheet as CSV`)
  }
  const encoding = await readEncoding(file, wanted, meter)
  const names = new Set(table.columns.map(({ name }) => name))
  const isName = (text: string) =>
    names.has(headerName(text)) || (table.name === 'emt' && fieldNumber(text) !== undefined)
  return openCsv({ file, encoding, delimiter, isName })
}

const layoutOf = (table: SchemaTable, { header }: CellLines, suggest: Suggest): Layout =>
  table.name === 'emt' && isTemplateHeader(header)
    ? templateLayout(table, header)
    : columnLayout(table, header, suggest)

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
  return within(file, undefined, sniffer.notations)
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

function mustBeFile(file: string): BigIntStats {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`${file} does not exist`)
  // It is read several times.
  if (!stats.isFile()) throw new Error(`${file} is not a file`)
  return stats
}

/** @returns throws if somebody has written to the file since: it may have been half written */
function sameContent(file: string, before: BigIntStats): () => void {
  const contentOf = ({ dev, ino, size, mtimeNs }: BigIntStats) => `${dev} ${ino} ${size} ${mtimeNs}`
  return () => {
    if (contentOf(mustBeFile(file)) !== contentOf(before))
      throw new Error(
        `${file} changed while it was being read: nothing was imported; import it when it is complete`,
      )
  }
}

/** Says where in the file something is wrong. */
function within<T>(file: string, line: number | undefined, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const place = line === undefined ? file : `${file}, line ${line}`
    throw new Error(`${place}: ${error.message}`, { cause: error })
  }
}

/** What SQLite says, with the file and what to do. */
function withAdvice(error: unknown, db: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  const { code } = error
  if (code === 'SQLITE_FULL') {
    return new Error(
      `${db}: the disk is full, its own or that of the folder for temporary files (SQLITE_TMPDIR): free some space; ` +
        'the database is as it was',
      { cause: error },
    )
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new Error(`${db}: other programs kept it busy: try again later, or wait longer (--wait)`, {
      cause: error,
    })
  }
  return databaseError(db, error)
}

export interface BadLine {
  readonly line: number
  readonly reasons: readonly string[]
}

interface LineReading {
  readonly layout: Layout
  readonly notations: Notations
  /** The funds in the database; undefined if the file has the funds themselves. */
  readonly isins: ReadonlySet<string> | undefined
  readonly staging: StagedLines
  /** Gets the first bad lines; the others are counted. */
  readonly onBad: (bad: BadLine) => unknown
}

/** More of them tell nothing new and would fill the memory. */
const maxBadLines = 1000

/** Converts and stages the good lines, reports the bad ones. */
function lineReader({ layout, notations, isins, staging, onBad }: LineReading) {
  const { fields, check } = layout
  const [least, most] = layout.width
  const columns = fields.map(({ column, at, label }, index) => {
    return {
      column,
      at,
      label,
      notation: { mark: notations.marks[index] ?? 'point', dates: notations.dates },
    }
  })
  const isinAt = fields.findIndex(({ column }) => column.kind === 'isin')
  let lines = 0
  let bad = 0
  const tell = (line: number, reasons: readonly string[]) => {
    bad++
    if (bad <= maxBadLines) onBad({ line, reasons })
  }
  const faultsOf = (cells: readonly FileCell[], values: Value[]): string[] => {
    const faults = [...check(cells)]
    for (const { column, at, label, notation } of columns) {
      const cell = cells[at] ?? ''
      // Many lines are of one fund: a known ISIN needs no check of its digit.
      const isKnown = column.kind === 'isin' && isins?.has(String(cell)) === true
      const value = isKnown ? String(cell) : convert(cell, column, notation)
      if (isProblem(value)) faults.push(`${label} ${value.reason}`)
      else values.push(value)
    }
    const isin = values[isinAt]
    if (faults.length === 0 && isins !== undefined && !isins.has(String(isin))) {
      faults.push(`there is no fund ${printable(String(isin))}`)
    }
    return faults
  }
  const readLine = (cells: readonly FileCell[], line: number): void => {
    lines++
    if (cells.length < least || cells.length > most) {
      const count = cells.length === 1 ? '1 cell' : `${cells.length} cells`
      tell(line, [`it has ${count}, the header ${most}`])
      return
    }
    const values: Value[] = []
    const faults = faultsOf(cells, values)
    const refused = faults.length === 0 ? staging.add(values, line) : undefined
    if (refused !== undefined) faults.push(refused)
    if (faults.length > 0) tell(line, faults)
  }
  const broken = (reason: string, line: number): void => {
    lines++
    tell(line, [reason])
  }
  return { visitor: { line: readLine, broken }, counts: () => ({ lines, bad }) }
}
