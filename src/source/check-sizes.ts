/**
 * What must be known before a row is read, because reading it could exhaust the memory: texts that are far too long, and
 * lists that have far too many rows.
 */

import type { Database } from 'better-sqlite3'
import type { Finding } from './finding.ts'
import { maxRows, maxTextBytes } from './limits.ts'
import { printable } from './printable.ts'

/** Of one column or list: more of them tell nothing new. */
const maxFindings = 1000

/** Every text and every list of a database of the schema that is too large. */
export function checkSizes(db: Database): Finding[] {
  return [...checkTexts(db), ...checkLists(db)]
}

function checkTexts(db: Database): Finding[] {
  // SQLite knows the largest row of each table from its pages alone: as a rule, no row needs a look.
  const large = db
    .prepare<[number], string>('SELECT name FROM dbstat WHERE aggregate = TRUE AND mx_payload > ?')
    .pluck()
    .all(maxTextBytes)
  return large.flatMap((table) => {
    const columns = db
      .prepare<[string], Column>(
        'SELECT lower(name) AS name, type, pk AS keyPosition FROM pragma_table_info(?)',
      )
      .all(table)
    const key = columns.filter(({ name, keyPosition }) => keyPosition > 0 && name !== 'isin')
    const isFundTable = columns.some(({ name, keyPosition }) => name === 'isin' && keyPosition > 0)
    if (!isFundTable) return []
    return columns
      .filter(({ type }) => type.toUpperCase() === 'TEXT')
      .flatMap(({ name }) => longTexts(db, table, name, key))
  })
}

interface Column {
  readonly name: string
  readonly type: string
  readonly keyPosition: number
}

/** No more of a key is read than a message shows. */
const shown = (column: string) => `substr("${column}", 1, 80)`

function longTexts(db: Database, table: string, column: string, key: readonly Column[]): Finding[] {
  const places = key.map(({ name }) => `, ${shown(name)}`).join('')
  const rows = db
    .prepare<[number], readonly [isin: string, bytes: number, ...key: (string | number)[]]>(
      `SELECT ${shown('isin')}, octet_length("${column}")${places} FROM "${table}"
        WHERE octet_length("${column}") > ? LIMIT ${maxFindings}`,
    )
    .raw()
    .all(maxTextBytes)
  return rows.map(([isin, bytes, ...values]) => {
    const place = values.map((value, index) => `${key[index]?.name ?? ''} ${printable(String(value))}: `)
    const message = `${place.join('')}${column} has ${count(bytes)} bytes, more than ${count(maxTextBytes)}`
    return { severity: 'error', isin, table, message }
  })
}

/** What makes one list in one document, beside the ISIN. */
const lists = { structure_item: ['type'], key_figure: [], legal_period: [] } as const

function checkLists(db: Database): Finding[] {
  return Object.entries(lists).flatMap(([table, parts]) => {
    const names = ['isin', ...parts]
    const rows = db
      .prepare<[number], readonly [isin: string, rows: number, ...parts: string[]]>(
        `SELECT ${shown('isin')}, count(*)${parts.map((name) => `, ${shown(name)}`).join('')} FROM ${table}
          GROUP BY ${names.join(', ')} HAVING count(*) > ? LIMIT ${maxFindings}`,
      )
      .raw()
      .all(maxRows)
    return rows.map(([isin, found, ...values]): Finding => {
      const place = values.map((value, index) => `${parts[index] ?? ''} ${printable(value)}: `).join('')
      const message = `${place}${count(found)} rows, more than ${count(maxRows)}`
      return { severity: 'error', isin, table, message }
    })
  })
}

const count = (number: number) => number.toLocaleString('en-US')
