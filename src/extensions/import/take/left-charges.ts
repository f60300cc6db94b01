/** Charges of funds whose profile is left out, since the files lack the rest of it: their prices have them all the same. */

import { plainPercent } from '../../../core/data/derive/charges.ts'
import type { KnownCharges } from '../../../core/data/derive/offer.ts'
import type { Value } from '../values.ts'
import type { Contradicted } from './join-rows.ts'
import { chargeColumns, type Origin } from './staging.ts'

/** What the files say of the charges of a fund, beyond whole profiles. */
export interface FileCharges {
  /** Those that they name, and do not contradict. */
  readonly of: (isin: string) => KnownCharges
  /** Whether rows contradict each other: then those that name charges for single days are no better. */
  readonly isContradicted: (isin: string) => boolean
}

/** A row that names charges, in the order of `chargeColumns`. */
interface Naming {
  readonly origin: Origin
  readonly values: readonly Value[]
}

/** A row whose charge another one contradicts: nothing says which is right. */
export interface ContradictedCharge extends Contradicted {
  readonly isin: string
}

export function openLeftCharges() {
  const found = new Map<string, Naming[]>()
  const doubtful = new Set<string>()
  const contradicted = new Set<string>()
  /** @returns undefined if no row names it */
  const valueOf = (isin: string, column: (typeof chargeColumns)[number]) =>
    found
      .get(isin)
      ?.map(({ values }) => values[chargeColumns.indexOf(column)] ?? null)
      .find((value) => value !== null)
  const percentOf = (value: Value) => (value === null ? null : plainPercent(Number(value)))
  return {
    /**
     * Keeps the charges that a row names. An empty cell says nothing, so one file may have the surcharge and another the fee.
     * @param columns of the row
     */
    keep: (isin: string, columns: readonly string[], row: readonly Value[], origin: Origin): void => {
      const values = chargeColumns.map((column) => row[columns.indexOf(column)] ?? null)
      if (values.every((value) => value === null)) return
      const rows = found.get(isin) ?? []
      found.set(isin, rows)
      rows.push({ origin, values })
    },
    /** Notes that a row of table profile is bad. */
    doubt: (isin: string): void => {
      doubtful.add(isin)
    },
    /** Notes that rows of table profile contradict each other. */
    contradict: (isin: string): void => {
      contradicted.add(isin)
    },
    isins: (): readonly string[] => [...found.keys()],
    /** Takes all rows back that contradict each other, in whatever order they came. @returns them */
    contradicted: (): readonly ContradictedCharge[] =>
      [...found].flatMap(([isin, rows]) => {
        const speakers = speakersOf(rows)
        const bad = rows.flatMap((row) => {
          const against = contradictionTo(row, speakers)
          return against === undefined ? [] : [{ isin, origin: row.origin, ...against }]
        })
        if (bad.length > 0) contradicted.add(isin)
        const origins = new Set(bad.map(({ origin }) => origin))
        found.set(
          isin,
          rows.filter(({ origin }) => !origins.has(origin)),
        )
        return bad
      }),
    of: (isin: string): KnownCharges => {
      const surcharge = valueOf(isin, 'issue_surcharge')
      const fee = valueOf(isin, 'redemption_fee')
      return {
        ...(surcharge === undefined ? {} : { issueSurcharge: percentOf(surcharge) }),
        ...(fee === undefined ? {} : { redemptionFee: percentOf(fee) }),
      }
    },
    /** @returns the funds with a bad row about what they charge */
    doubtful: (): readonly string[] => [...new Set([...doubtful, ...contradicted])].sort(),
    isContradicted: (isin: string): boolean => contradicted.has(isin),
  }
}

/** By column: the first row that names the charge, and the first one that names another. */
function speakersOf(rows: readonly Naming[]) {
  return chargeColumns.map((column, at) => {
    const naming = rows.filter(({ values }) => (values[at] ?? null) !== null)
    const first = naming[0]
    const other = naming.find(({ values }) => values[at] !== first?.values[at])
    return { column, first, other }
  })
}

/** @returns the first column in which another row names another charge, and the first such row */
function contradictionTo({ values }: Naming, speakers: ReturnType<typeof speakersOf>) {
  for (const [at, { column, first, other }] of speakers.entries()) {
    const here = values[at] ?? null
    const found = here === first?.values[at] ? other : first
    if (here === null || found === undefined) continue
    return { other: found.origin, difference: { column, there: found.values[at] ?? null, here } }
  }
  return undefined
}
