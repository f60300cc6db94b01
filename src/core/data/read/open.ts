/**
 * Opening the fund database, with errors that say which file and what to do. `damageIn` is SQLite's own check of the
 * file's pages, made before anything of the file is believed.
 */

import { existsSync } from 'node:fs'
import Database from 'better-sqlite3'
import { escapeInvisible } from '../model/printable.ts'
import { SCHEMA_VERSION } from '../model/schema.ts'
import { assertFile } from '../../system/place.ts'
import { assertOnlyRows } from './only-rows.ts'
import { describeRights } from './rights.ts'

export type FundDatabase = Database.Database

/** A reader takes fund after fund, and seldom returns to one. Each thread has a connection: the driver would give 16 MiB to each. */
const readingKibibytes = 2048

/**
 * Opens a database of the project's schema. SQLite undoes what an interrupted writer has left.
 * @throws {Error} if the file is missing, is not a SQLite database, has a schema of another version, or holds more than rows
 */
export function openFunds(file: string, mode: 'reading' | 'writing' = 'reading'): Database.Database {
  mustBeFile(file)
  let db: Database.Database | undefined
  try {
    if (mode === 'reading') undoInterrupted(file)
    db = new Database(file, { readonly: mode === 'reading', fileMustExist: true })
    const version: unknown = db.pragma('user_version', { simple: true })
    if (version !== SCHEMA_VERSION) {
      const found = tablesIn(db).length === 0 ? 'has no tables' : `has schema version ${String(version)}`
      throw new Error(
        `${file} ${found}, this fundpress reads version ${SCHEMA_VERSION}: make a new one (\`fundpress init\`) and fill it again`,
      )
    }
    // Source: SQLite, "Defense Against The Dark Arts".
    db.pragma('trusted_schema = OFF')
    db.pragma('cell_size_check = ON')
    assertOnlyRows(file, db)
    if (mode === 'reading') {
      // What a constraint of the schema refuses is named by row, fund and column elsewhere.
      db.pragma('ignore_check_constraints = ON')
      db.pragma(`cache_size = -${readingKibibytes}`)
    }
    return db
  } catch (error) {
    db?.close()
    throw databaseError(file, error)
  }
}

/** Undoes what an import that was killed has left, as far as this user may: a connection that only reads cannot. */
function undoInterrupted(file: string): void {
  if (!existsSync(`${file}-journal`)) return
  const db = new Database(file, { fileMustExist: true, timeout: 0 })
  try {
    tablesIn(db)
  } catch {
    // The connection that reads says what is wrong.
  } finally {
    db.close()
  }
}

/** The names of the tables in the file, in lower case. */
export const tablesIn = (db: Database.Database): readonly string[] =>
  db.prepare<[], string>("SELECT lower(name) FROM main.sqlite_schema WHERE type = 'table'").pluck().all()

function mustBeFile(file: string): void {
  try {
    assertFile(file)
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new Error(`${file} cannot be reached: check the rights of its folders`, { cause: error })
  }
  if (!existsSync(file))
    throw new Error(
      `${file} does not exist: make a database with \`fundpress init\` or \`fundpress init --demo\``,
    )
}

/**
 * Starts a read transaction, anew if there is one.
 * @returns false while another program commits: it may have to wait for our other connections to let go
 */
export function beginReading(db: Database.Database): boolean {
  if (db.inTransaction) db.exec('ROLLBACK')
  db.pragma('busy_timeout = 100')
  db.exec('BEGIN')
  try {
    // A transaction sees the database from its first read on.
    db.prepare('SELECT count(*) FROM sqlite_schema').get()
    return true
  } catch (error) {
    db.exec('ROLLBACK')
    if (isBusy(error)) return false
    throw error
  }
}

/** @returns what another program's commit changes, or undefined while one commits */
export function commitCount(db: Database.Database): number | undefined {
  try {
    return Number(db.pragma('data_version', { simple: true }))
  } catch (error) {
    if (isBusy(error)) return undefined
    throw error
  }
}

export const isBusy = (error: unknown) =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')

const damaged =
  'it is damaged: restore it from a backup, or save what is left with `sqlite3 DAMAGED .recover | sqlite3 NEW`'
const diskFull =
  'the disk is full, its own or that of the folder for temporary files (SQLITE_TMPDIR): free some space; the database is as it was'
const interrupted =
  'its writer was interrupted: open it once with a program that may write to it, `sqlite3` for example'

/** Adds the file and the remedy to an error of SQLite. Returns other errors unchanged. */
export function databaseError(file: string, error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error
  const { code } = error
  const [, advice] = advices.find(([start]) => code.startsWith(start)) ?? []
  const said = typeof advice === 'function' ? advice(file) : (advice ?? 'reading it failed')
  return new Error(`${file}: ${said} (${error.message})`, { cause: error })
}

/** Remedies, or what finds them, by the beginning of SQLite's code; the first match counts. */
const advices = [
  ['SQLITE_NOTADB', 'it is not a SQLite database'],
  ['SQLITE_CORRUPT', damaged],
  ['SQLITE_FULL', diskFull],
  ['SQLITE_BUSY', 'another program is writing to it: try again when it is done'],
  ['SQLITE_READONLY_ROLLBACK', interrupted],
  ['SQLITE_READONLY', describeRights],
  ['SQLITE_CANTOPEN', describeRights],
] as const

/** The file of the database is damaged: nothing of it can be relied on. */
class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'
}

/**
 * `PRAGMA integrity_check`, not `quick_check`: the tables have no index beside their primary key, so that both take the same
 * time (0.2 s for 100 MB), and only the former finds rows out of order, which lookups would miss. Of 1,020 flipped bits
 * that it found, `quick_check` found 436.
 * @returns what SQLite found, a line each; empty of a sound file
 */
export function damageIn(db: Database.Database): readonly string[] {
  // Ten messages tell what kind of damage it is.
  const found = db.prepare<[], string>('PRAGMA integrity_check(10)').pluck().all()
  return found.filter((line) => line !== 'ok').map((line) => escapeInvisible(line.replace(/\s+/g, ' ')))
}

/** @throws {DamagedDatabase} if there is any @param damage as `damageIn` gives it */
export function refuseDamage(file: string, damage: readonly string[]): void {
  const [first, ...others] = damage
  if (first === undefined) return
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  throw new DamagedDatabase(`${file}: ${damaged} (${first.slice(0, 200)}${more})`)
}
