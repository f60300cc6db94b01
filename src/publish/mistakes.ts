/** What is most likely a mistake, and refused unless forced. Pure. */

import { describeStale, staleShare, type FreshnessCounts } from '../freshness/assess.ts'
import type { ManifestHead } from '../snapshot/manifest.ts'
import type { Live } from './live.ts'

export interface MistakeLimits {
  readonly isForced: boolean
  /** Objects that may be deleted; null for a tenth of the slot. */
  readonly maxDeletes: number | null
  /** How large a share of the watched funds may be stale, from 0 to 1. */
  readonly maxStaleShare: number
}

const maxLostShare = 0.1
const maxDeletedShare = 0.1
/** So many stale funds are named. */
const namedFunds = 3

/** What stands in the slot, and how much of it would go. */
interface Planned {
  readonly deleted: number
  readonly standing: ManifestHead | null
}

/** @throws {Error} that names every reason */
export function refuseMistakes(
  head: ManifestHead,
  live: Live | null,
  planned: Planned,
  limits: MistakeLimits,
): void {
  const reasons = findMistakes(head, live, planned, limits)
  if (reasons.length > 0)
    throw new Error(`refused: ${reasons.join('; ')}. If that is right, publish with --force`)
}

/** Every reason to refuse, as part of a sentence; none if it is forced. */
export function findMistakes(
  head: ManifestHead,
  live: Live | null,
  planned: Planned,
  { isForced, maxDeletes, maxStaleShare }: MistakeLimits,
): string[] {
  if (isForced) return []
  return [
    ...comparedWithLive(head, live),
    ...staleFunds(head, maxStaleShare),
    ...deletes(head, planned, maxDeletes),
  ]
}

function comparedWithLive(head: ManifestHead, live: Live | null): string[] {
  if (live === null) return []
  const reasons: string[] = []
  if (head.asOf < live.asOf)
    reasons.push(`the snapshot is of ${head.asOf}, older than the live one of ${live.asOf}`)
  const lost = live.funds - head.funds
  if (lost > live.funds * maxLostShare) reasons.push(`it has ${head.funds} funds, the live one ${live.funds}`)
  const [priced, pricedLive] = [pricedFunds(head.freshness), pricedFunds(live.freshness)]
  // Of the funds that are gone it is said above.
  const kept = pricedLive === null ? 0 : pricedLive - Math.max(0, lost)
  if (priced !== null && pricedLive !== null && kept - priced > pricedLive * maxLostShare)
    reasons.push(`it has prices of ${priced} funds, the live one of ${pricedLive}`)
  if (live.newestPrice !== null && (head.newestPrice === null || head.newestPrice < live.newestPrice)) {
    const newest =
      head.newestPrice === null ? 'it has no price at all' : `its newest price is of ${head.newestPrice}`
    reasons.push(`${newest}, that of the live one is of ${live.newestPrice}`)
  }
  return reasons
}

/** Funds with a price that is given out: those that have lost theirs are neither late nor stale. */
function pricedFunds(counts: FreshnessCounts | undefined): number | null {
  if (counts === undefined) return null
  const { fresh, late, stale, unwatched } = counts
  return fresh + late + stale + unwatched
}

function staleFunds({ freshness }: ManifestHead, maxStaleShare: number): string[] {
  if (freshness === undefined || staleShare(freshness) <= maxStaleShare) return []
  const named = freshness.stalest
    .slice(0, namedFunds)
    .map(({ isin, newestPrice }) => `${isin} of ${newestPrice}`)
  const others = freshness.stale - named.length
  const funds = others > 0 ? [...named, `${others} more`] : named
  return [
    `${describeStale(freshness, maxStaleShare)} (newest prices: ${funds.join(', ')}): get their prices into the database and build again, or give funds that are priced less often a group in freshness.groups`,
  ]
}

function deletes(head: ManifestHead, { deleted, standing }: Planned, maxDeletes: number | null): string[] {
  // A first publish that was killed leaves a slot without a manifest: it was about to be as large as this one.
  const limit = maxDeletes ?? Math.floor((standing ?? head).objects * maxDeletedShare)
  if (deleted <= limit) return []
  return [`it would delete ${deleted} objects, more than ${limit} (--max-deletes)`]
}
