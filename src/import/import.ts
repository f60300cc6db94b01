/** `fundpress import`: a file into a table of the fund database, all of it or nothing. */

import { statSync, type BigIntStats } from 'node:fs'
import Database from 'better-sqlite3'
import { readIsins } from '../source/fund-reader.ts'
import { readable } from '../source/open.ts'
import { shellWord } from '../shell/shell-text.ts'
import type { Cell, CellLines } from './cells.ts'
import { openCsv, type Delimiter } from './csv.ts'
import type { DateForm } from './day.ts'
import type { DecimalMark } from './decimal.ts'
import { fieldNumber, isTemplateHeader, templateLayout } from './emt-template.ts'
import { readEncoding, type Encoding } from './encoding.ts'
import { columnLayout, headerName, type Layout, type Suggest } from './layout.ts'
import { lineReader, type BadLine } from './line-reader.ts'
import { notationSniffer, type Notations } from './notation.ts'
import { openForWriting } from './open.ts'
import { openStaging } from './staging.ts'
import { schemaTables, type Table } from './tables.ts'
import { takeLines, type Changes, type Scope } from './take.ts'
import { isWorkbook, openWorkbook } from './workbook.ts'

export interface ImportOptions {
  readonly db: string
  /** Of the schema. */
  readonly table: string
  readonly file: string
  /** What was asked for; what is undefined is sniffed. */
  readonly encoding: Encoding | undefined
  readonly delimiter: Delimiter | undefined
  readonly decimal: DecimalMark | undefined
  readonly dates: DateForm | undefined
  readonly scope: Scope
  /** Takes the good lines where there are bad ones. */
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
  /** Undefined where nothing was taken because of bad lines. Of a dry run: what would change. */
  readonly changes: Changes | undefined
}

/**
 * Imports a file. Its lines are put in a table of their own first, on disk and outside of the database, which is
 * changed in one transaction at the end.
 * @throws {Error} if the file or the database cannot be read, if the file leaves open how it is to be read, or has no
 * line after its header, or if the signal aborts: the database is as it was
 */
export async function importFile(options: ImportOptions): Promise<ImportSummary> {
  const tables = schemaTables()
  const table = tables.get(options.table)
  if (table === undefined) throw new Error(`the schema has no table ${options.table}`)
  const file = mustBeFile(options.file)
  const db = openForWriting(options.db)
  try {
    return await importInto(db, table, tables, { ...options, assertSame: sameContent(options.file, file) })
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    throw withAdvice(error, options.db)
  } finally {
    db.close()
  }
}

async function importInto(
  db: Database.Database,
  table: Table,
  tables: ReadonlyMap<string, Table>,
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
  await cells.read({ ...reader.visitor, bytes: meter.read })
  const staged = staging.end()
  options.assertSame()
  const { lines, bad } = reader.counts()
  if (lines === 0) throw new Error(whyNothing(options))
  const isTaken = bad === 0 || (isSkippingBad && bad < lines)
  const take = {
    db,
    table,
    tables,
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

/** No line is what a broken export leaves: to take it for `no rows` would empty the table. */
function whyNothing({ db, table, file, scope }: ImportOptions): string {
  const broken = `${file} has no line after its header: nothing was taken; see whether its export is whole`
  if (scope !== 'table') return broken
  const way =
    table === 'fund'
      ? 'make a new database (`fundpress init`)'
      : `sqlite3 ${shellWord(db)} 'DELETE FROM ${table}'`
  return `${broken}. If table ${table} is to be empty: ${way}`
}

async function openCells(options: ImportOptions, table: Table, meter: ByteMeter): Promise<CellLines> {
  const { file, encoding: wanted, delimiter } = options
  if (isWorkbook(file)) {
    if (table.name === 'emt') return openWorkbook(file, isTemplateHeader)
    throw new Error(`${file} is a workbook, which is read for the EMT template only: save the sheet as CSV`)
  }
  const encoding = await readEncoding({ file, wanted, onBytes: meter.checked })
  const names = new Set(table.columns.map(({ name }) => name))
  const isName = (text: string) =>
    names.has(headerName(text)) || (table.name === 'emt' && fieldNumber(text) !== undefined)
  return openCsv({ file, encoding, delimiter, isName })
}

const layoutOf = (table: Table, { header }: CellLines, suggest: Suggest): Layout =>
  table.name === 'emt' && isTemplateHeader(header)
    ? templateLayout(table, header)
    : columnLayout(table, header, suggest)

async function sniffNotations(
  { file, decimal, dates }: ImportOptions,
  cells: CellLines,
  { fields, width: [least, most] }: Layout,
  meter: ByteMeter,
): Promise<Notations> {
  const sniffer = notationSniffer(fields, { decimal, dates })
  if (sniffer.isNeeded) {
    const line = (found: readonly Cell[], number: number) => {
      if (found.length >= least && found.length <= most) sniffer.look(found, number)
    }
    await cells.read({ line, broken: () => undefined, bytes: meter.sniffed })
  }
  return within(file, undefined, sniffer.notations)
}

interface ByteMeter {
  readonly checked: (count: number) => void
  readonly sniffed: (count: number) => void
  readonly read: (count: number) => void
}

/** The file is read up to three times. Each piece asks whether it is to go on. */
function byteMeter({ file, decimal, dates, onBytes, signal }: ImportOptions): ByteMeter {
  const passes = decimal === undefined || dates === undefined ? 3 : 2
  const of = statSync(file).size * passes
  let done = 0
  const add = (count: number): void => {
    done += count
    onBytes(done, of)
    signal.throwIfAborted()
  }
  return { checked: add, sniffed: add, read: add }
}

function mustBeFile(file: string): BigIntStats {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`${file} does not exist`)
  // It is read several times.
  if (!stats.isFile()) throw new Error(`${file} is not a file`)
  return stats
}

/** @returns throws if somebody has written to the file since: who is not done yet may have half of it written */
function sameContent(file: string, before: BigIntStats): () => void {
  const contentOf = ({ dev, ino, size, mtimeNs }: BigIntStats) => `${dev} ${ino} ${size} ${mtimeNs}`
  return () => {
    if (contentOf(mustBeFile(file)) !== contentOf(before))
      throw new Error(`${file} was changed while it was read: nothing was taken; import it when it is whole`)
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
    return new Error(
      `${db}: other programs kept it busy all the while: try again later, or wait longer (--wait)`,
      {
        cause: error,
      },
    )
  }
  return readable(db, error)
}
