/** The NAV over a fund's history, for charts: by lookups in the index instead of reading every price. */

import type { Database } from 'better-sqlite3'
import type { NavPoint } from '../../api/contract/page.ts'
import { dayNumber, isoOf } from '../../system/day-number.ts'

const maxPoints = 250
/** A list of days takes 5 kB. */
const mostKnown = 200

/** @throws {SqliteError} if a table or a column of the schema is missing */
export function navReader(db: Database) {
  const ends = db.prepare<[string, string], { readonly first: string | null; readonly last: string | null }>(
    'SELECT (SELECT min(date) FROM price WHERE isin = ?) AS first, (SELECT max(date) FROM price WHERE isin = ?) AS last',
  )
  // One statement for all days, and one text a point: three times as fast as a statement, or an object, each.
  const firstFrom = db
    .prepare<[string, string], string>(
      `SELECT (SELECT date || ' ' || net_asset_value FROM price WHERE isin = ? AND date >= value ORDER BY date LIMIT 1)
      FROM json_each(?)`,
    )
    .pluck()
  const points = <Limit extends string | number>(where: string) =>
    db.prepare<[string, Limit], NavPoint>(
      `SELECT date, net_asset_value AS nav FROM price WHERE isin = ? ${where}`,
    )
  const at = points<string>('AND date <= ? ORDER BY date DESC LIMIT 1')
  const from = points<string>('AND date >= ? ORDER BY date LIMIT 1')
  const latest = points<number>('ORDER BY date DESC LIMIT ?')
  // Many funds have the same first and last day.
  const known = new Map<string, string>()
  const daysOf = (first: string, last: string) => {
    const days = known.get(first + last) ?? JSON.stringify(daysAcross(first, last))
    if (known.size > mostKnown) known.clear()
    known.set(first + last, days)
    return days
  }
  return {
    /** At most 250 points, ascending, the first and the last price among them; every price of a history of 250 days. */
    sample: (isin: string): readonly NavPoint[] => {
      const { first, last } = ends.get(isin, isin) ?? { first: null, last: null }
      if (first === null || last === null) return []
      // Two days can have the same next price, if there is none in between.
      const found = new Set(firstFrom.all(isin, daysOf(first, last)))
      return [...found].map((text) => {
        const end = text.indexOf(' ')
        return { date: text.slice(0, end), nav: text.slice(end + 1) }
      })
    },
    /** The last price at or before a day (ISO 8601), or null. */
    at: (isin: string, day: string) => at.get(isin, day) ?? null,
    /** The first price at or after a day (ISO 8601), or null. */
    from: (isin: string, day: string) => from.get(isin, day) ?? null,
    /** So many of the last prices, the newest first. */
    latest: (isin: string, count: number): readonly NavPoint[] => latest.all(isin, count),
  }
}

function daysAcross(first: string, last: string): readonly string[] {
  const start = dayNumber(first)
  const days = dayNumber(last) - start
  const steps = Math.min(days, maxPoints - 1)
  return Array.from({ length: steps + 1 }, (_, index) =>
    isoOf(start + Math.round((days * index) / Math.max(steps, 1))),
  )
}
