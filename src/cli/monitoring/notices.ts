/** Notices: what happened, told to the people whom the settings name. */

import type { MarkedFund } from '../../guards/assess.ts'
import { type AllowedObjection, byOperator } from '../../guards/guards.ts'
import { Interrupted } from '../../system/signals.ts'
import type { Session } from '../command.ts'
import { countOf } from '../format.ts'
import type { NightlyLog } from '../nightly/log.ts'
import { factsOfFailure, outcomeOf, type RunFacts } from '../nightly/facts.ts'
import { linesOfNews, titleOfNews } from '../nightly/news.ts'
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

/**
 * Tells how a nightly run has ended, unless a person has stopped it at a terminal.
 * @param onUntold notes in the history that nobody could be told of a failure
 */
export async function tellOfNight(
  session: Session,
  log: NightlyLog,
  facts: RunFacts,
  onUntold: () => Promise<void>,
): Promise<void> {
  const onWarning = (warning: string) => log.warn('night', warning)
  // The attempts of a night often fail for the same reason.
  if (isStoppedByPerson(session) || facts.history?.isRepeated === true) return
  const isTold = await tell(session, noticesOf(facts), onWarning)
  if (!isTold && facts.reason !== null && facts.history !== null) await onUntold()
}

/** What people are told of a run; nothing of one with nothing to do. @param subject as of {@link outcomeOf} */
export function noticesOf(facts: RunFacts, subject?: string): readonly NoticeFacts[] {
  const { command, outcome, asOf, snapshot, slot, step, who, why, reason, history, night } = facts
  const about = { command, asOf, snapshot, slot }
  const what = outcomeOf(facts, subject)
  if (outcome === 'refused')
    return [{ ...about, event: outcome, what, step, objections: facts.objections, who }]
  if (outcome === 'failed') return [{ ...about, event: outcome, what, step, reason, details: facts.errors }]
  // An earlier attempt may have failed after the flip.
  const failures = history?.added.find(({ kind }) => kind === 'done')?.times ?? 0
  if (outcome !== 'done' || (!facts.isNew && failures === 0)) return []
  const after = failures > 0 ? ` after ${countOf(failures, 'failure')}` : ''
  const done: NoticeFacts = { ...about, event: 'done', what: what + after, failures }
  if (night === null) return [{ ...done, figures: facts.figures, who, reason: why }, ...noticesBeside(facts)]
  const { freshness, overdue } = night.built
  const { stale } = freshness
  return [
    { ...done, figures: { ...facts.figures, prices: freshness } },
    ...(stale > 0 ? [{ ...factsOfStale(stale, about), details: staleOf(overdue) }] : []),
    ...noticesBeside(facts),
  ]
}

/** What is told of a run that went live or is staged, whatever became of it then: what was allowed, and what is new. */
export function noticesBeside(facts: RunFacts): readonly NoticeFacts[] {
  const { command, asOf, snapshot, slot, allowed, warnings } = facts
  const about = { command, asOf, snapshot, slot }
  const forced = noticesOfAllowed(allowed, about)
  const title = titleOfNews(facts)
  if (title === null) return forced
  const what = `${outcomeOf(facts)} with ${title}`
  const news = linesOfNews(facts.news)
  return [...forced, { ...about, event: 'warned', what, news, details: warnings }]
}

export const noticesOfAllowed = (allowed: readonly AllowedObjection[], about: About): NoticeFacts[] =>
  byOperator(allowed).map((one) => ({
    ...about,
    event: 'forced',
    what: 'allowed what guards refuse',
    ...one,
  }))

type About = Pick<NoticeFacts, 'command' | 'asOf' | 'snapshot' | 'slot' | 'place'>

export const factsOfStale = (stale: number, about: About): NoticeFacts => ({
  ...about,
  event: 'stale',
  what: `${countOf(stale, 'fund')} with stale prices`,
})

const staleOf = (overdue: readonly MarkedFund[]) =>
  overdue.flatMap(({ isin, name, mark, newestPrice }) =>
    mark === 'stale' ? [`${isin} ${name}: newest price ${newestPrice ?? 'none'}`] : [],
  )

/** Tells that a command has failed or was refused, unless a person has stopped it. */
export async function tellFailure(
  session: Session,
  error: unknown,
  known: Parameters<typeof factsOfFailure>[2],
  subject?: string,
): Promise<void> {
  await tellOfRun(session, factsOfFailure(session, error, known), subject)
}

/** The same of any run. */
export async function tellOfRun(session: Session, facts: RunFacts, subject?: string): Promise<void> {
  if (!isStoppedByPerson(session)) await tell(session, noticesOf(facts, subject), session.stderr.tell)
}

/** Ctrl-C, or a window that was closed. A scheduler stops a run without a terminal. */
function isStoppedByPerson({ signal, stdout, stderr }: Session): boolean {
  const reason: unknown = signal.reason
  const isKey = reason instanceof Interrupted && reason.signal !== 'SIGTERM'
  return isKey && (stdout.isTerminal || stderr.isTerminal)
}
