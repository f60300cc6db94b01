/** What tell does at the end of runs: notices, and files for Prometheus. */

import { type Diagnosis, ok, warning } from '../../core/bucket/doctor/diagnosis.ts'
import type { Session } from '../../core/cli/command.ts'
import type { Ended } from '../../core/cli/ended.ts'
import { countOf } from '../../core/cli/format.ts'
import { leaveMetrics, openStatusMetrics } from './metrics.ts'
import { noticesBeside, tell, tellOfAges, tellOfLoad, tellOfRun } from './notices.ts'
import { settings } from './settings.ts'
import { openTarget } from './targets.ts'

export const ended: Ended = {
  run: tellOfRun,
  news: (session, facts, warn) => tell(session, noticesBeside(facts), warn),
  // If a run that only asks fails, its machines never begin: notices are the only report.
  night: async (session, night) => (night.isAsking ? undefined : leaveMetrics(session, night)),
  aged: tellOfAges,
  load: tellOfLoad,
  measured: openStatusMetrics,
  settings: diagnoseNotices,
}

/** An unset variable is no warning: a terminal rarely has the secrets of the nights. */
function diagnoseNotices({ settingsOf, environment }: Session): Diagnosis {
  const what = 'notices'
  const { notify } = settingsOf(settings)
  if (notify.length === 0)
    return warning(
      what,
      'nobody is told of a night that fails: set `notify` in the config, unless your scheduler tells',
    )
  const unset = notify.flatMap((setting) => {
    const target = openTarget(setting, environment)
    return target.name === null ? [`; not here: ${setting.type} (${target.reason})`] : []
  })
  return ok(what, countOf(notify.length, 'target') + unset.join(''))
}
