/** The days of the funds' last prices, with what decides how new they should be. */

import type { Database } from 'better-sqlite3'
import { isDay } from '../routes/values.ts'

export interface FundPriceDays {
  readonly isin: string
  readonly name: string
  readonly currency: string
  readonly dataPermitted: 0 | 1
  readonly pricesPermitted: 0 | 1
  /** Null without a profile; the English one also where it has none. */
  readonly categoryDe: string | null
  readonly categoryEn: string | null
  /** ISO 8601, the newest first. */
  readonly priceDays: readonly string[]
}

/**
 * Dates that are no days are left out: they can be counted before the checks have refused them.
 * @param isins of funds that are there @param count how many days of each at most
 */
export function readPriceDays(db: Database, isins: readonly string[], count: number): FundPriceDays[] {
  const fund = db.prepare<[string], Omit<FundPriceDays, 'priceDays'>>(
    `SELECT fund.isin, name, currency, data_permitted AS dataPermitted, prices_permitted AS pricesPermitted,
        category_de AS categoryDe, category_en AS categoryEn
      FROM fund LEFT JOIN profile ON profile.isin = fund.isin WHERE fund.isin = ?`,
  )
  const days = db
    .prepare<[string, number], string>('SELECT date FROM price WHERE isin = ? ORDER BY date DESC LIMIT ?')
    .pluck()
  return isins.flatMap((isin) => {
    const row = fund.get(isin)
    return row === undefined ? [] : [{ ...row, priceDays: days.all(isin, count).filter(isDay) }]
  })
}
