/** The status of a snapshot as JSON, for monitors and their operators. Pure. */

import type { Assessment, MarkedFund } from '../../freshness/assess.ts'

/** A snapshot and the funds in it. */
export interface StatusSource {
  readonly snapshot: string
  /** ISO 8601 */
  readonly asOf: string
  readonly funds: number
  readonly documents: number
  readonly bytes: number
  readonly assessment: Assessment
}

/** As it is published. It holds no clock time: the answer's `Last-Modified` says when it went live. */
export interface StatusDocument {
  readonly format: 1
  readonly snapshot: string
  readonly as_of: string
  readonly funds: number
  readonly documents: number
  readonly bytes: number
  readonly oldest_price: string | null
  readonly newest_price: string | null
  readonly freshness: Assessment['counts']
  /** Stale funds, then late ones, those with the oldest price first. */
  readonly overdue: readonly PublishedFund[]
  /** In the order of their ISINs, without funds whose data may not be given out. */
  readonly prices: readonly PublishedFund[]
}

interface PublishedFund {
  readonly isin: string
  readonly name: string
  readonly mark: MarkedFund['mark']
  readonly newest_price: string | null
  readonly age_business_days: number | null
  readonly rhythm_business_days: number | null
  readonly next_price: string | null
}

/** @returns compact JSON */
export function statusJson({ snapshot, asOf, funds, documents, bytes, assessment }: StatusSource): string {
  const { counts, oldestPrice, newestPrice } = assessment
  const document: StatusDocument = {
    format: 1,
    snapshot,
    as_of: asOf,
    funds,
    documents,
    bytes,
    oldest_price: oldestPrice?.day ?? null,
    newest_price: newestPrice,
    freshness: counts,
    overdue: assessment.overdue.map(published),
    prices: assessment.funds.map(published),
  }
  return JSON.stringify(document)
}

const published = (fund: MarkedFund): PublishedFund => ({
  isin: fund.isin,
  name: fund.name,
  mark: fund.mark,
  newest_price: fund.newestPrice,
  age_business_days: fund.ageDays,
  rhythm_business_days: fund.rhythmDays,
  next_price: fund.nextPrice,
})
