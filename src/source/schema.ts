/** The schema of the fund database: the contract with whoever fills it. */

import { readFileSync } from 'node:fs'

/** The value of `PRAGMA user_version` in a database of this schema. */
export const SCHEMA_VERSION = 1

/** The schema as SQL, as it is shipped. */
export const schemaSql = (): string =>
  readFileSync(new URL('../../templates/schema.sql', import.meta.url), 'utf8')

/** The tables, in the order of the schema: the one that others refer to comes first. No database is opened. */
export const schemaTableNames = (): readonly string[] =>
  [...schemaSql().matchAll(/^CREATE TABLE (\w+)/gm)].map(([, name = '']) => name)
