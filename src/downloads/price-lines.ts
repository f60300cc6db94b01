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

/**
 * @returns a fund's prices, ascending by year; of rows that the checks have nothing against. Their bytes are good until the
 * next fund is asked for: millions of lines in buffers of their own would wait for the garbage collector.
 */
export function priceLines(
  db: FundDatabase,
  { name, source, columns }: Table,
): (isin: string) => readonly PriceLines[] {
  if (!columns.every(isBare)) throw new Error(`table ${name} has columns that have to be quoted`)
  const fields = columns.map(({ sql }) => sql).join(`, ',', `)
  const ofYear = db
    .prepare<[string, string, string], [rows: number, lines: string | null]>(
      // Unsorted, which is faster: they come in the order of the primary key that finds them.
      `SELECT count(*), group_concat(concat(${fields}, char(13, 10)), '') FROM ${source} AS t
        WHERE t.isin = ? AND t.date >= ? AND t.date < ?`,
    )
    .raw()
  const firstFrom = db
    .prepare<[string, string], string | null>(`SELECT min(date) FROM ${source} WHERE isin = ? AND date >= ?`)
    .pluck()
  let space = Buffer.allocUnsafeSlow(1 << 18)
  return (isin) => {
    const years: PriceLines[] = []
    let taken = 0
    for (let first = firstFrom.get(isin, '') ?? null; first !== null;) {
      const year = first.slice(0, 4)
      // Every day of the year sorts before it.
      const end = `${year}~`
      const [rows, lines] = ofYear.get(isin, year, end) ?? [0, null]
      if (lines !== null) {
        if (taken + lines.length > space.length) {
          space = Buffer.allocUnsafeSlow(2 * (taken + lines.length))
          taken = 0
        }
        const start = taken
        taken += space.write(lines, start, 'latin1')
        years.push({ year, lines: space.subarray(start, taken), rows })
      }
      first = firstFrom.get(isin, end) ?? null
    }
    return years
  }
}
