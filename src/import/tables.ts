/** The tables of the schema as an import sees them: columns, keys, and what kind of text a column takes. */

import Database from 'better-sqlite3'
import { schemaSql } from '../source/schema.ts'

export type Kind =
  | 'isin'
  | 'text'
  | 'structureType'
  | 'currency'
  | 'day'
  | 'dayOfYear'
  /** Decimal text: never a float. */
  | 'decimal'
  | 'number'
  | 'integer'
  /** 0 or 1. */
  | 'flag'
  /** Four digits. */
  | 'year'

export interface Column {
  readonly name: string
  readonly kind: Kind
  readonly isNotNull: boolean
  readonly hasDefault: boolean
  readonly isKey: boolean
}

export interface Table {
  readonly name: string
  /** In the order of the schema. */
  readonly columns: readonly Column[]
  /** The statement that made it, as SQLite keeps it: `CREATE TABLE <name> (…`. */
  readonly sql: string
}

/** By name, in the order of the schema: the table that others refer to comes first. Source: schema.sql. */
export function schemaTables(): ReadonlyMap<string, Table> {
  const db = new Database(':memory:')
  try {
    db.exec(schemaSql())
    const tables = db
      .prepare<[], { name: string; sql: string }>("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
      .all()
    const columns = db.prepare<[string], ColumnRow>(
      'SELECT name, type, "notnull" AS isNotNull, dflt_value AS fallback, pk AS keyPosition FROM pragma_table_info(?)',
    )
    return new Map(
      tables.map(({ name, sql }) => {
        const ofTable = columns.all(name).map((row) => columnOf(name, sql, row))
        return [name, { name, sql, columns: ofTable }]
      }),
    )
  } finally {
    db.close()
  }
}

interface ColumnRow {
  readonly name: string
  readonly type: string
  readonly isNotNull: 0 | 1
  readonly fallback: string | null
  readonly keyPosition: number
}

function columnOf(
  table: string,
  sql: string,
  { name, type, isNotNull, fallback, keyPosition }: ColumnRow,
): Column {
  const isFlag = sql.includes(`CHECK (${name} IN (0, 1))`)
  return {
    name,
    kind: isFlag ? 'flag' : kindOf(table, name, type),
    isNotNull: isNotNull === 1 || keyPosition > 0,
    hasDefault: fallback !== null,
    isKey: keyPosition > 0,
  }
}

/** What the type in the schema does not say. */
const kinds: Readonly<Record<string, Kind>> = {
  'structure_item.type': 'structureType',
  'fund.currency': 'currency',
  'profile.end_of_fiscal_year': 'dayOfYear',
  'performance_year.year': 'year',
}

const decimals = new Set([
  'price.issue_price',
  'price.repurchase_price',
  'price.net_asset_value',
  'price.change',
  'price.change_percent',
  'price.performance',
  'price.intercompany_profit',
  'price.share_profit',
  'price.real_estate_profits',
  'price.share_profit2',
  'profile.fund_assets',
  'profile.total_fund_assets',
  'profile.savings_plan_minimum',
  'profile.one_time_investment_minimum',
  'profile.capital_forming_payments_minimum',
])

function kindOf(table: string, name: string, type: string): Kind {
  const place = `${table}.${name}`
  const named = kinds[place]
  if (named !== undefined) return named
  if (name === 'isin') return 'isin'
  if (decimals.has(place)) return 'decimal'
  if (type !== 'TEXT') return type === 'INTEGER' ? 'integer' : 'number'
  return /(?:^|_)date(?:_|$)/.test(name) ? 'day' : 'text'
}
