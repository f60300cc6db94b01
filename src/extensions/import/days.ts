/** The forms in which files write days, and the days of a year. Pure. */

import { isDay } from '../../core/api/routes/values.ts'
import { firstDay, textFaults } from '../../core/data/model/limits.ts'

/**
 * `dmy` and `mdy` have slashes or dashes, or the name of the month: 27-Nov-2026, November 27, 2026. `excel` and `excel1904` are numbers:
 * how spreadsheets hold days, of which files with the first day of 1904 are of old Macs.
 */
export const dateForms = ['iso', 'german', 'compact', 'dmy', 'mdy', 'excel', 'excel1904'] as const
export type DateForm = (typeof dateForms)[number]

export const dateFormNames: Readonly<Record<DateForm, string>> = {
  iso: 'YYYY-MM-DD',
  german: 'DD.MM.YYYY',
  compact: 'YYYYMMDD',
  dmy: 'DD/MM/YYYY',
  mdy: 'MM/DD/YYYY',
  excel: 'days of Excel (44927 is 2023-01-01)',
  excel1904: 'days of Excel since 1904 (43465 is 2023-01-01)',
}

/** Days with the name of their month. */
const namedMonths: Partial<Readonly<Record<DateForm, string>>> = {
  dmy: '27-Nov-2026',
  mdy: 'November 27, 2026',
}

/** All forms, as the help lists them. */
export const formsOfDays: string = dateForms
  .map((form) => {
    const named = namedMonths[form]
    return `${form}: ${dateFormNames[form]}${named === undefined ? '' : ` or ${named}`}`
  })
  .join(', ')

export const namesOfDaysOfYear: Readonly<Record<DateForm, string>> = {
  iso: 'MM-DD',
  german: 'DD.MM.',
  compact: 'MMDD',
  dmy: 'DD/MM',
  mdy: 'MM/DD',
  excel: 'MM-DD',
  excel1904: 'MM-DD',
}

/** Spreadsheets and databases write it behind a day. A time with a zone is refused: it may be of another day. */
const midnight = /[ T]00?:00(?::00(?:\.0+)?)?$/
const time =
  /[ T]\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\.?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?$/

/** What may be read as a day only if it was asked for. */
export interface DayHabits {
  /** A year may have two digits: the form of the days was named. */
  readonly takesShortYears?: boolean
  /** A time of day behind a day is left out, whatever its zone is. */
  readonly dropsTimes?: boolean
}

const withoutTime = (text: string, { dropsTimes = false }: DayHabits): string =>
  text.replace(dropsTimes ? time : midnight, '')

/** The first year of the hundred that two digits stand for: the oldest funds of today are of 1949 and 1950, and few bonds end later. */
const firstShortYear = 1950
export const shortYearRule = '50 to 99 are 1950 to 1999, 00 to 49 are 2000 to 2049'
const wholeYear = (year: string) => String(Number(year) + (Number(year) < firstShortYear % 100 ? 2000 : 1900))

/** In English and German, with an Austrian January. */
const monthNames = [
  'january jan januar jänner jän',
  'february feb februar feber',
  'march mar märz maerz mär mrz',
  'april apr',
  'may mai',
  'june jun juni',
  'july jul juli',
  'august aug',
  'september sep sept',
  'october oct oktober okt',
  'november nov',
  'december dec dezember dez',
]
const monthsByName = new Map(
  monthNames.flatMap((names, index) => names.split(' ').map((name) => [name, String(index + 1)] as const)),
)

const number = (name: string) => String.raw`(?<${name}>\d{1,2})`
const named = String.raw`(?<month>\p{L}{3,9})\.?`
const between = String.raw`[ \-\/.]{0,2}`

const patternsOf = (...patterns: readonly string[]) =>
  patterns.map((pattern) => new RegExp(`^${pattern}$`, 'u'))

const isoDayOfYear = patternsOf(String.raw`(?<month>\d{2})-(?<day>\d{2})`)
const daysOfYear: Readonly<Record<DateForm, readonly RegExp[]>> = {
  iso: isoDayOfYear,
  german: patternsOf(String.raw`${number('day')}\.${number('month')}\.?`),
  compact: patternsOf(String.raw`(?<month>\d{2})(?<day>\d{2})`),
  dmy: patternsOf(`${number('day')}[-/]${number('month')}`, `${number('day')}${between}${named}`),
  mdy: patternsOf(`${number('month')}[-/]${number('day')}`, `${named}${between}${number('day')}`),
  excel: isoDayOfYear,
  excel1904: isoDayOfYear,
}

/** The forms in which the year comes last. */
const endingIn = (year: string) => ({
  german: patternsOf(String.raw`${number('day')}\.${number('month')}\.${year}`),
  dmy: patternsOf(
    `${number('day')}(?<mark>[-/])${number('month')}\\k<mark>${year}`,
    `${number('day')}${between}${named},?${between}${year}`,
  ),
  mdy: patternsOf(
    `${number('month')}(?<mark>[-/])${number('day')}\\k<mark>${year}`,
    `${named}${between}${number('day')},?${between}${year}`,
  ),
})

const year = String.raw`(?<year>\d{4})`
const { german, dmy, mdy } = endingIn(year)
const days: Readonly<Record<Exclude<DateForm, Serial>, readonly RegExp[]>> = {
  iso: patternsOf(
    String.raw`${year}-(?<month>\d{2})-(?<day>\d{2})`,
    `${year}/${number('month')}/${number('day')}`,
    `${year}年${number('month')}月${number('day')}日`,
  ),
  german,
  compact: patternsOf(String.raw`${year}(?<month>\d{2})(?<day>\d{2})`),
  dmy,
  mdy,
}

const shortDays = endingIn(String.raw`(?<year>\d{2})`)
type ShortForm = keyof typeof shortDays
const isShortForm = (form: DateForm): form is ShortForm => form in shortDays

type Serial = 'excel' | 'excel1904'
const isSerial = (form: DateForm): form is Serial => form === 'excel' || form === 'excel1904'

/** A spreadsheet that saves a number with decimals writes `44927.00`. Other decimals are a time. */
const serialForm = /^(?<days>\d{1,5})(?:[.,]0+)?$/
const timedSerial = /^(?<days>\d{1,5})[.,]\d+$/

/** @returns YYYY-MM-DD; undefined for what is no number of a day */
function daySince(text: string, form: Serial, { dropsTimes = false }: DayHabits): string | undefined {
  const found = serialForm.exec(text) ?? (dropsTimes ? timedSerial.exec(text) : null)
  const serial = Number(found?.groups?.['days'] ?? NaN)
  // Excel took over from Lotus that 1900 was a leap year: its day 60 never was.
  const first = form === 'excel1904' ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30)
  const isNone = Number.isNaN(serial) || (form === 'excel' && (serial === 0 || serial === 60))
  return isNone ? undefined : new Date(first + serial * 86_400_000).toISOString().slice(0, 10)
}

interface Parts {
  readonly year: string
  readonly month: string
  readonly day: string
}

/** @returns undefined if a text does not have the form, or its month a name that none has */
function partsOf(text: string, patterns: readonly RegExp[]): Parts | undefined {
  for (const pattern of patterns) {
    const { year = '', month = '', day = '' } = pattern.exec(text)?.groups ?? {}
    const known = /^\d/.test(month) ? month : monthsByName.get(month.toLowerCase())
    if (known !== undefined) return { year, month: known.padStart(2, '0'), day: day.padStart(2, '0') }
  }
  return undefined
}

/** @returns YYYY-MM-DD, or undefined if the day does not exist, is before the first one, or has a time of day */
export function plainDay(text: string, form: DateForm, habits: DayHabits = {}): string | undefined {
  const trimmed = text.trim()
  // Most days: neither a time, nor another form.
  const day = form === 'iso' && isDay(trimmed) ? trimmed : dayIn(withoutTime(trimmed, habits), form, habits)
  return day !== undefined && day >= firstDay && textFaults.day(day) === undefined ? day : undefined
}

function dayIn(text: string, form: DateForm, habits: DayHabits): string | undefined {
  if (isSerial(form)) return daySince(text, form, habits)
  const parts = partsOf(text, days[form])
  if (parts !== undefined) return `${parts.year}-${parts.month}-${parts.day}`
  return habits.takesShortYears === true && isShortForm(form) ? shortDayIn(text, form) : undefined
}

/** @returns YYYY-MM-DD of a day whose year has two digits */
function shortDayIn(text: string, form: ShortForm): string | undefined {
  const parts = partsOf(text, shortDays[form])
  return parts === undefined ? undefined : `${wholeYear(parts.year)}-${parts.month}-${parts.day}`
}

/** Whether a day of this form has a year of two digits. */
export const hasShortYear = (text: string, form: DateForm): boolean =>
  isShortForm(form) && partsOf(text.trim().replace(time, ''), shortDays[form]) !== undefined

/** Whether a day of this form has a time of day that is not its beginning. */
export function hasTime(text: string, form: DateForm): boolean {
  const trimmed = text.trim()
  if (isSerial(form)) return timedSerial.test(trimmed) && !serialForm.test(trimmed)
  return time.test(trimmed) && !midnight.test(trimmed)
}

/** @returns MM-DD, of any year; undefined if it is none */
export function plainDayOfYear(text: string, form: DateForm): string | undefined {
  const parts = partsOf(unquoted(text), daysOfYear[form])
  const day = parts === undefined ? '' : `${parts.month}-${parts.day}`
  return isDay(`2000-${day}`) ? day : undefined
}

const quickForms: readonly { readonly pattern: RegExp; readonly forms: readonly DateForm[] }[] = [
  { pattern: /^\d{4}-\d{2}-\d{2}$/, forms: ['iso'] },
  { pattern: /^\d{1,2}\.\d{1,2}\.\d{4}$/, forms: ['german'] },
  { pattern: /^\d{8}$/, forms: ['compact'] },
  { pattern: /^\d{5}(?:[.,]0+)?$/, forms: ['excel', 'excel1904'] },
]

/** The forms that a text has, whether its day exists or not; but the twelfth month is the last, and 05/13 is in May. */
export function dateFormsOf(text: string): readonly DateForm[] {
  const written = unquoted(text).replace(time, '')
  // Most days of most files.
  const quick = quickForms.find(({ pattern }) => pattern.test(written))
  if (quick !== undefined) return quick.forms
  const found = dateForms.flatMap((form) => {
    const parts =
      (isSerial(form) ? undefined : partsOf(written, days[form])) ?? partsOf(written, daysOfYear[form])
    return parts === undefined ? [] : [{ form, isRight: Number(parts.month) <= 12 }]
  })
  const right = found.filter(({ isRight }) => isRight)
  return (right.length === 0 ? found.slice(0, 1) : right).map(({ form }) => form)
}

/** Whether a text is a day that exists, as any form but the number of a spreadsheet has it. */
export const isDayOfAnyForm = (text: string): boolean =>
  dateForms.some(
    (form) =>
      !isSerial(form) && plainDay(text, form, { takesShortYears: true, dropsTimes: true }) !== undefined,
  )

/** The form that a text hints at which is none of a day: `01.02.26` and `18.11.2026 14:30` are German. */
export function dateFormHint(text: string): DateForm | undefined {
  const trimmed = text.trim()
  if (/^[0-9]{4}-[0-9]/.test(trimmed)) return 'iso'
  return /^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]/.test(trimmed) ? 'german' : undefined
}

/** Why a text is no day of the form: the end of a sentence that begins with it. */
export function whyNoDay(text: string, form: DateForm): string {
  const trimmed = text.trim()
  const stored = dayIn(withoutTime(trimmed, {}), form, {}) ?? ''
  if (isDay(stored) && textFaults.day(stored) !== undefined) return 'is what programs store for no day'
  const own = `is not a day (${dateFormNames[form]})`
  const shortYear = whichCentury(trimmed.replace(time, ''))
  if (shortYear !== undefined) return own + shortYear
  if (hasTime(trimmed, form) && plainDay(trimmed, form, { dropsTimes: true }) !== undefined)
    return `${own}: it has a time of day, which --drop-times leaves out`
  if (/^[0-9./-]{8,10}[ T][0-9]/.test(trimmed) && !midnight.test(trimmed))
    return `${own}: it has a time of day`
  if (dateFormsOf(text).length > 0) return own
  const others = dateForms.filter((one) => one !== form && !isSerial(one)).map((one) => dateFormNames[one])
  return `${own}; other forms, by --dates: ${others.join(', ')}`
}

/** The end of a message about a day whose year has two digits; undefined for another text. */
function whichCentury(text: string): string | undefined {
  const forms = dateForms.filter(isShortForm)
  if (!forms.some((form) => hasShortYear(text, form))) return undefined
  const ways = forms.flatMap((form) => {
    const day = plainDay(text, form, { takesShortYears: true })
    return day === undefined ? [] : [`--dates ${form} takes it for ${day}`]
  })
  return [': its year has two digits', ...ways].join('; ')
}

export const whyNoDayOfYear = (form: DateForm) => `is not a day of the year (${namesOfDaysOfYear[form]})`

/** Our own downloads for Excel write `'09-30`, so that Excel makes no date of it. */
const unquoted = (text: string) => text.trim().replace(/^'/, '')
