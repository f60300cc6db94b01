/** Judges what `fundpress status` has found: contradictions, and ages beyond the limits. */

import { contradictions } from '../../bucket/live/status.ts'
import { type Ages, judgeAges, type Limits, noAges } from '../ages.ts'
import type { Session } from '../command.ts'
import { describeStaged } from './describe.ts'
import type { Found } from './found.ts'

export interface Judged {
  /** Failures without a limit: nothing is live, or objects contradict `live.json`. */
  readonly wrong: readonly string[]
  readonly ages: Ages
  /** Why a load is late by the clock, or null. Whoever finds that tells it, once. */
  readonly lateLoad: string | null
}

export const alarmsOf = ({ wrong, ages, lateLoad }: Judged): readonly string[] => [
  ...wrong,
  ...ages.late,
  ...ages.stale,
  ...(lateLoad === null ? [] : [lateLoad]),
]

/** @throws {UsageError} if the settings name an unknown calendar */
export async function judgeFound(session: Session, found: Found, limits: Limits): Promise<Judged> {
  const { live, stagedSince } = found
  const ages = live === null ? noAges : await judgeAges(session.settings, live, limits, stagedSince)
  const isWatching = limits.maxAge !== undefined && found.kind === 'bucket'
  return { wrong: wrongIn(found), ages, lateLoad: isWatching ? await lateLoad(session) : null }
}

/** Imported here because few monitors look at a database, and loading SQLite takes time. */
async function lateLoad(session: Session): Promise<string | null> {
  if (session.settings.load.expectedBy === null) return null
  const { watchLoad } = await import('../late-load.ts')
  return watchLoad(session, 'status', true)
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
