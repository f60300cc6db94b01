/** The rows of files before the database takes them: in tables like its own, on disk, unnamed, gone with the process. */

import Database from 'better-sqlite3'
import { outlivingRows, sqlTypeOf, type SchemaTable } from '../../../core/data/model/columns.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { chargesReader } from '../../../core/data/derive/charges.ts'
import { createStatement } from '../../../core/data/model/new-database.ts'
import { distinctIsins } from '../../../core/data/read/fund-reader.ts'
import { openFunds } from '../../../core/data/read/open.ts'
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

/** What a row says, by column: those that it does not bring are absent. The first ones explain a contradiction in the others. */
export type Said = ReadonlyMap<string, Value>

/** Its rows have `isin` and the other columns of the table, and `has`, which says which columns the row brings. */
export const stagedName = ({ name }: SchemaTable): string => `staging.${name}`

/** Keys of rows of the database that go: `isin` and the other key columns, of which NULL means any value. */
export const goneName = ({ name }: SchemaTable): string => `staging.gone_${name}`

/** Rows whose key another one has already, or that lack something: it is judged at the end what becomes of them. */
const asideName = ({ name }: SchemaTable): string => `staging.aside_${name}`

/** A condition for a row of the database, called `own`, and one of staging, called `line`. */
export const sameKey = ({ key }: SchemaTable): string =>
  key.map((name) => `own.${name} = line.${name}`).join(' AND ')

/** The bits of columns in `has`: a table has fewer than 32 columns. */
export const bitsOf = ({ columns }: SchemaTable, names: readonly string[]): number =>
  names.reduce((sum, name) => sum | (1 << columns.findIndex((column) => column.name === name)), 0)

/** Columns before those of the table. A price that only is derived again comes from no file. */
const ownColumns = 'file INTEGER, place ANY, has INTEGER NOT NULL DEFAULT 0, fund_currency TEXT, '

/** The currency that a file names for a price. */
export const stagedCurrency = 'fund_currency'

/** The charges that a file names for the day of a price: staged beside it, and not stored. */
export const chargeColumns = ['issue_surcharge', 'redemption_fee'] as const

const chargesOfDay = chargeColumns.map((name) => `${name} REAL, `).join('')

/** Columns of staged rows that the table does not have: a row says them if they are not NULL. */
const besideColumns = (table: SchemaTable): readonly string[] =>
  table === schemaTables.prices ? [stagedCurrency, ...chargeColumns] : [stagedCurrency]

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
    db.exec(createAside(table))
    db.exec(`CREATE TABLE ${goneName(table)} (${table.key.join(', ')})`)
    db.exec(`CREATE INDEX staging.by_isin_${table.name} ON gone_${table.name} (isin)`)
  }
  db.exec('BEGIN')
  return {
    inserter: (table: SchemaTable, columns: readonly string[]) => inserter(db, table, columns),
    /** @returns a function that removes the staged row with a key */
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
    /** Prices of a fund that lack one of some columns, and whose charges no row names for their day or one before. */
    uncharged: (isin: string, offers: readonly (keyof typeof chargeOfPrice)[], isContradicted: boolean) =>
      unchargedPrices(db, isin, offers, isContradicted),
    asideOf: (table: SchemaTable) => asideRows(db, table),
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
    /** Of the funds that are staged. */
    currencies: (): ReadonlyMap<string, string> =>
      new Map(db.prepare<[], [string, string]>('SELECT isin, currency FROM staging.fund').raw().all()),
    fundless: (table: SchemaTable) => fundlessRows(db, table),
    ofOtherCurrency: () => pricesOfOtherCurrency(db),
  }
}

const isinsIn = (db: Database.Database, table: string): readonly string[] =>
  db.prepare<[], string>(distinctIsins(table)).pluck().all()

/** What became of a row: it is `aside` if another one has its key, unless that says word for word the same. */
export type Staged =
  { readonly kind: 'added' | 'repeated' | 'aside' } | { readonly kind: 'refused'; readonly reason: string }

/** Puts rows in. @param columns with the key */
function inserter(db: Database.Database, table: SchemaTable, columns: readonly string[]) {
  const all = ['file', 'place', 'has', ...columns]
  const insertInto = (name: string) =>
    `INSERT INTO ${name} (${all.join(', ')}) VALUES (${all.map(() => '?').join(', ')})`
  const insert = db.prepare(insertInto(stagedName(table)))
  const setAside = db.prepare(insertInto(asideName(table)))
  const sameKeyOf = db.prepare<Value[], StagedValues>(
    `SELECT * FROM ${stagedName(table)} WHERE ${table.key.map((name) => `${name} = ?`).join(' AND ')}`,
  )
  const keyPlaces = table.key.map((name) => columns.indexOf(name))
  const compared = [...new Set([...columns, ...besideColumns(table)])].map((name) => ({
    name,
    at: columns.indexOf(name),
  }))
  const addAside = ({ file, place }: Origin, has: number, values: readonly Value[]) =>
    setAside.run(file, place, has, ...values)
  const add = ({ file, place }: Origin, has: number, values: readonly Value[]): Staged => {
    try {
      insert.run(file, place, has, ...values)
      return { kind: 'added' }
    } catch (error) {
      const reason = whyRefused(error)
      if (reason !== undefined) return { kind: 'refused', reason }
    }
    const there = sameKeyOf.get(...keyPlaces.map((at) => values[at] ?? null))
    const isRepeated =
      there?.['has'] === has && compared.every(({ name, at }) => there[name] === (values[at] ?? null))
    if (isRepeated) return { kind: 'repeated' }
    addAside({ file, place }, has, values)
    return { kind: 'aside' }
  }
  return {
    row: add,
    /** A new row that lacks something: others with its key may complete it. */
    aside: addAside,
  }
}

/** @returns why the schema takes no such row; undefined if another one has its key @throws {Error} any other error */
function whyRefused(error: unknown): string | undefined {
  if (!(error instanceof Database.SqliteError) || !error.code.startsWith('SQLITE_CONSTRAINT')) throw error
  if (error.code === 'SQLITE_CONSTRAINT_PRIMARYKEY') return undefined
  // `CHECK constraint failed: srri BETWEEN 1 AND 7`
  return `against the schema: ${error.message.replace(/^CHECK constraint failed: /, '')}`
}

type StagedValues = Readonly<Record<string, Value>>

/** A row with others of its key. */
export interface AsideRow {
  readonly origin: Origin
  readonly says: Said
  readonly values: StagedValues
}

/** What rows with one key say together, and values for what none of them says. */
export interface WholeRow {
  readonly says: Said
  readonly values: StagedValues
}

/** @param rows the first of them with a value counts, where nothing is said */
export function wholeRow(rows: readonly AsideRow[], says: Said): WholeRow {
  const values: Record<string, Value> = {}
  for (const row of rows) for (const [name, value] of Object.entries(row.values)) values[name] ??= value
  return { says, values }
}

/** The same columns as those of staged rows. Rows with one key have numbers, in the order in which they came. */
function createAside(table: SchemaTable): string {
  const columns = table.columns.map(({ name, kind }) => `${name} ${sqlTypeOf(kind)}`)
  const charges = table === schemaTables.prices ? chargesOfDay : ''
  return `CREATE TABLE ${asideName(table)} (number INTEGER PRIMARY KEY, ${ownColumns}${charges}${columns.join(', ')}) STRICT;
    CREATE INDEX staging.aside_by_key_${table.name} ON aside_${table.name} (${table.key.join(', ')})`
}

/** Rows of which another one has the key, key by key. */
function asideRows(db: Database.Database, table: SchemaTable) {
  const staged = stagedName(table)
  const aside = asideName(table)
  const where = table.key.map((name) => `${name} = ?`).join(' AND ')
  const columns = ['file', 'place', 'has', ...besideColumns(table), ...table.columns.map(({ name }) => name)]
  const some = db.prepare<[], StagedValues>(
    `SELECT ${table.key.join(', ')} FROM ${aside} ORDER BY ${table.key.join(', ')} LIMIT 1`,
  )
  const ofKey = db.prepare<Value[], StagedValues>(
    `SELECT 0 AS number, ${columns.join(', ')} FROM ${staged} WHERE ${where}
      UNION ALL SELECT number, ${columns.join(', ')} FROM ${aside} WHERE ${where} ORDER BY file, number`,
  )
  const removals = [staged, aside].map((name) => db.prepare<Value[]>(`DELETE FROM ${name} WHERE ${where}`))
  const inserts = new Map<string, Database.Statement>()
  /** What no row has gets the default of the schema. */
  const insertOf = (names: readonly string[]) => {
    const list = names.join(', ')
    const found =
      inserts.get(list) ??
      db.prepare(`INSERT INTO ${staged} (${list}) VALUES (${names.map((name) => `:${name}`).join(', ')})`)
    inserts.set(list, found)
    return found
  }
  return {
    /** @returns all rows with a key, in the order of the files and their lines; undefined if no row is aside any more */
    next: (): { readonly key: readonly Value[]; readonly rows: readonly AsideRow[] } | undefined => {
      const found = some.get()
      if (found === undefined) return undefined
      const key = table.key.map((name) => found[name] ?? null)
      return { key, rows: ofKey.all(...key, ...key).map((values) => asideRow(table, values)) }
    },
    /**
     * Ends what is aside for a key. @param whole what is taken; undefined: nothing
     * @returns why the schema takes no such row
     */
    settle: (key: readonly Value[], whole: WholeRow | undefined): string | undefined => {
      for (const removal of removals) removal.run(...key)
      if (whole === undefined) return undefined
      const { says, values } = whole
      const own = table.columns.map(({ name }) => name).filter((name) => says.has(name))
      const has = bitsOf(table, [...table.key, ...own])
      const beside = Object.fromEntries(besideColumns(table).map((name) => [name, null]))
      try {
        const row: StagedValues = { ...values, ...beside, ...Object.fromEntries(says), has }
        insertOf(columns.filter((name) => says.has(name) || (row[name] ?? null) !== null)).run(row)
        return undefined
      } catch (error) {
        return whyRefused(error)
      }
    },
  }
}

/** Reads what a row says. The currency comes first: it explains all other differences. */
function asideRow(table: SchemaTable, values: StagedValues): AsideRow {
  const has = Number(values['has'])
  const said = table.columns
    .map(({ name }) => name)
    .filter((name) => !table.key.includes(name) && (has & bitsOf(table, [name])) !== 0)
  const [currency, ...charges] = besideColumns(table)
  const beside = (names: readonly (string | undefined)[]) =>
    names.flatMap((name) => (name !== undefined && values[name] !== null ? [name] : []))
  const says = [...beside([currency]), ...said, ...beside(charges)].map(
    (name) => [name, values[name] ?? null] as const,
  )
  const origin = { file: Number(values['file']), place: values['place'] ?? '' }
  return { origin, says: new Map(says), values }
}

const chargeOfPrice = { issue_price: 'issue_surcharge', repurchase_price: 'redemption_fee' } as const

/** @param isContradicted rows contradict each other, so those that name charges for days are no better */
function unchargedPrices(
  db: Database.Database,
  isin: string,
  offers: readonly (keyof typeof chargeOfPrice)[],
  isContradicted: boolean,
) {
  const table = schemaTables.prices
  const staged = stagedName(table)
  const lacks = offers.map((name) => {
    const lacksIt = `NOT (has & ${bitsOf(table, [name])})`
    if (isContradicted) return `(${lacksIt})`
    // It names no row of the outer query, so SQLite reads it once, not for each price.
    const firstNamed = `SELECT min(date) FROM ${staged} WHERE isin = :isin AND ${chargeOfPrice[name]} IS NOT NULL`
    return `(${lacksIt} AND ifnull(date < (${firstNamed}), true))`
  })
  return db
    .prepare<{ readonly isin: string }, Origin & { readonly date: string }>(
      `SELECT file, place, date FROM ${staged} WHERE isin = :isin AND (${['false', ...lacks].join(' OR ')}) ORDER BY file, date`,
    )
    .all({ isin })
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
  let chargesOf: ReturnType<typeof chargesReader> | undefined
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
    /** Whether a profile or a derived price says what a fund charges. */
    hasCharges: (isin: string): boolean => {
      db ??= openFunds(file)
      chargesOf ??= chargesReader(db)
      return chargesOf(isin).from !== 'nothing'
    },
    close: () => db?.close(),
  }
}
