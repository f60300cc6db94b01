/**
 * Prices as lines of CSV, written by SQLite: there are millions of them, and all of their columns are words of digits,
 * points and hyphens that stand in a file as they stand in the database.
 */

import type { FundDatabase } from '../source/open.ts'
import { isBare, type Table } from './column.ts'

/** A fund's prices of one calendar year. */
export interface PriceLines {
  /** Four digits. */
  readonly year: string
  /** Ascending by day, each with CRLF at its end. ASCII. */
  readonly lines: Buffer
  readonly rows: number
}

/** @returns a fund's prices, ascending by year; of rows that the checks have nothing against */
export function priceLines(
  db: FundDatabase,
  { name, source, columns }: Table,
): (isin: string) => readonly PriceLines[] {
  if (!columns.every(isBare)) throw new Error(`table ${name} has columns that have to be quoted`)
  const fields = columns.map(({ sql }) => sql).join(`, ',', `)
  const ofYear = db
    .prepare<[string, string, string], [rows: number, lines: string | null]>(
      `SELECT count(*), group_concat(line, '') FROM (
        SELECT concat(${fields}, char(13, 10)) AS line FROM ${source} AS t
        WHERE t.isin = ? AND t.date >= ? AND t.date < ? ORDER BY t.date)`,
    )
    .raw()
  const firstFrom = db
    .prepare<[string, string], string | null>(`SELECT min(date) FROM ${source} WHERE isin = ? AND date >= ?`)
    .pluck()
  return (isin) => {
    const years: PriceLines[] = []
    for (let first = firstFrom.get(isin, '') ?? null; first !== null;) {
      const year = first.slice(0, 4)
      // Every day of the year sorts before it.
      const end = `${year}~`
      const [rows, lines] = ofYear.get(isin, year, end) ?? [0, null]
      if (lines !== null) years.push({ year, lines: Buffer.from(lines, 'latin1'), rows })
      first = firstFrom.get(isin, end) ?? null
    }
    return years
  }
}
