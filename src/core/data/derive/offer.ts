/** Issue and repurchase price where only a NAV is delivered: the NAV, with the surcharge and less the fee of table profile. */

import type { Database } from 'better-sqlite3'
import { type Fraction, fractionOf, product, rounded, scaleOf } from './exact.ts'

/** In percent, plain decimals; null without one. */
export interface Charges {
  readonly issueSurcharge: string | null
  readonly redemptionFee: string | null
}

/** Those that something says, also that there is none. */
export type KnownCharges = Partial<Charges>

/** Where nothing says any, a fund has none. */
export const chargesOfKnown = ({ issueSurcharge = null, redemptionFee = null }: KnownCharges): Charges => ({
  issueSurcharge,
  redemptionFee,
})

export const isCharged = ({ issueSurcharge, redemptionFee }: Charges): boolean =>
  issueSurcharge !== null || redemptionFee !== null

export const offerColumns = ['issue_price', 'repurchase_price'] as const

/** @param column `issue_price`, or `repurchase_price` @returns with the decimals of the NAV, rounded half away from zero */
export function offeredPrice(
  column: string,
  nav: string,
  { issueSurcharge, redemptionFee }: Charges,
): string {
  const percent = column === 'issue_price' ? issueSurcharge : redemptionFee
  if (percent === null) return nav
  const { top, bottom } = fractionOf(percent)
  const hundred = 100n * bottom
  const share: Fraction = { top: column === 'issue_price' ? hundred + top : hundred - top, bottom: hundred }
  return rounded(product(fractionOf(nav), share), scaleOf(nav))
}

/**
 * Reads what a fund charges; undefined for a fund without a profile.
 * @param source a table, or a query in brackets, with the columns of `profile`
 */
export function chargesReader(db: Database, source = 'main.profile'): (isin: string) => Charges | undefined {
  const row = db.prepare<[string], Readonly<Record<'surcharge' | 'fee', number | null>>>(
    `SELECT issue_surcharge AS surcharge, redemption_fee AS fee FROM ${source} WHERE isin = ?`,
  )
  return (isin) => {
    const found = row.get(isin)
    if (found === undefined) return undefined
    const { surcharge, fee } = found
    return { issueSurcharge: plainPercent(surcharge), redemptionFee: plainPercent(fee) }
  }
}

/** @returns null for none */
export function plainPercent(percent: number | null): string | null {
  const text = String(percent)
  return percent !== null && percent > 0 && /^[0-9]+(?:\.[0-9]+)?$/.test(text) ? text : null
}
