/**
 * The charges that issue and repurchase prices of a fund were derived by, in a table of its own: a row for a change, which holds from its
 * day on. A price counts as derived if it is exactly what the charges of its day make of its NAV: it goes with a NAV that is corrected. Any
 * other one is the company's own, and stays.
 */

import type { Database } from 'better-sqlite3'
import { tablesIn } from '../read/open.ts'
import { type Charges, isSameCharges } from './offer.ts'

const table = 'fundpress_derived_charges'

interface Mark extends Charges {
  readonly since: string
}

/** The charges that prices of one fund were derived by. */
export interface OfferMarks {
  /** @returns undefined if the prices of the day never were, or nothing was known of charges then */
  readonly at: (date: string) => Charges | undefined
  /** The same of a day up to the newest price that the database has: later ones may have other charges. */
  readonly ofDay: (date: string) => Charges | undefined
  /** Those of the newest price that the database has. */
  readonly newest: () => Charges | undefined
  /** Notes that the prices of a day are derived by charges, from now on. The first note makes the table, a change of the schema. */
  readonly note: (date: string, charges: Charges) => void
}

/** @param isDryRun notes are not written @returns reads the marks of a fund */
export function offerMarks(db: Database, { isDryRun = false } = {}): (isin: string) => OfferMarks {
  const newestDay = db
    .prepare<[string], string | null>('SELECT max(date) FROM main.price WHERE isin = ?')
    .pluck()
  const dayAfter = db
    .prepare<[string, string], string | null>('SELECT min(date) FROM main.price WHERE isin = ? AND date > ?')
    .pluck()
  const marks = markTable(db)
  return (isin) => {
    const all = marks.read(isin)
    const at = (date: string) => all.findLast(({ since }) => since <= date)
    const set = (since: string, charges: Charges) => {
      const index = all.findIndex((mark) => mark.since >= since)
      const place = index < 0 ? all.length : index
      const isThere = all[place]?.since === since
      // The day before says the same.
      if (isSameCharges(all[place - 1], charges)) {
        if (!isThere) return
        all.splice(place, 1)
        if (!isDryRun) marks.remove(isin, since)
        return
      }
      const { issueSurcharge, redemptionFee } = charges
      all.splice(place, isThere ? 1 : 0, { since, issueSurcharge, redemptionFee })
      if (!isDryRun) marks.put(isin, since, charges)
    }
    const note = (date: string, charges: Charges) => {
      const before = at(date)
      if (isSameCharges(before, charges)) return
      const next = dayAfter.get(isin, date) ?? undefined
      const isNextKnown = all.some(({ since }) => since > date && (next === undefined || since <= next))
      set(date, charges)
      if (before !== undefined && next !== undefined && !isNextKnown) set(next, before)
      const later = all.find(({ since }) => since > date)
      // A change that is none any more.
      if (later !== undefined && isSameCharges(later, charges)) set(later.since, later)
    }
    const newest = newestDay.get(isin) ?? ''
    return { at, ofDay: (date) => (date > newest ? undefined : at(date)), newest: () => at(newest), note }
  }
}

/** The statements of the table, which is not there before the first note. */
function markTable(db: Database) {
  const prepare = () => ({
    read: db.prepare<[string], Mark>(
      `SELECT since, issue_surcharge AS issueSurcharge, redemption_fee AS redemptionFee FROM main.${table} WHERE isin = ? ORDER BY since`,
    ),
    put: db.prepare(`INSERT OR REPLACE INTO main.${table} VALUES (?, ?, ?, ?)`),
    remove: db.prepare(`DELETE FROM main.${table} WHERE isin = ? AND since = ?`),
  })
  let prepared: ReturnType<typeof prepare> | undefined
  const made = () => {
    db.exec(
      `CREATE TABLE IF NOT EXISTS main.${table} (isin TEXT NOT NULL, since TEXT NOT NULL, issue_surcharge TEXT,
        redemption_fee TEXT, PRIMARY KEY (isin, since)) STRICT, WITHOUT ROWID`,
    )
    return prepare()
  }
  return {
    read: (isin: string): Mark[] => {
      if (prepared === undefined && tablesIn(db).includes(table)) prepared = prepare()
      return prepared?.read.all(isin) ?? []
    },
    put: (isin: string, since: string, { issueSurcharge, redemptionFee }: Charges) => {
      prepared ??= made()
      prepared.put.run(isin, since, issueSurcharge, redemptionFee)
    },
    remove: (isin: string, since: string) => prepared?.remove.run(isin, since),
  }
}
