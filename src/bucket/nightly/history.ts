/**
 * `nightly/history.json` in the bucket: the figures of the last nightly runs, for the charts of a summary, and the events that
 * people ask about later: what was refused, failed, allowed, staged, flipped, reverted or done after failures, by whom, when and why.
 */

import type { Objection } from '../../guards/guards.ts'
import { smallObject } from '../live/live.ts'
import { readReplaceable, readSmall } from '../store/read.ts'
import { ConditionFailed, type ObjectStore } from '../store/store.ts'

export interface NightlyFigures {
  readonly asOf: string
  /** ISO 8601 with time */
  readonly finishedAt: string
  readonly snapshot: string
  /** As in `live.json`; earlier versions did not write it. */
  readonly edition?: string
  readonly funds: number
  readonly documents: number
  /**
   * Documents that differ from those that were live before, as `changes/<as-of>.json` counts them; null if that is not
   * known. Earlier versions did not write `written`, and have that figure here.
   */
  readonly changed: number | null
  readonly written?: number
  readonly bytes: number
  /** In dollars: what the store charges for the requests of the publish. */
  readonly cost: number
  readonly seconds: number
  /** The oldest of the newest prices of all watched funds, as a day; null without a price. */
  readonly oldestPrice: string | null
  /** Whether the live slot matched its manifest. */
  readonly isVerified: boolean
  /** When a later run has compared the live slot with its manifest once more, ISO 8601 with time. */
  readonly listedAt?: string
}

const eventKinds = [
  ...(['refused', 'failed', 'rolled back', 'returned'] as const),
  ...(['allowed', 'staged', 'flipped', 'done'] as const),
] as const

export interface NightlyEvent {
  readonly kind: (typeof eventKinds)[number]
  /** ISO 8601 with time, by the store's clock. Of a repeated event the last time. */
  readonly at: string
  readonly asOf: string
  readonly who: string
  /** Why it failed, or why an operator did it; null if nobody said so, and of a refusal, whose objections say it. */
  readonly reason: string | null
  /** What was refused or allowed, or what is live since the rollback; null if nothing was built yet. */
  readonly snapshot: string | null
  /** The snapshot that a rollback reverted. */
  readonly reverted?: string
  /** The step of a nightly run that failed or refused. */
  readonly step?: string
  readonly objections?: readonly KeptObjection[]
  /** How many objections there were besides. */
  readonly moreObjections?: number
  /** How often this happened, if more than once. Of `done`: how often its day was refused or failed before. */
  readonly times?: number
  /** Nobody could be told of a failure; absent if somebody was. */
  readonly isUntold?: boolean
}

export type NewEvent = Omit<NightlyEvent, 'at' | 'times' | 'isUntold'>
type KeptObjection = Pick<Objection, 'subject' | 'message'> & { readonly guard: string }

/** Both ascending. */
export interface NightlyHistory {
  readonly nights: readonly NightlyFigures[]
  readonly events: readonly NightlyEvent[]
}

/** The history after a change. */
export interface KeptHistory extends NightlyHistory {
  /** The events of the change as the history has them; a `done` that ended no failures is none. */
  readonly added: readonly NightlyEvent[]
  /** Whether it is a failure that somebody has been told of already. */
  readonly isRepeated: boolean
}

const historyKey = 'nightly/history.json'
const runsKept = 60
const eventsKept = 200

/** Adds a run: the history holds one per as-of date, ascending, so a repeated run replaces the earlier one. */
function withRun(runs: readonly NightlyFigures[], run: NightlyFigures) {
  const others = runs.filter(({ asOf }) => asOf !== run.asOf)
  const all = [...others, run].sort((one, other) => (one.asOf < other.asOf ? -1 : 1))
  return all.slice(-runsKept)
}

/**
 * Adds an event at the end. The attempts of a night often fail in the same way: they count up, until something else happens on that
 * day. `done` is an event only if it ends failures.
 */
function withEvent(events: readonly NightlyEvent[], event: NightlyEvent) {
  const isDone = event.kind === 'done'
  const ofDay = events.filter(({ asOf }) => asOf === event.asOf)
  // What was allowed may have been what the failure asked for.
  const ends = (one: NightlyEvent) => !isFailure(one) && !(isDone && one.kind === 'allowed')
  const failures = ofDay.slice(ofDay.findLastIndex(ends) + 1).filter(isFailure)
  const before = isDone ? failures : failures.filter((one) => patternOf(one) === patternOf(event))
  const times = before.reduce((sum, one) => sum + (one.times ?? 1), isDone ? 0 : 1)
  if (times === 0) return events
  const others = isDone ? events : events.filter((one) => !before.includes(one))
  return [...others, { ...event, ...(isDone || times > 1 ? { times } : {}) }].slice(-eventsKept)
}

const isFailure = ({ kind }: NightlyEvent) => kind === 'refused' || kind === 'failed'

/** What two failures that are alike share: not the numbers, such as seconds, and not the files, keys and addresses of a reason. */
const patternOf = ({ kind, asOf, step, reason, objections = [] }: NewEvent) => {
  const words = reason?.split(' ').filter((word) => !word.includes('/'))
  const what = objections.map(({ guard, subject }) => [guard, subject])
  return JSON.stringify([kind, asOf, step, words?.join(' ').replace(/\d+/g, ''), what])
}

/** Nothing depends on the history: a damaged one, or that of another version, counts as empty. */
export function readHistory(text: string): NightlyHistory {
  try {
    const file = JSON.parse(text) as Readonly<Record<'format' | 'nights' | 'events', unknown>>
    const listOf = <T>(list: unknown, isRight: (value: unknown) => value is T) =>
      file.format === 1 && Array.isArray(list) ? list.filter(isRight) : []
    // Earlier versions wrote no events.
    return { nights: listOf(file.nights, isRun), events: listOf(file.events, isEvent) }
  } catch {
    return { nights: [], events: [] }
  }
}

type Fields = Readonly<Record<string, unknown>>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
const isDayText = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)

function isRun(value: unknown): value is NightlyFigures {
  if (!isFields(value)) return false
  return (
    ['funds', 'documents', 'bytes', 'cost', 'seconds'].every((field) => Number.isFinite(value[field])) &&
    (value['changed'] === null || Number.isFinite(value['changed'])) &&
    ['finishedAt', 'snapshot'].every((field) => typeof value[field] === 'string') &&
    isDayText(value['asOf']) &&
    typeof value['isVerified'] === 'boolean'
  )
}

const isText = (value: unknown) => typeof value === 'string'

function isEvent(value: unknown): value is NightlyEvent {
  if (!isFields(value)) return false
  const { kind, at, asOf, who, reason, snapshot, objections = [] } = value
  const { reverted = '', step = '', moreObjections = 0, times = 1 } = value
  const isObjection = (one: unknown) =>
    isFields(one) && [one['guard'], one['message'], one['subject'] ?? ''].every(isText)
  return (
    eventKinds.some((known) => known === kind) &&
    /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(at)) &&
    isDayText(asOf) &&
    [who, reason ?? '', snapshot ?? '', reverted, step].every(isText) &&
    [moreObjections, times].every((count) => Number.isSafeInteger(count) && Number(count) >= 0) &&
    Array.isArray(objections) &&
    objections.every(isObjection)
  )
}

export async function fetchHistory(store: ObjectStore): Promise<NightlyHistory> {
  return readHistory((await readSmall(store, historyKey))?.text ?? '')
}

type Change = (history: NightlyHistory, at: string) => NightlyHistory

/** @param isLocking false for a store without conditional writes: then one of two simultaneous changes is lost */
async function changeHistory(store: ObjectStore, isLocking: boolean, change: Change) {
  for (let attempt = 1; ; attempt++) {
    const { text, condition, now } = await readReplaceable(store, historyKey)
    const before = readHistory(text ?? '')
    const after = change(before, now.toISOString())
    try {
      await store.put(smallObject(historyKey, { format: 1, ...after }), isLocking ? condition : undefined)
      return { before, after }
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === 5) throw error
    }
  }
}

/** @returns all that the history holds then */
export async function keepInHistory(
  store: ObjectStore,
  { figures, events }: { readonly figures?: NightlyFigures; readonly events: readonly NewEvent[] },
  isLocking: boolean,
): Promise<KeptHistory> {
  const { before, after } = await changeHistory(store, isLocking, (history, at) => ({
    nights: figures === undefined ? history.nights : withRun(history.nights, figures),
    events: events.reduce((all, event) => withEvent(all, { ...event, at }), history.events),
  }))
  const added = after.events.filter((one) => !before.events.includes(one))
  const replaced = before.events.filter((one) => !after.events.includes(one))
  const isRepeated =
    added.some((one) => isFailure(one) && (one.times ?? 1) > 1) &&
    !replaced.some(({ isUntold }) => isUntold === true)
  return { ...after, added, isRepeated }
}

/** Notes that the live slot was just found whole: further attempts of the day need not list it. */
export const keepListed = (store: ObjectStore, snapshot: string, isLocking: boolean) =>
  changeHistory(store, isLocking, ({ nights, events }, at) => ({
    nights: nights.map((one) => (one.snapshot === snapshot ? { ...one, listedAt: at } : one)),
    events,
  }))

/** Notes that nobody could be told of a failure: the next attempt that fails in the same way is told. */
export const keepUntold = (store: ObjectStore, failure: NewEvent, isLocking: boolean) =>
  changeHistory(store, isLocking, ({ nights, events }) => ({
    nights,
    events: events.map((one) => (patternOf(one) === patternOf(failure) ? { ...one, isUntold: true } : one)),
  }))
