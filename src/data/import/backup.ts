/** Copies of a database as it was before an import. */

import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  type Stats,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Database } from 'better-sqlite3'
import { todayInBerlin } from '../../guards/clock.ts'
import { flushFile, flushFolder } from '../../system/durable.ts'
import { messageOf } from '../../system/message.ts'
import { makePrivateFile, privateFile, privateFolder } from '../../system/private.ts'
import { removeLeftovers, temporaryName } from '../model/new-database.ts'
import { databaseError } from '../read/open.ts'

/** How many copies of a database are kept, and for how many days with an import the first of each. */
const maxCopies = 7
/** 8 MB: large enough to be fast, small enough to hear a signal soon. */
const pagesAtOnce = 2000

/** `funds.sqlite.2026-11-22T20-05-33.123Z.backup`, in the order of time. @param folder where they are; undefined: beside the database */
export function copiesOf(db: string, folder: string | undefined) {
  const path = realpathSync(db)
  const home = folder === undefined ? dirname(path) : resolve(folder)
  // Databases of the same name in several folders may share a folder of copies.
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 8)
  const start = home === dirname(path) ? `${basename(path)}.` : `${basename(path)}.${digest}.`
  const form = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z\.backup$/
  const list = () =>
    (existsSync(home) ? readdirSync(home) : [])
      .filter((name) => name.startsWith(start) && form.test(name.slice(start.length)))
      .sort()
  /** When the database was as in this copy, ISO 8601. */
  const timeOf = (name: string) =>
    name.slice(start.length, -'.backup'.length).replace(/(T\d\d)-(\d\d)-/, '$1:$2:')
  const dayOf = (name: string) => todayInBerlin(new Date(timeOf(name)))
  const nameAt = (ms: number) => `${start}${new Date(ms).toISOString().replaceAll(':', '-')}.backup`
  return { path, home, list, timeOf, dayOf, nameAt }
}

export function giveTo(file: string, { mode, uid, gid }: Pick<Stats, 'mode' | 'uid' | 'gid'>): void {
  chmodSync(file, mode)
  if (process.getuid?.() === 0) chownSync(file, uid, gid)
}

export type Backup = Awaited<ReturnType<typeof makeBackup>>

/**
 * A copy of a database, flushed to the disk, under a temporary name: `keep` names it, `discard` removes it.
 * @param db not in a transaction @throws {Error} if it cannot be written; nothing is left behind
 */
export async function makeBackup(db: Database, folder: string | undefined, now: Date, signal: AbortSignal) {
  const { path, home, list, timeOf, dayOf, nameAt } = copiesOf(db.name, folder)
  const temporary = join(home, temporaryName(path, process.pid))
  let file = temporary
  const discard = () => {
    // If `home` is a file, `force` does not help: the error would hide the first one.
    for (const path of [file, `${file}-journal`]) if (existsSync(path)) rmSync(path, { force: true })
  }
  try {
    mkdirSync(home, { recursive: true, mode: privateFolder })
    removeLeftovers(join(home, basename(path)))
    const stats = statSync(path)
    makePrivateFile(temporary)
    const progress = () => {
      signal.throwIfAborted()
      return pagesAtOnce
    }
    await db.backup(temporary, { progress })
    giveTo(temporary, { mode: privateFile, uid: stats.uid, gid: stats.gid })
    flushFile(temporary)
  } catch (error) {
    discard()
    if (signal.aborted) throw error
    const reason = databaseError(temporary, error)
    const advice = 'choose another folder (--backup), or do without a copy (--no-backup)'
    throw new Error(`no copy of ${db.name} could be made, ${advice}: ${messageOf(reason)}`, { cause: reason })
  }
  return {
    /** Names it after the time, before the import commits. @returns the file */
    keep: (): string => {
      const last = list().at(-1)
      // After all others, also if two imports begin in the same moment or the clock was set back.
      const ms = Math.max(now.getTime(), last === undefined ? 0 : Date.parse(timeOf(last)) + 1)
      renameSync(temporary, join(home, nameAt(ms)))
      file = join(home, nameAt(ms))
      flushFolder(home)
      return file
    },
    /** Removes all but the newest copies and the first ones of the newest days, after the import has committed. */
    prune: () => {
      const names = list()
      const firsts = [...Map.groupBy(names, dayOf).values()].map(([first]) => first)
      const kept = new Set([...names.slice(-maxCopies), ...firsts.slice(-maxCopies)])
      for (const name of names) if (!kept.has(name)) rmSync(join(home, name), { force: true })
    },
    discard,
  }
}
