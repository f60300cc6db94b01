/** What is known of the funds of a night when their documents are there: what belongs to all of them is made of it. */

import type { FundEntry } from '../contract/page.ts'
import type { Finding } from '../source/finding.ts'
import type { RowDigests } from '../source/fund-digests.ts'

export interface FundNews {
  readonly isin: string
  /** Of endpoints that have one over all funds, by id: the digest of what the fund's documents were made from. */
  readonly from: Readonly<Record<string, string>>
  /** Of how many endpoints the fund has answers. */
  readonly answers: number
  /** In lists of funds. */
  readonly entry: FundEntry | null
  /** Digests of all its rows. */
  readonly rows: RowDigests
}

export interface Funds {
  /** In the order of their ISINs. */
  readonly each: readonly FundNews[]
  readonly objects: number
  /** Of all objects together. */
  readonly bytes: number
  /** How many objects were taken over. */
  readonly kept: number
  /** ISO 8601 day of the newest price that is given out, or null without one. */
  readonly newestPrice: string | null
  readonly warnings: readonly Finding[]
}

/** The first of the funds that have answers from most endpoints, or null where no fund has any. */
export function exampleOf(each: readonly FundNews[]): string | null {
  const most = each.reduce((found, { answers }) => Math.max(found, answers), 1)
  return each.find(({ answers }) => answers === most)?.isin ?? null
}
