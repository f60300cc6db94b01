/** What an import makes of a table: which rows go, and which values others have. A dry run derives from that, since it writes no table. */

import type { SchemaTable } from '../../../core/data/model/columns.ts'
import type { Scope } from '../readers/reader.ts'
import { bitsOf, goneName, sameKey, stagedName } from './staging.ts'

/** The value of a column of a staged row, called `line`: one that the row does not bring is that of the database, called `own`. */
export const valueAfter = (table: SchemaTable, name: string): string =>
  `iif(line.has & ${bitsOf(table, [name])}, line.${name}, coalesce(own.${name}, line.${name}))`

/** A condition for a row of the database, called `own`: no file has it, and files take it back, or replace the rows of its fund or table. */
export function isGone(table: SchemaTable, scope: Scope): string {
  const staged = stagedName(table)
  const [isin, ...others] = table.key
  const same = others.map((name) => `AND coalesce(gone.${name}, own.${name}) = own.${name}`).join(' ')
  const isTakenBack = `EXISTS (SELECT 1 FROM ${goneName(table)} AS gone WHERE gone.${isin} = own.${isin} ${same})`
  // A price that only is derived again is of no file.
  const isReplaced = {
    upsert: 'false',
    funds: `EXISTS (SELECT 1 FROM ${staged} AS line WHERE line.isin = own.isin AND line.file IS NOT NULL)`,
    table: `EXISTS (SELECT 1 FROM ${staged} AS line WHERE line.file IS NOT NULL)`,
  }[scope]
  return `(${isTakenBack} OR ${isReplaced}) AND NOT EXISTS (SELECT 1 FROM ${staged} AS line WHERE ${sameKey(table)})`
}

/** @param derived columns of staged rows that were computed @returns a query in brackets, with the columns of the table as it will be */
export function foreseen(table: SchemaTable, scope: Scope, derived: readonly string[] = []): string {
  const names = table.columns.map(({ name }) => name)
  const valueOf = (name: string) =>
    table.key.includes(name) || derived.includes(name)
      ? `line.${name}`
      : `${valueAfter(table, name)} AS ${name}`
  const lines = `${stagedName(table)} AS line`
  const same = sameKey(table)
  return `(SELECT ${names.map(valueOf).join(', ')} FROM ${lines} LEFT JOIN main.${table.name} AS own ON ${same}
    UNION ALL SELECT ${names.join(', ')} FROM main.${table.name} AS own
      WHERE NOT EXISTS (SELECT 1 FROM ${lines} WHERE ${same}) AND NOT (${isGone(table, scope)}))`
}
