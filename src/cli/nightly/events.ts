/** The events of `nightly/history.json`: kept without secrets and within limits, and described for people. */

import {
  keepInHistory,
  type KeptHistory,
  keepUntold,
  type NewEvent,
  type NightlyEvent,
} from '../../bucket/nightly/history.ts'
import type { Gone } from '../../bucket/live/options.ts'
import type { ObjectStore } from '../../bucket/store/store.ts'
import { type AllowedObjection, byOperator, type Objection } from '../../guards/guards.ts'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { countOf } from '../format.ts'
import { shortPatience, withBucket } from '../from-settings.ts'
import { cut, withoutSecrets } from '../safe-text.ts'

const objectionsKept = 20
/** In bytes. */
const maxText = 300

type Facts = Omit<NewEvent, 'objections' | 'moreObjections'>

export function eventOf(facts: Facts, objections: readonly Objection[] = []): NewEvent {
  const safe = (text: string) => cut(withoutSecrets(text), maxText)
  const event = { ...facts, reason: facts.reason === null ? null : safe(facts.reason) }
  if (objections.length === 0) return event
  const kept = objections.slice(0, objectionsKept)
  const more = objections.length - kept.length
  return {
    ...event,
    objections: kept.map(({ guard, subject, message }) => ({ guard, subject, message: safe(message) })),
    ...(more > 0 ? { moreObjections: more } : {}),
  }
}

export const eventsOfAllowed = (
  allowed: readonly AllowedObjection[],
  night: Pick<Facts, 'asOf' | 'snapshot'>,
): NewEvent[] =>
  byOperator(allowed).map(({ who, reason, objections }) =>
    eventOf({ kind: 'allowed', ...night, who, reason }, objections),
  )

const kinds = { publish: null, flip: 'flipped', rollback: 'rolled back', return: 'returned' } as const

/** What the history keeps of a snapshot that has gone live, whichever command has brought it. */
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
 * Nothing depends on the history: if the bucket does not take the events soon, there is a warning.
 * @returns all that the history holds then; null if there is nothing to keep, or if that failed
 */
export const keepEvents = async (
  session: Session,
  events: readonly NewEvent[],
  isLocking: boolean,
  onWarning: (warning: string) => void,
): Promise<KeptHistory | null> =>
  events.length === 0
    ? null
    : inHistory(session, onWarning, (store) => keepInHistory(store, { events }, isLocking))

/** In milliseconds: much time has passed already, and after SIGTERM SIGKILL comes soon. */
const noteMs = 4000

/** Notes that nobody could be told of a failure that the history has. A run that was stopped may do so, too. */
export async function noteUntold(
  session: Session,
  failure: NewEvent,
  isLocking: boolean,
  onWarning: (warning: string) => void,
): Promise<void> {
  const noting = { ...session, signal: AbortSignal.timeout(noteMs) }
  await inHistory(noting, onWarning, (store) => keepUntold(store, failure, isLocking))
}

async function inHistory<T>(
  session: Session,
  onWarning: (warning: string) => void,
  work: (store: ObjectStore) => Promise<T>,
): Promise<T | null> {
  try {
    return await withBucket(session, work, shortPatience)
  } catch (error) {
    onWarning(`the history does not have this: ${reasonOf(error)}`)
    return null
  }
}

/** What happened, and why as far as somebody said so. */
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
