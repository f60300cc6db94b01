/** Judges the age of the live snapshot, and the wait of a staged one for its flip. */

import type { Hold, LiveSnapshot } from '../bucket/live/live.ts'
import { escapeInvisible } from '../data/model/printable.ts'
import { areTooManyStale, describeStale } from '../guards/assess.ts'
import { shareOf } from '../guards/loss.ts'
import { todayInBerlin } from '../guards/clock.ts'
import { businessDaysBetween, type Calendar, openCalendar } from '../guards/calendar.ts'
import { describeHold } from '../guards/going-back.ts'
import { addDays } from '../system/days.ts'
import { wrongSettings } from './failure.ts'
import { formatDuration } from './format.ts'
import type { Settings } from './settings.ts'

/** The live snapshot as a bucket or a deployment describes it. */
export interface LiveFacts extends Omit<LiveSnapshot, 'slot' | 'docsUrl' | 'downloads'> {
  readonly hold?: Hold | undefined
  /** By the store's clock; of a deployment by the clock of this machine. */
  readonly now: Date
  /** Undefined for a bucket. */
  readonly oldestPrice?: string | null
}

/** In seconds; undefined: no limit. */
export interface Limits {
  readonly maxAge?: number | undefined
  readonly maxWait?: number | undefined
}

export interface Ages {
  readonly late: readonly string[]
  readonly stale: readonly string[]
}

export const noAges: Ages = { late: [], stale: [] }

export const secondsLive = ({ liveSince, now }: Pick<LiveFacts, 'liveSince' | 'now'>) =>
  (now.getTime() - Date.parse(liveSince)) / 1000

/** @param stagedSince undefined: nothing is staged @throws {UsageError} if the settings name an unknown calendar */
export async function judgeAges(
  { freshness, expectations }: Pick<Settings, 'freshness' | 'expectations'>,
  live: LiveFacts,
  { maxAge, maxWait }: Limits,
  stagedSince: string | undefined,
): Promise<Ages> {
  if (maxAge === undefined && maxWait === undefined) return noAges
  const { calendar: name, yearEndOpen: isYearEndOpen } = freshness
  const calendar = await openCalendar(name, isYearEndOpen).catch(wrongSettings)
  const late = [...tooOld(live, calendar, maxAge), ...unapproved(live, calendar, maxWait, stagedSince)]
  const most = shareOf('stale-prices', expectations.strictness)
  const isStale = maxAge !== undefined && areTooManyStale(live.freshness, most)
  return { late, stale: isStale ? [describeStale(live.freshness, most)] : [] }
}

function tooOld(live: LiveFacts, calendar: Calendar, maxAge = Infinity): string[] {
  const { snapshot, asOf, now } = live
  const asOfAgeSeconds = secondsSinceDay(calendar, asOf, now)
  const limit = formatDuration(maxAge)
  const late: string[] =
    live.hold === undefined ? [] : [`${escapeInvisible(describeHold(live, live.hold))} (--allow hold)`]
  if (secondsLive(live) > maxAge)
    late.push(`${snapshot} went live ${formatDuration(secondsLive(live))} ago, more than ${limit}`)
  // The as-of date counts, too: after a rollback an old snapshot has just gone live.
  const ended = `ended ${formatDuration(asOfAgeSeconds)} of business days ago`
  if (asOfAgeSeconds > maxAge)
    late.push(`the as-of date of ${snapshot}, ${asOf}, ${ended}, more than ${limit}`)
  return late
}

/** Approvals are not expected on a day off. */
function unapproved({ now }: LiveFacts, calendar: Calendar, maxWait = Infinity, since?: string): string[] {
  const waited = since === undefined ? 0 : secondsLive({ liveSince: since, now })
  if (waited <= maxWait || !calendar.isBusinessDay(todayInBerlin(now))) return []
  return [
    `a staged snapshot has waited ${formatDuration(waited)} for its flip, more than ${formatDuration(maxWait)}`,
  ]
}

/** Counts business days of Berlin only: some companies run no nightly on weekends. */
function secondsSinceDay(calendar: Calendar, asOf: string, now: Date): number {
  const today = todayInBerlin(now)
  const whole = businessDaysBetween(calendar, asOf, addDays(today, -1)) * 86_400
  if (asOf >= today || !calendar.isBusinessDay(today)) return whole
  const time = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/Berlin', timeStyle: 'medium' })
  const [hours = 0, minutes = 0, seconds = 0] = time.format(now).split(':').map(Number)
  return whole + hours * 3600 + minutes * 60 + seconds
}
