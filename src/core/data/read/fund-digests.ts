/**
 * What a fund's rows are, as digests: two builds with the same digest have the same rows. SQLite writes the text that is
 * hashed (a JSON array a row), so that it compares millions of rows without making objects.
 */

import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { Group } from '../../api/contract/rows.ts'
import { isDay } from '../../api/routes/values.ts'
import { sqlTypeOf, type SchemaTable } from '../model/columns.ts'
import { groupNames, schemaTables } from '../model/schema.ts'
import { rowColumns } from './fund-reader.ts'

/** Groups that are digested as a whole; prices are digested by year. */
export type WholeGroup = Exclude<Group, 'prices'>

export const wholeGroups = groupNames.filter((group): group is WholeGroup => group !== 'prices')

interface RowsDigest {
  /** SHA-256 in base64url; '' if there is no row. */
  readonly digest: string
  /** Whether texts may hold what the checks warn of, so that they have to see the rows again. */
  readonly isDoubtful: boolean
}

export interface YearDigest {
  readonly year: string
  /** Days of its first and its last price. */
  readonly first: string
  readonly last: string
  readonly records: number
  readonly digest: string
}

/** All of a fund's rows, each digest cut to 132 bits; '' if there is no row. */
export interface RowDigests {
  readonly fund: string
  readonly groups: Readonly<Record<WholeGroup, string>>
  readonly prices: Readonly<Record<string, string>>
}

export type FundDigests = ReturnType<typeof fundDigests>

/** @throws {SqliteError} if a table or a column of the schema is missing */
export function fundDigests(db: Database) {
  const rowsOf = (table: SchemaTable, where = '') =>
    db.prepare<string[], Row>(`${digestQuery(table)} ${where}`)
  // Programs for Windows make databases in UTF-16: what is no text in its encoding becomes U+FFFD.
  const decoder = new TextDecoder(String(db.pragma('encoding', { simple: true })), { ignoreBOM: true })
  const isDoubtful = (rows: Buffer | null) => rows !== null && doubtful.test(decoder.decode(rows))
  const { fund: fundTable, prices } = schemaTables
  const fund = rowsOf(fundTable)
  const whole = Object.fromEntries(
    wholeGroups.map((group) => [group, rowsOf(schemaTables[group])]),
  ) as Record<WholeGroup, typeof fund>
  const year = rowsOf(prices, 'AND date >= ? AND date < ?')
  const newest = rowsOf(prices, 'AND date = (SELECT max(date) FROM price WHERE isin = ?)')
  const dayWhere = (sql: string) => db.prepare<[string, string], string>(`SELECT ${sql}`).pluck()
  const firstFrom = dayWhere('min(date) FROM price WHERE isin = ? AND date >= ?')
  const lastBefore = dayWhere('max(date) FROM price WHERE isin = ? AND date < ?')

  return {
    fund: (isin: string) => digestOf(fund.get(isin)),
    group: (group: WholeGroup, isin: string): RowsDigest => {
      const row = whole[group].get(isin)
      return { digest: digestOf(row), isDoubtful: isDoubtful(row?.rows ?? null) }
    },
    /** Ascending; every price is in one of them. Null where a date is none, so that there are no years to tell. */
    years: (isin: string): readonly YearDigest[] | null => {
      const years: YearDigest[] = []
      // min() of no rows is NULL.
      for (let first: string | null = firstFrom.get(isin, '') ?? null; first !== null;) {
        if (!isDay(first)) return null
        const name = first.slice(0, 4)
        // Every day of the year sorts before it. Other texts may, too: with them the checks refuse the fund.
        const end = `${name}~`
        const row = year.get(isin, first, end)
        const last = lastBefore.get(isin, end) ?? ''
        years.push({ year: name, first, last, records: row?.records ?? 0, digest: digestOf(row) })
        first = firstFrom.get(isin, end) ?? null
      }
      return years
    },
    newestPrice: (isin: string) => digestOf(newest.get(isin, isin)),
  }
}

interface Row {
  /** The rows, a JSON array each, with commas between them; NULL if there is none. */
  readonly rows: Buffer | null
  readonly records: number
}

/**
 * A query for the text of a fund's rows of a table. A JSON array tells NULL from text and text from text, whatever it holds;
 * as bytes, since it need not be text in the encoding of the database.
 */
function digestQuery(table: SchemaTable): string {
  // JSON has 15 digits of a number, quote() as many as tell it from all others.
  const values = rowColumns(table).map(({ name, kind }) =>
    sqlTypeOf(kind) === 'REAL' ? `quote(${name})` : name,
  )
  // Unsorted, which is faster: they come in the order of the primary key that finds them.
  return `SELECT count(*) AS records, CAST(group_concat(json_array(${values.join(', ')})) AS BLOB) AS rows
    FROM ${table.name} WHERE isin = ?`
}

const digestOf = (row: Row | undefined) =>
  row === undefined || row.rows === null ? '' : hash('sha256', row.rows, 'base64url')

/**
 * Searches rows as JSON for a text that begins like a formula and is no negative number, for an escape other than of a
 * quotation mark or a backslash, for characters that cannot be seen or that are not UTF-8, and for what else `isSuspect` finds. The
 * checks may still have nothing to say.
 */
const doubtful =
  /"\s|\s"|&#?\w+;|[Â-ßâ\u221a\u251c\u252c][\u0080-\uffff]|"(?:[=+@＝＋－＠]|-(?!\d[\d.e+-]*"))|\\[^"\\]|[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffd]/
