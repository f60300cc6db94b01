/** Whether a database has the tables of the schema: without them nothing can be read, with others wrongly. */

import Database from 'better-sqlite3'
import { checkSizes } from './check-sizes.ts'
import type { Finding } from './finding.ts'
import { schemaSql } from './schema.ts'

/** What has to be in order before a row is read: the schema, then the sizes. */
export function checkStructure(db: Database.Database): Finding[] {
  const findings = checkSchema(db)
  return findings.length > 0 ? findings : checkSizes(db)
}

/** Every table and column that is missing or made otherwise. Others beside them do no harm. */
export function checkSchema(db: Database.Database): Finding[] {
  const found = tablesOf(db)
  return [...schemaTables()].flatMap(([name, wanted]) => {
    const table = found.get(name)
    const messages = table === undefined ? ['the table is missing'] : differences(table, wanted)
    return messages.map((message): Finding => ({ severity: 'error', isin: null, table: name, message }))
  })
}

interface Column {
  readonly name: string
  readonly type: string
  readonly isNotNull: 0 | 1
  /** Its place in the primary key, from 1; 0 if it has none. */
  readonly keyPosition: number
  /** 2 and 3 are generated columns. Source: SQLite, PRAGMA table_xinfo. */
  readonly hidden: number
}

interface Table {
  readonly type: string
  readonly isStrict: 0 | 1
  readonly columns: ReadonlyMap<string, Column>
}

function differences(table: Table, wanted: Table): string[] {
  if (table.type !== 'table') return [`it is a ${table.type}, not a table`]
  const ofColumns = [...wanted.columns.values()].flatMap(({ name, type, isNotNull }) => {
    const column = table.columns.get(name)
    if (column === undefined) return [`column ${name} is missing`]
    if (column.hidden !== 0) return [`column ${name} is generated: its values have to be stored`]
    if (column.type !== type) return [`column ${name} is of type ${column.type || 'any'}, not ${type}`]
    return isNotNull > column.isNotNull ? [`column ${name} may be NULL`] : []
  })
  const isKeyed = keyOf(table) === keyOf(wanted)
  return [
    ...(table.isStrict === 1 ? [] : ['it is not STRICT: its values may be of any type']),
    ...ofColumns,
    ...(isKeyed ? [] : [`its primary key is (${keyOf(table)}), not (${keyOf(wanted)})`]),
  ]
}

function keyOf({ columns }: Table): string {
  const key = [...columns.values()].filter(({ keyPosition }) => keyPosition > 0)
  return key
    .sort((one, other) => one.keyPosition - other.keyPosition)
    .map(({ name }) => name)
    .join(', ')
}

function schemaTables(): Map<string, Table> {
  const db = new Database(':memory:')
  try {
    db.exec(schemaSql())
    return tablesOf(db)
  } finally {
    db.close()
  }
}

/** By name, in the order in which they were made. SQLite does not tell upper from lower case. */
function tablesOf(db: Database.Database): Map<string, Table> {
  const tables = db.prepare<[], { name: string; type: string; isStrict: 0 | 1 }>(`
    SELECT lower(list.name) AS name, list.type, list.strict AS isStrict
    FROM sqlite_schema JOIN pragma_table_list AS list ON list.name = sqlite_schema.name AND list.schema = 'main'
    WHERE sqlite_schema.type IN ('table', 'view') ORDER BY sqlite_schema.rowid`)
  const columns = db.prepare<[string], Column>(`
    SELECT lower(name) AS name, upper(type) AS type, "notnull" AS isNotNull, pk AS keyPosition, hidden
    FROM pragma_table_xinfo(?)`)
  return new Map(
    tables.all().map(({ name, type, isStrict }) => {
      const byName = new Map(columns.all(name).map((column) => [column.name, column]))
      return [name, { type, isStrict, columns: byName }]
    }),
  )
}
