/** Charges of funds whose profile is left out, since the files lack the rest of it: their prices have them all the same. */

import { chargesFrom, type Charges } from '../../../core/data/derive/offer.ts'
import type { Difference, Origin } from './staging.ts'
import type { Value } from '../values.ts'

const chargeColumns = ['issue_surcharge', 'redemption_fee'] as const

interface LeftCharges {
  readonly origin: Origin
  readonly values: readonly Value[]
  isContradicted: boolean
}

/** Two charges of a fund that contradict each other: nothing says which is right. */
interface ChargeConflict extends Pick<Difference, 'column' | 'first' | 'second'> {
  readonly there: Origin
  /** Whether the other row is known to be bad. */
  readonly isKnown: boolean
}

export function openLeftCharges() {
  const found = new Map<string, LeftCharges>()
  return {
    /** @param columns of the row that is left out @returns what another row of the fund says */
    keep: (isin: string, columns: readonly string[], row: readonly Value[], origin: Origin) => {
      const values = chargeColumns.map((name) => row[columns.indexOf(name)] ?? null)
      if (values.every((value) => value === null)) return undefined
      const there = found.get(isin)
      if (there === undefined) found.set(isin, { origin, values, isContradicted: false })
      const at = values.findIndex((value, index) => there !== undefined && value !== there.values[index])
      const column = chargeColumns[at]
      if (there === undefined || column === undefined) return undefined
      const conflict: ChargeConflict = {
        there: there.origin,
        isKnown: there.isContradicted,
        column,
        first: there.values[at] ?? null,
        second: values[at] ?? null,
      }
      there.isContradicted = true
      return conflict
    },
    /** Takes charges back: the fund has a profile. */
    forget: (isin: string) => found.delete(isin),
    /** @returns undefined if the files name no charge of the fund, or contradict each other */
    of: (isin: string): Charges | undefined => {
      const { values = [], isContradicted = true } = found.get(isin) ?? {}
      const [surcharge = null, fee = null] = values
      const charges = chargesFrom(Number(surcharge), Number(fee))
      const isCharged = charges.issueSurcharge !== null || charges.redemptionFee !== null
      return isCharged && !isContradicted ? charges : undefined
    },
  }
}
