/**
 * Digests of the inputs of documents: `from` in the manifest. A document with the `from` of the previous snapshot has
 * the same bytes. The digest covers the code, the address of the documentation, the fund's own row, whether the fund is
 * a year old, and the rows that the endpoint reads.
 */

import { hash } from 'node:crypto'
import type { FundEndpoint } from '../api/contract/endpoint.ts'
import { isYoungerThanOneYear } from '../api/contract/fund.ts'
import type { FundPageSource, FundPages, Publisher } from '../api/contract/page.ts'
import type { FundRow, FundRows, Group, PriceRow } from '../api/contract/rows.ts'
import {
  type FundDigests,
  type RowDigests,
  type WholeGroup,
  wholeGroups,
  type YearDigest,
} from '../data/read/fund-digests.ts'
import type { FundReader } from '../data/read/fund-reader.ts'
import { cached } from '../system/cached.ts'
import type { Rows } from './fund-documents.ts'

/** Digest of the publisher, with the bytes of its pictures. Cached: all funds of a thread share the object. */
export const digestOfPublisher = cached((publisher: Publisher | null) =>
  fromOf('publisher', JSON.stringify(publisher)),
)

/** 22 characters of base64url: 132 bits of a SHA-256. */
export function fromOf(...inputs: readonly (string | readonly string[])[]): string {
  return hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 22)
}

/** Digest of the inputs that all documents share. @param code digest of the code that renders */
export const rendererOf = (code: string, docsUrl: string) => fromOf('renderer', code, docsUrl)

/**
 * The as-of date that an endpoint gets: a day on which the fund is younger than one year, or one on which it is older.
 * Performance depends on the as-of date only through the fund's age, so a new day does not change every input.
 */
export const dayThatCounts = (fund: FundRow, asOf: string): string =>
  isYoungerThanOneYear(fund, asOf) ? fund.inceptionDate : '9999-12-31'

export type FundInputs = ReturnType<typeof fundInputs>

/** @param renderer as `rendererOf` returns it @param years with prices */
export function fundInputs(
  digests: FundDigests,
  renderer: string,
  fund: FundRow,
  asOf: string,
  years: readonly YearDigest[],
) {
  const own = digests.fund(fund.isin)
  const base = fromOf(renderer, dayThatCounts(fund, asOf), own)
  const group = cached((name: WholeGroup) => digests.group(name, fund.isin))
  const digestOf = (name: Group): readonly string[] =>
    name === 'prices'
      ? [name, ...years.flatMap(({ year, digest }) => [year, digest])]
      : [name, group(name).digest]
  const readBy = ({ reads, readsNewestPrice = false }: FundEndpoint) =>
    reads.map((name) =>
      name === 'prices' && readsNewestPrice
        ? [name, 'newest', digests.newestPrice(fund.isin)]
        : digestOf(name),
    )
  return {
    /** For an endpoint's documents; for an endpoint with windows, for the window list or its error. */
    of: cached((endpoint: FundEndpoint) => fromOf(base, ...readBy(endpoint))),
    ofYear: ({ year, digest }: YearDigest) => fromOf(base, 'year', year, digest),
    ofPages: ({ reads }: FundPages, source: FundPageSource) => {
      const { baseUrl, parts, publisher, overdue, life, announced } = source
      const state = life === null ? (overdue ?? 'in time') : JSON.stringify(life)
      const states = [state, ...announced.map((each) => JSON.stringify(each))]
      const settings = [baseUrl, parts.join(' '), ...states, digestOfPublisher(publisher)]
      return fromOf(base, 'pages', ...settings, ...reads.map(digestOf))
    },
    group,
    rows: (): RowDigests => ({
      fund: short(own),
      groups: Object.fromEntries(
        wholeGroups.map((name) => [name, short(group(name).digest)]),
      ) as RowDigests['groups'],
      prices: Object.fromEntries(years.map(({ year, digest }) => [year, short(digest)])),
    }),
  }
}

const short = (digest: string) => digest.slice(0, 22)

export type FundRowsRead = ReturnType<typeof fundRows>

/** The rows of one fund, each read on first use. */
export function fundRows(reader: FundReader, fund: FundRow) {
  const { isin } = fund
  const group = cached((name: Group) => reader.rows(name, isin)) as <G extends Group>(name: G) => FundRows[G]
  const year = cached((name: string) => reader.prices(isin, name, `${name}~`))
  let newest: PriceRow | null | undefined
  const newestPrice = () => (newest ??= reader.newestPrice(isin) ?? null)
  const only = (rows: Partial<FundRows>) => ({ fund, ...rows }) as Rows
  return {
    fund,
    group,
    year,
    day: (day: string) => reader.prices(isin, day, day),
    newestPrice,
    of: ({ reads, readsNewestPrice = false }: FundEndpoint) => {
      const newestRow = () => [newestPrice()].filter((row) => row !== null)
      const rowsOf = (name: Group) => (name === 'prices' && readsNewestPrice ? newestRow() : group(name))
      return only(Object.fromEntries(reads.map((name) => [name, rowsOf(name)])))
    },
    ofYear: (name: string | null) => only({ prices: name === null ? [] : year(name) }),
  }
}
