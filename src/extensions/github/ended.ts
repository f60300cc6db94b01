/** What github does at the end of runs: the summary, and outputs of the step. */

import type { Session } from '../../core/cli/command.ts'
import type { Ended, Night } from '../../core/cli/ended.ts'
import { reasonOf } from '../../core/cli/failure.ts'
import { replaceFile } from '../../core/system/durable.ts'
import { describeReport } from './report.ts'
import { leaveRefusal, writeForWorkflow } from './workflow.ts'

export const ended: Ended = {
  night: leaveOutputs,
  summary: (file, { facts, warnings }) => replaceFile(file, describeReport(facts, warnings)),
  refused: leaveRefusal,
}

/** Warns if the outputs cannot be written: the run does not fail. */
function leaveOutputs(session: Session, { facts, warnings, warn }: Night): void {
  try {
    writeForWorkflow(session, facts, warnings)
  } catch (error) {
    warn(`its outputs could not be written: ${reasonOf(error)}`)
  }
}
