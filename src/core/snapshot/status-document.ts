/** The status of a snapshot as JSON, for monitors and operators: written by a build, and read from a deployment. */

import { isDay } from '../api/routes/values.ts'
import type { Assessment, MarkedFund } from '../guards/assess.ts'

export interface StatusSource {
  readonly snapshot: string
  /** ISO 8601 */
  readonly asOf: string
  readonly documents: number
  readonly bytes: number
  readonly assessment: Assessment
  /** Funds whose implausible prices were replaced by the live ones. */
  readonly withheld: readonly { readonly isin: string }[]
}

export const statusKey = 'status/index.json'

/** The published form. Without a time: the answer's `Last-Modified` is the time when the snapshot went live. */
export type StatusDocument = ReturnType<typeof statusDocument>

export const statusJson = (source: StatusSource): string => JSON.stringify(statusDocument(source))

export const statusDocument = (source: StatusSource) => {
  const { snapshot, asOf, documents, bytes, assessment } = source
  // Readers know no other funds.
  const { funds } = assessment
  const withheld = funds.filter(({ mark }) => mark === 'withheld').length
  const heldBack = withheldFunds(source).map(({ isin, name }) => ({ isin, name }))
  return {
    format: 1 as number,
    snapshot,
    as_of: asOf,
    funds: funds.length,
    documents,
    bytes,
    oldest_price: assessment.oldestPrice?.day ?? null,
    newest_price: assessment.newestPrice,
    freshness: { ...assessment.counts, withheld },
    /** Stale funds, then late ones, oldest price first. */
    overdue: assessment.overdue.map(published),
    /** In the order of their ISINs, without funds whose data may not be published. */
    prices: funds.map(published),
    /** Absent if there is none. The implausible figures are not public. */
    ...(heldBack.length > 0 && { held_back: heldBack }),
  }
}

export const withheldFunds = ({ assessment, withheld }: StatusSource) =>
  assessment.funds.filter(({ isin }) => withheld.some((fund) => fund.isin === isin))

/** Funds whose newest price is not new: those whose new prices are being checked, then stale ones, then late ones. */
export function awaitedFunds({
  held_back: heldBack = [],
  overdue,
}: Pick<StatusDocument, 'held_back' | 'overdue'>) {
  const names = new Map([...heldBack, ...overdue].map(({ isin, name }) => [isin, name]))
  return Array.from(names, ([isin, name]) => ({ isin, name }))
}

const published = ({ isin, name, mark, newestPrice, ageDays, rhythmDays, nextPrice }: MarkedFund) => ({
  isin,
  name,
  mark,
  newest_price: newestPrice,
  age_business_days: ageDays,
  rhythm_business_days: rhythmDays,
  next_price: nextPrice,
})

/** Reads the status of a snapshot. @returns null if there is none, or a damaged one */
export function readStatusDocument(body: Uint8Array | null): StatusDocument | null {
  try {
    return body === null ? null : parse(statusKey, Buffer.from(body).toString())
  } catch {
    return null
  }
}

const patienceMs = 30_000

/**
 * Reads the status of a deployment. @param base without a closing slash @throws {Error} without a status
 * @returns `liveSince`: when the snapshot of a bucket went live, or that of a folder was built
 */
export async function readPublishedStatus(base: string, signal: AbortSignal) {
  const url = `${base}/${statusKey}`
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const { response, text } = await ask(url, patience).catch((error: unknown) => {
    signal.throwIfAborted()
    throw new Error(`${url} does not answer`, { cause: error })
  })
  if (response.status !== 200) throw new Error(`${url} answers with status ${response.status}`)
  const liveSince = new Date(response.headers.get('last-modified') ?? '')
  if (Number.isNaN(liveSince.getTime()))
    throw new Error(`${url} does not say when it went live (no Last-Modified)`)
  return { url, document: parse(url, text), liveSince }
}

/** The staged snapshot of a deployment. Source: src/core/edge/core/preview.ts. */
export interface PublishedStaged {
  readonly snapshot: string
  readonly as_of: string
  /** ISO 8601 with time. */
  readonly staged_since: string
}

/** Null without a staged snapshot, and without an answer. */
export async function readPublishedStaged(
  base: string,
  signal: AbortSignal,
): Promise<PublishedStaged | null> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  try {
    const { text } = await ask(`${base}/status/staged.json`, patience)
    const { staged } = JSON.parse(text) as { readonly staged?: Partial<PublishedStaged> | null }
    const { snapshot = '', as_of = '', staged_since = '' } = staged ?? {}
    const isStaged = snapshotForm.test(snapshot) && isDay(as_of) && !Number.isNaN(Date.parse(staged_since))
    return isStaged ? { snapshot, as_of, staged_since } : null
  } catch {
    signal.throwIfAborted()
    return null
  }
}

const snapshotForm = /^[0-9-]{10}-[0-9a-f]{12}$/

async function ask(url: string, signal: AbortSignal) {
  // The answer of a cache does not show that the deployment is alive.
  const response = await fetch(url, { headers: { 'cache-control': 'no-cache' }, signal })
  return { response, text: await response.text() }
}

function parse(url: string, text: string): StatusDocument {
  let document: Partial<StatusDocument> | null = null
  try {
    document = JSON.parse(text) as Partial<StatusDocument> | null
  } catch {
    // The error below names the place.
  }
  const { fresh, late, stale } = document?.freshness ?? {}
  const isStatus =
    document?.format === 1 &&
    snapshotForm.test(document.snapshot ?? '') &&
    isDay(document.as_of ?? '') &&
    [fresh, late, stale].every((count) => typeof count === 'number')
  if (!isStatus) throw new Error(`${url} is not the status of a fundpress`)
  return document as StatusDocument
}
