/** Reports what `fundpress status` has found: output, figures, notices, and the error of its exit code. */

import type { Status } from '../../bucket/live/status.ts'
import { type LiveFacts, type Limits, secondsLive } from '../ages.ts'
import type { Session } from '../command.ts'
import { type openFigures, tellAges, tellFailure } from '../end.ts'
import type { Measured } from '../ended.ts'
import { describeFound } from './describe.ts'
import type { Found } from './found.ts'
import { alarmsOf, type Judged } from './judge.ts'

interface StatusFlags {
  /** Writes the file of --metrics; null without it. */
  readonly leaveFigures: Awaited<ReturnType<typeof openFigures>> | null
  readonly limits: Limits
}

/** @throws {Error} with the last alarm; stderr has the others */
export async function reportFound(
  session: Session,
  found: Found,
  judged: Judged,
  { leaveFigures, limits }: StatusFlags,
): Promise<void> {
  const seen = alarmsOf(judged)
  const unwritten = leaveFigures?.(measuredOf(session, found, seen.length)) ?? []
  const alarms = [...seen, ...unwritten]
  session.print({ ...jsonOf(found), alarms }, () => describeFound(found))
  await tellAlarms(session, found, judged, limits)
  raise(session, found.name, alarms)
}

/** @throws the error of the reading, always */
export async function reportUnread(session: Session, error: unknown, limits: Limits): Promise<never> {
  if (isMonitor(limits)) await tellFailure(session, error, { command: 'status' })
  throw error
}

/** With --max-age, `status` is a monitor: it tells what it cannot read, and what is wrong. */
const isMonitor = ({ maxAge }: Limits) => maxAge !== undefined

const baseOf = (found: Found) => (found.kind === 'deployment' ? found.name : undefined)

function measuredOf(session: Session, found: Found, alarms: number): Measured {
  const { live } = found
  return { live, now: live?.now ?? session.now(), alarms, base: baseOf(found) }
}

async function tellAlarms(session: Session, found: Found, { wrong, ages }: Judged, limits: Limits) {
  const { live } = found
  const told = isMonitor(limits) ? wrong : []
  // Contradictions of a live snapshot are a failure of the bucket. An empty bucket is only late.
  const failed = live === null ? [] : told
  const late = live === null ? told : ages.late
  if (failed.length > 0) await tellFailure(session, new Error(failed.join('; ')), { command: 'status' })
  await tellAges(session, { live, place: baseOf(found) ?? null, late, stale: ages.stale })
}

/** Writes all alarms but the last one to stderr. @throws {Error} with the last alarm */
function raise({ stderr }: Session, name: string, alarms: readonly string[]): void {
  const last = alarms.at(-1)
  for (const alarm of alarms.slice(0, -1)) stderr.tell(`${name}: ${alarm}`)
  if (last !== undefined) throw new Error(`${name}: ${last}`)
}

function jsonOf(found: Found): object {
  if (found.kind === 'bucket') {
    const { status, live, heldBy, events } = found
    return { ...jsonOfStatus(status, live), heldBy, events }
  }
  const { name, document, staged } = found
  // The list of prices is long, and published at `url`.
  const shown = { ...document, prices: undefined }
  const { liveSince } = found.live
  return { base: name, live: shown, liveSince, ageSeconds: Math.round(secondsLive(found.live)), staged }
}

const noOther = { slot: null, head: null, isWhole: false, isReverted: false }

function jsonOfStatus(
  { live: { live }, consistency, other, older, staged }: Status,
  facts: LiveFacts | null,
) {
  const ageSeconds = facts === null ? null : Math.round(secondsLive(facts))
  const { slot, head, isWhole, isReverted } = other ?? noOther
  const others = { slot, snapshot: head?.snapshot ?? null, asOf: head?.asOf ?? null, isWhole, isReverted }
  return { live, ageSeconds, consistency, other: slot === null ? null : others, older, staged }
}
