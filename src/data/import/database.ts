/**
 * The database side of an import: opening the database for writing, staging the good lines in a table outside of it, and
 * taking them over in one transaction.
 */

import { setImmediate, setTimeout } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { checkSchema } from '../check/structure.ts'
import { createStatement, schemaTableNames, type SchemaTable } from '../model/schema.ts'
import { distinctIsins } from '../read/fund-reader.ts'
import { databaseError, isBusy, openFunds } from '../read/open.ts'
import type { Value } from './values.ts'

/** For the pages that wait for the commit, and for the staged lines; the rest goes to disk. */
const cacheKibibytes = 65_536

/** @throws {Error} if the file is missing, is not a database, or has another schema */
export function openForWriting(file: string): Database.Database {
  mustBeReadable(file)
  const db = new Database(file, { fileMustExist: true })
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

function mustBeReadable(file: string): void {
  try {
    openFunds(file).close()
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined
    if (!(cause instanceof Database.SqliteError) || cause.code !== 'SQLITE_READONLY_ROLLBACK') throw error
    // The next program that opens the database for writing undoes what an interrupted one has left.
    const db = new Database(file, { fileMustExist: true })
    try {
      db.prepare('SELECT count(*) FROM sqlite_schema').get()
    } finally {
      db.close()
    }
    openFunds(file).close()
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
  // Nothing outside of this table is checked until the lines are taken.
  db.pragma('foreign_keys = OFF')
  db.exec("ATTACH '' AS staging")
  db.pragma(`staging.cache_size = -${cacheKibibytes}`)
  db.pragma('staging.synchronous = OFF')
  db.exec(createStatement(table).replace(/^CREATE TABLE \S+/, `CREATE TABLE ${staged}`))
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
    /** Call it after the last line. @returns the ISINs, ascending */
    end: (): readonly string[] => {
      db.exec('COMMIT')
      db.pragma('foreign_keys = ON')
      return db.prepare<[], string>(distinctIsins(staged)).pluck().all()
    },
  }
}

/** `upsert` keeps what the file does not name; `funds` replaces all rows of the funds that it names; `table` all rows. */
export type Scope = 'upsert' | 'funds' | 'table'

export interface TakeOptions {
  readonly scope: Scope
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

/**
 * Takes the staged lines into the database: one transaction, a fund at a time.
 * @param columns those that the file has
 * @throws {Error} if it fails, or the signal aborts: the database is as it was
 */
export async function takeLines(
  db: Database.Database,
  table: SchemaTable,
  columns: readonly string[],
  isins: readonly string[],
  options: TakeOptions,
): Promise<Changes> {
  const { scope, isDryRun, onFund, signal } = options
  if (isDryRun) db.exec('BEGIN')
  else await beginWriting(db, options)
  try {
    const { count, upsert, removals } = prepare(db, table, columns, scope)
    const sum = { added: 0, changed: 0, unchanged: 0, removed: 0 }
    const all = [...(scope === 'table' ? isinsOutsideOf(db, table) : []), ...isins]
    for (const [index, isin] of all.entries()) {
      const { added, changed, lines } = count.get({ isin }) ?? { added: 0, changed: 0, lines: 0 }
      sum.added += added
      sum.changed += changed
      sum.unchanged += lines - added - changed
      for (const removal of removals) sum.removed += removal.count.get({ isin }) ?? 0
      if (!isDryRun) {
        for (const { remove } of removals) remove.run({ isin })
        if (added + changed > 0) upsert.run({ isin })
      }
      onFund(index + 1, all.length)
      await setImmediate()
      signal.throwIfAborted()
    }
    db.exec(isDryRun ? 'ROLLBACK' : 'COMMIT')
    return sum
  } catch (error) {
    // A full disk has ended the transaction already.
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/**
 * Nobody reads while the lines are taken, unless the database is in WAL mode: without a log, SQLite would have to keep
 * all changes in memory until the last reader is gone. The lock is asked for now and then and released at once, so that
 * waiting for it keeps nobody else out.
 */
async function beginWriting(db: Database.Database, options: TakeOptions): Promise<void> {
  const { patienceMs, onWait, signal } = options
  db.pragma('busy_timeout = 0')
  const end = performance.now() + patienceMs
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted()
    try {
      db.exec('BEGIN EXCLUSIVE')
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

/** Deletes the rows that the file does not have; of a fund that it does not have, first the rows of the other tables. */
function removalsOf(db: Database.Database, table: SchemaTable, same: string) {
  const removal = (name: string, isSame: string) => {
    const rows = `FROM main.${name} AS own WHERE own.isin = :isin AND NOT EXISTS (SELECT 1 FROM ${staged} AS line WHERE ${isSame})`
    return {
      count: db.prepare<{ isin: string }, number>(`SELECT count(*) ${rows}`).pluck(),
      remove: db.prepare(`DELETE ${rows}`),
    }
  }
  const others = table.name === 'fund' ? schemaTableNames.filter((name) => name !== 'fund') : []
  return [...others.map((name) => removal(name, 'line.isin = own.isin')), removal(table.name, same)]
}
