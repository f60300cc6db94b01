/** The database side of an import: it is opened for writing, and takes the staged rows in one transaction. */

import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { checkSchema } from '../../../core/data/check/structure.ts'
import type { SchemaTable } from '../../../core/data/model/columns.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { databaseError, isBusy, openFunds } from '../../../core/data/read/open.ts'
import {
  judge,
  refuseUnlessAllowed,
  type AllowedObjection,
  type Objection,
  type Override,
} from '../../../core/guards/guards.ts'
import { copyOf, makeBackup, removeOtherCopies, type Backup } from './backup.ts'
import { changeFunds, type ChangeOptions, type Changes, type DeriveSources } from './changes.ts'
import { nothingDerived, type DerivedPrices } from './derive.ts'
import { completeFirstProfiles } from './first-profiles.ts'
import { foreseen } from './foreseen.ts'
import type { FileCharges } from './left-charges.ts'
import { markComplete } from '../../../core/data/read/complete.ts'
import {
  type DerivedAgain,
  deriveAgain,
  markDerived,
  pricingActions,
} from '../../../core/data/derive/derived.ts'
import { chargesReader } from '../../../core/data/derive/charges.ts'
import { figureColumns } from '../../../core/data/derive/figures.ts'
import { unchargedBy } from '../../../core/data/derive/uncharged.ts'
import { addToLoad, beginLoad, readLoad } from '../../../core/data/read/load.ts'
import type { StagedTable } from './sink.ts'
import { cacheKibibytes } from './staging.ts'

/** @throws {Error} if the file is missing, is not a database, or has another schema */
export function openForWriting(file: string): Database.Database {
  const db = openFunds(file, 'writing')
  try {
    const [wrong] = checkSchema(db)
    if (wrong !== undefined)
      throw new Error(`${file} does not have the schema: ${wrong.table}: ${wrong.message}`)
    // Nothing that was reported as taken is lost in a power cut, in WAL mode and when a journal has just been removed.
    db.pragma('synchronous = EXTRA')
    db.pragma(`cache_size = -${cacheKibibytes}`)
    return db
  } catch (error) {
    db.close()
    throw databaseError(file, error)
  }
}

export const hasRows = (db: Database.Database, table: string): boolean =>
  db.prepare(`SELECT 1 FROM main.${table} LIMIT 1`).get() !== undefined

export function readCurrencies(db: Database.Database): ReadonlyMap<string, string> {
  return new Map(db.prepare<[], [string, string]>('SELECT isin, currency FROM main.fund').raw().all())
}

/** @returns the ISINs of the funds by their WKNs */
export function readWkns(db: Database.Database): Map<string, readonly string[]> {
  const rows = db
    .prepare<[], Readonly<Record<'isin' | 'wkn', string>>>(
      'SELECT isin, wkn FROM main.fund WHERE wkn IS NOT NULL ORDER BY isin',
    )
    .all()
  const byWkn = Map.groupBy(rows, ({ wkn }) => wkn)
  return new Map([...byWkn].map(([wkn, funds]) => [wkn, funds.map(({ isin }) => isin)]))
}

/** Notes the WKN of a fund. */
export function addWkn(isins: Map<string, readonly string[]>, wkn: string, isin: string): void {
  isins.set(wkn, [...new Set([...(isins.get(wkn) ?? []), isin])])
}

/** How to wait for others that read or write. */
export interface Waiting {
  readonly patienceMs: number
  readonly onWait: () => void
  readonly signal: AbortSignal
}

export interface TakeOptions extends Waiting, ChangeOptions {
  /** The day that is marked as loaded; true: the newest one of table `price`; undefined: no mark. */
  readonly complete: string | true | undefined
  /** Whether a copy of the database is made if the import begins a load. */
  readonly isCopied: boolean
  readonly override: Override
  readonly now: Date
  readonly fileCharges: FileCharges
}

export interface Taken {
  /** By table, in the order in which they were taken. */
  readonly changes: Readonly<Record<string, Changes>>
  /** What guards would refuse, of a dry run. */
  readonly objections: readonly Objection[]
  readonly allowed: readonly AllowedObjection[]
  /** The copy of the database as it was before the load; null if there is none, or nothing changed. */
  readonly copy: string | null
  readonly derived: DerivedPrices
  /** Funds whose first profile has charges that files or derived prices name, and it does not. */
  readonly completed: DerivedAgain
  /** Prices of the database that were derived again, since corporate actions have changed. */
  readonly byActions: ReturnType<typeof deriveAgain>
}

/**
 * Takes the staged rows into the database: all tables in one transaction, a fund at a time. Before the first import of a load
 * commits, a copy of the database as it was gets its name.
 * @throws {Refusal} if too much would be removed
 * @throws {Error} if it fails, or the signal aborts: the database is as it was
 */
export async function takeRows(
  db: Database.Database,
  staged: readonly StagedTable[],
  options: TakeOptions,
): Promise<Taken> {
  if (options.isDryRun) return tryRows(db, staged, options)
  const backup = await beginWriting(db, options)
  try {
    const { fileCharges } = options
    const completed = completeFirstProfiles(db, fileCharges.of)
    const sources = { actionsOf: pricingActions(db), chargesOf: chargesReader(db), fileCharges }
    const made = await changeTables(db, staged, options, sources)
    markDerived(db, made.fundsWithFigures)
    const byActions = deriveAgain(db)
    const allowed = refuseUnlessAllowed('the import', made.objections, options.override)
    const changed = Object.entries(made.changes).filter(
      ([, { added, changed: other, removed }]) => added + other + removed > 0,
    )
    const copy = endChanges(
      db,
      changed.map(([name]) => name),
      options,
      backup,
    )
    return { ...made, objections: [], allowed, copy, completed, byActions }
  } catch (error) {
    // A full disk has ended the transaction already.
    if (db.inTransaction) db.exec('ROLLBACK')
    throw withoutColumn(error) ?? error
  } finally {
    backup?.discard()
  }
}

/** Finds out what would change, in a transaction that only reads the database. */
async function tryRows(
  db: Database.Database,
  staged: readonly StagedTable[],
  options: TakeOptions,
): Promise<Taken> {
  const { scope, fileCharges } = options
  const actionsOf = pricingActions(db, foreseen(schemaTables.corporateActions, scope))
  const chargesOf = chargesReader(db, foreseen(schemaTables.profile, scope))
  db.exec('BEGIN')
  try {
    const completed = completeFirstProfiles(db, fileCharges.of)
    const made = await changeTables(db, staged, options, { actionsOf, chargesOf, fileCharges })
    const derived = staged.flatMap((rows) => rows.derived)
    const prices = foreseen(schemaTables.prices, scope, derived)
    const byActions = deriveAgain(db, { actionsOf, prices, isDryRun: true })
    const { refused, allowed } = judge(made.objections, options.override)
    return { ...made, objections: refused, allowed, copy: null, completed, byActions }
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK')
  }
}

/** Funds before what refers to them; corporate actions and fees before the prices that are derived by them. */
const order: readonly SchemaTable[] = [
  ...new Set([
    schemaTables.fund,
    schemaTables.corporateActions,
    schemaTables.profile,
    ...Object.values(schemaTables),
  ]),
]

async function changeTables(
  db: Database.Database,
  staged: readonly StagedTable[],
  options: TakeOptions,
  sources: DeriveSources,
) {
  const changes: Record<string, Changes> = {}
  const objections: Objection[] = []
  /** With new figures of prices that were derived. */
  let fundsWithFigures: readonly string[] = []
  let derived = nothingDerived
  const sorted = [...staged].sort((one, other) => order.indexOf(one.table) - order.indexOf(other.table))
  const hasPrices = staged.some(({ table }) => table === schemaTables.prices)
  for (const rows of sorted) {
    const { table } = rows
    const made = await changeFunds(db, rows, options, sources)
    changes[table.name] = made.changes
    objections.push(...made.objections)
    if (table === schemaTables.prices) derived = made.derived
    if (rows.derived.some((name) => figureColumns.includes(name))) fundsWithFigures = made.changedFunds
    if (table === schemaTables.profile && !hasPrices)
      derived = { ...derived, atNav: unchargedBy(db, rows.isins, sources.chargesOf) }
  }
  return { changes, objections, derived, fundsWithFigures }
}

/** Commits, as a part of a load. @param changed tables @returns the copy of the load */
function endChanges(
  db: Database.Database,
  changed: readonly string[],
  { complete, now }: TakeOptions,
  backup: Backup | undefined,
): string | null {
  const isChanged = changed.length > 0
  const isFirst = isChanged && !isLoadOpen(db)
  if (isFirst) beginLoad(db, backup?.keep() ?? null)
  for (const name of changed) addToLoad(db, name)
  const copy = isChanged ? copyOfLoad(db) : null
  if (complete !== undefined) markComplete(db, complete === true ? undefined : complete, now.toISOString())
  db.exec('COMMIT')
  if (isFirst) {
    backup?.release()
    removeOtherCopies(db.name, copy)
  }
  return copy
}

const isLoadOpen = (db: Database.Database): boolean => readLoad(db)?.isOpen === 1

function copyOfLoad(db: Database.Database): string | null {
  const copiedAt = readLoad(db)?.copiedAt ?? null
  return copiedAt === null ? null : copyOf(db.name, copiedAt)
}

/** Describes a value that is missing where the database demands one, and the schema does not. */
function withoutColumn(error: unknown): Error | undefined {
  if (!(error instanceof Database.SqliteError) || error.code !== 'SQLITE_CONSTRAINT_NOTNULL') return undefined
  const [, column = ''] = /: (.+)$/.exec(error.message) ?? []
  const what = `the database takes no row without ${column}, unlike templates/schema.sql`
  return new Error(`${what}: make a new one (\`fundpress init\`) and fill it again`, { cause: error })
}

/** Changes with each commit of another program. */
const dataVersion = (db: Database.Database): unknown => db.pragma('data_version', { simple: true })

/** Begins to write. @returns a copy of the database as it is then, if the import begins a load and wants one */
async function beginWriting(db: Database.Database, options: TakeOptions): Promise<Backup | undefined> {
  const { isCopied, now, signal } = options
  for (;;) {
    let before: unknown
    let backup: Backup | undefined
    // SQLite cannot copy what the same program is about to write to: so the copy comes first.
    await whenFree(db, options, async () => {
      before = dataVersion(db)
      backup = isCopied && !isLoadOpen(db) ? await makeBackup(db, now, signal) : undefined
    })
    try {
      await whenFree(db, options, () => db.exec('BEGIN EXCLUSIVE'))
    } catch (error) {
      backup?.discard()
      throw error
    }
    if (!isCopied || dataVersion(db) === before) return backup
    // Another program has changed the database since then.
    db.exec('ROLLBACK')
    backup?.discard()
  }
}

/**
 * Waits until no other program is in the way. No program can read while lines are taken, unless the database is in WAL
 * mode: without a log, SQLite would have to keep all changes in memory until the last reader is gone. The lock is asked for
 * now and then and released at once, so that waiting does not block others.
 */
export async function whenFree(
  db: Database.Database,
  { patienceMs, onWait, signal }: Waiting,
  begin: () => unknown,
): Promise<void> {
  db.pragma('busy_timeout = 0')
  const end = performance.now() + patienceMs
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    try {
      await begin()
      return
    } catch (error) {
      if (!isBusy(error)) throw error
      const advice = 'try again later, or wait longer (--wait)'
      if (performance.now() > end)
        throw new Error(`${db.name}: other programs kept it busy: ${advice}`, { cause: error })
      if (tries === 20) onWait()
      await setTimeout(50, undefined, { signal }).catch(() => undefined)
    }
  }
}
