/** Writes derived figures into a database: that of the company (`fundpress derive`), or a copy of it that a night reads. */

import type { Database } from 'better-sqlite3'
import type { SchemaTable } from '../model/columns.ts'
import { schemaTables } from '../model/schema.ts'
import { insertInto } from '../read/copy.ts'
import { readIsins, rowColumns } from '../read/fund-reader.ts'
import {
  type DerivedAgain,
  type DerivedDoubt,
  deriveAgain,
  derivedMarker,
  noneAgain,
  markDerived,
  outdatedFunds,
} from './derived.ts'
import { type FundDerivation, digestOf, fundDeriver, groupsOfReturns, returnsTables } from './fund.ts'
import { derivableTables, type DerivableTable, type DeriveModes } from './modes.ts'

/** What was derived in a table. */
export interface DerivedTable {
  /** Funds and rows that have new figures. */
  readonly funds: number
  readonly rows: number
  /** Funds that keep figures of their own, which were delivered. */
  readonly kept: number
  /** Funds with prices that give no figure. */
  readonly without: number
}

export interface DerivedSummary {
  readonly tables: Readonly<Record<DerivableTable, DerivedTable>>
  /** Figures of prices that were derived from other corporate actions before. */
  readonly again: DerivedAgain
  /** Funds of which nothing was derived, and why. */
  readonly doubts: readonly DerivedDoubt[]
}

/** Whether {@link writeDerived} would change anything. */
export function isDerivable(db: Database, modes: DeriveModes): boolean {
  if (modes.price !== 'delivered' && outdatedFunds(db).length > 0) return true
  const derive = fundDeriver(db, modes)
  return readIsins(db).some((isin) => {
    const { prices, returns } = derive(isin)
    return prices.length > 0 || returns.length > 0
  })
}

/** Derives and writes, fund by fund. To be called in a transaction. @param onFund counts funds */
export function writeDerived(
  db: Database,
  modes: DeriveModes,
  onFund: (done: number, of: number) => void = () => undefined,
): DerivedSummary {
  const { count, first } = modes.price === 'delivered' ? noneAgain : deriveAgain(db)
  const counts = Object.fromEntries(
    derivableTables.map((table) => [table, { funds: 0, rows: 0, kept: 0, without: 0 }]),
  ) as Record<DerivableTable, { -readonly [Name in keyof DerivedTable]: DerivedTable[Name] }>
  const doubts: DerivedDoubt[] = []
  const derive = fundDeriver(db, modes)
  const write = fundWriter(db)
  const isins = readIsins(db)
  for (const [index, isin] of isins.entries()) {
    const found = derive(isin)
    write(isin, found)
    const { prices, returns, kept, without, doubt } = found
    if (doubt !== null) doubts.push({ isin, message: doubt })
    if (prices.length > 0) counts.price.funds++
    counts.price.rows += prices.length
    for (const { table, changed } of returns) {
      counts[table].funds++
      counts[table].rows += changed
    }
    for (const table of kept) counts[table].kept++
    for (const table of without) counts[table].without++
    onFund(index + 1, isins.length)
  }
  return { tables: counts, again: { count, first }, doubts }
}

function fundWriter(db: Database) {
  const mark = derivedMarker(db)
  const update = db.prepare(
    'UPDATE main.price SET change = ?, change_percent = ?, performance = ? WHERE isin = ? AND date = ?',
  )
  const tables = new Map(
    returnsTables.map((name) => [name, tableWriter(db, schemaTables[groupsOfReturns[name]])]),
  )
  return (isin: string, { prices, returns }: FundDerivation): void => {
    for (const { date, values } of prices) update.run(...values, isin, date)
    if (prices.length > 0) markDerived(db, [isin])
    for (const { table, rows } of returns) {
      tables.get(table)?.(isin, rows)
      mark(isin, table, digestOf(rows))
    }
  }
}

/** @returns replaces all rows of a fund */
function tableWriter(db: Database, table: SchemaTable) {
  const columns = rowColumns(table)
  const remove = db.prepare(`DELETE FROM main.${table.name} WHERE isin = ?`)
  const insert = insertInto(db, table, ['isin', ...columns.map(({ name }) => name)])
  return (isin: string, rows: readonly object[]) => {
    remove.run(isin)
    for (const row of rows as readonly Readonly<Record<string, unknown>>[])
      insert.run(isin, ...columns.map(({ field }) => row[field] ?? null))
  }
}
