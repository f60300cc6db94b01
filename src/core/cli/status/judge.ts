/** Judges what `fundpress status` has found: contradictions, and ages beyond the limits. */

import { contradictions } from '../../bucket/live/status.ts'
import { type Ages, judgeAges, type Limits, noAges } from '../ages.ts'
import type { Settings } from '../settings.ts'
import { describeStaged } from './describe.ts'
import type { Found } from './found.ts'

export interface Judged {
  /** Failures without a limit: nothing is live, or objects contradict `live.json`. */
  readonly wrong: readonly string[]
  readonly ages: Ages
}

export const alarmsOf = ({ wrong, ages }: Judged): readonly string[] => [
  ...wrong,
  ...ages.late,
  ...ages.stale,
]

/** @throws {UsageError} if the settings name an unknown calendar */
export async function judgeFound(
  freshness: Settings['freshness'],
  found: Found,
  limits: Limits,
): Promise<Judged> {
  const { live, stagedSince } = found
  const ages = live === null ? noAges : await judgeAges(freshness, live, limits, stagedSince)
  return { wrong: wrongIn(found), ages }
}

/** A deployment serves what is live: it has nothing that could contradict it. */
function wrongIn(found: Found): readonly string[] {
  if (found.kind === 'deployment') return []
  const { live, heldBy, status } = found
  const { consistency, staged } = status
  if (live === null) {
    const next = staged === null ? heldBy : `staged is ${describeStaged(staged)}`
    return [`nothing is live${next === null ? '' : ` yet; ${next}`}`]
  }
  const wrong = consistency === null ? [] : contradictions(live, consistency)
  return wrong.map((what) => `${what}: \`fundpress publish --repair\` repairs it`)
}
