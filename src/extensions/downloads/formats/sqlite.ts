/** `fund-data.sqlite`: every table in one file, with types, keys, and a description of each column. */

import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { FundDatabase } from '../../../core/data/read/open.ts'
import { fileThere } from '../../../core/snapshot/file-sink.ts'
import { type DownloadFund, type OutputColumn, type OutputTable, permittedFunds, tables } from '../tables.ts'
import { inBoth, type WholeFormat } from './format.ts'

const name = 'fund-data.sqlite'

export const sqlite: WholeFormat = {
  id: 'sqlite',
  kind: 'whole',
  name: 'sqlite',
  mediatype: 'application/vnd.sqlite3',
  label: inBoth('SQLite'),
  pieces: () => [{ name: 'database', row: 'database', describe: text, rows: null }],
  write: ({ folder, copy, funds, asOf }) => {
    writeDatabase(join(folder, name), copy, funds, asOf)
    return [{ ...fileThere(folder, name), piece: 'database' }]
  },
}

const text = {
  en: 'All tables in one file; amounts are floating-point numbers (CSV and prices-exact.parquet contain every digit)',
  de: 'Alle Tabellen in einer Datei; Beträge sind Gleitkommazahlen (CSV und prices-exact.parquet enthalten jede Ziffer)',
}

// If anything fails, the file is removed. Every row is of a fund in the file: to look each one up takes a tenth of the time.
const pragmas = [
  'page_size = 4096',
  'user_version = 1',
  'journal_mode = OFF',
  'synchronous = OFF',
  'foreign_keys = OFF',
]

/** SQLite itself copies the rows, in the order of the keys: the same rows give the same bytes. */
function writeDatabase(file: string, source: string, funds: readonly DownloadFund[], asOf: string): void {
  const db = new Database(file)
  try {
    // SQLite attaches only what has the same encoding.
    db.pragma(`encoding = '${encodingOf(source)}'`)
    for (const pragma of pragmas) db.pragma(pragma)
    db.prepare('ATTACH ? AS source').run(source)
    listPermitted(db, funds)
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
}

function encodingOf(file: string): string {
  const db = new Database(file, { readonly: true, fileMustExist: true })
  try {
    return String(db.pragma('encoding', { simple: true }))
  } finally {
    db.close()
  }
}

function listPermitted(db: FundDatabase, funds: readonly DownloadFund[]): void {
  for (const permission of ['data', 'prices', 'performance'] as const) {
    db.exec(`CREATE TEMP TABLE ${permission} (isin TEXT PRIMARY KEY) WITHOUT ROWID`)
    const insert = db.prepare(`INSERT INTO temp.${permission} VALUES (?)`)
    for (const { isin } of permittedFunds(funds, permission)) insert.run(isin)
  }
}

/** A text of digits is REAL here, so that it can be compared and added up; CSV has every digit. */
const sqlTypes = {
  text: 'TEXT',
  date: 'TEXT',
  decimal: 'REAL',
  number: 'REAL',
  integer: 'INTEGER',
  boolean: 'INTEGER',
}

const valueOf = ({ sql, type }: OutputColumn) => (type === 'decimal' ? `CAST(${sql} AS REAL)` : sql)

/** `sqlite_schema` keeps the comments, so that the schema describes the columns. */
function definition({ name: table, describe: { en: what }, columns, key }: OutputTable): string {
  const lines = columns.map(
    (column) =>
      `  ${column.name} ${sqlTypes[column.type]}${column.isNullable ? '' : ' NOT NULL'}, -- ${column.describe.en}\n`,
  )
  const reference = table === 'funds' ? '' : `,\n  FOREIGN KEY (isin) REFERENCES funds`
  return (
    `CREATE TABLE main.${table} ( -- ${what}\n${lines.join('')}` +
    `  PRIMARY KEY (${key.join(', ')})${reference}\n) STRICT, WITHOUT ROWID`
  )
}

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
      insert.run(table.name, position, column.name, column.type, column.describe.en)
  }
}
