/** How new the funds' prices are, for people. */

import { marks, type FreshnessCounts, type MarkedFund } from '../freshness/assess.ts'
import { openCalendar, type Calendar } from '../freshness/calendar.ts'
import { openRules, type Rules } from '../freshness/rules.ts'
import { statusWords } from '../freshness/status-words.ts'
import { printable } from '../source/printable.ts'
import { UsageError } from './failure.ts'
import type { Settings } from './settings.ts'
import { formatCount } from './summary.ts'

/** @throws {UsageError} if the settings name a calendar that there is not, or contradict each other */
export function freshnessRules({ freshness }: Settings): Promise<Rules> {
  return openRules(freshness).catch(wrongSettings)
}

/** The business days of all funds that no group says otherwise of. @throws {UsageError} if there is no such calendar */
export function generalCalendar({ freshness: { calendar, yearEndOpen } }: Settings): Promise<Calendar> {
  return openCalendar(calendar, { isYearEndOpen: yearEndOpen }).catch(wrongSettings)
}

const wrongSettings = (cause: unknown): never => {
  throw new UsageError('the settings are wrong', { cause })
}

/** `498 fresh, 1 late, 0 stale, 1 not given out` */
export function describeFreshness(counts: FreshnessCounts): string {
  return marks
    .filter((mark, index) => index < 3 || counts[mark] > 0)
    .map((mark) => `${formatCount(counts[mark])} ${statusWords.en.marks[mark]}`)
    .join(', ')
}

interface Overdue {
  readonly freshness: FreshnessCounts
  /** Not all of them, as a rule. */
  readonly overdue: readonly MarkedFund[]
}

/** A line a fund, followed by an empty line; nothing if none is late. */
export function describeOverdue({ freshness, overdue }: Overdue): string {
  if (overdue.length === 0) return ''
  const others = freshness.late + freshness.stale - overdue.length
  const more = others > 0 ? `and ${formatCount(others)} more, in status/index.json\n` : ''
  return `${overdue.map(describeFund).join('')}${more}\n`
}

function describeFund({ isin, name, mark, newestPrice, nextPrice }: MarkedFund): string {
  const next = nextPrice === null ? '' : `, the next one was expected on ${nextPrice}`
  return `${mark.padEnd(5)}  ${isin}  ${printable(name)}: newest price of ${newestPrice ?? 'no day'}${next}\n`
}
