/** Makes a database file completely or not at all: writes it under another name beside its place, then renames it. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { flushFile, flushFolder } from '../../system/durable.ts'
import { placeToWrite } from '../../system/place.ts'
import { makePrivateFile } from '../../system/private.ts'
import { isAlive } from '../../system/holder.ts'
import { messageOf } from '../../system/message.ts'
import type { SchemaTable } from './columns.ts'

/**
 * An empty database of the project's schema, with a journal in memory: if writing fails, discard it. Only its owner may read it,
 * unless it replaces a file that more users may read.
 * @throws {Error} that names the file if it cannot be made; nothing is left behind
 */
export function newDatabase(file: string) {
  const path = placeToWrite(file, 'file')
  const folder = dirname(path)
  const temporary = join(folder, temporaryName(path, process.pid))
  let db: Database.Database | undefined
  let firstMade: string | undefined

  /** Closes and removes the database, and the folders that were made for it. */
  const discard = () => {
    db?.close()
    rmSync(temporary, { force: true })
    if (firstMade !== undefined) removeEmptyFolders(folder, firstMade)
  }
  try {
    firstMade = mkdirSync(folder, { recursive: true })
    removeLeftovers(path)
    makePrivateFile(temporary)
    db = new Database(temporary)
    // OFF would do, but SQLite's defensive mode, which better-sqlite3 sets, silently refuses it.
    db.pragma('journal_mode = MEMORY')
    db.pragma('synchronous = OFF')
    db.exec(schemaSql())
  } catch (error) {
    discard()
    throw cannotBeMade(file, error)
  }
  const made = db
  /** Closes the database and replaces the file by it. Returns when the file is on the disk. */
  const keep = () => {
    made.close()
    const earlier = statSync(path, { throwIfNoEntry: false })
    if (earlier !== undefined) chmodSync(temporary, earlier.mode)
    // SQLite did not wait for the disk.
    flushFile(temporary)
    // A program that had the old file open left them: with the new file they would make a corrupt database.
    for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true })
    renameSync(temporary, path)
    flushFolder(folder, dirname(firstMade ?? path))
  }
  return { db: made, keep, discard }
}

const cannotBeMade = (file: string, reason: unknown) =>
  new Error(`${file} cannot be created: ${messageOf(reason)}`, { cause: reason })

export const schemaSql = () =>
  readFileSync(new URL('../../../../templates/schema.sql', import.meta.url), 'utf8')

/** The statement of `templates/schema.sql` that makes a table, up to its semicolon. */
export function createStatement({ name }: SchemaTable): string {
  const pattern = new RegExp(`^CREATE TABLE ${name} [^]*?STRICT, WITHOUT ROWID`, 'm')
  const [statement] = pattern.exec(schemaSql()) ?? []
  if (statement === undefined) throw new Error(`schema.sql has no table ${name}`)
  return statement
}

/** Beside a file, while it is being written. */
export const temporaryName = (path: string, pid: number) => `.${basename(path)}.fundpress-${pid}.tmp`

/** Removes what killed processes left. A file with our own process ID is of an earlier process with that number. */
export function removeLeftovers(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const pid = Number(/\.fundpress-([1-9][0-9]*)\.tmp$/.exec(name)?.[1] ?? 0)
    if (name !== temporaryName(path, pid) || (pid !== process.pid && isAlive({ pid }))) continue
    for (const suffix of ['', '-journal']) rmSync(join(dirname(path), name + suffix), { force: true })
  }
}

/** From `folder` upwards to `top`, as far as they are empty. */
function removeEmptyFolders(folder: string, top: string): void {
  try {
    for (let at = folder; at.length >= top.length; at = dirname(at)) rmdirSync(at)
  } catch {
    // Another program has put something there in the meantime: it stays.
  }
}

/** An empty database, and its folder. @throws {Error} if the file exists or cannot be made; nothing is left behind then */
export function initDatabase(file: string): void {
  if (existsSync(placeToWrite(file, 'file')))
    throw new Error(`${file} exists: choose another --db, or remove it`)
  const made = newDatabase(file)
  try {
    made.keep()
  } catch (error) {
    made.discard()
    throw cannotBeMade(file, error)
  }
}
