/** What a monitor has to be told of a snapshot that is live. */

import { describeStale, staleShare, type FreshnessCounts } from '../freshness/assess.ts'
import { businessDaysBetween } from '../freshness/business-days.ts'
import { dayAfter, type Calendar } from '../freshness/calendar.ts'
import { secondsOfDayInBerlin, todayInBerlin } from './dates.ts'
import { describeDuration } from './duration.ts'

export interface Watched {
  readonly snapshot: string
  /** Since it went live. */
  readonly ageSeconds: number
  /** ISO 8601 */
  readonly asOf: string
  /** On business days, since that day was over. */
  readonly asOfAgeSeconds: number
  /** Unknown of snapshots of earlier versions. */
  readonly freshness: FreshnessCounts | undefined
}

export interface WatchLimits {
  readonly maxAgeSeconds: number
  /** From 0 to 1. */
  readonly maxStaleShare: number
}

/**
 * How long a day has been over, counted on business days: no night follows a Friday's before Monday's, in some houses.
 * Days are those of Berlin, as as-of dates are.
 */
export function secondsSinceDay(calendar: Calendar, asOf: string, now: Date): number {
  const today = todayInBerlin(now)
  const whole = businessDaysBetween(calendar, asOf, dayAfter(today, -1)) * 86_400
  return asOf < today && calendar.isBusinessDay(today) ? whole + secondsOfDayInBerlin(now) : whole
}

/** A sentence a reason to raise the alarm; none if all is well. */
export function findAlarms(
  { snapshot, ageSeconds, asOf, asOfAgeSeconds, freshness }: Watched,
  { maxAgeSeconds, maxStaleShare }: WatchLimits,
): string[] {
  const alarms: string[] = []
  if (ageSeconds > maxAgeSeconds)
    alarms.push(
      `${snapshot} went live ${describeDuration(ageSeconds)} ago, more than ${describeDuration(maxAgeSeconds)}`,
    )
  // A rollback goes live just now, however old it is.
  if (asOfAgeSeconds > maxAgeSeconds)
    alarms.push(
      `${snapshot} is as of ${asOf}, a day that ended ${describeDuration(asOfAgeSeconds)} of business days ago, more than ${describeDuration(maxAgeSeconds)}`,
    )
  if (freshness !== undefined && staleShare(freshness) > maxStaleShare)
    alarms.push(describeStale(freshness, maxStaleShare))
  return alarms
}
