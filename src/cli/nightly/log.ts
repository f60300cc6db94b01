/** The log of a nightly run: lines for people, or one JSON object per line for machines. */

import { escapeInvisible } from '../../data/model/printable.ts'
import type { Session } from '../command.ts'
import { withoutSecrets } from '../safe-text.ts'

/** `night` is the whole run. */
export type Step = 'night' | 'check' | 'build' | 'plan' | 'publish' | 'verify' | 'status'

export type Figures = Readonly<Record<string, string | number | boolean | null>>

export interface NightlyWarning {
  readonly step: Step
  readonly message: string
}

export interface NightlyLog {
  /** The step that runs now. */
  readonly step: () => Step
  /** A step begins without a line of its own. */
  readonly enter: (step: Step) => void
  /** The session for a step: in a log for machines the progress of the step goes into the log, too. */
  readonly sessionFor: (step: Step) => Session
  /** @returns the session for the step */
  readonly begin: (step: Step, figures?: Figures) => Session
  /** @param text what people read instead of the figures */
  readonly end: (step: Step, event: 'done' | 'skipped' | 'failed', figures: Figures, text: string) => void
  readonly warn: (step: Step, message: string, figures?: Figures) => void
  /** One of several errors, or the reason of the failure. */
  readonly fail: (step: Step, message: string, figures?: Figures) => void
  /** All warnings so far. */
  readonly warnings: () => readonly NightlyWarning[]
  /** All errors so far, without their steps. */
  readonly errors: () => readonly string[]
}

/** @param isJson one object per line on stdout: `time`, `step`, `event`, then figures or a `message` */
export function openLog(session: Session, isJson: boolean): NightlyLog {
  const warnings: NightlyWarning[] = []
  const errors: string[] = []
  let current: Step = 'night'
  const lines = isJson ? jsonLines(session) : plainLines(session)
  return {
    step: () => current,
    enter: (step) => {
      current = step
    },
    begin: (step, figures = {}) => {
      current = step
      lines.begin(step, figures)
      return lines.sessionFor(step)
    },
    sessionFor: lines.sessionFor,
    end: lines.end,
    warn: (step, text, figures = {}) => {
      const message = withoutSecrets(text)
      warnings.push({ step, message })
      lines.warn(step, message, figures)
    },
    fail: (step, text, figures = {}) => {
      const message = withoutSecrets(text)
      errors.push(message)
      lines.fail(step, message, figures)
    },
    warnings: () => warnings,
    errors: () => errors,
  }
}

interface Lines {
  readonly begin: (step: Step, figures: Figures) => void
  readonly end: NightlyLog['end']
  readonly warn: (step: Step, message: string, figures: Figures) => void
  readonly fail: (step: Step, message: string, figures: Figures) => void
  readonly sessionFor: (step: Step) => Session
}

function jsonLines(session: Session): Lines {
  const write = (step: Step, event: string, figures: Figures) => {
    const line = JSON.stringify({ time: session.now().toISOString(), step, event, ...figures })
    session.stdout.data(`${line}\n`)
  }
  return {
    begin: (step, figures) => write(step, 'begun', figures),
    end: (step, event, figures) => write(step, event, figures),
    warn: (step, message, figures) => write(step, 'warning', { ...figures, message }),
    fail: (step, message, figures) => write(step, 'error', { ...figures, message }),
    sessionFor: (step) => {
      const tell = (text: string) => write(step, 'progress', { message: withoutSecrets(text.trimEnd()) })
      return {
        ...session,
        stderr: { ...session.stderr, isTerminal: false, write: tell, tell, paint: (_, text) => text },
      }
    },
  }
}

function plainLines(session: Session): Lines {
  const { isQuiet, stdout, stderr } = session
  return {
    begin: () => undefined,
    end: (step, _event, _figures, text) => {
      if (!isQuiet) stdout.write(`${stdout.paint('bold', step.padEnd('publish'.length))}  ${text}\n`)
    },
    warn: (step, message) => {
      if (isQuiet) return
      stderr.write(`${stderr.paint('yellow', 'warning')}  ${step}: ${escapeInvisible(message)}\n`)
    },
    fail: (step, message) => {
      stderr.write(`${stderr.paint('red', 'error')}    ${step}: ${escapeInvisible(message)}\n`)
    },
    sessionFor: () => session,
  }
}
