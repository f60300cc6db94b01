/** The events of `nightly/history.json`: kept without secrets and within limits, and described for people. */

import {
  fetchHistory,
  keepInHistory,
  type KeptHistory,
  keepUntold,
  type NewEvent,
  type NightlyEvent,
  recall,
} from '../bucket/nightly/history.ts'
import type { Gone } from '../bucket/live/options.ts'
import type { ObjectStore } from '../bucket/store/store.ts'
import { type AllowedObjection, byOperator, type Objection } from '../guards/guards.ts'
import type { Session } from './command.ts'
import { reasonOf } from './failure.ts'
import { countOf } from './format.ts'
import { shortPatience, withBucket } from './from-settings.ts'
import { cut, withoutSecrets } from './safe-text.ts'
import type { RunFacts } from './facts.ts'

const objectionsKept = 20
/** In bytes. */
const maxText = 300

/** Events of the end of a run. A flip has left its events at the door. A failure of another command is none of a night. */
export function eventsOf(facts: RunFacts): NewEvent[] {
  const { command, outcome, asOf, snapshot, step, who, why, reason, objections, allowed } = facts
  if (asOf === null) return []
  const night = { asOf, snapshot, who, ...(step !== null && { step }) }
  switch (outcome) {
    case 'refused':
      return [eventOf({ kind: outcome, ...night, reason: null, objections })]
    case 'failed':
      return command === 'nightly' ? [eventOf({ kind: outcome, ...night, reason })] : []
    case 'done': {
      if (!facts.isStaged || !facts.isNew) return []
      const staged = eventOf({ kind: 'staged', ...night, reason: why })
      return [...eventsOfAllowed(allowed, { asOf, snapshot }), staged]
    }
    case 'skipped':
    case 'open':
      return []
  }
}

export const eventsOfAllowed = (
  allowed: readonly AllowedObjection[],
  night: Pick<NewEvent, 'asOf' | 'snapshot'>,
): NewEvent[] => byOperator(allowed).map((one) => eventOf({ kind: 'allowed', ...night, ...one }))

export function eventOf({
  objections = [],
  ...facts
}: Omit<NewEvent, 'objections' | 'moreObjections'> & {
  readonly objections?: readonly Objection[]
}): NewEvent {
  const safe = (text: string) => cut(withoutSecrets(text), maxText)
  const event = { ...facts, reason: facts.reason === null ? null : safe(facts.reason) }
  if (objections.length === 0) return event
  const kept = objections.slice(0, objectionsKept)
  const more = objections.length - kept.length
  return {
    ...event,
    objections: kept.map(({ guard, subject, message, state }) => ({
      guard,
      subject,
      message: safe(message),
      ...(state !== undefined && { state }),
    })),
    ...(more > 0 ? { moreObjections: more } : {}),
  }
}

/** Recalls the warnings of earlier runs. Without the history, all warnings are new. */
export const recallWarnings = async (session: Session) =>
  recall(await withBucket(session, fetchHistory, shortPatience).catch(() => ({ told: [], states: {} })))

const kinds = { publish: null, flip: 'flipped', rollback: 'rolled back', return: 'returned' } as const

export function eventsOfGone({ kind, live, before, reason, allowed }: Gone, who: string): NewEvent[] {
  const { asOf, snapshot } = live
  const word = kinds[kind]
  const back = word === 'rolled back' || word === 'returned'
  const reverted = back && before !== null ? { reverted: before.snapshot } : {}
  const events = eventsOfAllowed(allowed, { asOf, snapshot })
  return word === null
    ? events
    : [...events, eventOf({ kind: word, asOf, snapshot, who, reason, ...reverted })]
}

/**
 * Warns if the bucket does not take the run. Figures are worth some patience: by them, the next attempt has nothing to do.
 * @returns the new history; null if there is nothing to keep, or if that failed
 */
export async function keepRun(
  session: Session,
  run: Parameters<typeof keepInHistory>[1],
  isLocking: boolean,
  onWarning: (warning: string) => void,
): Promise<KeptHistory | null> {
  const isPatient = run.figures !== undefined
  if (!isPatient && run.events.length === 0) return null
  return inHistory(
    session,
    onWarning,
    (store) => keepInHistory(store, run, { isLocking, onWarning }),
    isPatient,
  )
}

/** Short, because much time has passed already, and SIGKILL comes soon after SIGTERM. */
const noteMs = 4000

/** Notes that no target has taken the notice of a failure, also after a stop. */
export async function noteUntold(
  session: Session,
  [failure]: readonly NewEvent[],
  isLocking: boolean,
  onWarning: (warning: string) => void,
): Promise<void> {
  if (failure === undefined) return
  const noting = { ...session, signal: AbortSignal.timeout(noteMs) }
  await inHistory(noting, onWarning, (store) => keepUntold(store, failure, { isLocking, onWarning }))
}

async function inHistory<T>(
  session: Session,
  onWarning: (warning: string) => void,
  work: (store: ObjectStore) => Promise<T>,
  isPatient = false,
): Promise<T | null> {
  try {
    return await withBucket(session, work, isPatient ? undefined : shortPatience)
  } catch (error) {
    onWarning(`the history does not have this: ${reasonOf(error)}`)
    return null
  }
}

/** @returns `why`: the reason, or '' */
export function describeEvent(event: NightlyEvent): { readonly what: string; readonly why: string } {
  const { kind, step, objections = [], moreObjections = 0, snapshot, reverted, times = 1 } = event
  const parts = objections.map(({ guard, message }) => `${guard} (${message})`)
  if (moreObjections > 0) parts.push(`${moreObjections} more`)
  const place = step === undefined ? '' : ` in ${step}`
  const isOfSnapshot = kind === 'staged' || kind === 'flipped'
  const others = isOfSnapshot ? ` ${snapshot ?? ''}` : place
  const about = reverted !== undefined ? ` from ${reverted} to ${snapshot ?? ''}` : others
  const counted = times > 1 ? ` (${countOf(times, 'time')})` : ''
  const often = kind === 'done' ? ` after ${countOf(times, 'failure')}` : counted
  const what = `${kind}${about}${often}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
  return { what, why: event.reason ?? '' }
}
