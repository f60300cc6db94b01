/**
 * The charges that issue and repurchase prices were derived by, price by price, in a table of its own. Such a price counts as derived if
 * it is exactly what those charges make of its NAV: it goes with a NAV that is corrected. Any other one is the company's own, and stays.
 */

import type { Database } from 'better-sqlite3'
import { tablesIn } from '../read/open.ts'
import type { Charges, KnownCharges } from './offer.ts'

const table = 'fundpress_derived_offers'

/** Reads what prices were derived by. */
export interface OfferMarks {
  /** @returns undefined if the prices of the day never were, or nothing was known of charges then */
  readonly at: (isin: string, date: string) => Charges | undefined
  /** Reads it of the newest price of a fund. */
  readonly newest: (isin: string) => KnownCharges
}

export function offerMarks(db: Database): OfferMarks {
  if (!tablesIn(db).includes(table)) return { at: () => undefined, newest: () => ({}) }
  const mark = `SELECT issue_surcharge AS issueSurcharge, redemption_fee AS redemptionFee FROM main.${table} WHERE isin = ?`
  const at = db.prepare<[string, string], Charges>(`${mark} AND date = ?`)
  // A mark outlives a price that was removed, and says nothing then.
  const hasPrice = `EXISTS (SELECT 1 FROM main.price WHERE price.isin = ${table}.isin AND price.date = ${table}.date)`
  const newest = db.prepare<[string], Charges>(`${mark} AND ${hasPrice} ORDER BY date DESC LIMIT 1`)
  return {
    at: (isin, date) => at.get(isin, date),
    newest: (isin) => newest.get(isin) ?? {},
  }
}

/** @returns notes what the offer prices of a day are derived by, from now on; the first note makes the table, a change of the schema */
export function offerMarker(db: Database): (isin: string, date: string, charges: Charges) => void {
  const prepare = () => {
    db.exec(
      `CREATE TABLE IF NOT EXISTS main.${table} (isin TEXT NOT NULL, date TEXT NOT NULL, issue_surcharge TEXT,
        redemption_fee TEXT, PRIMARY KEY (isin, date)) STRICT, WITHOUT ROWID`,
    )
    return db.prepare(
      `INSERT INTO main.${table} VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET issue_surcharge = excluded.issue_surcharge, redemption_fee = excluded.redemption_fee`,
    )
  }
  let insert: ReturnType<typeof prepare> | undefined
  return (isin, date, { issueSurcharge, redemptionFee }) => {
    insert ??= prepare()
    insert.run(isin, date, issueSurcharge, redemptionFee)
  }
}
