/** Days as files have them: ISO 8601 or German. */

import { isDay } from '../routes/values.ts'
import { firstDay } from '../source/limits.ts'

/** `iso` is 2024-05-02, `german` 02.05.2024 (or 2.5.2024). */
export type DateForm = 'iso' | 'german'

const isoDay = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const germanDay = /^([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})$/
/** Spreadsheets and databases write it behind a day that has none. A time of its own zone may be of another day. */
const midnight = /[ T]00?:00(?::00(?:\.0+)?)?$/
const isoDayOfYear = /^[0-9]{2}-[0-9]{2}$/
const germanDayOfYear = /^([0-9]{1,2})\.([0-9]{1,2})\.?$/

/** @returns YYYY-MM-DD, or undefined where it is no day that exists, one before 1900, or has a time of day */
export function plainDay(text: string, form: DateForm): string | undefined {
  const written = withoutMidnight(text.trim())
  const day = form === 'iso' ? written : fromGerman(germanDay.exec(written))
  return day !== undefined && isDay(day) && day >= firstDay ? day : undefined
}

/** @returns MM-DD, of any year; undefined where it is none */
export function plainDayOfYear(text: string, form: DateForm): string | undefined {
  const day = form === 'iso' ? unquoted(text) : fromGerman(germanDayOfYear.exec(unquoted(text)))
  return day !== undefined && isDay(`2000-${day}`) ? day : undefined
}

/** The form that a text has, whether its day exists or not. */
export function dateFormOf(text: string): DateForm | undefined {
  const trimmed = withoutMidnight(unquoted(text))
  if (isoDay.test(trimmed) || isoDayOfYear.test(trimmed)) return 'iso'
  return germanDay.test(trimmed) || germanDayOfYear.test(trimmed) ? 'german' : undefined
}

/** The form that a text hints at which is none of a day: `01.02.26` and `18.11.2026 14:30` are German. */
export function dateFormHint(text: string): DateForm | undefined {
  const trimmed = text.trim()
  if (/^[0-9]{4}-[0-9]/.test(trimmed)) return 'iso'
  return /^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]/.test(trimmed) ? 'german' : undefined
}

/** Why a text is no day though it is like one, to be put behind a message; '' where there is nothing to say. */
export function whyNoDay(text: string): string {
  const trimmed = text.trim()
  if (/^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2}(?![0-9])/.test(trimmed)) return ': its year has two digits'
  const isTimed = /^[0-9.-]{8,10}[ T][0-9]/.test(trimmed)
  return isTimed && !midnight.test(trimmed) ? ': it has a time of day' : ''
}

const withoutMidnight = (text: string) => text.replace(midnight, '')

/** Our own downloads for Excel write `'09-30`, so that it makes no date of it. */
const unquoted = (text: string) => text.trim().replace(/^'/, '')

/** As people know it. */
export const dateFormNames: Readonly<Record<DateForm, string>> = { iso: 'YYYY-MM-DD', german: 'DD.MM.YYYY' }

function fromGerman(match: RegExpExecArray | null): string | undefined {
  if (match === null) return undefined
  const [, day = '', month = '', year] = match
  const dayOfYear = `${month.padStart(2, '0')}-${day.padStart(2, '0')}`
  return year === undefined ? dayOfYear : `${year}-${dayOfYear}`
}
