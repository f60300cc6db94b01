/** The log of a night: lines for people, or one JSON object a line for machines. */

import { escapeInvisible } from '../../source/printable.ts'
import { withoutSecrets } from '../secrets.ts'
import type { Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'

/** `night` is the whole of it. */
export type Step = 'night' | 'check' | 'build' | 'plan' | 'publish' | 'verify' | 'status'

export type Figures = Readonly<Record<string, string | number | boolean | null>>

export interface Warning {
  readonly step: Step
  readonly message: string
}

export interface NightLog {
  readonly begin: (step: Step, figures?: Figures) => void
  /** @param text what people read in place of the figures */
  readonly end: (step: Step, event: 'done' | 'skipped' | 'failed', figures: Figures, text: string) => void
  readonly warn: (step: Step, message: string, figures?: Figures) => void
  /** An error that is one of several, or the reason why the night failed. */
  readonly fail: (step: Step, message: string, figures?: Figures) => void
  /** The session for a step: where the log is for machines, how far the step is goes into the log, too. */
  readonly sessionFor: (step: Step) => Session
  /** All warnings so far. */
  readonly warnings: () => readonly Warning[]
  /** All errors so far, without their steps. */
  readonly errors: () => readonly string[]
}

/** @param isJson an object a line on stdout: `time`, `step`, `event`, then figures or a `message` */
export function openLog(session: Session, isJson: boolean): NightLog {
  const warnings: Warning[] = []
  const errors: string[] = []
  const log = isJson ? jsonLog(session) : plainLog(session)
  return {
    ...log,
    warn: (step, text, figures) => {
      const message = withoutSecrets(text)
      warnings.push({ step, message })
      log.warn(step, message, figures)
    },
    fail: (step, text, figures) => {
      const message = withoutSecrets(text)
      errors.push(message)
      log.fail(step, message, figures)
    },
    warnings: () => warnings,
    errors: () => errors,
  }
}

type Writing = Omit<NightLog, 'warnings' | 'errors'>

function jsonLog(session: Session): Writing {
  const write = (step: Step, event: string, figures: Figures) => {
    const line = JSON.stringify({ time: session.now().toISOString(), step, event, ...figures })
    session.stdout.data(`${line}\n`)
  }
  return {
    begin: (step, figures = {}) => write(step, 'begun', figures),
    end: (step, event, figures) => write(step, event, figures),
    warn: (step, message, figures = {}) => {
      write(step, 'warning', { ...figures, message })
    },
    fail: (step, message, figures = {}) => write(step, 'error', { ...figures, message }),
    sessionFor: (step) => {
      const stderr: Terminal = {
        isTerminal: false,
        columns: session.stderr.columns,
        write: (text) => write(step, 'progress', { message: withoutSecrets(text.trimEnd()) }),
        tell: (message) => write(step, 'progress', { message: withoutSecrets(message) }),
        data: session.stderr.data,
        redraw: () => undefined,
        command: session.stderr.command,
        paint: (_, text) => text,
      }
      return { ...session, stderr }
    },
  }
}

function plainLog(session: Session): Writing {
  const { isQuiet, stdout, stderr } = session
  const label = (step: Step) => stdout.paint('bold', step.padEnd('publish'.length))
  return {
    begin: () => undefined,
    end: (step, _event, _figures, text) => {
      if (!isQuiet) stdout.write(`${label(step)}  ${text}\n`)
    },
    warn: (step, message) => {
      if (!isQuiet)
        stderr.write(`${stderr.paint('yellow', 'warning')}  ${step}: ${escapeInvisible(message)}\n`)
    },
    fail: (step, message) => {
      stderr.write(`${stderr.paint('red', 'error')}    ${step}: ${escapeInvisible(message)}\n`)
    },
    sessionFor: () => session,
  }
}
