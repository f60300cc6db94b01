/**
 * What documents are made from, as digests: `from` in the manifest. A document with the `from` of last night has the
 * bytes of last night. It covers the code, the address of the documentation, the fund's own row, whether the fund is a
 * year old, and the rows that the endpoint reads.
 */

import { hash } from 'node:crypto'
import type { FundEndpoint } from '../contract/endpoint.ts'
import { isYoungerThanOneYear } from '../contract/fund.ts'
import type { FundPages, FundPageSource } from '../contract/page.ts'
import type { FundRow, Group } from '../contract/rows.ts'
import { wholeGroups, type FundDigests, type RowDigests } from '../source/fund-digests.ts'
import type { RowsDigest, WholeGroup, YearDigest } from '../source/fund-digests.ts'

/** 22 characters of base64url: 132 bits of a SHA-256. */
export function fromOf(...inputs: readonly (string | readonly string[])[]): string {
  return hash('sha256', JSON.stringify(inputs), 'base64url').slice(0, 22)
}

/** What all documents depend on. @param code digest of the code that renders */
export const rendererOf = (code: string, docsUrl: string) => fromOf('renderer', code, docsUrl)

/**
 * The as-of date that an endpoint gets: a day of the fund's time below the age of one year, or of that above. Nothing
 * of an answer but that depends on the day, and so a night does not make every document anew.
 */
export const dayThatCounts = (fund: FundRow, asOf: string): string =>
  isYoungerThanOneYear(fund, asOf) ? fund.inceptionDate : '9999-12-31'

export interface FundInputs {
  /** Of an endpoint's documents; of one with windows: of the list of them, or of the error in their place. */
  readonly of: (endpoint: FundEndpoint) => string
  /** Of a window. */
  readonly ofYear: (year: YearDigest) => string
  readonly ofPages: (
    pages: FundPages,
    source: Pick<FundPageSource, 'baseUrl' | 'hasDownloads' | 'overdue'>,
  ) => string
  readonly group: (group: WholeGroup) => RowsDigest
  /** Of everything, for what is made of many funds. */
  readonly rows: () => RowDigests
}

/** @param renderer as `rendererOf` gives it @param years of all the fund's prices */
export function fundInputs(
  digests: FundDigests,
  renderer: string,
  fund: FundRow,
  asOf: string,
  years: readonly YearDigest[],
): FundInputs {
  const own = digests.fund(fund.isin)
  const base = fromOf(renderer, dayThatCounts(fund, asOf), own)
  const groups = new Map<Group, RowsDigest>()
  const group = (name: WholeGroup) => {
    const rows = groups.get(name) ?? digests.group(name, fund.isin)
    groups.set(name, rows)
    return rows
  }
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
  const known = new Map<FundEndpoint, string>()
  return {
    of: (endpoint) => {
      const from = known.get(endpoint) ?? fromOf(base, ...readBy(endpoint))
      known.set(endpoint, from)
      return from
    },
    ofYear: ({ year, digest }) => fromOf(base, 'year', year, digest),
    ofPages: ({ reads }, { baseUrl, hasDownloads, overdue }) => {
      const settings = [baseUrl, hasDownloads ? 'downloads' : 'none', overdue ?? 'in time']
      return fromOf(base, 'pages', ...settings, ...reads.map(digestOf))
    },
    group,
    rows: () => ({
      fund: short(own),
      groups: Object.fromEntries(
        wholeGroups.map((name) => [name, short(group(name).digest)]),
      ) as RowDigests['groups'],
      prices: Object.fromEntries(years.map(({ year, digest }) => [year, short(digest)])),
    }),
  }
}

const short = (digest: string) => digest.slice(0, 22)
