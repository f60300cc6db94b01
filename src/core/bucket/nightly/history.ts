/**
 * `nightly/history.json` in the bucket: the figures of the last nightly runs, for the charts of a summary, and the events that matter
 * later: what was refused, failed, allowed, staged, flipped, reverted or done after failures, by whom, when and why.
 */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { smallObject } from '../live/live.ts'
import { readReplaceable, readSmall } from '../store/read.ts'
import { ConditionFailed, type ObjectStore } from '../store/store.ts'

const day = z.string().regex(/^\d{4}-\d\d-\d\d$/)
const time = z.string().regex(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
const text = z.string()
const count = z.int().nonnegative()

const figuresOfRun = z.object({
  asOf: day,
  finishedAt: text,
  snapshot: text,
  edition: text,
  funds: z.number(),
  documents: z.number(),
  /** As in `changes/<as-of>.json`; null if unknown. */
  changed: z.number().nullable(),
  /** Objects that the publish has put or deleted. */
  written: z.number(),
  bytes: z.number(),
  /** Dollars for the requests of the publish. */
  cost: z.number(),
  seconds: z.number(),
  /** The oldest of the newest prices of all watched funds, as a day; null without a price. */
  oldestPrice: day.nullable(),
  isVerified: z.boolean(),
  /** Time of a later comparison of the live slot with its manifest. */
  listedAt: time.exactOptional(),
})
export type NightlyFigures = Readonly<z.output<typeof figuresOfRun>>

const eventOfRun = z.object({
  kind: z.enum(['refused', 'failed', 'rolled back', 'returned', 'allowed', 'staged', 'flipped', 'done']),
  /** By the store's clock. Of a repeated event the last time. */
  at: time,
  asOf: day,
  who: text,
  /** Of a failure, or of an operator; null if none was given, and for a refusal, which has objections. */
  reason: text.nullable(),
  /** The refused or allowed snapshot, or the live one after a rollback; null if nothing was built yet. */
  snapshot: text.nullable(),
  reverted: text.exactOptional(),
  step: text.exactOptional(),
  objections: z
    .array(z.object({ guard: text, subject: text.nullable(), message: text, state: text.exactOptional() }))
    .readonly()
    .exactOptional(),
  moreObjections: count.exactOptional(),
  /** Number of occurrences, if above 1. Of `done`: number of refusals and failures before, of its day or for a state that it ends. */
  times: count.exactOptional(),
  /** True if no notice of a failure could be sent. */
  isUntold: z.boolean().exactOptional(),
})
export type NightlyEvent = Readonly<z.output<typeof eventOfRun>>
export type NewEvent = Omit<NightlyEvent, 'at' | 'times' | 'isUntold'>

interface NightlyHistory {
  readonly nights: readonly NightlyFigures[]
  readonly events: readonly NightlyEvent[]
  /** Digests of the warnings of the last run that was done: they are not reported again. */
  readonly told: readonly string[]
  /** States that were told when they began, and whose end was not told yet. */
  readonly states: States
}

/**
 * `stale`: the ISINs of funds with stale prices. `load`: the day whose load was told to be missing last. What is absent is empty.
 */
export type States = Readonly<Partial<Record<'stale' | 'load', readonly string[]>>>

export interface KeptHistory extends NightlyHistory {
  /** The events that the change has added; a `done` without failures before it is none. */
  readonly added: readonly NightlyEvent[]
  /** True for a failure that was reported before. */
  readonly isRepeated: boolean
}

const historyKey = 'nightly/history.json'
const runsKept = 60
const eventsKept = 200

function withRun(runs: readonly NightlyFigures[], run: NightlyFigures) {
  const others = runs.filter(({ asOf }) => asOf !== run.asOf)
  const all = [...others, run].sort((one, other) => (one.asOf < other.asOf ? -1 : 1))
  return all.slice(-runsKept)
}

/**
 * Adds an event at the end. Attempts of a night often fail in the same way: they count up, until something else happens on that day.
 * `done` is an event only if it ends failures.
 */
function withEvent(events: readonly NightlyEvent[], event: NightlyEvent) {
  const isDone = event.kind === 'done'
  const ofDay = events.filter(({ asOf }) => asOf === event.asOf)
  // An exception may have answered the failure.
  const ends = (one: NightlyEvent) => !isFailure(one) && !(isDone && one.kind === 'allowed')
  const attempts = [...lastingOf(events, event.asOf), ...ofDay.slice(ofDay.findLastIndex(ends) + 1)]
  const failures = attempts.filter(isFailure)
  const before = isDone ? failures : failures.filter((one) => patternOf(one) === patternOf(event))
  const times = before.reduce((sum, one) => sum + (one.times ?? 1), isDone ? 0 : 1)
  if (times === 0) return events
  const others = isDone ? events : events.filter((one) => !before.includes(one))
  return [...others, { ...event, ...(isDone || times > 1 ? { times } : {}) }].slice(-eventsKept)
}

/** Refusals of other days, for a state that no night has ended yet. */
const lastingOf = (events: readonly NightlyEvent[], day: string) =>
  events
    .slice(events.findLastIndex(({ kind }) => kind === 'done') + 1)
    .filter((one) => one.asOf !== day && isOfState(one))

/** A refusal for nothing but states that may last: nights that are refused for the same one repeat it. */
const isOfState = ({ kind, objections = [] }: NewEvent) =>
  kind === 'refused' && objections.length > 0 && objections.every(({ state }) => state !== undefined)

const isFailure = ({ kind }: NightlyEvent) => kind === 'refused' || kind === 'failed'

/** The part that equal failures share: no numbers, such as seconds, and no files, keys and addresses of a reason. */
const patternOf = (event: NewEvent) => {
  const { kind, asOf, step, reason, objections = [] } = event
  const words = reason?.split(' ').filter((word) => !word.includes('/'))
  const what = objections.map(({ guard, subject, state }) => [guard, subject, state])
  const place = isOfState(event) ? [] : [asOf, step]
  return JSON.stringify([kind, ...place, words?.join(' ').replace(/\d+/g, ''), what])
}

const file = z.looseObject({ format: z.literal(1) })
const emptyHistory: NightlyHistory = { nights: [], events: [], told: [], states: {} }
const stateList = z.array(text).exactOptional()
const statesOfRuns = z.object({ stale: stateList, load: stateList })

interface ReadHistory {
  readonly history: NightlyHistory
  /** A sentence about what is left out, or null. */
  readonly leftOut: string | null
}

/** Takes a damaged history, or that of another version, for an empty one: nothing depends on it. @param body null: there is none */
function readHistory(body: string | null): ReadHistory {
  if (body === null) return { history: emptyHistory, leftOut: null }
  let found: z.output<typeof file>
  try {
    found = file.parse(JSON.parse(body))
  } catch {
    return { history: emptyHistory, leftOut: `${historyKey} is ${unknownForm}: it begins anew` }
  }
  let wrong = 0
  const listOf = <T>(name: string, schema: z.ZodType<T>) => {
    const list: unknown = found[name]
    // Values stay as they are: a later version may have written more fields.
    const isRight = (value: unknown): value is T => schema.safeParse(value).success
    const right = Array.isArray(list) ? list.filter(isRight) : []
    wrong += Array.isArray(list) ? list.length - right.length : 0
    return right
  }
  const history = {
    nights: listOf('nights', figuresOfRun),
    events: listOf('events', eventOfRun),
    told: listOf('told', text),
    states: statesIn(found['states']),
  }
  const leftOut = `entries of ${historyKey} that are ${unknownForm} are left out: ${wrong}`
  return { history, leftOut: wrong === 0 ? null : leftOut }
}

const unknownForm = 'damaged, or of another version'

const statesIn = (value: unknown): States => {
  const found = statesOfRuns.safeParse(value)
  return found.success ? found.data : {}
}

const toldKept = 10_000

/**
 * Separates new warnings from those of earlier runs: a warning about old data, which cannot be mended, would else come each night. A
 * warning that is away for a night is new again.
 */
export function recall({ told, states }: Pick<NightlyHistory, 'told' | 'states'>) {
  const known = new Set(told)
  const seen = new Set<string>()
  return {
    /** As earlier runs have told them. */
    states,
    /** @param warning its identity: the words, unless they change while the fault stays */
    isNew: (warning: string) => {
      const digest = hash('sha256', warning).slice(0, 10)
      seen.add(digest)
      return !known.has(digest)
    },
    seen: () => [...seen].slice(0, toldKept),
  }
}
export type Recalled = ReturnType<typeof recall>

export async function fetchHistory(store: ObjectStore): Promise<NightlyHistory> {
  return readHistory((await readSmall(store, historyKey))?.text ?? null).history
}

type Change = (history: NightlyHistory, at: string) => NightlyHistory

interface Keeping {
  /** False for a store without conditional writes: one of two simultaneous changes is lost. */
  readonly isLocking: boolean
  /** Called if the history has something that is not kept: later runs do not find it any more. */
  readonly onWarning: (warning: string) => void
}

async function changeHistory(store: ObjectStore, { isLocking, onWarning }: Keeping, change: Change) {
  for (let attempt = 1; ; attempt++) {
    const { text, condition, now } = await readReplaceable(store, historyKey)
    const { history: before, leftOut } = readHistory(text)
    const after = change(before, now.toISOString())
    try {
      await store.put(smallObject(historyKey, { format: 1, ...after }), isLocking ? condition : undefined)
      if (leftOut !== null) onWarning(`${store.name}: ${leftOut}`)
      return { before, after }
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === 5) throw error
    }
  }
}

interface NewInHistory {
  readonly figures?: NightlyFigures
  readonly events: readonly NewEvent[]
  /** Replaces the digests; absent: they stay. */
  readonly told?: readonly string[] | undefined
  /** Replaces these states; the others stay. */
  readonly states?: States | undefined
}

export async function keepInHistory(
  store: ObjectStore,
  { figures, events, told, states }: NewInHistory,
  keeping: Keeping,
): Promise<KeptHistory> {
  const { before, after } = await changeHistory(store, keeping, (history, at) => ({
    nights: figures === undefined ? history.nights : withRun(history.nights, figures),
    events: events.reduce((all, event) => withEvent(all, { ...event, at }), history.events),
    told: told ?? history.told,
    states: { ...history.states, ...states },
  }))
  const added = after.events.filter((one) => !before.events.includes(one))
  const replaced = before.events.filter((one) => !after.events.includes(one))
  const isRepeated =
    added.some((one) => isFailure(one) && (one.times ?? 1) > 1) &&
    !replaced.some(({ isUntold }) => isUntold === true)
  return { ...after, added, isRepeated }
}

/** Keeps states that were told between nights. */
export const keepStates = (store: ObjectStore, states: States, keeping: Keeping) =>
  changeHistory(store, keeping, (history) => ({
    ...history,
    states: { ...history.states, ...states },
  }))

/** Notes that the live slot was found whole: further attempts of the day need not list it. */
export const keepListed = (store: ObjectStore, snapshot: string, keeping: Keeping) =>
  changeHistory(store, keeping, (history, at) => ({
    ...history,
    nights: history.nights.map((one) => (one.snapshot === snapshot ? { ...one, listedAt: at } : one)),
  }))

/** Notes that no notice of a failure could be sent: the next attempt that fails in the same way sends one. */
export const keepUntold = (store: ObjectStore, failure: NewEvent, keeping: Keeping) =>
  changeHistory(store, keeping, (history) => ({
    ...history,
    events: history.events.map((one) =>
      patternOf(one) === patternOf(failure) ? { ...one, isUntold: true } : one,
    ),
  }))
