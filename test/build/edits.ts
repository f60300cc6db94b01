/** Random edits of a fund database, by a seed: any table, any column, now and then a value that the checks refuse. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { structureTypes } from '../../src/core/api/contract/structure-types.ts'
import { goodRows, insertGood, isinOf, type Insert, type Row, type Value } from '../support/database.ts'
import { repository } from '../support/product.ts'

/** A change of the database, as it would be between two builds. */
export type Edit =
  | (Pick<Column, 'table' | 'column'> & { readonly kind: 'set'; readonly row: number; readonly value: Value })
  | { readonly kind: 'add'; readonly table: string; readonly row: number; readonly values: Row }
  | { readonly kind: 'delete'; readonly table: string; readonly row: number }
  | { readonly kind: 'addFund'; readonly fund: number; readonly inceptionDate: string }
  | { readonly kind: 'removeFund'; readonly row: number }

const day = fc.integer({ min: 0, max: 1600 }).map((days) => dayAfter('2020-01-01', days))
const decimal = fc
  .tuple(fc.integer({ min: -9999, max: 9999 }), fc.integer({ min: 0, max: 99 }))
  .map(([whole, fraction]) => `${whole}.${String(fraction).padStart(2, '0')}`)
const words = `","|],[|NULL|'|ä€😀|\ufffd|Fonds|Fund|</script><img src=x onerror=alert(1)>|../../x|%00|A & B
2024-02-30|0000-00-00|9999-12-31|-0|1e5|00012.50|\u202e|__proto__|constructor|x\u0000|\u001f`
const text = fc.oneof(
  fc.constantFrom('', 'a'.repeat(40000), '\r\n;=cmd|', ...words.split(/[|\n]/)),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
/** Neighbours among them, which differ in the last of 17 digits. */
const reals = [0.1, 0.30000000000000004, 0.3, 1e-7, 1e21, -0, 0, 5, Infinity, 1e308, 5e-324, -1e300]
const real = fc.oneof(
  fc.constantFrom(...reals, 123456789012345680000),
  fc.double({ noNaN: true, min: -1000, max: 1000 }),
)
/** Every column but the ISIN, read from the schema itself. */
interface Column {
  readonly table: string
  readonly column: string
  readonly type: 'TEXT' | 'INTEGER' | 'REAL'
  readonly isNotNull: 0 | 1
}
const tables = Object.keys(goodRows)
const columns: readonly Column[] = (() => {
  const db = new Database(':memory:')
  db.exec(readFileSync(join(repository, 'templates/schema.sql'), 'utf8'))
  const query = db.prepare<[string], Omit<Column, 'table'>>(
    `SELECT name AS column, type, "notnull" AS isNotNull FROM pragma_table_info(?) WHERE name <> 'isin'`,
  )
  const found = tables.flatMap((table) => query.all(table).map((column) => ({ table, ...column })))
  db.close()
  return found
})()

/** What the checks have nothing against, for the most part. */
function goodValue({ table, column, type }: Column): fc.Arbitrary<Value> {
  if (type === 'REAL') return real
  if (column === 'year') return fc.integer({ min: 2018, max: 2024 })
  if (column === 'position' || column === 'srri') return fc.integer({ min: 1, max: 5 })
  if (type === 'INTEGER') return fc.constantFrom(0, 1)
  if (column === 'type') return fc.constantFrom(...structureTypes.slice(0, 3))
  if (column === 'currency') return fc.constantFrom('EUR', 'SEK')
  if (column === 'governanceprocess') return fc.constantFrom('A', 'B', 'C', 'D')
  if (column === 'other_specific_investment_need') return fc.constantFrom('N', 'I', 'O')
  if (column === 'end_of_fiscal_year') return fc.constantFrom('12-31', '06-30')
  if (column.includes('date')) return day
  return table === 'price' || /assets$|_minimum$/.test(column) ? decimal : text
}

/** What may stand in a column: now and then something that is refused. */
function valueOf(of: Column): fc.Arbitrary<Value> {
  const any = of.type === 'TEXT' ? text : of.type === 'REAL' ? real : fc.constantFrom(2, 12)
  const value = fc.oneof({ weight: 40, arbitrary: goodValue(of) }, { weight: 1, arbitrary: any })
  return of.isNotNull === 1 ? value : fc.option(value, { nil: null })
}

const row = fc.nat({ max: 1000 })

/** One edit. Every column is as likely as any other. */
export const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom(...columns).chain((of) =>
      fc.record({
        kind: fc.constant('set' as const),
        table: fc.constant(of.table),
        column: fc.constant(of.column),
        row,
        value: valueOf(of),
      }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...tables.filter((table) => !['fund', 'profile', 'emt'].includes(table)))
      .chain((table) => {
        const values = columns.filter((of) => of.table === table).map((of) => [of.column, valueOf(of)])
        const rowOf = fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<Value>>)
        return fc.record({ kind: fc.constant('add' as const), table: fc.constant(table), row, values: rowOf })
      }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      table: fc.constantFrom(...tables.filter((table) => table !== 'fund')),
      row,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('addFund' as const),
      fund: fc.nat({ max: 9 }),
      inceptionDate: day,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('removeFund' as const), row }) },
)

/** A connection that minds neither foreign keys nor checks. */
export function openToEdit(file: string): Database.Database {
  const db = new Database(file, { fileMustExist: true })
  db.pragma('foreign_keys = OFF')
  db.pragma('ignore_check_constraints = ON')
  return db
}

/** Carries an edit out; one that the schema does not allow changes nothing. */
export function apply(db: Database.Database, change: Edit): void {
  if (change.kind === 'addFund') {
    insertGood(insertInto(db), isinOf(change.fund), { fund: { fund_inception_date: change.inceptionDate } })
    return
  }
  const isOfFund = change.kind === 'add' || change.kind === 'removeFund'
  const key = rowAt(db, isOfFund ? 'fund' : change.table, change.row)
  if (key === null) return
  const [isin = null] = key.values
  switch (change.kind) {
    case 'set': {
      const set = `UPDATE OR IGNORE ${change.table} SET ${change.column} = ? WHERE ${key.where}`
      db.prepare(set).run(change.value, ...key.values)
      break
    }
    case 'delete':
      db.prepare(`DELETE FROM ${change.table} WHERE ${key.where}`).run(...key.values)
      break
    case 'add':
      insertInto(db)(change.table, { isin, ...change.values })
      break
    case 'removeFund':
      for (const table of tables) db.prepare(`DELETE FROM ${table} WHERE isin = ?`).run(isin)
      break
    default:
      change satisfies never
  }
}

const insertInto =
  (db: Database.Database): Insert =>
  (table, values) => {
    const names = Object.keys(values)
    db.prepare(
      `INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    ).run(...Object.values(values))
  }

/** The primary key of a row of a table, counted round and round; null for an empty table. */
function rowAt(db: Database.Database, table: string, index: number) {
  const names = db
    .prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk')
    .pluck()
    .all(table)
  const count = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0
  if (count === 0) return null
  const row = db.prepare<[number], Value[]>(`SELECT ${names.join(', ')} FROM ${table} LIMIT 1 OFFSET ?`)
  const values: readonly Value[] = row.raw().get(index % count) ?? []
  return { where: names.map((name) => `${name} = ?`).join(' AND '), values }
}

export const dayAfter = (start: string, days: number): string =>
  new Date(Date.parse(start) + days * 86_400_000).toISOString().slice(0, 10)
