/** Notices to the targets of the settings. */

import type { MarkedFund } from '../../core/guards/assess.ts'
import { byOperator, type Objection } from '../../core/guards/guards.ts'
import { Interrupted } from '../../core/system/signals.ts'
import type { Session } from '../../core/cli/command.ts'
import type { Aged, LoadState } from '../../core/cli/ended.ts'
import { countOf } from '../../core/cli/format.ts'
import { outcomeOf, type RunFacts } from '../../core/cli/facts.ts'
import { linesOfNews, titleOfNews } from '../../core/cli/nightly/news.ts'
import type { NightStates } from '../../core/cli/nightly/states.ts'
import { deliver, lastDelivery, usualDelivery } from './deliver.ts'
import { createNotice, type Notice, type NoticeFacts } from './notice.ts'
import { settings, type TargetSetting } from './settings.ts'
import { type ClosedTarget, openTarget, type OpenTarget } from './targets.ts'

export interface Told {
  readonly type: TargetSetting['type']
  /** The host or the program. Null if the variable with the address is missing. */
  readonly name: string | null
  readonly events: TargetSetting['events']
  /** Null for success; else the reason, without the address. */
  readonly reason: string | null
}

export const toldOf = ({ type, events }: TargetSetting, { name }: OpenTarget | ClosedTarget) => ({
  type,
  name,
  events,
})

/** The targets of a notice. Every target receives tests. A target of `failed` or `refused` also receives the end of failures. */
export const targetsFor = (targets: readonly TargetSetting[], { event, failures }: Notice) =>
  targets.filter(
    ({ events }) =>
      event === 'test' ||
      events.includes(event) ||
      (failures > 0 && (events.includes('failed') || events.includes('refused'))),
  )

export async function sendNotices(session: Session, notices: readonly Notice[]): Promise<readonly Told[]> {
  const { environment, clock, signal } = session
  const { notify } = session.settingsOf(settings)
  // A stopped program still sends its notices, but not for long. A second signal ends it.
  const terms = signal.aborted
    ? { patience: lastDelivery, clock, signal: new AbortController().signal }
    : { patience: usualDelivery, clock, signal }
  const sending = notices.flatMap((notice) =>
    targetsFor(notify, notice).map(async (setting): Promise<Told> => {
      const target = openTarget(setting, environment)
      const reason = target.name === null ? target.reason : await deliver(target, notice, terms)
      return { ...toldOf(setting, target), reason }
    }),
  )
  return Promise.all(sending)
}

/**
 * Warns of targets that did not take a notice, and of any target whose variable is not set, so that a bad night is not the
 * first to find that.
 * @returns false if targets want the notices and none has taken them
 */
export async function tell(
  session: Session,
  facts: readonly NoticeFacts[],
  onWarning: (warning: string) => void,
): Promise<boolean> {
  const { notify } = session.settingsOf(settings)
  if (notify.length === 0 || facts.length === 0) return true
  const notices = facts.map((one) => createNotice(session, one))
  const targets = notify.map((setting) => openTarget(setting, session.environment))
  const off = targets.flatMap((one) =>
    one.name === null ? [`${describeTarget(one.type, null)} is off: ${one.reason}`] : [],
  )
  const told = await sendNotices(session, notices)
  const failed = told.flatMap(({ type, name, reason }) =>
    name === null || reason === null ? [] : [`${describeTarget(type, name)} was not told: ${reason}`],
  )
  for (const warning of new Set([...off, ...failed])) onWarning(warning)
  return told.length === 0 || told.some(({ reason }) => reason === null)
}

export const describeTarget = (type: TargetSetting['type'], name: string | null) =>
  `notify: ${type}${name === null ? '' : ` (${name})`}`

function noticesOf(facts: RunFacts): readonly NoticeFacts[] {
  const { outcome, step, who, objections, reason, errors: details } = facts
  const about = aboutOf(facts)
  const what = outcomeOf(facts)
  switch (outcome) {
    case 'refused':
      return [{ ...about, event: outcome, what: what + ofMissing(objections), step, objections, who }]
    case 'failed':
      return [{ ...about, event: outcome, what, step, reason, details }]
    case 'done':
      return noticesOfDone(facts)
    case 'skipped':
    case 'open':
      return []
  }
}

/** The title says which load is missing. */
function ofMissing(objections: readonly Objection[]): string {
  const day = objections.find(({ guard }) => guard === 'incomplete')?.state ?? ''
  return day === '' ? '' : `, no complete load of ${day}`
}

function noticesOfDone(facts: RunFacts): readonly NoticeFacts[] {
  const { who, why: reason, reverted, night, figures } = facts
  const about = aboutOf(facts)
  const what = outcomeOf(facts)
  // An earlier attempt may have failed after its flip.
  const failures = facts.history?.added.find(({ kind }) => kind === 'done')?.times ?? 0
  if (!facts.isNew && failures === 0) return []
  const beside = noticesBeside(facts)
  if (reverted !== null) return [{ ...about, event: 'rollback', what, who, reason, reverted }, ...beside]
  if (night === null) return [{ ...about, event: 'done', what, figures, who, reason }, ...beside]
  const { freshness: prices } = night.built
  const after = failures > 0 ? ` after ${countOf(failures, 'failure')}` : ''
  const done = { ...about, event: 'done', what: what + after, failures, reason: loadThatCame(facts) } as const
  return [{ ...done, figures: { ...figures, prices } }, ...noticesOfStates(night.states, about), ...beside]
}

/** The end of nights that were refused because a load was missing: a sentence, or null. */
function loadThatCame({ history, allowed }: RunFacts): string | null {
  const { events = [], added = [] } = history ?? {}
  const done = added.find(({ kind }) => kind === 'done')
  if (done === undefined || allowed.some(({ guard }) => guard === 'incomplete')) return null
  const before = events.slice(0, events.indexOf(done))
  const since = before.slice(before.findLastIndex(({ kind }) => kind === 'done') + 1)
  const days = since.flatMap(({ kind, objections = [] }) =>
    kind === 'refused'
      ? objections.flatMap(({ guard, state }) => (guard === 'incomplete' ? (state ?? []) : []))
      : [],
  )
  const missing = [...new Set(days)]
  const were = missing.length === 1 ? 'that' : 'those'
  return missing.length === 0
    ? null
    : `a complete load is there: ${were} of ${missing.join(', ')} had not come`
}

function noticesOfStates(
  { stale, notStale, missing, come }: NightStates,
  about: About,
): readonly NoticeFacts[] {
  const facts: NoticeFacts[] = []
  if (stale.length > 0)
    facts.push({ ...factsOfStale(stale.length, about), state: 'begun', details: stale.map(lineOf) })
  if (notStale.length > 0) {
    const what = `${countOf(notStale.length, 'fund')} without stale prices again`
    const details = notStale.map(({ isin, fund }) =>
      fund === undefined ? `${isin}: not among the published funds any more` : lineOf(fund),
    )
    facts.push({ ...about, event: 'stale', state: 'ended', what, details })
  }
  const reason = 'it was expected, and no fund has a newer price than before; other data went live'
  if (missing !== null)
    facts.push({ ...about, event: 'late', state: 'begun', what: `no price of ${missing}`, reason })
  if (come !== null) facts.push({ ...about, ...loadIsThere(come) })
  return facts
}

const loadIsThere = (missing: string) =>
  ({ event: 'late', state: 'ended', what: `new prices are there, those of ${missing} were missing` }) as const

/** Notices about the live or staged snapshot, whatever became of the run then: allowed objections, and news. */
export function noticesBeside(facts: RunFacts): readonly NoticeFacts[] {
  const about = aboutOf(facts)
  const forced = byOperator(facts.allowed).map((one): NoticeFacts => ({
    ...about,
    event: 'forced',
    what: 'allowed what guards refuse',
    ...one,
  }))
  const title = titleOfNews(facts)
  if (title === null) return forced
  const what = `${outcomeOf(facts)} with ${title}`
  return [
    ...forced,
    { ...about, event: 'warned', what, news: linesOfNews(facts.news), details: facts.warnings },
  ]
}

type About = Pick<NoticeFacts, 'command' | 'asOf' | 'snapshot' | 'slot' | 'place'>

const aboutOf = ({ command, asOf, snapshot, slot }: RunFacts): About => ({ command, asOf, snapshot, slot })

const factsOfStale = (stale: number, about: About): NoticeFacts => ({
  ...about,
  event: 'stale',
  what: `${countOf(stale, 'fund')} with stale prices`,
})

const lineOf = ({ isin, name, newestPrice }: MarkedFund) =>
  `${isin} ${name}: newest price ${newestPrice ?? 'none'}`

/** Sends nothing if a person stopped the run at a terminal, or if it repeats an earlier failure. @returns as {@link tell} */
export async function tellOfRun(
  session: Session,
  facts: RunFacts,
  onWarning: (warning: string) => void,
): Promise<boolean> {
  if (isStoppedByPerson(session) || facts.history?.isRepeated === true) return true
  return tell(session, noticesOf(facts), onWarning)
}

/** Tells that what is live is late, or that its prices are stale. @returns as {@link tell} */
export function tellOfAges(
  session: Session,
  { live, place, late, stale }: Aged,
  onWarning: (warning: string) => void,
): Promise<boolean> {
  const { asOf = null, snapshot = null, freshness } = live ?? {}
  const about = { command: 'status', asOf, snapshot, place }
  const facts: NoticeFacts[] = []
  if (late.length > 0) facts.push({ ...about, event: 'late', what: 'late', reason: late.join('; ') })
  if (stale.length > 0)
    facts.push({ ...factsOfStale(freshness?.stale ?? 0, about), reason: stale.join('; ') })
  return tell(session, facts, onWarning)
}

/** Tells that a load is late, or that it has come. @returns true if a target was told, or if none wants that */
export async function tellOfLoad(
  session: Session,
  { command, missing, come, says }: LoadState,
  onWarning: (warning: string) => void,
): Promise<boolean> {
  // Nobody was told: the next command, with targets, tells it.
  if (session.settingsOf(settings).notify.length === 0) return false
  const facts: NoticeFacts[] = []
  if (missing !== null)
    facts.push({
      command,
      event: 'late',
      state: 'begun',
      what: `the load of ${missing} is late`,
      reason: says,
    })
  if (come !== null) facts.push({ command, ...loadIsThere(come) })
  return tell(session, facts, onWarning)
}

/** Ctrl-C, or a closed window. A scheduler stops a run without a terminal. */
function isStoppedByPerson({ signal, stdout, stderr }: Session): boolean {
  const reason: unknown = signal.reason
  const isKey = reason instanceof Interrupted && reason.signal !== 'SIGTERM'
  return isKey && (stdout.isTerminal || stderr.isTerminal)
}
