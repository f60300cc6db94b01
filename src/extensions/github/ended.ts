/** What github does at the end of runs: the summary, and outputs of the step. */

import type { Session } from '../../core/cli/command.ts'
import type { Ended, Night } from '../../core/cli/ended.ts'
import { reasonOf } from '../../core/cli/failure.ts'
import { replaceFile } from '../../core/system/durable.ts'
import { describeReport } from './report.ts'
import { leaveRefusal, writeForWorkflow } from './workflow.ts'

export const ended: Ended = { night: leaveReport, refused: leaveRefusal }

/** Warns if the summary or the outputs cannot be written: the run does not fail. */
function leaveReport(session: Session, { facts, warnings, summary, warn }: Night): void {
  const trying = (what: string, write: () => void) => {
    try {
      write()
    } catch (error) {
      warn(`${what} could not be written: ${reasonOf(error)}`)
    }
  }
  if (summary !== undefined)
    trying('its summary', () => replaceFile(summary, describeReport(facts, warnings)))
  trying('its outputs', () => writeForWorkflow(session, facts, warnings))
}
