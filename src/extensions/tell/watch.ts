/** Reports a run by metrics, notices and history. None of them can fail the run. */

import type { Session } from '../../core/cli/command.ts'
import { eventsOf, keepRun, noteUntold } from '../../core/cli/nightly/events.ts'
import { factsOfFailure, type RunFacts } from '../../core/cli/nightly/facts.ts'
import type { NightlyLog } from '../../core/cli/nightly/log.ts'
import { leaveMetrics } from './metrics.ts'
import { tellOfRun } from './notices.ts'

/** Reports the end of a nightly run, and never throws. */
export async function endNight(
  session: Session,
  log: NightlyLog,
  facts: RunFacts,
  { isAsking, isLocking }: { readonly isAsking: boolean; readonly isLocking: boolean },
): Promise<void> {
  const warn = (warning: string) => log.warn('night', warning)
  const notify = async () => {
    const isTold = await tellOfRun(session, facts, warn)
    const isUntold = !isTold && facts.reason !== null && facts.history !== null
    if (isUntold) await noteUntold(session, eventsOf(facts), isLocking, warn)
  }
  // If a run that only asks fails, its machines never begin: notices are the only report.
  if (isAsking) await notify()
  else await Promise.all([notify(), leaveMetrics(session, log, facts)])
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
