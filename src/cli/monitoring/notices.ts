/** Notices: what happened, told to the people whom the settings name. */

import type { MarkedFund } from '../../guards/assess.ts'
import { type AllowedObjection, byOperator, Refusal } from '../../guards/guards.ts'
import { Interrupted } from '../../system/signals.ts'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { countOf } from '../format.ts'
import { whoIs } from '../from-settings.ts'
import type { NightlyLog } from '../nightly/log.ts'
import type { DoneRun, EndedRun } from '../nightly/report.ts'
import { deliver, lastDelivery, usualDelivery } from './deliver.ts'
import { createNotice, type Notice, type NoticeFacts } from './notice.ts'
import { type ClosedTarget, openTarget, type OpenTarget, type TargetSetting } from './targets.ts'

/** What became of a target. */
export interface Told {
  readonly type: TargetSetting['type']
  /** Null if the target has no address: a variable is missing. */
  readonly host: string | null
  readonly events: TargetSetting['events']
  /** Null if it was told; else why not, without its address. */
  readonly reason: string | null
  /** What would be sent. */
  readonly content?: object
}

export const toldOf = ({ type, events }: TargetSetting, { host }: OpenTarget | ClosedTarget) => ({
  type,
  host,
  events,
})

/** The targets that want a notice. All want a test, and whoever hears of failures hears of their end. */
export const targetsFor = (targets: readonly TargetSetting[], { event, failures }: Notice) =>
  targets.filter(
    ({ events }) =>
      event === 'test' ||
      events.includes(event) ||
      (failures > 0 && (events.includes('failed') || events.includes('refused'))),
  )

/** Sends notices to all that want them, at the same time. @returns an entry for each notice and target */
export async function sendNotices(session: Session, notices: readonly Notice[]): Promise<readonly Told[]> {
  const { settings, environment, clock, signal } = session
  // Somebody has stopped the program: it tells that, but not for long, and a second signal ends it.
  const terms = signal.aborted
    ? { patience: lastDelivery, clock, signal: new AbortController().signal }
    : { patience: usualDelivery, clock, signal }
  const sending = notices.flatMap((notice) =>
    targetsFor(settings.notify, notice).map(async (setting): Promise<Told> => {
      const target = openTarget(setting, environment)
      const reason = target.host === null ? target.reason : await deliver(target, notice, terms)
      return { ...toldOf(setting, target), reason }
    }),
  )
  return Promise.all(sending)
}

/**
 * The same for a command that does something else: a target that cannot be told is a warning. So is one whose variable is not set,
 * whatever its events are: nobody should find that out in a bad night.
 * @returns false if nobody was told who wants to be
 */
export async function tell(
  session: Session,
  facts: readonly NoticeFacts[],
  onWarning: (warning: string) => void,
): Promise<boolean> {
  if (session.settings.notify.length === 0 || facts.length === 0) return true
  const notices = facts.map((one) => createNotice(session, one))
  const targets = session.settings.notify.map((setting) => openTarget(setting, session.environment))
  const off = targets.flatMap((one) =>
    one.host === null ? [`${describeTarget(one.type, null)} is off: ${one.reason}`] : [],
  )
  const told = await sendNotices(session, notices)
  const failed = told.flatMap(({ type, host, reason }) =>
    host === null || reason === null ? [] : [`${describeTarget(type, host)} was not told: ${reason}`],
  )
  for (const warning of new Set([...off, ...failed])) onWarning(warning)
  return told.length === 0 || told.some(({ reason }) => reason === null)
}

export const describeTarget = (type: TargetSetting['type'], host: string | null) =>
  `notify: ${type}${host === null ? '' : ` (${host})`}`

/** Tells how a nightly run has ended. Nobody is told of a run with nothing to do, or that a person has stopped at a terminal. */
export async function tellOfNight(
  session: Session,
  log: NightlyLog,
  { report, history, onUntold }: EndedRun,
): Promise<void> {
  const command = 'nightly'
  const onWarning = (warning: string) => log.warn('night', warning)
  if (report.kind === 'done') {
    await tell(session, factsOfDone(report), onWarning)
    return
  }
  if (report.kind === 'skipped' || report.kind === 'open' || isStoppedByPerson(session)) return
  const { kind, asOf, step, reason } = report
  // The attempts of a night often fail for the same reason.
  if (history?.isRepeated === true) return
  const what = `${kind} in ${step}`
  const facts = { event: kind, command, what, asOf, step } as const
  const more =
    report.kind === 'refused'
      ? { objections: report.objections, who: whoIs(session) }
      : { reason, details: report.errors }
  if (!(await tell(session, [{ ...facts, ...more }], onWarning)) && history !== null) await onUntold?.()
}

function factsOfDone({ figures, built, published, allowed, history }: DoneRun): NoticeFacts[] {
  const { asOf, snapshot, funds, documents, changed, written = 0, bytes, cost, seconds } = figures
  const { slot, hasFlipped, hasStaged, isStaged } = published
  const prices = built.freshness
  const night = { command: 'nightly', asOf, snapshot, slot }
  const shown = { funds, documents, changed, written, bytes, cost, seconds, prices }
  // An earlier attempt may have failed after the flip.
  const ending = history.added.find(({ kind }) => kind === 'done')
  if (!hasFlipped && !hasStaged && ending === undefined) return []
  return [
    factsOfLive(night, isStaged, shown, ending?.times),
    ...(prices.stale > 0 ? [{ ...factsOfStale(prices.stale, night), details: staleOf(built.overdue) }] : []),
    ...factsOfAllowed(allowed, night),
  ]
}

type Night = Pick<NoticeFacts, 'command' | 'asOf' | 'snapshot' | 'slot' | 'place' | 'who' | 'reason'>

/** A snapshot went live, or is staged. */
export const factsOfLive = (
  night: Night,
  isStaged: boolean,
  figures: NoticeFacts['figures'],
  failures = 0,
): NoticeFacts => ({
  ...night,
  event: 'done',
  what: `${isStaged ? 'staged' : 'live'}${failures > 0 ? ` after ${countOf(failures, 'failure')}` : ''}`,
  figures: figures ?? null,
  failures,
})

export const factsOfStale = (stale: number, night: Night): NoticeFacts => ({
  ...night,
  event: 'stale',
  what: `${countOf(stale, 'fund')} with stale prices`,
})

const staleOf = (overdue: readonly MarkedFund[]) =>
  overdue.flatMap(({ isin, name, mark, newestPrice }) =>
    mark === 'stale' ? [`${isin} ${name}: newest price ${newestPrice ?? 'none'}`] : [],
  )

export const factsOfAllowed = (allowed: readonly AllowedObjection[], night: Night): NoticeFacts[] =>
  byOperator(allowed).map((one) => ({
    ...night,
    event: 'forced',
    what: 'allowed what guards refuse',
    ...one,
  }))

/** Tells that a command has failed or was refused, unless a person has stopped it. */
export async function tellFailure(
  session: Session,
  error: unknown,
  facts: Night & { readonly what?: string },
): Promise<void> {
  const { signal, stderr } = session
  if (isStoppedByPerson(session)) return
  const what = facts.what ?? facts.command
  const isRefusal = error instanceof Refusal && !signal.aborted
  const told: NoticeFacts = isRefusal
    ? {
        ...facts,
        event: 'refused',
        what: `${what} refused`,
        objections: error.objections,
        who: whoIs(session),
      }
    : {
        ...facts,
        event: 'failed',
        what: `${what} failed`,
        reason: reasonOf(signal.aborted ? signal.reason : error),
      }
  await tell(session, [told], stderr.tell)
}

/** Ctrl-C, or a window that was closed. A scheduler stops a run without a terminal. */
function isStoppedByPerson({ signal, stdout, stderr }: Session): boolean {
  const reason: unknown = signal.reason
  const isKey = reason instanceof Interrupted && reason.signal !== 'SIGTERM'
  return isKey && (stdout.isTerminal || stderr.isTerminal)
}
