/** What people and monitors get to know of a nightly run: a heartbeat, metrics and notices. None of them can fail the run. */

import { once } from 'node:events'
import type { Session } from '../command.ts'
import type { NightlyLog } from '../nightly/log.ts'
import type { EndedRun } from '../nightly/report.ts'
import { startHeartbeat } from './heartbeat.ts'
import { leaveMetrics } from './metrics.ts'
import { tellOfNight } from './notices.ts'

/** Tells that a nightly run begins. @returns what tells that it has ended */
export async function watchRun(
  session: Session,
  log: NightlyLog,
): Promise<(ended: EndedRun) => Promise<void>> {
  const beat = await startHeartbeat(session, log)
  return async (ended) => {
    const told = Promise.all([tellOfNight(session, log, ended), leaveMetrics(session, log, ended)])
    // The log that the heartbeat sends has their warnings. After SIGTERM there is no time for that.
    await Promise.race([told, aborted(session.signal)])
    await Promise.all([told, beat(ended)])
  }
}

const aborted = (signal: AbortSignal): Promise<unknown> =>
  signal.aborted ? Promise.resolve() : once(signal, 'abort')
