/** What a fund charges: the one source for issue and repurchase prices, and for the figures net of the surcharge. */

import type { Database } from 'better-sqlite3'
import { offerMarks } from './offer-marks.ts'
import type { Charges } from './offer.ts'

/** The charges of a fund, and what they are from: nothing is known of those that are from nothing. */
export interface FundCharges extends Charges {
  readonly from: 'profile' | 'lastPrice' | 'nothing'
}

/**
 * Reads the charges of a fund: those of its profile; without one, those that its newest derived price had.
 * @param profiles a table, or a query in brackets, with the columns of `profile`
 */
export function chargesReader(db: Database, profiles = 'main.profile'): (isin: string) => FundCharges {
  const row = db.prepare<[string], Readonly<Record<'surcharge' | 'fee', number | null>>>(
    `SELECT issue_surcharge AS surcharge, redemption_fee AS fee FROM ${profiles} WHERE isin = ?`,
  )
  const marks = offerMarks(db)
  return (isin) => {
    const found = row.get(isin)
    if (found !== undefined) {
      const issueSurcharge = plainPercent(found.surcharge)
      return { issueSurcharge, redemptionFee: plainPercent(found.fee), from: 'profile' }
    }
    const last = marks(isin).newest()
    if (last === undefined) return { issueSurcharge: null, redemptionFee: null, from: 'nothing' }
    return { issueSurcharge: last.issueSurcharge, redemptionFee: last.redemptionFee, from: 'lastPrice' }
  }
}

/** @returns null for none */
export function plainPercent(percent: number | null): string | null {
  const text = String(percent)
  return percent !== null && percent > 0 && /^[0-9]+(?:\.[0-9]+)?$/.test(text) ? text : null
}
