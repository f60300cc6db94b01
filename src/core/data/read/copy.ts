/** Copies of a fund database that a build reads in its place. */

import Database from 'better-sqlite3'
import { makePrivateFile } from '../../system/private.ts'
import type { SchemaTable } from '../model/columns.ts'
import { identifier } from './only-rows.ts'

/**
 * Copies what the transaction sees: other connections can read the copy without seeing what is committed meanwhile. Triggers are
 * gone: nothing of the supplier's runs when the copy is changed. Only its owner may read it: it has data that may not be given out.
 */
export async function copyDatabase(file: string, db: Database.Database): Promise<void> {
  makePrivateFile(file)
  await db.backup(file, { progress: () => 1 << 14 })
  changeCopy(file, (copy) => {
    const triggers = copy.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'trigger'").pluck()
    for (const name of triggers.all()) copy.exec(`DROP TRIGGER ${identifier(name)}`)
  })
}

/** @param change is made as a whole, or not at all */
export function changeCopy(file: string, change: (copy: Database.Database) => void): void {
  const copy = new Database(file, { fileMustExist: true })
  try {
    // The copy of a database in WAL mode is in this mode, too: readers would write beside it.
    copy.pragma('journal_mode = DELETE')
    copy.pragma('synchronous = OFF')
    copy.pragma('ignore_check_constraints = ON')
    copy.transaction(change)(copy)
  } finally {
    copy.close()
  }
}

/** Columns of a table that the model does not know. */
interface ForeignColumn {
  readonly name: string
  readonly type: string
  readonly isNotNull: 0 | 1
}

/**
 * A statement that inserts rows into a table of a copy. Columns that the model does not know get an empty value: without one,
 * SQLite would compute the supplier's default for each row.
 */
export function insertInto(copy: Database.Database, table: SchemaTable, names: readonly string[]) {
  const foreign = copy
    .prepare<[string], ForeignColumn>('SELECT name, type, "notnull" AS isNotNull FROM pragma_table_info(?)')
    .all(table.name)
    .filter(({ name }) => !table.columns.some((own) => own.name === name.toLowerCase()))
  const columns = [...names, ...foreign.map(({ name }) => identifier(name))].join(', ')
  const values = [...names.map(() => '?'), ...foreign.map(emptyValue)].join(', ')
  return copy.prepare(`INSERT INTO ${table.name} (${columns}) VALUES (${values})`)
}

/** Source: SQLite, STRICT tables: the types that a column can have. */
function emptyValue({ type, isNotNull }: ForeignColumn): string {
  if (isNotNull === 0) return 'NULL'
  if (type.toUpperCase() === 'BLOB') return "x''"
  return ['TEXT', 'ANY'].includes(type.toUpperCase()) ? "''" : '0'
}
