/** `fundpress import`: files into the tables of the fund database, all of them or nothing. */

import { statSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { lastDay } from '../../core/data/model/limits.ts'
import { quoted } from '../../core/data/model/printable.ts'
import { schemaTables } from '../../core/data/model/schema.ts'
import { databaseError } from '../../core/data/read/open.ts'
import { assertFile } from '../../core/system/place.ts'
import { shellWord } from '../../core/system/shell-text.ts'
import { headerName } from './layout.ts'
import { noneAgain, type DerivedAgain } from '../../core/data/derive/derived.ts'
import type { Reader, ReadOptions, Told } from './readers/reader.ts'
import { readerOf, readInOrder, readers as registry } from './readers/readers.ts'
import { openStart } from './readers/start.ts'
import {
  addWkn,
  hasRows,
  openForWriting,
  readCurrencies,
  readWkns,
  takeRows,
  type Taken,
  type TakeOptions,
} from './take/database.ts'
import { nothingDerived, type DerivedPrices } from './take/derive.ts'
import { openSink, type BadRow, type FileCounts, type Sink, type StagedTable } from './take/sink.ts'

/** What the command does not know of how files are read. */
export type KnownLater = 'table' | 'mayLack' | 'currencies' | 'isinsByWkn' | 'adviceToEmpty'

export interface ImportOptions extends Omit<TakeOptions, 'fileCharges'>, Omit<ReadOptions, KnownLater> {
  readonly db: string
  /** The table of all files; undefined: each file says itself what it has. */
  readonly table: string | undefined
  readonly files: readonly string[]
  /** The name of the reader of all files; undefined: each file is recognised. */
  readonly as: string | undefined
  /** Formats that are known; by default, all. */
  readonly readers?: readonly Reader[]
  /** Takes the good rows even if there are bad ones. */
  readonly isSkippingBad: boolean
  /** The share of bad rows below which that is a success. */
  readonly maxBadShare: number
  /** The first 1,000 come in the order of the files and lines; the others are counted. */
  readonly onBad: (bad: BadRow) => unknown
  readonly onBytes: (done: number, of: number) => void
}

/** What a file is, and what it had. */
export interface FileSummary extends Told, FileCounts {
  readonly file: string
  /** The name of the reader. */
  readonly format: string
}

export interface ImportSummary extends Omit<Taken, 'changes' | 'derived' | 'completed' | 'byActions'> {
  readonly files: readonly FileSummary[]
  /** Of all files. */
  readonly rows: number
  readonly bad: number
  /** By table; undefined if nothing was taken because of bad rows. For a dry run: what would change. */
  readonly changes: Taken['changes'] | undefined
  /** What was derived. */
  readonly notes: readonly string[]
}

/**
 * Imports files. Their rows are put in tables of their own first, on disk and outside of the database, which is changed in
 * one transaction at the end.
 * @throws {Refusal} if the import would remove too much
 * @throws {Error} if a file or the database cannot be read, if a file is of no known format, leaves open how it is to be read, or
 * has no row, or if the signal aborts: the database is as it was
 */
export async function importFiles(options: ImportOptions): Promise<ImportSummary> {
  const contents = options.files.map(contentOf)
  const db = openForWriting(options.db)
  try {
    return await importInto(db, contents, options)
  } catch (error) {
    if (options.signal.aborted) throw options.signal.reason
    throw databaseError(options.db, error)
  } finally {
    db.close()
  }
}

async function importInto(
  db: Database,
  contents: readonly string[],
  options: ImportOptions,
): Promise<ImportSummary> {
  const { files, isDeriving, takesMinorUnits, isSkippingBad, onBad } = options
  const reading = readOptionsOf(options, db)
  const { currencies, isinsByWkn } = reading
  const sink = openSink(db, {
    database: options.db,
    files,
    isDeriving,
    takesMinorUnits,
    currencies,
    // A fund of one file has its prices in another one.
    onWkn: (wkn, isin) => addWkn(isinsByWkn, wkn, isin),
    lastDay: lastDay(options.now.toISOString().slice(0, 10)),
    onBytes: byteMeter(options),
  })
  let isTold = false
  const tellBad = () => {
    if (!isTold) for (const bad of sink.badRows()) onBad(bad)
    isTold = true
  }
  try {
    const read = await readFiles(sink, reading, contents, options)
    const staged = sink.end()
    tellBad()
    const summaries = read.map(({ reader, file, told }, number) => {
      return { file, format: reader.name, ...told, ...sink.counts(number) }
    })
    const rows = sumOf(summaries.map((one) => one.rows))
    const bad = sumOf(summaries.map((one) => one.bad))
    const isTaken = bad === 0 || (isSkippingBad && staged.length > 0)
    if (isTaken) assertTakeable(staged, bad, options)
    // What lacks so much is not complete.
    const complete = hasTooManyBad({ rows, bad }, options.maxBadShare) ? undefined : options.complete
    const { fileCharges } = sink
    const taken = isTaken ? await takeRows(db, staged, { ...options, complete, fileCharges }) : nothing
    const notes = isTaken
      ? [
          ...notesOnProfiles(taken.completed),
          ...notesOn(staged, taken),
          ...notesOnActions(taken.byActions),
          ...notesOnCharges(taken.derived),
        ]
      : []
    const { changes, objections, allowed, copy } = taken
    return { files: summaries, rows, bad, notes, changes, objections, allowed, copy }
  } finally {
    tellBad()
    sink.close()
  }
}

export const hasTooManyBad = (
  { rows, bad }: Pick<ImportSummary, 'rows' | 'bad'>,
  maxBadShare: number,
): boolean => bad > 0 && bad / rows >= maxBadShare

interface ReadFile {
  readonly file: string
  readonly reader: Reader
  readonly told: Told
}

/** @param contents of the files as the import began @throws {Error} if a file has nothing, or has changed since */
async function readFiles(
  sink: Sink,
  reading: ReadOptions,
  contents: readonly string[],
  { files, table, as, readers = registry }: ImportOptions,
): Promise<readonly ReadFile[]> {
  const read = new Map<number, ReadFile>()
  const lacking = new Set(reading.named)
  const own = files.length === 1 ? reading : { ...reading, named: [] }
  await readInOrder({ files, table }, async (file, number, mayWait) => {
    const start = openStart(file, reading)
    const reader = readerOf(start, reading, readers, as)
    if (mayWait && reader.isBehindFunds?.(start, reading) === true) return 'behind the funds'
    const {
      columns = [],
      named = [],
      ...told
    } = await reader.read(start, sink.sinkOf(number, reader.derives?.(start, reading)), own)
    if (told.table === undefined && reading.constants.size > 0)
      throw new Error(`--set is for plain tables, and ${file} is none`)
    read.set(number, { file, reader, told })
    for (const name of named) lacking.delete(name)
    // Only columns of plain tables have names of their own.
    if (told.table !== undefined) for (const { name } of columns) lacking.delete(headerName(name))
    // The file may have been half written.
    if (contentOf(file) !== contents[number])
      throw new Error(
        `${file} changed while it was being read: nothing was imported; import it when it is complete`,
      )
    const counts = sink.counts(number)
    if (counts.rows + counts.gone === 0) throw new Error(whyNothing(file, counts))
    return undefined
  })
  const names = [...lacking].map(quoted).join(', ')
  if (lacking.size > 0)
    throw new Error(`none of the files has a column ${names}, which the command line names`)
  return files.flatMap((_, number) => read.get(number) ?? [])
}

function readOptionsOf(options: ImportOptions, db: Database) {
  const table = Object.values(schemaTables).find(({ name }) => name === options.table)
  if (table === undefined && options.table !== undefined)
    throw new Error(`the schema has no table ${options.table}`)
  // Asked before the rows are staged, which must not lock the database.
  const filled = new Set(
    Object.values(schemaTables)
      .filter(({ name }) => hasRows(db, name))
      .map(({ name }) => name),
  )
  return {
    ...options,
    table,
    // Where files have parts of a row, the sink judges them together.
    mayLack: (name: string) => filled.has(name) || options.files.length > 1,
    currencies: readCurrencies(db),
    isinsByWkn: readWkns(db),
    adviceToEmpty: (name: string) => (options.scope === 'table' ? adviceToEmpty(options.db, name) : ''),
  }
}

function adviceToEmpty(db: string, table: string): string {
  const deletion = `sqlite3 ${shellWord(db)} 'DELETE FROM ${table}'`
  const way = table === 'fund' ? 'make a new database (`fundpress init`)' : deletion
  return `. If table ${table} is to be empty: ${way}`
}

/** @throws {Error} if what was asked for does not go with the tables that the files have rows of */
function assertTakeable(
  staged: readonly StagedTable[],
  bad: number,
  { scope, isDeriving }: ImportOptions,
): void {
  const names = staged.map(({ table }) => table.name)
  if (bad > 0 && scope !== 'upsert')
    throw new Error(
      `${flagOf[scope]} removes rows that the files do not have, so also those of bad lines: nothing was taken; ` +
        `correct the lines, or import without ${flagOf[scope]}`,
    )
  if (scope === 'table' && names.length > 1)
    throw new Error(
      `--replace-all is for one table, and the files have rows of ${names.join(', ')}: --replace replaces those of their funds`,
    )
  // Of bad prices, their own reasons say more.
  if (isDeriving && bad === 0 && names.length > 0 && !names.includes('price'))
    throw new Error(`--derive is for prices, and the files have only rows of ${names.join(', ')}`)
}

const flagOf = { table: '--replace-all', funds: '--replace' } as const

/** A reader has taken the file for one of its format, and found nothing in it. */
function whyNothing(file: string, { leftOut }: FileCounts): string {
  const some = [...leftOut].slice(0, 3).map(([what, { count }]) => `${what} (${count})`)
  const left = some.length === 0 ? '' : `; left out: ${some.join(', ')}`
  return `${file} has nothing for a table: nothing was imported; check that it is complete${left}`
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0)

const nothing = {
  changes: undefined,
  objections: [],
  allowed: [],
  copy: null,
  derived: nothingDerived,
  completed: noneAgain,
  byActions: noneAgain,
}

const howDerived: Readonly<Record<string, string>> = {
  issue_price: ' (the NAV with the issue surcharge)',
  repurchase_price: ' (the NAV less the redemption fee)',
  performance: ' (since the last price of the year before, distributions reinvested)',
}

const fundsOf = ({ count, first }: DerivedAgain) =>
  count === 1 ? `fund ${first} has` : `${count} funds, the first ${first}, have`

function notesOnProfiles(completed: DerivedAgain): string[] {
  if (completed.count === 0) return []
  return [
    `issue surcharge and redemption fee of a first profile: ${fundsOf(completed)} those that another file or a derived price has, since its ` +
      'row in table profile names none',
  ]
}

function notesOn(
  staged: readonly StagedTable[],
  {
    derived: { again, withoutBase, withoutSurcharge, byFiles, byLast, byToday, kept },
  }: Pick<Taken, 'derived'>,
): string[] {
  const derived = staged.flatMap((rows) => rows.derived)
  if (derived.length === 0) return []
  const names = derived.map((name) => name + (howDerived[name] ?? ''))
  const later = again.count === 1 ? '1 later price' : `${again.count} later prices, the first`
  const prices = withoutBase.count === 1 ? '1 price' : `${withoutBase.count} prices, the first`
  return [
    `derived: ${names.join(', ')}`,
    ...(withoutSurcharge.count === 0
      ? []
      : [`the issue price is the NAV: ${fundsOf(withoutSurcharge)} no issue surcharge in table profile`]),
    ...(byFiles.count === 0
      ? []
      : [
          `issue surcharge and redemption fee of the files: ${fundsOf(byFiles)} no row in table profile, and the files lack the rest of ` +
            'one. Later files that do not name them have the same',
        ]),
    ...(byLast.count === 0
      ? []
      : [
          `issue surcharge and redemption fee of the last derived price: ${fundsOf(byLast)} no row in table profile, and the files name none`,
        ]),
    ...(byToday.count === 0
      ? []
      : [
          `issue surcharge and redemption fee of today: ${byToday.count === 1 ? '1 price of an earlier day has' : `${byToday.count} prices of earlier days have`} ` +
            `them, as nothing says what they were then, the first: ${byToday.first}`,
        ]),
    ...(kept.count === 0
      ? []
      : [
          `${kept.count === 1 ? '1 corrected price keeps its' : `${kept.count} corrected prices keep their`} own issue or repurchase price, ` +
            `which the NAV did not make, the first: ${kept.first}`,
        ]),
    ...(again.count === 0 ? [] : [`derived again: ${later} of ${again.first}`]),
    ...(withoutBase.count === 0
      ? []
      : [
          `without a performance: ${prices} of ${withoutBase.first}, since no price is of the end of the year before`,
        ]),
  ]
}

function notesOnCharges({ atNav: { count, first } }: DerivedPrices): string[] {
  if (count === 0) return []
  const prices = count === 1 ? '1 price of the database keeps' : `${count} prices of the database keep`
  return [
    `${prices} the NAV as issue or repurchase price, though its fund has a charge for it, the first: ${first}. ` +
      'If they were derived before that was known, `fundpress derive --charges` gives it to them',
  ]
}

/** @param byActions prices of the database that were derived again, because the corporate actions of their fund have changed */
function notesOnActions({ count, first, doubts }: Taken['byActions']): string[] {
  const prices = count === 1 ? '1 price' : `${count} prices, the first`
  return [
    ...(count === 0 ? [] : [`derived again, since corporate actions have changed: ${prices} of ${first}`]),
    ...doubts.map(({ isin, message }) => `not derived again: ${isin}: ${message}`),
  ]
}

/** A text that changes when a program writes to the file or replaces it. */
function contentOf(file: string): string {
  // An import reads its files several times: a pipe cannot be read again.
  assertFile(file)
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  if (stats === undefined) throw new Error(`${file} does not exist`)
  return `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs}`
}

/** Counts the bytes of all files. Each piece asks whether it is to go on. */
function byteMeter({ files, onBytes, signal }: ImportOptions): (count: number) => void {
  const of = sumOf(files.map((file) => statSync(file).size))
  let done = 0
  return (count) => {
    done += count
    onBytes(Math.round(done), of)
    signal.throwIfAborted()
  }
}
