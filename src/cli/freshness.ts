/** How new prices are: the rules that the settings name, and texts for people. */

import { UsageError } from './failure.ts'
import { formatCount } from './format.ts'
import type { Settings } from './settings.ts'
import type { BuildSummary } from '../build/build.ts'
import { printable } from '../data/model/printable.ts'
import { type FreshnessCounts, marks } from '../freshness/assess.ts'
import { openRules, type Rules } from '../freshness/rules.ts'
import { wording } from '../site/wording.ts'

/** @throws {UsageError} if the settings name an unknown calendar or contradict each other */
export function freshnessRules({ freshness }: Settings): Promise<Rules> {
  return openRules(freshness).catch(wrongSettings)
}

export const wrongSettings = (cause: unknown): never => {
  throw new UsageError('the settings are wrong', { cause })
}

/** `498 fresh, 1 late, 0 stale, 1 not given out` */
export function describeFreshness(counts: FreshnessCounts): string {
  return marks
    .filter((mark, index) => index < 3 || counts[mark] > 0)
    .map((mark) => `${formatCount(counts[mark])} ${wording.en.status.marks[mark]}`)
    .join(', ')
}

/** `overdue` often has only some of the late and stale funds. */
type Overdue = Pick<BuildSummary, 'freshness' | 'overdue'>

/** One line per fund, followed by an empty line; nothing if no fund is late. */
export function describeOverdue({ freshness, overdue }: Overdue): string {
  if (overdue.length === 0) return ''
  const others = freshness.late + freshness.stale - overdue.length
  const more = others > 0 ? `and ${formatCount(others)} more, in status/index.json\n` : ''
  const funds = overdue.map(({ isin, name, mark, newestPrice, nextPrice }) => {
    const next = nextPrice === null ? '' : `, the next was expected on ${nextPrice}`
    return `${mark.padEnd(5)}  ${isin}  ${printable(name)}: newest price ${newestPrice ?? 'none'}${next}\n`
  })
  return `${funds.join('')}${more}\n`
}

/** The same in one line: a nightly run in which hundreds of funds are late gives one warning. */
export function describeOverdueInLine({ freshness, overdue }: Overdue): string {
  const parts = overdue.map(
    ({ isin, mark, newestPrice }) => `${isin} is ${mark} (newest price ${newestPrice ?? 'none'})`,
  )
  const others = freshness.late + freshness.stale - overdue.length
  if (others > 0) parts.push(`${formatCount(others)} more in status/index.json`)
  return `prices: ${describeFreshness(freshness)}: ${parts.join('; ')}`
}
