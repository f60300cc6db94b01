/** `fundpress.sqlite`: every table in one file, with types, keys, and a description of each column. */

import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { FundDatabase } from '../source/open.ts'
import type { Column, ColumnType, Permission, Table } from './column.ts'
import { fileThere, type WrittenFile } from './file-sink.ts'
import { permittedIsins, type FundScope } from './scope.ts'
import { tables } from './tables.ts'

const name = 'fundpress.sqlite'

const pragmas: readonly string[] = [
  ...['page_size = 4096', 'user_version = 1'],
  // The file is thrown away if anything happens.
  ...['journal_mode = OFF', 'synchronous = OFF'],
  // Rows are of permitted funds, and these are in it: looking each one up takes a tenth of the time.
  'foreign_keys = OFF',
]

/**
 * Rows go in by SQLite itself, in the order of the keys: the same rows give the same bytes.
 * @param source the file of a fund database that nobody writes to
 */
export function writeDatabase(
  source: string,
  scopes: readonly FundScope[],
  asOf: string,
  folder: string,
): WrittenFile {
  const db = new Database(join(folder, name))
  try {
    for (const pragma of pragmas) db.pragma(pragma)
    db.prepare('ATTACH ? AS source').run(source)
    listPermitted(db, scopes)
    db.transaction(() => {
      for (const table of tables) {
        db.exec(definition(table))
        db.exec(
          `INSERT INTO main.${table.name} SELECT ${table.columns.map(valueOf).join(', ')} ` +
            `FROM source.${table.source} AS t WHERE t.isin IN temp.${table.needs} ` +
            `ORDER BY ${table.key.map((column) => `t.${column}`).join(', ')}`,
        )
      }
      db.exec('CREATE INDEX main.prices_by_date ON prices (date)')
      describe(db, asOf)
    })()
    db.exec('DETACH source')
  } finally {
    db.close()
  }
  return fileThere(folder, name)
}

const permissions: readonly Permission[] = ['data', 'prices', 'performance']

function listPermitted(db: FundDatabase, scopes: readonly FundScope[]): void {
  for (const permission of permissions) {
    db.exec(`CREATE TEMP TABLE ${permission} (isin TEXT PRIMARY KEY) WITHOUT ROWID`)
    const insert = db.prepare(`INSERT INTO temp.${permission} VALUES (?)`)
    for (const isin of permittedIsins(scopes, permission)) insert.run(isin)
  }
}

/** A text of digits is REAL here, so that it can be compared and added up; CSV and Parquet have every digit. */
const sqlTypes: Readonly<Record<ColumnType, string>> = {
  text: 'TEXT',
  date: 'TEXT',
  decimal: 'REAL',
  number: 'REAL',
  integer: 'INTEGER',
  boolean: 'INTEGER',
}

const valueOf = ({ sql, type }: Column) => (type === 'decimal' ? `CAST(${sql} AS REAL)` : sql)

/** `sqlite_schema` keeps the comments: whoever looks at the schema reads what the columns are. */
function definition({ name: table, describe: what, columns, key }: Table): string {
  const lines = columns.map(
    (column) =>
      `  ${column.name} ${sqlTypes[column.type]}${column.isNullable ? '' : ' NOT NULL'}, -- ${column.describe}\n`,
  )
  const reference = table === 'funds' ? '' : `,\n  FOREIGN KEY (isin) REFERENCES funds`
  return (
    `CREATE TABLE main.${table} ( -- ${what}\n${lines.join('')}` +
    `  PRIMARY KEY (${key.join(', ')})${reference}\n) STRICT, WITHOUT ROWID`
  )
}

/** The same for programs. */
function describe(db: FundDatabase, asOf: string): void {
  db.exec(
    'CREATE TABLE main.about (as_of TEXT NOT NULL) STRICT;' +
      'CREATE TABLE main.columns (table_name TEXT NOT NULL, position INTEGER NOT NULL, column_name TEXT NOT NULL, ' +
      'type TEXT NOT NULL, description TEXT NOT NULL, PRIMARY KEY (table_name, position)) STRICT, WITHOUT ROWID',
  )
  db.prepare('INSERT INTO main.about VALUES (?)').run(asOf)
  const insert = db.prepare('INSERT INTO main.columns VALUES (?, ?, ?, ?, ?)')
  for (const table of tables) {
    for (const [position, column] of table.columns.entries())
      insert.run(table.name, position, column.name, column.type, column.describe)
  }
}
