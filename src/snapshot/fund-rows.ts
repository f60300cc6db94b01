/** The rows of one fund, each read when it is asked for first. */

import type { FundEndpoint } from '../contract/endpoint.ts'
import type { FundRow, FundRows, Group, PriceRow } from '../contract/rows.ts'
import type { FundReader } from '../source/fund-reader.ts'
import type { Rows } from './fund-documents.ts'

export interface FundRowsRead {
  readonly fund: FundRow
  readonly group: <G extends Group>(group: G) => FundRows[G]
  /** The prices of a calendar year. */
  readonly year: (year: string) => readonly PriceRow[]
  readonly day: (day: string) => readonly PriceRow[]
  readonly newestPrice: () => PriceRow | null
  /** What an endpoint reads, and nothing else. */
  readonly of: (endpoint: FundEndpoint) => Rows
  /** The same with the prices of one year, or none. */
  readonly ofYear: (year: string | null) => Rows
}

export function fundRows(reader: FundReader, fund: FundRow): FundRowsRead {
  const { isin } = fund
  const groups = new Map<Group, FundRows[Group]>()
  const years = new Map<string, readonly PriceRow[]>()
  const group = <G extends Group>(name: G): FundRows[G] => {
    const rows = (groups.get(name) as FundRows[G] | undefined) ?? reader.rows(name, isin)
    groups.set(name, rows)
    return rows
  }
  const year = (name: string) => {
    const rows = years.get(name) ?? reader.prices(isin, name, `${name}~`)
    years.set(name, rows)
    return rows
  }
  let newest: PriceRow | null | undefined
  const newestPrice = () => (newest ??= reader.newestPrice(isin) ?? null)
  const only = (rows: Partial<FundRows>) => ({ fund, ...rows }) as Rows
  return {
    fund,
    group,
    year,
    day: (day) => reader.prices(isin, day, day),
    newestPrice,
    of: ({ reads, readsNewestPrice = false }) => {
      const newestRow = () => [newestPrice()].filter((row) => row !== null)
      const rowsOf = (name: Group) => (name === 'prices' && readsNewestPrice ? newestRow() : group(name))
      return only(Object.fromEntries(reads.map((name) => [name, rowsOf(name)])))
    },
    ofYear: (name) => only({ prices: name === null ? [] : year(name) }),
  }
}
