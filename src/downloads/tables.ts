/** The tables of the downloads, from which every format is made, and which funds' rows they may hold. Source: `data/model/schema.ts`. */

import { isYoungerThanOneYear, mayGiveOutPrices, mayShowPerformance } from '../api/contract/fund.ts'
import type { FundRow } from '../api/contract/rows.ts'
import type { Language } from '../api/routes/table.ts'
import {
  schemaTables,
  type DownloadColumn,
  type Kind,
  type Permission,
  type SchemaTable,
} from '../data/model/schema.ts'
import { cached } from '../system/cached.ts'

/**
 * - `decimal`: text of a plain decimal, given out digit for digit if the format allows it.
 * - `number`: a double, as its shortest decimal.
 * - `date`: ISO 8601. `boolean`: 0 or 1 in the database.
 */
export type ColumnType = 'text' | 'date' | 'decimal' | 'number' | 'integer' | 'boolean'

/** A column of a table as the files have it. */
export interface OutputColumn extends DownloadColumn {
  readonly name: string
  readonly type: ColumnType
}

export interface OutputTable {
  /** Name of the files (`prices.csv`), and of the table in the SQLite file. */
  readonly name: string
  /** Name of the CSV files, if it is another one. */
  readonly csvName?: string
  /** One sentence for people. */
  readonly describe: Readonly<Record<Language, string>>
  /** The table of the fund database. */
  readonly source: string
  readonly needs: Permission
  readonly columns: readonly OutputColumn[]
  /** Columns that name a row; rows come in their order. */
  readonly key: readonly string[]
}

/** A row in the order of the columns, as SQLite gives it. */
export type OutputRow = readonly OutputCell[]
export type OutputCell = string | number | null

export const columnTypes: Readonly<Record<Kind, ColumnType>> = {
  isin: 'text',
  text: 'text',
  structureType: 'text',
  currency: 'text',
  dayOfYear: 'text',
  day: 'date',
  decimal: 'decimal',
  number: 'number',
  fraction: 'number',
  integer: 'integer',
  year: 'integer',
  flag: 'boolean',
}

const tableOf = cached(({ name, key, columns, download }: SchemaTable): OutputTable => ({
  ...download,
  source: name,
  key,
  columns: columns.flatMap((column) =>
    column.download === null
      ? []
      : [{ name: column.name, type: columnTypes[column.kind], ...column.download }],
  ),
}))

export const tables: readonly OutputTable[] = Object.values(schemaTables).map(tableOf)

/** The table of the prices. */
export const pricesTable = tableOf(schemaTables.prices)

/** The table that holds the funds: all others refer to it. */
export const fundsTable = tableOf(schemaTables.fund)

/** A fund whose data may be given out, by the API's own rules. */
export interface FundScope {
  readonly isin: string
  readonly prices: boolean
  readonly performance: boolean
}

/** @param asOf the snapshot's date, ISO 8601 @returns null for a fund whose data may not be given out */
export function scopeOf(fund: FundRow, asOf: string): FundScope | null {
  if (fund.dataPermitted === 0) return null
  const performance = mayShowPerformance(fund) && !isYoungerThanOneYear(fund, asOf)
  return { isin: fund.isin, prices: mayGiveOutPrices(fund), performance }
}

/** Whether the rows of a fund may be in a table. */
export const mayHold = (scope: FundScope, needs: Permission): boolean => needs === 'data' || scope[needs]

/** The ISINs of the funds whose rows may be in a table, in the order of the scopes. */
export const permittedIsins = (scopes: readonly FundScope[], needs: Permission): readonly string[] =>
  scopes.filter((scope) => mayHold(scope, needs)).map(({ isin }) => isin)
