/** The text of `templates/schema.sql`. */

import { readFileSync } from 'node:fs'
import type { SchemaTable } from './columns.ts'

export const schemaSql = (): string =>
  readFileSync(new URL('../../../templates/schema.sql', import.meta.url), 'utf8')

/** The statement that makes a table, up to its semicolon. */
export function createStatement({ name }: SchemaTable): string {
  const pattern = new RegExp(`^CREATE TABLE ${name} [^]*?STRICT, WITHOUT ROWID`, 'm')
  const [statement] = pattern.exec(schemaSql()) ?? []
  if (statement === undefined) throw new Error(`schema.sql has no table ${name}`)
  return statement
}
