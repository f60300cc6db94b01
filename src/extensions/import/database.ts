/**
 * The database side of an import: opening the database for writing, staging the good lines in a table outside of it, and
 * taking them over in one transaction.
 */

import { setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { checkSchema } from '../../core/data/check/structure.ts'
import { outlivingRows, type SchemaTable, type TableColumn } from '../../core/data/model/columns.ts'
import { schemaTables } from '../../core/data/model/schema.ts'
import { createStatement } from '../../core/data/model/new-database.ts'
import { distinctIsins } from '../../core/data/read/fund-reader.ts'
import { databaseError, isBusy, openFunds } from '../../core/data/read/open.ts'
import { refuseUnlessAllowed, type Objection, type Override } from '../../core/guards/guards.ts'
import { inTurn } from '../../core/system/in-turn.ts'
import { copyOf, makeBackup, removeOtherCopies, type Backup } from './backup.ts'
import { markComplete } from '../../core/data/read/complete.ts'
import { deriveAgain, markDerived, pricingActions } from '../../core/data/derive/derived.ts'
import { priceDeriver } from './derive.ts'
import { addToLoad, beginLoad, readLoad } from '../../core/data/read/load.ts'
import type { Value } from './values.ts'

/** For the pages that wait for the commit, and for the staged lines; the rest goes to disk. */
const cacheKibibytes = 65_536

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

export const hasRows = (db: Database.Database, table: SchemaTable): boolean =>
  db.prepare(`SELECT 1 FROM main.${table.name} LIMIT 1`).get() !== undefined

export function readCurrencies(db: Database.Database): ReadonlyMap<string, string> {
  return new Map(db.prepare<[], [string, string]>('SELECT isin, currency FROM fund').raw().all())
}

export type KeptValues = NonNullable<ReturnType<typeof openKept>>

/**
 * Reads values that rows of the database keep, by a connection of its own: staging has a transaction open, which must not lock the database.
 * @returns undefined without columns
 */
export function openKept(file: string, { name, key }: SchemaTable, columns: readonly string[]) {
  if (columns.length === 0) return undefined
  const db = openFunds(file)
  const row = db
    .prepare<Value[], Value[]>(
      `SELECT ${columns.join(', ')} FROM ${name} WHERE ${key.map((each) => `${each} = ?`).join(' AND ')}`,
    )
    .raw()
  return {
    /** @returns undefined if there is no such row */
    read: (values: readonly Value[]) => row.get(...values),
    close: () => db.close(),
  }
}

export type StagedLines = ReturnType<typeof openStaging>

const staged = 'staging.line'

/**
 * A table like the one that the lines are meant for: on disk, unnamed, gone with the process.
 * @param columns in the order in which the values come; the table's others take their defaults
 * @throws {SqliteError} from its functions if the folder for temporary files is full
 */
export function openStaging(db: Database.Database, table: SchemaTable, columns: readonly string[]) {
  db.exec("ATTACH '' AS staging")
  db.pragma(`staging.cache_size = -${cacheKibibytes}`)
  db.pragma('staging.synchronous = OFF')
  // Nothing outside of this table is checked until the lines are taken.
  const statement = createStatement(table).replaceAll(' REFERENCES fund', '')
  db.exec(statement.replace(/^CREATE TABLE \S+/, `CREATE TABLE ${staged}`))
  db.exec(`ALTER TABLE ${staged} ADD COLUMN line_number INTEGER`)
  const insert = db.prepare(
    `INSERT INTO ${staged} (${columns.join(', ')}, line_number) VALUES (${columns.map(() => '?').join(', ')}, ?)`,
  )
  const sameKey = db
    .prepare<Value[], number>(
      `SELECT line_number FROM ${staged} WHERE ${table.key.map((name) => `${name} = ?`).join(' AND ')}`,
    )
    .pluck()
  const keyPlaces = table.key.map((name) => columns.indexOf(name))
  // One transaction that never touches the database itself, and so never locks it.
  db.exec('BEGIN')
  return {
    /** @returns why the schema does not take the line, or undefined */
    add: (values: readonly Value[], line: number): string | undefined => {
      try {
        insert.run(...values, line)
        return undefined
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error
        if (error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
          const first = sameKey.get(...keyPlaces.map((place) => values[place] ?? null))
          return `the same ${table.key.join(', ')} as in line ${first ?? 0}`
        }
        if (!error.code.startsWith('SQLITE_CONSTRAINT')) throw error
        // `CHECK constraint failed: srri BETWEEN 1 AND 7`
        return `against the schema: ${error.message.replace(/^CHECK constraint failed: /, '')}`
      }
    },
    /** To be called after the last line. @returns the ISINs, ascending */
    end: (): readonly string[] => {
      db.exec('COMMIT')
      return db.prepare<[], string>(distinctIsins(staged)).pluck().all()
    },
  }
}

/** `upsert` keeps what the file does not name; `funds` replaces all rows of the funds that it names; `table` all rows. */
type Scope = 'upsert' | 'funds' | 'table'

/** How to wait for others that read or write. */
export interface Waiting {
  readonly patienceMs: number
  readonly onWait: () => void
  readonly signal: AbortSignal
}

export interface TakeOptions extends Waiting {
  readonly scope: Scope
  readonly isDryRun: boolean
  /** Computes the columns of prices that the file lacks. */
  readonly isDeriving: boolean
  /** The day that is marked as loaded; true: the newest one of table `price`; undefined: no mark. */
  readonly complete: string | true | undefined
  /** Whether a copy of the database is made if the import begins a load. */
  readonly isCopied: boolean
  readonly override: Override
  readonly now: Date
  readonly onFund: (done: number, of: number) => void
}

export interface Changes {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  /** Rows that are gone; with a fund also those of other tables. */
  readonly removed: number
}

interface Staged {
  readonly table: SchemaTable
  /** Columns that the file has, and derived ones. */
  readonly columns: readonly string[]
  readonly derived: readonly string[]
  readonly isins: readonly string[]
}

/**
 * Takes the staged lines into the database: one transaction, a fund at a time. Before the first import of a load commits, a
 * copy of the database as it was gets its name.
 * @returns what changed; what the guard has against it, of a dry run, or what was allowed; the copy of the load, or null;
 * the prices of the database that were derived again, by the file's prices or by corporate actions; and those of the file without a
 * performance
 * @throws {Refusal} if too much would be removed
 * @throws {Error} if it fails, or the signal aborts: the database is as it was
 */
export async function takeLines(db: Database.Database, lines: Staged, options: TakeOptions) {
  const { isDryRun, complete, override, now } = options
  let backup: Backup | undefined
  if (isDryRun) db.exec('BEGIN')
  else backup = await beginWriting(db, options)
  try {
    const { changes, removed, ...figures } = await changeFunds(db, lines, options)
    const derived = { ...figures, byActions: isDryRun ? noneDerived : deriveByActions(db, lines) }
    const objections = removed.flatMap(objectionTo)
    if (isDryRun) {
      db.exec('ROLLBACK')
      return { changes, objections, allowed: [], copy: null, ...derived }
    }
    const allowed = refuseUnlessAllowed('the import', objections, override)
    const isChanged = changes.added + changes.changed + changes.removed > 0
    const isFirst = isChanged && !isLoadOpen(db)
    if (isFirst) beginLoad(db, backup?.keep() ?? null)
    if (isChanged) addToLoad(db, lines.table.name)
    const copy = isChanged ? copyOfLoad(db) : null
    if (complete !== undefined) markComplete(db, complete === true ? undefined : complete, now.toISOString())
    db.exec('COMMIT')
    if (isFirst) {
      removeOtherCopies(db.name, copy)
      // A copy without changes is discarded below.
      backup = undefined
    }
    return { changes, objections, allowed, copy, ...derived }
  } catch (error) {
    // A full disk has ended the transaction already.
    if (db.inTransaction) db.exec('ROLLBACK')
    throw withoutColumn(error) ?? error
  } finally {
    backup?.discard()
  }
}

/** Notes which funds the file has derived prices of, and derives those again whose corporate actions have changed. */
function deriveByActions(db: Database.Database, { derived, isins }: Staged) {
  if (derived.length > 0) markDerived(db, isins)
  return deriveAgain(db)
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

/** Of no price. */
export const noneDerived = { count: 0, first: '' }

/** @returns `removed`: of each table that loses rows, how many that no others replace, and how many it had */
async function changeFunds(
  db: Database.Database,
  { table, columns, derived, isins }: Staged,
  { scope, isDryRun, onFund, signal }: TakeOptions,
) {
  const { count, upsert, removals } = prepare(db, table, columns, scope)
  const deriver =
    derived.length === 0
      ? undefined
      : priceDeriver(db, staged, derived, scope === 'upsert', pricingActions(db))
  const changes = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  const all = [...(scope === 'table' ? isinsOutsideOf(db, table) : []), ...isins]
  for await (const isin of inTurn(all, onFund, signal)) {
    deriver?.derive(isin)
    const { added, changed, lines } = count.get({ isin }) ?? { added: 0, changed: 0, lines: 0 }
    changes.added += added
    changes.changed += changed
    changes.unchanged += lines - added - changed
    for (const removal of removals) {
      removal.rows += removal.count.get({ isin }) ?? 0
      removal.lost += removal.countLost.get({ isin }) ?? 0
      if (!isDryRun) removal.remove.run({ isin })
    }
    if (!isDryRun && added + changed > 0) upsert.run({ isin })
  }
  // The table of the file first.
  const removed = removals.toReversed().flatMap(({ name, rows, lost }) => {
    changes.removed += rows
    if (rows === 0) return []
    const found = Number(db.prepare(`SELECT count(*) FROM main.${name}`).pluck().get())
    return [
      {
        name,
        rows: lost,
        before: isDryRun ? found : found + rows - (name === table.name ? changes.added : 0),
      },
    ]
  })
  return {
    changes,
    removed,
    again: deriver?.again ?? noneDerived,
    withoutBase: deriver?.withoutBase ?? noneDerived,
  }
}

/** An import removes a tenth of a table's rows without being asked, and no fund. */
function objectionTo({ name, rows, before }: { name: string; rows: number; before: number }): Objection[] {
  const limit = name === 'fund' ? 0 : Math.floor(before / 10)
  if (rows <= limit) return []
  const message = `it would remove ${rows} of ${before} rows of table ${name}, more than ${limit}`
  const figures = { before, after: before - rows, limit: before - limit }
  return [{ guard: 'removed-rows', subject: name, message, figures }]
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

function isinsOutsideOf(db: Database.Database, table: SchemaTable): string[] {
  return db
    .prepare<[], string>(
      `SELECT isin FROM (${distinctIsins(`main.${table.name}`)}) EXCEPT SELECT isin FROM (${distinctIsins(staged)})`,
    )
    .pluck()
    .all()
}

function prepare(db: Database.Database, table: SchemaTable, columns: readonly string[], scope: Scope) {
  const names = table.columns.map(({ name }) => name)
  // The values that the file does not have stay; if rows are replaced, they go.
  const values = names.filter(
    (name) => !table.key.includes(name) && (scope !== 'upsert' || columns.includes(name)),
  )
  const own = `main.${table.name}`
  const same = table.key.map((key) => `own.${key} = line.${key}`).join(' AND ')
  const differs = values.map((name) => `own.${name} IS NOT line.${name}`).join(' OR ')
  const excluded = values.map((name) => `${name} = excluded.${name}`).join(', ')
  const isNew = values.map((name) => `own.${name} IS NOT excluded.${name}`).join(' OR ')
  const update = values.length === 0 ? 'NOTHING' : `UPDATE SET ${excluded} WHERE ${isNew}`
  return {
    count: db.prepare<{ isin: string }, Readonly<Record<'lines' | 'added' | 'changed', number>>>(`
      SELECT count(*) AS lines, count(*) FILTER (WHERE own.isin IS NULL) AS added,
        count(*) FILTER (WHERE own.isin IS NOT NULL AND (${differs || 'false'})) AS changed
      FROM ${staged} AS line LEFT JOIN ${own} AS own ON ${same} WHERE line.isin = :isin`),
    upsert: db.prepare(`
      INSERT INTO ${own} AS own (${names.join(', ')})
      SELECT ${names.join(', ')} FROM ${staged} AS line WHERE line.isin = :isin
      ON CONFLICT (${table.key.join(', ')}) DO ${update}`),
    removals: scope === 'upsert' ? [] : removalsOf(db, table, same),
  }
}

/**
 * Deletes the rows that the file does not have; of a fund that it does not have, first the rows of the other tables, but
 * those that stay when their fund is gone.
 */
function removalsOf(db: Database.Database, table: SchemaTable, same: string) {
  const removal = (name: string, isSame: string, replacing: string | null) => {
    const rows = `FROM main.${name} AS own WHERE own.isin = :isin AND NOT EXISTS (SELECT 1 FROM ${staged} AS line WHERE ${isSame})`
    return {
      name,
      /** Removed so far. */
      rows: 0,
      /** Those among them that no new row replaces. */
      lost: 0,
      count: db.prepare<{ isin: string }, number>(`SELECT count(*) ${rows}`).pluck(),
      countLost: db.prepare<{ isin: string }, number>(replacing ?? `SELECT count(*) ${rows}`).pluck(),
      remove: db.prepare(`DELETE ${rows}`),
    }
  }
  const others = Object.values(schemaTables).filter((other) => table.name === 'fund' && other !== table)
  const ofFund = (other: SchemaTable) => `line.isin = own.isin OR ${outlivingRows(other, 'own')}`
  return [
    ...others.map((other) => removal(other.name, ofFund(other), null)),
    removal(table.name, same, replacedQuery(table, same)),
  ]
}

/** Key columns with few values, which say of what sort a row is; the others say which one it is: a day, a year, a position, a label. */
const isOfSort = ({ isKey, kind, allowed }: TableColumn) =>
  isKey && (allowed !== undefined || kind === 'structureType' || kind === 'language')

/**
 * A query for the number of a fund's rows that go, beyond the new ones of the same sort: documents of this year replace those of the
 * last one, although their day is a part of the key. Of prices, a new day replaces none.
 */
function replacedQuery({ name, columns }: SchemaTable, same: string): string | null {
  if (name === schemaTables.prices.name) return null
  const sorts = columns.filter(isOfSort).map((column) => column.name)
  const counted = (from: string, other: string) => {
    const [table = '', alias = ''] = from.split(' ')
    const groups = sorts.length === 0 ? '' : `GROUP BY ${sorts.map((sort) => `${alias}.${sort}`).join(', ')}`
    const named = ['count(*) AS rows', ...sorts.map((sort) => `${alias}.${sort} AS ${sort}`)].join(', ')
    return `(SELECT ${named} FROM ${table} AS ${alias} WHERE ${alias}.isin = :isin AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${same}) ${groups})`
  }
  const gone = counted(`main.${name} own`, `${staged} AS line`)
  const fresh = counted(`${staged} line`, `main.${name} AS own`)
  const join = sorts.length === 0 ? 'true' : sorts.map((sort) => `gone.${sort} = fresh.${sort}`).join(' AND ')
  return `SELECT coalesce(sum(max(0, gone.rows - coalesce(fresh.rows, 0))), 0) FROM ${gone} AS gone LEFT JOIN ${fresh} AS fresh ON ${join}`
}
