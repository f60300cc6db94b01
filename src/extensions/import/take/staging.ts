/** The rows of files before the database takes them: in tables like its own, on disk, unnamed, gone with the process. */

import Database from 'better-sqlite3'
import { outlivingRows, type SchemaTable } from '../../../core/data/model/columns.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { createStatement } from '../../../core/data/model/new-database.ts'
import { distinctIsins } from '../../../core/data/read/fund-reader.ts'
import { openFunds } from '../../../core/data/read/open.ts'
import { isSameDecimal } from '../decimals.ts'
import type { Value } from '../values.ts'

/** For the pages that wait for the commit, and for the staged rows; the rest goes to disk. */
export const cacheKibibytes = 32_768

/** Where a row is: the number of its line, or a text that says more. */
export type Place = number | string

/** A row in its file. */
export interface Origin {
  /** The number of the file among those of the import, from 0. */
  readonly file: number
  readonly place: Place
}

/** Its rows have `isin` and the other columns of the table, and `has`, which says which columns the row brings. */
export const stagedName = ({ name }: SchemaTable): string => `staging.${name}`

/** Keys of rows of the database that go: `isin` and the other key columns, of which NULL means any value. */
export const goneName = ({ name }: SchemaTable): string => `staging.gone_${name}`

/** A condition for a row of the database, called `own`, and one of staging, called `line`. */
export const sameKey = ({ key }: SchemaTable): string =>
  key.map((name) => `own.${name} = line.${name}`).join(' AND ')

/** The bits of columns in `has`: a table has fewer than 32 columns. */
export const bitsOf = ({ columns }: SchemaTable, names: readonly string[]): number =>
  names.reduce((sum, name) => sum | (1 << columns.findIndex((column) => column.name === name)), 0)

/**
 * Columns before those of the table. A price that only is derived again comes from no file. A row with a fault waits for others with its
 * key, which are bad, too, and goes at the end.
 */
const ownColumns = 'file INTEGER, place ANY, has INTEGER NOT NULL DEFAULT 0, fund_currency TEXT, fault TEXT, '

/** The currency that a file names for a price. */
export const stagedCurrency = 'fund_currency'

/** The charges that a file names for the day of a price: staged beside it, and not stored. */
export const chargeColumns = ['issue_surcharge', 'redemption_fee'] as const

const chargesOfDay = chargeColumns.map((name) => `${name} REAL, `).join('')

export type Staging = ReturnType<typeof openStaging>

/**
 * One transaction until its end, which never touches the database itself, and so never locks it.
 * @throws {SqliteError} from its functions if the folder for temporary files is full
 */
export function openStaging(db: Database.Database) {
  db.exec("ATTACH '' AS staging")
  db.pragma(`staging.cache_size = -${cacheKibibytes}`)
  db.pragma('staging.synchronous = OFF')
  for (const table of Object.values(schemaTables)) {
    // Nothing outside of a table is checked until its rows are taken.
    const statement = createStatement(table).replaceAll(' REFERENCES fund', '')
    db.exec(
      statement.replace(
        /^CREATE TABLE \S+ \(/,
        `CREATE TABLE ${stagedName(table)} (${ownColumns}${table === schemaTables.prices ? chargesOfDay : ''}`,
      ),
    )
    db.exec(`CREATE TABLE ${goneName(table)} (${table.key.join(', ')})`)
    db.exec(`CREATE INDEX staging.by_isin_${table.name} ON gone_${table.name} (isin)`)
  }
  db.exec('BEGIN')
  return {
    inserter: (table: SchemaTable, columns: readonly string[]) => inserter(db, table, columns),
    /** @returns a function that gives the staged row with a key another value of a column */
    changer: (table: SchemaTable, column: string) => {
      const where = table.key.map((name) => `${name} = ?`).join(' AND ')
      const update = db.prepare<Value[]>(`UPDATE ${stagedName(table)} SET ${column} = ? WHERE ${where}`)
      return (value: Value, key: readonly Value[]) => update.run(value, ...key)
    },
    /** @returns a function that notes why the staged row with a key is bad, unless that is known */
    spoiler: (table: SchemaTable) => {
      const where = table.key.map((name) => `${name} = ?`).join(' AND ')
      const update = db.prepare<Value[]>(
        `UPDATE ${stagedName(table)} SET fault = coalesce(fault, ?) WHERE ${where}`,
      )
      return (fault: string, key: readonly Value[]) => update.run(fault, ...key)
    },
    /** @returns a function that removes the staged row with a key: a good one has come */
    dropper: (table: SchemaTable) => {
      const where = table.key.map((name) => `${name} = ?`).join(' AND ')
      const remove = db.prepare<Value[]>(`DELETE FROM ${stagedName(table)} WHERE ${where}`)
      return (key: readonly Value[]) => remove.run(...key)
    },
    /** @returns a function that gives values of the staged row with a key, and where it is from */
    rowReader: (table: SchemaTable, columns: readonly string[]) => {
      const where = table.key.map((name) => `${name} = ?`).join(' AND ')
      const read = db
        .prepare<Value[], [number, Place, ...Value[]]>(
          `SELECT file, place, ${columns.join(', ')} FROM ${stagedName(table)} WHERE ${where}`,
        )
        .raw()
      return (
        key: readonly Value[],
      ): { readonly origin: Origin; readonly values: readonly Value[] } | undefined => {
        const [file, place, ...values] = read.get(...key) ?? []
        return file === undefined || place === undefined ? undefined : { origin: { file, place }, values }
      }
    },
    /** Removes the rows that are bad. @returns them */
    spoiled: (table: SchemaTable): readonly Spoiled[] =>
      db
        .prepare<[], Spoiled>(
          `DELETE FROM ${stagedName(table)} WHERE fault IS NOT NULL RETURNING file, place, fault`,
        )
        .all(),
    /** To be called after the last row. */
    end: () => db.exec('COMMIT'),
    /** @returns a function that puts values of key columns in: rows with them go */
    remover: (table: SchemaTable, columns: readonly string[]) => {
      const places = columns.map(() => '?').join(', ')
      const insert = db.prepare<Value[]>(
        `INSERT INTO ${goneName(table)} (${columns.join(', ')}) VALUES (${places})`,
      )
      return (values: readonly Value[]) => insert.run(...values)
    },
    /**
     * Takes a list back that would replace one of the database.
     * @param columns of its key @returns how many rows of files are gone
     */
    dropList: (table: SchemaTable, columns: readonly string[], values: readonly Value[]): number => {
      const where = columns.map((name) => `${name} = ?`).join(' AND ')
      const { changes } = db.prepare<Value[]>(`DELETE FROM ${goneName(table)} WHERE ${where}`).run(...values)
      if (changes === 0) return 0
      return db.prepare<Value[]>(`DELETE FROM ${stagedName(table)} WHERE ${where}`).run(...values).changes
    },
    isinsOf: (table: SchemaTable): readonly string[] => isinsIn(db, stagedName(table)),
    /** Of the funds of which rows go. */
    isinsGone: (table: SchemaTable): readonly string[] => isinsIn(db, goneName(table)),
    /** @returns reads the currency of a fund that is staged by now */
    currencyReader: () => {
      const read = db.prepare<[string], string>('SELECT currency FROM staging.fund WHERE isin = ?').pluck()
      return (isin: string) => read.get(isin)
    },
    /** Of the funds that are staged. */
    currencies: (): ReadonlyMap<string, string> =>
      new Map(db.prepare<[], [string, string]>('SELECT isin, currency FROM staging.fund').raw().all()),
    fundless: (table: SchemaTable) => fundlessRows(db, table),
    ofOtherCurrency: () => pricesOfOtherCurrency(db),
  }
}

const isinsIn = (db: Database.Database, table: string): readonly string[] =>
  db.prepare<[], string>(distinctIsins(table)).pluck().all()

export interface Spoiled extends Origin {
  readonly fault: string
}

/** The first column in which two rows with the same key differ: their currency, which explains all others, before any. */
export interface Difference {
  readonly column: string
  readonly first: Value
  readonly second: Value
  /** Whether it is the only one. */
  readonly isOnly: boolean
}

/** The staged row with the same key as another one. */
export interface There extends Origin {
  /** Null for a good row. */
  readonly fault: string | null
}

/** What became of a row. */
export type Staged =
  | { readonly kind: 'added' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'there'; readonly there: There; readonly other: Difference | undefined }

const added: Staged = { kind: 'added' }

/** @returns a function that puts a row in. @param columns with the key */
function inserter(db: Database.Database, table: SchemaTable, columns: readonly string[]) {
  const staged = stagedName(table)
  const all = ['file', 'place', 'has', ...columns]
  const insert = db.prepare(
    `INSERT INTO ${staged} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`,
  )
  const sameKey = db.prepare<Value[], There & Readonly<Record<string, Value>>>(
    `SELECT * FROM ${staged} WHERE ${table.key.map((name) => `${name} = ?`).join(' AND ')}`,
  )
  const decimals = new Set(table.columns.filter(({ kind }) => kind === 'decimal').map(({ name }) => name))
  const ofDay: readonly string[] = table === schemaTables.prices ? chargeColumns : []
  // A price that names no charge does not contradict one that does.
  const isSame = (name: string, one: Value, other: Value) =>
    one === other ||
    (ofDay.includes(name) && (one === null || other === null)) ||
    (decimals.has(name) && one !== null && other !== null && isSameDecimal(String(one), String(other)))
  const keyPlaces = table.key.map((name) => columns.indexOf(name))
  const compared = columns.toSorted(
    (one, other) => Number(other === stagedCurrency) - Number(one === stagedCurrency),
  )
  return ({ file, place }: Origin, has: number, values: readonly Value[]): Staged => {
    try {
      insert.run(file, place, has, ...values)
      return added
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error
      if (error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') {
        const there = sameKey.get(...keyPlaces.map((at) => values[at] ?? null)) ?? {
          file,
          place,
          fault: null,
        }
        const row = there as Readonly<Record<string, Value>>
        const [column, ...others] = compared.filter(
          (name) => !isSame(name, row[name] ?? null, values[columns.indexOf(name)] ?? null),
        )
        if (column === undefined) return { kind: 'there', there, other: undefined }
        const second = values[columns.indexOf(column)] ?? null
        const isOnly = others.length === 0
        return { kind: 'there', there, other: { column, first: row[column] ?? null, second, isOnly } }
      }
      if (!error.code.startsWith('SQLITE_CONSTRAINT')) throw error
      // `CHECK constraint failed: srri BETWEEN 1 AND 7`
      const reason = error.message.replace(/^CHECK constraint failed: /, '')
      return { kind: 'refused', reason: `against the schema: ${reason}` }
    }
  }
}

/** Reads and removes the rows of funds that are not there. */
function fundlessRows(db: Database.Database, table: SchemaTable) {
  const rows = `FROM ${stagedName(table)} AS line WHERE isin = ? AND NOT (${outlivingRows(table, 'line')})`
  return removable(db, rows)
}

/** Reads and removes the prices of a fund that are in another currency than the one that is named. */
const pricesOfOtherCurrency = (db: Database.Database) =>
  removable(db, `FROM ${stagedName(schemaTables.prices)} WHERE isin = ? AND fund_currency <> ?`)

function removable(db: Database.Database, rows: string) {
  const read = db.prepare<Value[], Origin & { readonly fund_currency: string | null }>(
    `SELECT file, place, fund_currency ${rows}`,
  )
  const remove = db.prepare(`DELETE ${rows}`)
  return {
    read: (...values: readonly Value[]) => read.iterate(...values),
    remove: (...values: readonly Value[]) => remove.run(...values),
  }
}

export type KeptValues = ReturnType<typeof openKept>

/** Reads values that rows of the database keep, by a connection of its own: staging has a transaction open, which must not lock the database. */
export function openKept(file: string) {
  let db: Database.Database | undefined
  return {
    /** @returns a function that gives the values of the row with a key; undefined if there is no such row */
    reader: ({ name, key }: SchemaTable, columns: readonly string[]) => {
      db ??= openFunds(file)
      const row = db
        .prepare<Value[], Value[]>(
          `SELECT ${columns.join(', ')} FROM ${name} WHERE ${key.map((each) => `${each} = ?`).join(' AND ')}`,
        )
        .raw()
      return (values: readonly Value[]) => row.get(...values)
    },
    close: () => db?.close(),
  }
}
