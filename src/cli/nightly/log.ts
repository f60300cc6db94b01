/** The log of a nightly run: lines for people, or one JSON object per line for machines. */

import { escapeInvisible } from '../../data/model/printable.ts'
import type { Objection } from '../../guards/guards.ts'
import type { Session } from '../command.ts'
import { withoutSecrets } from '../safe-text.ts'

/** `night` is the whole run. */
export type Step = 'night' | 'check' | 'build' | 'plan' | 'publish' | 'verify' | 'status'

type Figures = Readonly<Record<string, string | number | boolean | null | readonly object[]>>
type Event = 'begun' | 'done' | 'skipped' | 'failed' | 'refused' | 'warning' | 'error' | 'progress'
/** @param text what people read instead of the figures */
type Write = (step: Step, event: Event, figures: Figures, text: string) => void

export interface NightlyWarning {
  readonly step: Step
  readonly message: string
}

export type NightlyLog = ReturnType<typeof openLog>

/** With --json one object per line on stdout: `time`, `step`, `event`, then figures or a `message`. */
export function openLog(session: Session) {
  const warnings: NightlyWarning[] = []
  /** All errors so far, without their steps. */
  const errors: string[] = []
  let current: Step = 'night'
  const write = session.isJson ? jsonWriter(session) : textWriter(session)
  /** The session for a step: in a log for machines the progress of the step goes into the log, too. */
  const sessionFor = (step: Step): Session => {
    if (!session.isJson) return session
    const tell = (text: string) => write(step, 'progress', { message: withoutSecrets(text.trimEnd()) }, text)
    const paint = (_: string, text: string) => text
    const stderr = { ...session.stderr, isTerminal: false, write: tell, tell, paint }
    return { ...session, stderr }
  }
  const telling =
    (event: 'warning' | 'error', keep: (message: string, step: Step) => unknown) =>
    (step: Step, text: string, figures: Figures = {}) => {
      const message = withoutSecrets(text)
      keep(message, step)
      write(step, event, { ...figures, message }, message)
    }
  return {
    warnings: warnings as readonly NightlyWarning[],
    errors: errors as readonly string[],
    step: () => current,
    /** A step begins without a line of its own. */
    enter: (step: Step) => {
      current = step
    },
    sessionFor,
    /** @returns the session for the step */
    begin: (step: Step, figures: Figures = {}) => {
      current = step
      write(step, 'begun', figures, '')
      return sessionFor(step)
    },
    end: (step: Step, event: 'done' | 'skipped' | 'failed', figures: Figures, text: string) =>
      write(step, event, figures, text),
    warn: telling('warning', (message, step) => warnings.push({ step, message })),
    /** One of several errors, or the reason of the failure. */
    fail: telling('error', (message) => errors.push(message)),
    /** For machines: the program itself ends with the reason. */
    refuse: (step: Step, reason: string, objections: readonly Objection[]) => {
      if (session.isJson) write(step, 'refused', { message: reason, objections }, '')
    },
  }
}

function jsonWriter({ now, stdout }: Session): Write {
  return (step, event, figures) =>
    stdout.data(`${JSON.stringify({ time: now().toISOString(), step, event, ...figures })}\n`)
}

function textWriter({ isQuiet, stdout, stderr }: Session): Write {
  return (step, event, _, text) => {
    if (event === 'error')
      stderr.write(`${stderr.paint('red', 'error')}    ${step}: ${escapeInvisible(text)}\n`)
    else if (isQuiet || event === 'begun') return
    else if (event === 'warning')
      stderr.write(`${stderr.paint('yellow', 'warning')}  ${step}: ${escapeInvisible(text)}\n`)
    else stdout.write(`${stdout.paint('bold', step.padEnd('publish'.length))}  ${text}\n`)
  }
}
