/** What may be given out of each fund, by the contract's own rules. */

import { isYoungerThanOneYear, mayGiveOutPrices, mayShowPerformance } from '../contract/fund.ts'
import type { FundRow } from '../contract/rows.ts'
import type { Permission } from './column.ts'

/** A fund that data may be given out of. */
export interface FundScope {
  readonly isin: string
  readonly prices: boolean
  readonly performance: boolean
}

/** @param asOf the snapshot's date, ISO 8601 @returns null for a fund that nothing is given out of */
export function scopeOf(fund: FundRow, asOf: string): FundScope | null {
  if (fund.dataPermitted === 0) return null
  const performance = mayShowPerformance(fund) && !isYoungerThanOneYear(fund, asOf)
  return { isin: fund.isin, prices: mayGiveOutPrices(fund), performance }
}

/** The ISINs whose rows a table may hold, in the order of the scopes. */
export const permittedIsins = (scopes: readonly FundScope[], needs: Permission): readonly string[] =>
  scopes.filter((scope) => needs === 'data' || scope[needs]).map(({ isin }) => isin)
