/** The log of a nightly run: lines for people, or one JSON object per line for machines. */

import { escapeInvisible } from '../../data/model/printable.ts'
import type { Objection } from '../../guards/guards.ts'
import type { Session } from '../command.ts'
import type { Paint } from '../terminal.ts'
import { withoutSecrets } from '../safe-text.ts'
import type { NightlyWarning, Step } from '../facts.ts'

type Figure = string | number | boolean | null | object
type Figures = Readonly<Record<string, Figure>>
type Event = 'begun' | 'done' | 'skipped' | 'failed' | 'refused' | 'warning' | 'error' | 'progress' | 'note'
/** @param text for people, instead of the figures */
type Write = (step: Step, event: Event, figures: Figures, text: string) => void

export type NightlyLog = ReturnType<typeof openLog>

/**
 * With --json one object per line on stdout: `time`, `step`, `event`, then figures or a `message`. The end of a step has its
 * duration in `seconds`, but for `check` and `plan`: they are parts of the build and of the publish.
 */
export function openLog(session: Session) {
  const warnings: NightlyWarning[] = []
  const errors: string[] = []
  const { step: stepNow, enter, begin, end, seconds } = stepTimes(session.clock)
  const write = session.isJson ? jsonWriter(session) : textWriter(session)
  const sessionFor = (step: Step) => (session.isJson ? loggedSession(session, step, write) : session)
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
    step: stepNow,
    seconds,
    /** Begins a step without a line. */
    enter,
    sessionFor,
    begin: (step: Step, figures: Figures = {}) => {
      begin(step)
      write(step, 'begun', figures, '')
      return sessionFor(step)
    },
    end: (step: Step, event: 'done' | 'skipped' | 'failed', figures: Figures, text: string) => {
      write(step, event, end(step, figures), text)
    },
    /** A line for people: machines get the figures elsewhere. */
    note: (step: Step, text: string) => write(step, 'note', {}, text),
    warn: telling('warning', (message, step) => warnings.push({ step, message })),
    /** One of several errors, or the reason of the failure. */
    fail: telling('error', (message) => errors.push(message)),
    /** For machines: the program itself prints the reason for people. */
    refuse: (step: Step, reason: string, objections: readonly Objection[]) => {
      if (session.isJson) write(step, 'refused', { message: reason, objections }, '')
    },
  }
}

/** The step that runs, and how long each has taken. */
function stepTimes(clock: Session['clock']) {
  const started = clock()
  let current: Step = 'night'
  let begun = started
  const taken = new Map<Step, number>()
  const secondsSince = (moment: number) => (clock() - moment) / 1000
  return {
    step: () => current,
    enter: (step: Step) => {
      current = step
    },
    begin: (step: Step) => {
      current = step
      begun = clock()
    },
    /** @returns the figures with the duration, unless they have one, or the step is a part of another */
    end: (step: Step, figures: Figures): Figures => {
      if (step === 'check' || step === 'plan') return figures
      const all = { seconds: secondsSince(step === 'night' ? started : begun), ...figures }
      taken.set(step, all.seconds)
      return all
    },
    /** Durations of the steps so far, and of the whole run as `night`. */
    seconds: (): ReadonlyMap<Step, number> => {
      const isRunning = current !== 'night' && !taken.has(current)
      const running = isRunning ? [[current, secondsSince(begun)] as const] : []
      return new Map([['night', secondsSince(started)], ...running, ...taken])
    },
  }
}

/** The progress of a step goes into a log for machines, too. */
function loggedSession(session: Session, step: Step, write: Write): Session {
  const tell = (text: string) => write(step, 'progress', { message: withoutSecrets(text.trimEnd()) }, text)
  const paint = (_: string, text: string) => text
  return { ...session, stderr: { ...session.stderr, isTerminal: false, write: tell, tell, paint } }
}

function jsonWriter({ now, stdout }: Session): Write {
  return (step, event, figures) => {
    if (event === 'note') return
    stdout.data(`${JSON.stringify({ time: now().toISOString(), step, event, ...figures })}\n`)
  }
}

function textWriter({ isQuiet, stdout, stderr }: Session): Write {
  return (step, event, _, text) => {
    if (event === 'begun' || (isQuiet && event !== 'error')) return
    const terminal = event === 'error' || event === 'warning' ? stderr : stdout
    terminal.write(`${lineOf(step, event, text, terminal.paint)}\n`)
  }
}

function lineOf(step: Step, event: Event, text: string, paint: Paint = (_, word) => word): string {
  if (event === 'error') return `${paint('red', 'error')}    ${step}: ${escapeInvisible(text)}`
  if (event === 'warning') return `${paint('yellow', 'warning')}  ${step}: ${escapeInvisible(text)}`
  return `${paint('bold', step.padEnd('publish'.length))}  ${text}`
}
