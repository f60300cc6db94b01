/**
 * The files of the downloads in pieces: files that are made of the same rows. A piece that is made of the same by the same
 * code as last night has last night's bytes. Pure.
 */

import { createHash } from 'node:crypto'
import { wholeGroups, type RowDigests } from '../source/fund-digests.ts'
import { tableOf as sourceOf } from '../source/fund-reader.ts'
import type { Table } from './column.ts'
import { isFundFile, tableOf } from './data-package.ts'
import { permittedIsins, type FundScope } from './scope.ts'
import { tables } from './tables.ts'

export interface Piece {
  readonly name: string
  /** Digest of what its files are made of. */
  readonly from: string
}

/** Names of pieces. */
export const pieceOf = {
  /** A table as CSV, for Excel, and as Parquet; of the prices without what is for Excel. */
  table: (name: string) => `table ${name}`,
  /** Prices of a year for Excel. */
  prices: (year: string) => `prices ${year}`,
  fund: (isin: string) => `fund ${isin}`,
  emt: 'emt',
} as const

/** The name of the piece that a file belongs to, or null of one that is made anew in each night. */
export function pieceNameOf(path: string): string | null {
  if (path === 'emt.csv') return pieceOf.emt
  if (isFundFile(path)) return pieceOf.fund(path.slice(0, path.indexOf('/')))
  const [, year] = /^csv-excel\/prices_([0-9]{4})/.exec(path) ?? []
  if (year !== undefined) return pieceOf.prices(year)
  const table = tableOf(path)
  return table === undefined ? null : pieceOf.table(table.name)
}

/**
 * @param code digest of the code that makes them
 * @param rows of each fund, by its ISIN
 */
export function piecesOf(
  code: string,
  scopes: readonly FundScope[],
  rows: ReadonlyMap<string, RowDigests>,
): readonly Piece[] {
  const rowsOf = (isin: string): RowDigests => {
    const found = rows.get(isin)
    if (found === undefined) throw new Error(`there are no digests of fund ${isin}`)
    return found
  }
  const piece = (name: string, isins: readonly string[], digest: (rows: RowDigests) => string): Piece => {
    const sha256 = createHash('sha256').update(JSON.stringify([code, name]))
    for (const isin of isins) sha256.update(`${isin} ${digest(rowsOf(isin))}\n`)
    return { name, from: sha256.digest('base64url').slice(0, 22) }
  }
  const data = permittedIsins(scopes, 'data')
  const priced = permittedIsins(scopes, 'prices')
  const years = new Set(priced.flatMap((isin) => Object.keys(rowsOf(isin).prices)))
  return [
    ...tables.map((table) =>
      piece(pieceOf.table(table.name), permittedIsins(scopes, table.needs), digestOf(table)),
    ),
    piece(pieceOf.emt, data, ({ fund, groups }) => `${fund} ${groups.emt}`),
    ...[...years].sort().map((year) => {
      const isins = priced.filter((isin) => rowsOf(isin).prices[year] !== undefined)
      return piece(pieceOf.prices(year), isins, ({ prices }) => prices[year] ?? '')
    }),
    ...priced.map((isin) => piece(pieceOf.fund(isin), [isin], allPrices)),
  ]
}

/** What of a fund's rows a table is made of. */
function digestOf({ name, source }: Table): (rows: RowDigests) => string {
  if (source === 'fund') return ({ fund }) => fund
  if (source === sourceOf.prices) return allPrices
  const group = wholeGroups.find((candidate) => sourceOf[candidate] === source)
  if (group === undefined) throw new Error(`table ${name} is made of ${source}, which no digest is made of`)
  return ({ groups }) => groups[group]
}

const allPrices = ({ prices }: RowDigests) =>
  Object.entries(prices)
    .map(([year, digest]) => `${year} ${digest}`)
    .join(' ')
