/** Reports a run by heartbeat, metrics, notices and history. None of them can fail the run. */

import { once } from 'node:events'
import type { Session } from '../command.ts'
import { eventsOf, keepRun, noteUntold } from '../nightly/events.ts'
import { factsOfFailure, type RunFacts } from '../nightly/facts.ts'
import type { NightlyLog } from '../nightly/log.ts'
import { startHeartbeat } from './heartbeat.ts'
import { leaveMetrics } from './metrics.ts'
import { tellOfRun } from './notices.ts'

/** Reports the start of a nightly run. @returns a function that reports its end, and never throws */
export async function watchRun(
  session: Session,
  log: NightlyLog,
  { isAsking, isLocking }: { readonly isAsking: boolean; readonly isLocking: boolean },
): Promise<(facts: RunFacts) => Promise<void>> {
  const warn = (warning: string) => log.warn('night', warning)
  const notify = async (facts: RunFacts) => {
    const isTold = await tellOfRun(session, facts, warn)
    const isUntold = !isTold && facts.reason !== null && facts.history !== null
    if (isUntold) await noteUntold(session, eventsOf(facts), isLocking, warn)
  }
  // If a run that only asks fails, its machines never begin: notices are the only report.
  if (isAsking) return notify
  const beat = await startHeartbeat(session, log)
  return async (facts) => {
    const told = Promise.all([notify(facts), leaveMetrics(session, log, facts)])
    // The heartbeat waits, to send the warnings of both in its log. After SIGTERM there is no time for that.
    await Promise.race([told, aborted(session.signal)])
    await Promise.all([told, beat(facts)])
  }
}

export async function endRun(session: Session, facts: RunFacts, isLocking: boolean): Promise<void> {
  await keepRun(session, { events: eventsOf(facts) }, isLocking, session.stderr.tell)
  await tellOfRun(session, facts)
}

/** Reports a run that fails. @throws the error of the work */
export const endIfFailed = <T>(
  session: Session,
  isLocking: boolean,
  known: () => Promise<Parameters<typeof factsOfFailure>[2]> | Parameters<typeof factsOfFailure>[2],
  work: Promise<T>,
): Promise<T> =>
  work.catch(async (error: unknown) => {
    await endRun(session, factsOfFailure(session, error, await known()), isLocking)
    throw error
  })

const aborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, 'abort')
