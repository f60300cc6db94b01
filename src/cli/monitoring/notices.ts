/** Notices: what happened, told to the people whom the settings name. */

import type { Session } from '../command.ts'
import type { NightlyLog } from '../nightly/log.ts'
import type { EndedRun } from '../nightly/report.ts'

export function tellOfNight(_session: Session, _log: NightlyLog, _ended: EndedRun): Promise<void> {
  return Promise.resolve()
}
