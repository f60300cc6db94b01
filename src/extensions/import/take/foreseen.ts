/** Tables of the database as an import will leave them: what a dry run derives from, since it writes none of them. */

import type { SchemaTable } from '../../../core/data/model/columns.ts'
import type { Scope } from '../readers/reader.ts'
import { bitsOf, isGone, sameKey, stagedName } from './staging.ts'

/** @param derived columns of staged rows that were computed @returns a query in brackets, with the columns of the table */
export function foreseen(table: SchemaTable, scope: Scope, derived: readonly string[] = []): string {
  const names = table.columns.map(({ name }) => name)
  const lines = `${stagedName(table)} AS line`
  const same = sameKey(table)
  const valueOf = (name: string) =>
    table.key.includes(name) || derived.includes(name)
      ? `line.${name}`
      : `iif(line.has & ${bitsOf(table, [name])}, line.${name}, coalesce(own.${name}, line.${name})) AS ${name}`
  const goes = {
    upsert: isGone(table),
    funds: `EXISTS (SELECT 1 FROM ${lines} WHERE line.isin = own.isin)`,
    table: `EXISTS (SELECT 1 FROM ${lines})`,
  }[scope]
  return `(SELECT ${names.map(valueOf).join(', ')} FROM ${lines} LEFT JOIN main.${table.name} AS own ON ${same}
    UNION ALL SELECT ${names.join(', ')} FROM main.${table.name} AS own
      WHERE NOT EXISTS (SELECT 1 FROM ${lines} WHERE ${same}) AND NOT (${goes}))`
}
