/**
 * What must be in order before a row is read: the tables and columns of the schema, and sizes that do not exhaust the memory.
 */

import Database from 'better-sqlite3'
import { maxListRows, maxTextBytes } from '../model/limits.ts'
import { sqlTypeOf, type SchemaTable } from '../model/columns.ts'
import { schemaTables } from '../model/schema.ts'
import { rowPlace, type Finding } from './finding.ts'

export function checkStructure(db: Database.Database): Finding[] {
  const findings = checkSchema(db)
  return findings.length > 0 ? findings : [...longTexts(db), ...longLists(db)]
}

/** Every table and column that is missing or made otherwise. Others beside them do no harm. */
export function checkSchema(db: Database.Database): Finding[] {
  // SQLite does not tell upper from lower case.
  const found = db.prepare<[string], FoundTable>(
    "SELECT name, type, sql FROM main.sqlite_schema WHERE type IN ('table', 'view') AND lower(name) = ?",
  )
  return Object.values(schemaTables).flatMap((wanted) => {
    const table = found.get(wanted.name)
    const messages = table === undefined ? ['the table is missing'] : differences(db, table, wanted)
    return messages.map((message): Finding => {
      return { severity: 'error', isin: null, table: wanted.name, message }
    })
  })
}

interface FoundTable {
  readonly name: string
  readonly type: string
  readonly sql: string
}

/**
 * Asks SQLite in an empty database, which has the statement of this table only: in the supplier's, the question
 * (PRAGMA table_list) compiles every view, which can take minutes.
 */
function isStrict({ name, sql }: FoundTable): boolean {
  const empty = new Database(':memory:')
  try {
    empty.prepare(sql).run()
    const strict = empty
      .prepare<[string], 0 | 1>('SELECT strict FROM pragma_table_list WHERE name = ?')
      .pluck()
    return strict.get(name) === 1
  } finally {
    empty.close()
  }
}

interface FoundColumn {
  readonly name: string
  readonly type: string
  readonly isNotNull: 0 | 1
  /** Its place in the primary key, from 1; 0 if it has none. */
  readonly keyPosition: number
}

function differences(db: Database.Database, table: FoundTable, wanted: SchemaTable): string[] {
  if (table.type !== 'table') return [`it is a ${table.type}, not a table`]
  const found = db
    .prepare<[string], FoundColumn>(
      `SELECT lower(name) AS name, upper(type) AS type, "notnull" AS isNotNull, pk AS keyPosition
      FROM pragma_table_info(?)`,
    )
    .all(table.name)
  const ofColumns = wanted.columns.flatMap(({ name, kind, isNullable }) => {
    const column = found.find((one) => one.name === name)
    const type = sqlTypeOf(kind)
    const addition = isNullable ? `: ALTER TABLE ${wanted.name} ADD COLUMN ${name} ${type}` : ''
    if (column === undefined) return [`column ${name} is missing${addition}`]
    if (column.type !== type) return [`column ${name} is of type ${column.type || 'any'}, not ${type}`]
    return !isNullable && column.isNotNull === 0 ? [`column ${name} may be NULL`] : []
  })
  const inKey = found.filter(({ keyPosition }) => keyPosition > 0)
  const key = inKey.sort((one, other) => one.keyPosition - other.keyPosition).map(({ name }) => name)
  const isKeyed = key.join(', ') === wanted.key.join(', ')
  return [
    ...(isStrict(table) ? [] : ['it is not STRICT: its values may be of any type']),
    ...ofColumns,
    ...(isKeyed ? [] : [`its primary key is (${key.join(', ')}), not (${wanted.key.join(', ')})`]),
  ]
}

/** Findings of one column or list: more of them tell nothing new. */
const maxFindings = 1000

function longTexts(db: Database.Database): Finding[] {
  // SQLite knows the largest row of each table from its pages alone: as a rule, no row needs a look.
  const large = db
    .prepare<[number], string>('SELECT lower(name) FROM dbstat WHERE aggregate = TRUE AND mx_payload > ?')
    .pluck()
    .all(maxTextBytes)
  const tables = Object.values(schemaTables).filter(({ name }) => large.includes(name))
  return tables.flatMap((table) => {
    const texts = table.columns.filter(({ kind }) => sqlTypeOf(kind) === 'TEXT')
    return texts.flatMap(({ name }) => {
      const query = `octet_length("${name}") AS size FROM ${table.name} WHERE size > ?`
      const describe = (size: string) => `${name} has ${size} bytes`
      return tooLarge(db, table.name, table.key.slice(1), query, maxTextBytes, describe)
    })
  })
}

/** What makes one list in one document, beside the ISIN. */
const lists = { structure_item: ['type'], key_figure: [], legal_period: [] } as const

const longLists = (db: Database.Database): Finding[] =>
  Object.entries(lists).flatMap(([table, places]) => {
    const query = `count(*) AS size FROM ${table} GROUP BY ${['isin', ...places].join(', ')} HAVING size > ?`
    return tooLarge(db, table, places, query, maxListRows, (size) => `${size} rows`)
  })

/** @param places columns that name the row or the list, beside the ISIN @param query what is measured, from where */
function tooLarge(
  db: Database.Database,
  table: string,
  places: readonly string[],
  query: string,
  limit: number,
  describe: (size: string) => string,
): Finding[] {
  // No more of a key is read than a message shows.
  const columns = ['isin', ...places].map((column) => `substr("${column}", 1, 80)`)
  const rows = db.prepare<[number], readonly [isin: string, ...places: unknown[], size: number]>(
    `SELECT ${columns.join(', ')}, ${query} LIMIT ${maxFindings}`,
  )
  const large = rows.raw().all(limit)
  return large.map(([isin, ...rest]): Finding => {
    const size = Number(rest.at(-1)).toLocaleString('en-US')
    const message = `${describe(size)}, more than ${limit.toLocaleString('en-US')}`
    return { severity: 'error', isin, table, message: rowPlace(places, rest) + message }
  })
}
