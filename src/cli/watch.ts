/** What a monitor has to be told of a snapshot that is live. Pure. */

import { describeStale, staleShare, type FreshnessCounts } from '../freshness/assess.ts'
import { describeDuration } from './duration.ts'

export interface Watched {
  readonly snapshot: string
  /** Since it went live. */
  readonly ageSeconds: number
  /** Unknown of snapshots of earlier versions. */
  readonly freshness: FreshnessCounts | undefined
}

export interface WatchLimits {
  readonly maxAgeSeconds: number
  /** From 0 to 1. */
  readonly maxStaleShare: number
}

/** A sentence a reason to raise the alarm; none if all is well. */
export function findAlarms(
  { snapshot, ageSeconds, freshness }: Watched,
  { maxAgeSeconds, maxStaleShare }: WatchLimits,
): string[] {
  const alarms: string[] = []
  if (ageSeconds > maxAgeSeconds)
    alarms.push(
      `${snapshot} went live ${describeDuration(ageSeconds)} ago, more than ${describeDuration(maxAgeSeconds)}`,
    )
  if (freshness !== undefined && staleShare(freshness) > maxStaleShare)
    alarms.push(describeStale(freshness, maxStaleShare))
  return alarms
}
