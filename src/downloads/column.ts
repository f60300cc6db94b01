/** The vocabulary that the tables of the downloads are declared in. */

/**
 * - `decimal`: text of a plain decimal, given out digit for digit where the form allows it.
 * - `number`: a double, as its shortest decimal.
 * - `date`: ISO 8601. `boolean`: 0 or 1 in the database.
 */
export type ColumnType = 'text' | 'date' | 'decimal' | 'number' | 'integer' | 'boolean'

export interface Column {
  readonly name: string
  readonly type: ColumnType
  readonly describe: string
  readonly isNullable: boolean
  /** SQL over the source's table `t`; the column of the same name unless given. */
  readonly sql: string
}

/** Whether all its values are words of digits, letters, hyphens and one point, as they stand in the database. */
export const isBare = ({ name, type }: Column): boolean => name === 'isin' || bareTypes.includes(type)

const bareTypes: readonly ColumnType[] = ['date', 'decimal', 'integer']

/** Which funds' rows may be given out. */
export type Permission = 'data' | 'prices' | 'performance'

export interface Table {
  /** Of the files (`prices.csv`), and of the table in the SQLite file. */
  readonly name: string
  /** Of the CSV files where that is another one. */
  readonly csvName?: string
  readonly describe: string
  /** The table of the fund database. Source: schema.sql. */
  readonly source: string
  readonly needs: Permission
  readonly columns: readonly Column[]
  /** Columns that name a row; rows come in their order. */
  readonly key: readonly string[]
}

/** What a row holds, in the order of the columns: as SQLite gives it. */
export type Cell = string | number | null
export type Row = readonly Cell[]

interface Options {
  readonly sql?: string
}

const make =
  (type: ColumnType, isNullable: boolean) =>
  (name: string, describe: string, { sql = `t.${name}` }: Options = {}): Column => ({
    name,
    type,
    describe,
    isNullable,
    sql,
  })

export const text = make('text', false)
export const date = make('date', false)
export const decimal = make('decimal', false)
export const number = make('number', false)
export const integer = make('integer', false)
export const boolean = make('boolean', false)
export const optional = {
  text: make('text', true),
  date: make('date', true),
  decimal: make('decimal', true),
  number: make('number', true),
  integer: make('integer', true),
  boolean: make('boolean', true),
} as const
