/** Taking the staged lines into the database: one transaction, a fund at a time. */

import { setImmediate, setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { distinctIsins, stagedLines } from './staging.ts'
import type { Table } from './tables.ts'

/** `upsert` keeps what the file does not name; `funds` replaces all rows of the funds that it names; `table` all rows. */
export type Scope = 'upsert' | 'funds' | 'table'

export interface TakeOptions {
  readonly db: Database.Database
  readonly table: Table
  /** Every table of the schema: of a fund that goes, all rows go. */
  readonly tables: ReadonlyMap<string, Table>
  /** The columns that the file has. */
  readonly columns: readonly string[]
  readonly scope: Scope
  readonly isins: readonly string[]
  /** Counts only. */
  readonly isDryRun: boolean
  /** How long to wait for others that read or write, in milliseconds. */
  readonly patienceMs: number
  readonly onWait: () => void
  readonly onFund: (done: number, of: number) => void
  readonly signal: AbortSignal
}

export interface Changes {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  /** Rows that are gone; with a fund also those of other tables. */
  readonly removed: number
}

/** @throws {Error} if it fails, or the signal aborts: the database is as it was */
export async function takeLines(options: TakeOptions): Promise<Changes> {
  const { db, isDryRun } = options
  if (isDryRun) db.exec('BEGIN')
  else await beginWriting(options)
  try {
    const changes = await takeFunds(options)
    if (isDryRun) db.exec('ROLLBACK')
    else db.exec('COMMIT')
    return changes
  } catch (error) {
    // A full disk has ended the transaction already.
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/**
 * Nobody reads while the lines are taken, unless the database is in WAL mode: without a log, SQLite would have to keep
 * all that changes in memory until the last reader is gone. The lock is asked for now and then, and let go at once, so
 * that waiting for it keeps nobody else out.
 */
async function beginWriting({ db, patienceMs, onWait, signal }: TakeOptions): Promise<void> {
  db.pragma('busy_timeout = 0')
  const end = performance.now() + patienceMs
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    try {
      db.exec('BEGIN EXCLUSIVE')
      return
    } catch (error) {
      const isBusy = error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')
      if (!isBusy || performance.now() > end) throw error
      if (tries === 20) onWait()
      await setTimeout(50, undefined, { signal }).catch(() => undefined)
    }
  }
}

async function takeFunds(options: TakeOptions): Promise<Changes> {
  const { db, table, scope, isins, isDryRun, onFund, signal } = options
  const statements = prepare(options)
  const sum = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  const gone = scope === 'table' ? isinsOutsideOf(db, table) : []
  const of = gone.length + isins.length
  for (const [index, isin] of [...gone, ...isins].entries()) {
    const { added, changed, lines } = statements.count.get({ isin }) ?? { added: 0, changed: 0, lines: 0 }
    sum.added += added
    sum.changed += changed
    sum.unchanged += lines - added - changed
    if (scope !== 'upsert')
      for (const { count } of statements.removals) sum.removed += count.get({ isin }) ?? 0
    if (!isDryRun) {
      if (scope !== 'upsert') for (const { remove } of statements.removals) remove.run({ isin })
      if (added + changed > 0) statements.upsert.run({ isin })
    }
    onFund(index + 1, of)
    await setImmediate()
    signal.throwIfAborted()
  }
  return sum
}

function isinsOutsideOf(db: Database.Database, table: Table): string[] {
  return db
    .prepare<[], string>(
      `SELECT isin FROM (${distinctIsins(`main.${table.name}`)})
       EXCEPT SELECT isin FROM (${distinctIsins(stagedLines)})`,
    )
    .pluck()
    .all()
}

interface Counts {
  readonly added: number
  readonly changed: number
  readonly lines: number
}

function prepare({ db, table, tables, columns, scope }: TakeOptions) {
  const names = table.columns.map(({ name }) => name)
  const keys = table.columns.filter(({ isKey }) => isKey).map(({ name }) => name)
  // Of a row that is there, what the file does not have stays; where rows are replaced, it goes.
  const values = names.filter(
    (name) => !keys.includes(name) && (scope !== 'upsert' || columns.includes(name)),
  )
  const own = `main.${table.name}`
  const same = keys.map((key) => `own.${key} = line.${key}`).join(' AND ')
  const differs = values.map((name) => `own.${name} IS NOT line.${name}`).join(' OR ')
  const excluded = values.map((name) => `${name} = excluded.${name}`).join(', ')
  const isNew = values.map((name) => `own.${name} IS NOT excluded.${name}`).join(' OR ')
  const update = values.length === 0 ? 'NOTHING' : `UPDATE SET ${excluded} WHERE ${isNew}`
  return {
    count: db.prepare<{ isin: string }, Counts>(`
      SELECT count(*) AS lines, count(*) FILTER (WHERE own.isin IS NULL) AS added,
        count(*) FILTER (WHERE own.isin IS NOT NULL AND (${differs || 'false'})) AS changed
      FROM ${stagedLines} AS line LEFT JOIN ${own} AS own ON ${same} WHERE line.isin = :isin`),
    upsert: db.prepare(`
      INSERT INTO ${own} AS own (${names.join(', ')})
      SELECT ${names.join(', ')} FROM ${stagedLines} AS line WHERE line.isin = :isin
      ON CONFLICT (${keys.join(', ')}) DO ${update}`),
    removals: removalsOf(table, tables).map(({ from, isLeft }) => ({
      count: db
        .prepare<{ isin: string }, number>(`SELECT count(*) FROM ${from} AS own WHERE ${isLeft}`)
        .pluck(),
      remove: db.prepare(`DELETE FROM ${from} AS own WHERE ${isLeft}`),
    })),
  }
}

interface Removal {
  readonly from: string
  readonly isLeft: string
}

/** Of a fund that the file does not have, the rows of the other tables go first. */
function removalsOf(table: Table, tables: ReadonlyMap<string, Table>): Removal[] {
  const keys = table.columns.filter(({ isKey }) => isKey).map(({ name }) => name)
  const same = keys.map((key) => `line.${key} = own.${key}`).join(' AND ')
  const isLeft = `own.isin = :isin AND NOT EXISTS (SELECT 1 FROM ${stagedLines} AS line WHERE ${same})`
  const own = { from: `main.${table.name}`, isLeft }
  if (table.name !== 'fund') return [own]
  const others = [...tables.keys()].filter((name) => name !== 'fund')
  const ofFund =
    'own.isin = :isin AND NOT EXISTS (SELECT 1 FROM staging.line AS line WHERE line.isin = own.isin)'
  return [...others.map((name) => ({ from: `main.${name}`, isLeft: ofFund })), own]
}
