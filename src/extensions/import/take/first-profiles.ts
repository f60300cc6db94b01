/** First profiles of funds whose charges are known already: what files or derived prices have of them stays. */

import type { Database } from 'better-sqlite3'
import type { DerivedAgain } from '../../../core/data/derive/derived.ts'
import { offerMarks } from '../../../core/data/derive/offer-marks.ts'
import type { KnownCharges } from '../../../core/data/derive/offer.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { stagedName } from './staging.ts'

/**
 * Gives staged profiles that are the first of their fund, and name no charge, those that are known. A charge of 0 is named.
 * @param namedOf what files name beyond whole profiles @returns the funds that got one
 */
export function completeFirstProfiles(db: Database, namedOf: (isin: string) => KnownCharges): DerivedAgain {
  const staged = stagedName(schemaTables.profile)
  const isins = db
    .prepare<[], string>(
      `SELECT isin FROM ${staged} WHERE (issue_surcharge IS NULL OR redemption_fee IS NULL)
        AND isin NOT IN (SELECT isin FROM main.profile) ORDER BY isin`,
    )
    .pluck()
    .all()
  const update = db.prepare(
    `UPDATE ${staged} SET issue_surcharge = coalesce(issue_surcharge, :surcharge), redemption_fee = coalesce(redemption_fee, :fee)
      WHERE isin = :isin AND (issue_surcharge, redemption_fee) IS NOT (coalesce(issue_surcharge, :surcharge), coalesce(redemption_fee, :fee))`,
  )
  const marksOf = offerMarks(db)
  const completed = isins.filter((isin) => {
    const last = marksOf(isin).newest()
    const named = namedOf(isin)
    const surcharge = chargeOf(named.issueSurcharge, last?.issueSurcharge)
    const fee = chargeOf(named.redemptionFee, last?.redemptionFee)
    return update.run({ isin, surcharge, fee }).changes > 0
  })
  return { count: completed.length, first: completed[0] ?? '' }
}

/** @param named null if a file names 0 */
function chargeOf(named: string | null | undefined, last: string | null | undefined): number | null {
  if (named !== undefined) return Number(named ?? 0)
  return last === undefined || last === null ? null : Number(last)
}
