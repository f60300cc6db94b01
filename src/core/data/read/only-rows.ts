/**
 * Refuses databases that hold more than rows: expressions that SQLite computes when it reads, checks or writes them, and
 * modules that it calls. One row of them can take minutes and gigabytes. Everything here reads the schema alone.
 */

import type { Database } from 'better-sqlite3'
import { printable } from '../model/printable.ts'

/**
 * To be called before any statement that reads a row, or has views compiled, as `PRAGMA table_list` does.
 * CHECK constraints are ignored by connections that read, and views, triggers and defaults are computed by none of them.
 * @throws {Error} that names what is computed
 */
export function assertOnlyRows(file: string, db: Database): void {
  const found = [...computedIn(db)]
  if (found.length === 0) return
  const more = found.length > maxNamed ? `, and ${found.length - maxNamed} more` : ''
  throw new Error(
    `${file}: ${found.slice(0, maxNamed).join(', ')}${more}: SQLite would compute that: ` +
      'hand over a database whose tables hold plain values',
  )
}

const maxNamed = 10

interface SchemaEntry {
  readonly type: string
  readonly name: string
  readonly table: string
  readonly sql: string | null
}

function* computedIn(db: Database): Generator<string> {
  const entries = db
    .prepare<[], SchemaEntry>('SELECT type, name, tbl_name AS "table", sql FROM main.sqlite_schema')
    .all()
  for (const { type, name, table, sql } of entries) {
    // SQLite makes such an index for a key: it has no statement.
    const tokens = tokensOf(sql ?? '')
    const shown = `${type} ${printable(name)}`
    if (type !== 'index' && ownNames.test(name)) yield `${shown} has the name of a module of SQLite`
    else if (tokens[1]?.toUpperCase() === 'VIRTUAL') yield `${shown} is virtual`
    else if (type === 'table') yield* generatedColumns(db, name)
    else if (type === 'index' && sql !== null) {
      const of = `${shown} of table ${printable(table)}`
      if (hasExpression(db, name)) yield `${of} has a key that is an expression`
      else if (callsIn(tokens)) yield `${of} has a condition (WHERE) that calls a function`
    }
  }
}

/** Modules that our own statements ask: a table or view of the same name would answer in their place. */
const ownNames = /^(?:dbstat|json_each|json_tree|pragma_.*)$/is

/** Source: SQLite, PRAGMA table_xinfo: 2 is a virtual generated column, 3 a stored one. */
const generated: readonly unknown[] = [2, 3]
/** Source: SQLite, PRAGMA index_xinfo: the number of a column that is an expression. */
const expression = -2

function* generatedColumns(db: Database, table: string): Generator<string> {
  const columns = db.pragma(`main.table_xinfo(${identifier(table)})`) as {
    readonly name: string
    readonly hidden: number
  }[]
  for (const { name, hidden } of columns)
    if (generated.includes(hidden))
      yield `column ${printable(name)} of table ${printable(table)} is generated`
}

function hasExpression(db: Database, index: string): boolean {
  const columns = db.pragma(`main.index_xinfo(${identifier(index)})`) as { readonly cid: number }[]
  return columns.some(({ cid }) => cid === expression)
}

/** A name in a statement. */
export const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Comments and white space first, then quoted texts, operators that are functions, words, and single characters. */
const token =
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)|\s+|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]?|->|\|\||[\w$\u0080-\uffff]+|[^]/g
const isBlank = (text: string): boolean => /^(?:--|\/\*|\s)/.test(text)

const tokensOf = (sql: string): readonly string[] => (sql.match(token) ?? []).filter((one) => !isBlank(one))

/** Operators whose cost grows with the values, unlike comparisons and sums. */
const functions: readonly string[] = ['LIKE', 'GLOB', 'REGEXP', 'MATCH', '->', '||']
/** Words that may stand before a bracket and call nothing. */
const beforeBrackets: readonly string[] =
  'WHERE AND OR NOT IN IS ISNULL NOTNULL BETWEEN FROM CASE WHEN THEN ELSE'.split(' ')

/** Whether the condition of a partial index calls a function. */
function callsIn(statement: readonly string[]): boolean {
  const tokens = statement.map((one) => one.toUpperCase())
  const start = tokens.indexOf('WHERE')
  if (start === -1) return false
  return tokens.slice(start).some((one, index, condition) => {
    if (functions.includes(one)) return true
    const before = condition[index - 1] ?? ''
    return one === '(' && /^[\w$"'`[\u0080-\uffff]/.test(before) && !beforeBrackets.includes(before)
  })
}
