/** Prices that stand at their NAV, though their fund has a charge: counted, and given the charge when the company says so. */

import type { Database } from 'better-sqlite3'
import { isDay } from '../../api/routes/values.ts'
import { type DerivedAgain, derivedFunds, isAboveZero } from './derived.ts'
import { chargesReader } from './charges.ts'
import { offerMarks } from './offer-marks.ts'
import { type Charges, isCharged, offeredPrice } from './offer.ts'

/** Whether a price of a fund stands at its NAV, though the fund has a charge for that. */
const isUncharged = `((:surcharge IS NOT NULL AND issue_price = net_asset_value)
  OR (:fee IS NOT NULL AND repurchase_price = net_asset_value))`

const chargesFor = (isin: string, { issueSurcharge, redemptionFee }: Charges) => ({
  isin,
  surcharge: issueSurcharge,
  fee: redemptionFee,
})

/**
 * Prices that stand at their NAV, though their fund has a charge: they were made before anything said so, or the charge is new.
 * Nobody but the company knows which.
 */
export function unchargedReader(db: Database) {
  const newest = db
    .prepare<[object], number>(
      `SELECT ${isUncharged} FROM main.price WHERE isin = :isin ORDER BY date DESC LIMIT 1`,
    )
    .pluck()
  const all = db.prepare<[object], { readonly count: number; readonly day: string | null }>(
    `SELECT count(*) AS count, min(date) AS day FROM main.price WHERE isin = :isin AND ${isUncharged}`,
  )
  return {
    /** Whether the newest price of the database is one: else they are known for long. */
    isNewestOne: (isin: string, charges: Charges): boolean => newest.get(chargesFor(isin, charges)) === 1,
    /** How many the database has, and the first. */
    all: (isin: string, charges: Charges): DerivedAgain => {
      const { count = 0, day = null } = all.get(chargesFor(isin, charges)) ?? {}
      return { count, first: `${isin} on ${day ?? ''}` }
    },
  }
}

/**
 * Gives prices that stand at their NAV the charges of their fund. To be called in a transaction.
 * @param since the first day of them; '' for all
 */
export function chargePrices(db: Database, isins: readonly string[], since: string): DerivedAgain {
  const chargesOf = chargesReader(db)
  const found = db.prepare<[object], Readonly<Record<'date' | 'nav' | 'issue' | 'repurchase', string>>>(
    `SELECT date, net_asset_value AS nav, issue_price AS issue, repurchase_price AS repurchase
      FROM main.price WHERE isin = :isin AND date >= :since AND ${isUncharged} ORDER BY date`,
  )
  const update = db.prepare(
    'UPDATE main.price SET issue_price = ?, repurchase_price = ? WHERE isin = ? AND date = ?',
  )
  const marksOf = offerMarks(db)
  let count = 0
  let first = ''
  for (const isin of isins) {
    const charges = chargesOf(isin)
    if (!isCharged(charges)) continue
    const marks = marksOf(isin)
    for (const { date, nav, issue, repurchase } of found.all({ ...chargesFor(isin, charges), since })) {
      if (!isDay(date) || !isAboveZero(nav)) continue
      const charged = [
        issue === nav ? offeredPrice('issue_price', nav, charges) : issue,
        repurchase === nav ? offeredPrice('repurchase_price', nav, charges) : repurchase,
      ]
      // The charge of a small NAV may be less than its last digit.
      if (charged[0] === issue && charged[1] === repurchase) continue
      update.run(...charged, isin, date)
      marks.note(date, charges)
      if (count++ === 0) first = `${isin} on ${date}`
    }
  }
  return { count, first }
}

/** What profiles that have just come leave behind: of funds whose figures are derived, if the newest price stands at its NAV. */
export function unchargedBy(
  db: Database,
  isins: readonly string[],
  chargesOf: ReturnType<typeof chargesReader>,
): DerivedAgain {
  const derived = derivedFunds(db)
  const uncharged = unchargedReader(db)
  const found = isins
    .map((isin) => ({ isin, charges: chargesOf(isin) }))
    .filter(({ isin, charges }) => derived.has(isin) && uncharged.isNewestOne(isin, charges))
    .map(({ isin, charges }) => uncharged.all(isin, charges))
  return { count: found.reduce((sum, { count }) => sum + count, 0), first: found[0]?.first ?? '' }
}
