/** What people and monitors get to know of a run: a heartbeat, metrics, notices and the history. None of them can fail the run. */

import { once } from 'node:events'
import type { Session } from '../command.ts'
import type { NightlyLog } from '../nightly/log.ts'
import type { RunFacts } from '../nightly/facts.ts'
import { startHeartbeat } from './heartbeat.ts'
import { leaveMetrics } from './metrics.ts'
import { eventsOf, keepRun } from '../nightly/events.ts'
import { tellOfNight, tellOfRun } from './notices.ts'

/** Tells that a nightly run begins. @returns what tells that it has ended */
export async function watchRun(
  session: Session,
  log: NightlyLog,
): Promise<(facts: RunFacts, onUntold: () => Promise<void>) => Promise<void>> {
  const beat = await startHeartbeat(session, log)
  return async (facts, onUntold) => {
    const told = Promise.all([tellOfNight(session, log, facts, onUntold), leaveMetrics(session, log, facts)])
    // The log that the heartbeat sends has their warnings. After SIGTERM there is no time for that.
    await Promise.race([told, aborted(session.signal)])
    await Promise.all([told, beat(facts)])
  }
}

/** Keeps a publish or a flip in the history, and tells of it. */
export async function endRun(session: Session, facts: RunFacts, isLocking: boolean): Promise<void> {
  await keepRun(session, { events: eventsOf(facts) }, isLocking, session.stderr.tell)
  await tellOfRun(session, facts)
}

const aborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, 'abort')
