/** What is most likely a mistake, and refused unless forced. Pure. */

import type { ManifestHead } from '../snapshot/manifest.ts'
import type { Live } from './live.ts'

export interface MistakeLimits {
  readonly isForced: boolean
  /** Objects that may be deleted; null for a tenth of the slot. */
  readonly maxDeletes: number | null
}

const maxLostShare = 0.1

/** @throws {Error} that names every reason */
export function refuseMistakes(
  head: ManifestHead,
  live: Live | null,
  planned: { readonly deleted: number; readonly standing: ManifestHead | null },
  { isForced, maxDeletes }: MistakeLimits,
): void {
  if (isForced) return
  const reasons = [...comparedWithLive(head, live), ...deletes(planned, maxDeletes)]
  if (reasons.length > 0)
    throw new Error(`refused: ${reasons.join('; ')}. If that is right, publish with --force`)
}

function comparedWithLive(head: ManifestHead, live: Live | null): string[] {
  if (live === null) return []
  const reasons: string[] = []
  if (head.asOf < live.asOf)
    reasons.push(`the snapshot is of ${head.asOf}, older than the live one of ${live.asOf}`)
  const lost = live.funds - head.funds
  if (lost > live.funds * maxLostShare) reasons.push(`it has ${head.funds} funds, the live one ${live.funds}`)
  if (live.newestPrice !== null && (head.newestPrice === null || head.newestPrice < live.newestPrice)) {
    const newest =
      head.newestPrice === null ? 'it has no price at all' : `its newest price is of ${head.newestPrice}`
    reasons.push(`${newest}, that of the live one is of ${live.newestPrice}`)
  }
  return reasons
}

function deletes(
  planned: { readonly deleted: number; readonly standing: ManifestHead | null },
  maxDeletes: number | null,
): string[] {
  const limit = maxDeletes ?? Math.floor((planned.standing?.objects ?? 0) * 0.1)
  if (planned.deleted <= limit) return []
  return [`it would delete ${planned.deleted} objects, more than ${limit} (--max-deletes)`]
}
