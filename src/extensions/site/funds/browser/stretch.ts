/** The words for two days of a chart that a reader measures. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { dayIn, fixedIn } from '../../../../core/layout/formats.ts'
import { isoOf } from '../../../../core/system/day-number.ts'
import type { Say } from './say.ts'

/** @param first a day @param last a later one; both since 1970-01-01 @returns both, and how far apart they are */
export function stretchText(language: Language, say: Say, first: number, last: number): string {
  const count = fixedIn(language, last - first, 0)
  const days = [first, last].map((day) => dayIn(language, isoOf(day))).join(' – ')
  return `${days} (${say(last - first === 1 ? 'day' : 'days', { count })})`
}
