/** How old the prices of a database are: the newest price of each fund, and of those the oldest. */

import { openFunds, readable } from './open.ts'

export interface PriceDays {
  /** The fund whose newest price is oldest, the first by ISIN, or null where no fund has a price to give out. */
  readonly oldest: { readonly isin: string; readonly day: string } | null
  /** Funds whose prices may be given out, and that have none. */
  readonly without: number
}

/** @throws {Error} if the database cannot be read */
export function readOldestPrice(file: string): PriceDays {
  const db = openFunds(file)
  try {
    const rows = db
      .prepare<[], { isin: string; day: string | null }>(
        `SELECT isin, (SELECT max(date) FROM price WHERE price.isin = fund.isin) AS day
           FROM fund WHERE data_permitted = 1 AND prices_permitted = 1 ORDER BY day, isin`,
      )
      .all()
    const [oldest] = rows.flatMap(({ isin, day }) => (day === null ? [] : { isin, day }))
    return { oldest: oldest ?? null, without: rows.filter(({ day }) => day === null).length }
  } catch (error) {
    throw readable(file, error)
  } finally {
    db.close()
  }
}
