/** Charges of funds whose profile is left out, since the files lack the rest of it: their prices have them all the same. */

import { plainPercent, type KnownCharges } from '../../../core/data/derive/offer.ts'
import type { Difference, Origin } from './staging.ts'
import type { Value } from '../values.ts'

const chargeColumns = ['issue_surcharge', 'redemption_fee'] as const

/** A charge that a row names. */
interface LeftCharge {
  readonly origin: Origin
  readonly value: Value
  isContradicted: boolean
}

/** Two charges of a fund that contradict each other: nothing says which is right. */
interface ChargeConflict extends Pick<Difference, 'column' | 'first' | 'second'> {
  readonly there: Origin
  /** Whether the other row is known to be bad. */
  readonly isKnown: boolean
}

export function openLeftCharges() {
  const found = new Map<string, Map<string, LeftCharge>>()
  const percentOf = (isin: string, column: string): string | null | undefined => {
    const { value = null, isContradicted = true } = found.get(isin)?.get(column) ?? {}
    return isContradicted ? undefined : plainPercent(Number(value))
  }
  return {
    /**
     * Keeps the charges that a row names. An empty cell says nothing, so one file may have the surcharge and another the fee.
     * @param columns of the row that is left out @returns what another row of the fund says
     */
    keep: (isin: string, columns: readonly string[], row: readonly Value[], origin: Origin) => {
      const charges = found.get(isin) ?? new Map<string, LeftCharge>()
      found.set(isin, charges)
      let conflict: ChargeConflict | undefined
      for (const column of chargeColumns) {
        const value = row[columns.indexOf(column)] ?? null
        const there = charges.get(column)
        if (value === null || value === there?.value) continue
        if (there === undefined) {
          charges.set(column, { origin, value, isContradicted: false })
          continue
        }
        const isKnown = there.isContradicted
        conflict ??= { there: there.origin, isKnown, column, first: there.value, second: value }
        there.isContradicted = true
      }
      return conflict
    },
    /** Takes charges back: the fund has a profile. */
    forget: (isin: string) => found.delete(isin),
    /** @returns what the files name, and do not contradict */
    of: (isin: string): KnownCharges => {
      const issueSurcharge = percentOf(isin, 'issue_surcharge')
      const redemptionFee = percentOf(isin, 'redemption_fee')
      return {
        ...(issueSurcharge === undefined ? {} : { issueSurcharge }),
        ...(redemptionFee === undefined ? {} : { redemptionFee }),
      }
    },
  }
}
