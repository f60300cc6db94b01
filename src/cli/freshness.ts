/** How new prices and snapshots are: the rules that the settings name, texts for people, and alarms for a monitor. */

import { formatDuration, secondsOfDayInBerlin, todayInBerlin } from './dates.ts'
import { UsageError } from './failure.ts'
import { formatCount } from './format.ts'
import type { Settings } from './settings.ts'
import { printable } from '../data/model/printable.ts'
import {
  describeStale,
  type FreshnessCounts,
  type MarkedFund,
  marks,
  staleShare,
} from '../freshness/assess.ts'
import { businessDaysBetween, type Calendar, dayAfter, openCalendar } from '../freshness/calendar.ts'
import { openRules, type Rules } from '../freshness/rules.ts'
import { wording } from '../site/wording.ts'

/** @throws {UsageError} if the settings name an unknown calendar or contradict each other */
export function freshnessRules({ freshness }: Settings): Promise<Rules> {
  return openRules(freshness).catch(wrongSettings)
}

const wrongSettings = (cause: unknown): never => {
  throw new UsageError('the settings are wrong', { cause })
}

/** `498 fresh, 1 late, 0 stale, 1 not given out` */
export function describeFreshness(counts: FreshnessCounts): string {
  return marks
    .filter((mark, index) => index < 3 || counts[mark] > 0)
    .map((mark) => `${formatCount(counts[mark])} ${wording.en.status.marks[mark]}`)
    .join(', ')
}

interface Overdue {
  readonly freshness: FreshnessCounts
  /** Often only some of them. */
  readonly overdue: readonly MarkedFund[]
}

/** One line per fund, followed by an empty line; nothing if no fund is late. */
export function describeOverdue({ freshness, overdue }: Overdue): string {
  if (overdue.length === 0) return ''
  const others = freshness.late + freshness.stale - overdue.length
  const more = others > 0 ? `and ${formatCount(others)} more, in status/index.json\n` : ''
  return `${overdue.map(describeOverdueFund).join('')}${more}\n`
}

function describeOverdueFund({ isin, name, mark, newestPrice, nextPrice }: MarkedFund): string {
  const next = nextPrice === null ? '' : `, the next was expected on ${nextPrice}`
  return `${mark.padEnd(5)}  ${isin}  ${printable(name)}: newest price ${newestPrice ?? 'none'}${next}\n`
}

/** The same in one line: a nightly run in which hundreds of funds are late gives one warning. */
export function describeOverdueInLine({ freshness, overdue }: Overdue): string {
  const funds = overdue.map(
    ({ isin, mark, newestPrice }) => `${isin} is ${mark} (newest price ${newestPrice ?? 'none'})`,
  )
  const others = freshness.late + freshness.stale - funds.length
  const more = others > 0 ? [`${formatCount(others)} more in status/index.json`] : []
  return `prices: ${describeFreshness(freshness)}: ${[...funds, ...more].join('; ')}`
}

/** What a monitor knows of a live snapshot. */
export interface LiveAge {
  readonly snapshot: string
  /** Since the snapshot went live. */
  readonly ageSeconds: number
  /** ISO 8601 */
  readonly asOf: string
  /** By the store's clock, or this machine's. */
  readonly now: Date
  /** Unknown for snapshots of earlier versions. */
  readonly freshness: FreshnessCounts | undefined
}

/** One sentence per reason for an alarm; none if all is well. */
export async function findAlarms(
  { snapshot, ageSeconds, asOf, now, freshness }: LiveAge,
  settings: Settings['freshness'],
  maxAgeSeconds: number,
): Promise<string[]> {
  const { calendar: name, yearEndOpen: isYearEndOpen, maxStaleShare } = settings
  const calendar = await openCalendar(name, isYearEndOpen).catch(wrongSettings)
  const asOfAgeSeconds = secondsSinceDay(calendar, asOf, now)
  const limit = formatDuration(maxAgeSeconds)
  const alarms: string[] = []
  if (ageSeconds > maxAgeSeconds)
    alarms.push(`${snapshot} went live ${formatDuration(ageSeconds)} ago, more than ${limit}`)
  // After a rollback an old snapshot has just gone live.
  if (asOfAgeSeconds > maxAgeSeconds)
    alarms.push(
      `the as-of date of ${snapshot}, ${asOf}, ended ${formatDuration(asOfAgeSeconds)} of business days ago, more than ${limit}`,
    )
  if (freshness !== undefined && staleShare(freshness) > maxStaleShare)
    alarms.push(describeStale(freshness, maxStaleShare))
  return alarms
}

/**
 * How long ago a day ended, counted on business days: some companies run no nightly between Friday's and Monday's.
 * Days are those of Berlin, as as-of dates are.
 */
function secondsSinceDay(calendar: Calendar, asOf: string, now: Date): number {
  const today = todayInBerlin(now)
  const whole = businessDaysBetween(calendar, asOf, dayAfter(today, -1)) * 86_400
  return asOf < today && calendar.isBusinessDay(today) ? whole + secondsOfDayInBerlin(now) : whole
}
