/** What a night leaves for GitHub Actions, where it runs there: annotations, and the step's outputs. */

import { appendFileSync } from 'node:fs'
import type { Session } from '../session.ts'
import { isInWorkflow } from '../workflow-commands.ts'
import { annotationLine, annotationLines } from './annotations.ts'
import type { Warning } from './log.ts'
import type { NightReport } from './report.ts'

const name = 'fundpress nightly'

export function tellWorkflow(session: Session, report: NightReport, warnings: readonly Warning[]): void {
  const { environment, stderr } = session
  if (!isInWorkflow(environment)) return
  // The runner reads its commands out of both streams; stdout may be a log for machines.
  const titled = warnings.map(({ step, message }) => ({ title: `${name}: ${step}`, message }))
  stderr.command(annotationLines(titled, name))
  if (report.kind === 'failed')
    stderr.command(
      annotationLine({ kind: 'error', title: `${name}: ${report.step}`, message: report.reason }),
    )
  const file = environment['GITHUB_OUTPUT'] ?? ''
  if (file === '') return
  const lines = Object.entries(outputsOf(report)).map(([output, value]) => `${output}=${value}\n`)
  appendFileSync(file, lines.join(''))
}

/** An attempt before may have left others in the same file: the last one counts. */
const well = { 'failed-step': '', reason: '' }

/** None of the values has a line feed. */
function outputsOf(report: NightReport): Readonly<Record<string, string | number | boolean>> {
  switch (report.kind) {
    case 'done': {
      const { figures, slot } = report
      const { snapshot, funds, documents, changed, written, bytes, cost } = figures
      const seconds = Math.round(figures.seconds)
      const oldest = { 'oldest-price': figures.oldestPrice ?? '' }
      return {
        skipped: false,
        snapshot,
        slot,
        funds,
        documents,
        changed: changed ?? '',
        written: written ?? '',
        bytes,
        // To a millionth of a dollar: sums of binary fractions have more digits than they mean.
        cost: cost.toFixed(6),
        seconds,
        ...oldest,
        ...well,
      }
    }
    case 'open':
      return { skipped: false, ...well }
    case 'skipped':
      return { skipped: true, snapshot: report.snapshot, slot: report.slot, ...well }
    case 'failed':
      return { skipped: false, 'failed-step': report.step, reason: report.reason }
  }
}
