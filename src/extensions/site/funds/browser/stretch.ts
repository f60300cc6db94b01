/** The words for two days of a chart that a reader measures. Days are counted since 1970-01-01. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { dayIn, fixedIn } from '../../../../core/layout/formats.ts'
import { yearsBetween } from '../../../../core/layout/total-return.ts'
import { isoOf } from '../../../../core/system/day-number.ts'
import { changeTexts } from '../chart/price-line.ts'
import type { Say } from './say.ts'

/** @param first a day @param last a later one @returns both, and how far apart they are */
export function stretchText(language: Language, say: Say, first: number, last: number): string {
  const days = [first, last].map((day) => dayIn(language, isoOf(day))).join(' – ')
  return `${days} (${lengthText(language, say, first, last)})`
}

function lengthText(language: Language, say: Say, first: number, last: number): string {
  const years = yearsBetween(first, last)
  if (years === 1) return say('year')
  if (years > 1) return say('years', { count: fixedIn(language, years, Number.isInteger(years) ? 0 : 1) })
  return last - first === 1 ? say('day') : say('days', { count: fixedIn(language, last - first, 0) })
}

/** @param ratio of the value on the last day to that on the first @returns the change, and for more than a year the one a year */
export function stretchChange(
  language: Language,
  say: Say,
  ratio: number,
  first: number,
  last: number,
): string {
  if (!Number.isFinite(ratio)) return '–'
  const { text, yearly } = changeTexts(language, ratio, yearsBetween(first, last), say('perYear'))
  return yearly === null ? text : `${text} (${yearly})`
}
