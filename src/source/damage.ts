/** Whether the pages of a database file are sound: SQLite's own check, made before anything of the file is believed. */

import type { Database } from 'better-sqlite3'
import { escapeInvisible } from './printable.ts'

/** As many as tell what kind of damage it is. */
const maxMessages = 10

/** The file of the database is damaged: nothing of it can be relied on. */
export class DamagedDatabase extends Error {
  override readonly name = 'DamagedDatabase'
}

/**
 * `PRAGMA integrity_check`, not `quick_check`: the tables have no index beside their primary key, so that both take the same
 * time (0.2 s for 100 MB), and only the former finds rows out of order, which lookups would miss. Of 1,020 flipped bits
 * that it found, `quick_check` found 436.
 * @returns what SQLite found, a line each; empty of a sound file
 */
export function damageIn(db: Database): readonly string[] {
  // What a CHECK constraint of the schema refuses is named by row, fund and column elsewhere.
  db.pragma('ignore_check_constraints = ON')
  const found = db.prepare<[], string>(`PRAGMA integrity_check(${maxMessages})`).pluck().all()
  return found.filter((line) => line !== 'ok').map((line) => escapeInvisible(line.replace(/\s+/g, ' ')))
}

/** @throws {DamagedDatabase} if there is any @param damage as `damageIn` gives it */
export function refuseDamage(file: string, damage: readonly string[]): void {
  const [first, ...others] = damage
  if (first === undefined) return
  const more = others.length === 0 ? '' : `, and ${others.length} more`
  throw new DamagedDatabase(`${file}: it is damaged: ${whatToDo} (${first.slice(0, 200)}${more})`)
}

/** What to do with a damaged database. */
export const whatToDo =
  'restore it from a backup, or save what is left with `sqlite3 DAMAGED .recover | sqlite3 NEW`'
