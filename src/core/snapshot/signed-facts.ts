/**
 * `snapshot.json`: what a signature says beside the digests of files, so that an older snapshot under a newer date shows. It lies in a
 * signed snapshot, in its downloads and in its `changes/`, with the same bytes, and `SHA256SUMS` there has its digest.
 */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { countsByMark, type FreshnessCounts } from '../guards/assess.ts'
import * as form from './forms.ts'

export const factsKey = 'snapshot.json'

/** The fields that `live.json` and the first line of a manifest share. */
export interface SignedFacts {
  readonly snapshot: string
  /** ISO 8601 */
  readonly asOf: string
  readonly newestPrice: string | null
  readonly funds: number
  readonly objects: number
  readonly bytes: number
  readonly docsUrl: string
  readonly freshness: FreshnessCounts
}

/** The text of the file. The same facts give the same bytes: verifiers compare its digest. */
export function factsText({
  snapshot,
  asOf,
  newestPrice,
  funds,
  objects,
  bytes,
  docsUrl,
  freshness,
}: SignedFacts) {
  const counts = countsByMark((mark) => freshness[mark])
  const figures = { funds, documents: objects, bytes, docs_url: docsUrl, freshness: counts }
  return `${JSON.stringify({ format: 1, snapshot, as_of: asOf, newest_price: newestPrice, ...figures })}\n`
}

/** SHA-256 of {@link factsText}, in hex. */
export const digestOfFacts = (facts: SignedFacts): string => hash('sha256', factsText(facts))

const factsForm = z.object({ format: z.literal(1, '1'), snapshot: form.aSnapshotId }, 'a JSON object')

/** @returns the id of the snapshot that a `snapshot.json` names @throws {WrongForm} that names the first wrong field */
export const snapshotInFacts = (text: string): string => form.parseStrictly(factsForm, text).snapshot
