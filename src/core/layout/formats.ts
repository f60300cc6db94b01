/** Numbers, days and names for readers. Without Intl: every machine and browser makes the same bytes. */

import type { Language } from '../api/routes/table.ts'

const marks = {
  de: { point: ',', group: '.' },
  en: { point: '.', group: ',' },
} as const

/** Decimal text with the language's marks, digit for digit: `-1234.50` is `−1.234,50` in German. */
export function decimalIn(language: Language, decimal: string): string {
  const isNegative = decimal.startsWith('-')
  const [whole = '', fraction] = (isNegative ? decimal.slice(1) : decimal).split('.')
  const { point, group } = marks[language]
  // eslint-disable-next-line regexp/no-super-linear-move -- A number has a few digits.
  const grouped = whole.length > 3 ? whole.replace(/\B(?=(?:\d{3})+$)/g, group) : whole
  return (isNegative ? '\u2212' : '') + grouped + (fraction === undefined ? '' : point + fraction)
}

/** A number with a fixed number of decimal places. A number too large to read gets an exponent. */
export function fixedIn(language: Language, value: number, digits: number): string {
  if (Math.abs(value) >= 1e12) return value.toExponential(2).replace('.', marks[language].point)
  const text = value.toFixed(digits)
  // Zero has no minus sign.
  return decimalIn(language, /[1-9]/.test(text) ? text : text.replace('-', ''))
}

/** As `fixedIn`, but millions with a unit, `153.2 m`: for the labels of an axis. */
export function shortIn(language: Language, value: number, digits: number): string {
  if (Math.abs(value) < 1e6 || Math.abs(value) >= 1e12) return fixedIn(language, value, digits)
  const unit = language === 'de' ? 'Mio.' : 'm'
  return `${decimalIn(language, String(Number((value / 1e6).toFixed(Math.min(20, digits + 6)))))}\u00a0${unit}`
}

/** `%` in English; German has a space before it, one that does not break. */
export const percentSign = (language: Language) => (language === 'de' ? '\u00a0%' : '%')

/** `5.25%`, or `5,25 %` in German. */
export const percentIn = (language: Language, value: number, digits = 2) =>
  fixedIn(language, value, digits) + percentSign(language)

/** `EUR 1,234.50`, or `1.234,50 EUR` in German, with a space that does not break. @param decimal text with a point */
export function amountIn(language: Language, decimal: string, currency: string): string {
  const parts = [decimalIn(language, decimal), currency]
  return (language === 'de' ? parts : parts.reverse()).join('\u00a0')
}

/**
 * Millions without their unit, which a heading names: `EUR 153.2`, or `EUR 0.15` below one.
 * @param amount decimal text, a space, and the currency
 */
export function millionsIn(language: Language, amount: string): string {
  const [decimal = '', currency = ''] = amount.split(' ')
  const millions = Number(decimal) / 1e6
  return amountIn(language, millions.toFixed(millions < 1 ? 2 : 1), currency)
}

/** The size of a file: `1.3 MB`. */
export function bytesIn(language: Language, bytes: number): string {
  if (bytes < 1000) return `${bytes}\u00a0B`
  return bytes < 1e6
    ? `${fixedIn(language, bytes / 1e3, 1)}\u00a0kB`
    : `${fixedIn(language, bytes / 1e6, 1)}\u00a0MB`
}

/** Text that stays on one line: a number with its unit. */
export const unbroken = (text: string) => text.replaceAll(' ', '\u00a0')

/**
 * A German display text (`1.234,56 %`) in the language of the page: marks of numbers, days, and a space that does not
 * break before a unit. The rest stays: `BBB+`, a year, the hyphen of a range.
 */
export function germanTextIn(language: Language, text: string): string {
  const day = (_: string, ofMonth: string, month: string, year: string) =>
    dayIn(language, [year, month.padStart(2, '0'), ofMonth.padStart(2, '0')].join('-'))
  const number = (_: string, sign: string, digits: string) => {
    const decimal = pointForm(digits)
    return sign.replace('-', '\u2212') + (decimal === null ? digits : decimalIn(language, decimal))
  }
  return text
    .replace(/(?<![\d.,])(\d{1,2})\.(0?[1-9]|1[0-2])\.(\d{4})(?![\d.,]*\d)/g, day)
    .replace(/(?<![\p{L}\d.,])([-+\u2212]?)(\d+(?:[.,]\d+)*)(?![\p{L}\d])/gu, number)
    .replace(/(\d) (?=\p{L})/gu, '$1\u00a0')
    .replace(/(?<=\d) ?(?=[%\u2030])/gu, percentSign(language).slice(0, -1))
}

/**
 * `1.234,56` as `1234.56`. Points before three digits each separate thousands, as in German; another point is a decimal
 * point. Null for digits without a mark, and for marks of no number.
 */
function pointForm(digits: string): string | null {
  if (/^(?:[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?|\d+,\d+)$/.test(digits))
    return digits.replaceAll('.', '').replace(',', '.')
  return /^\d+\.\d+$/.test(digits) ? digits : null
}

/** A change in percent: a rise has a plus sign. */
export function changeIn(language: Language, value: number, digits = 2): string {
  const text = percentIn(language, value, digits)
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text
}

export const months: Readonly<Record<Language, readonly string[]>> = {
  de: ['Jan', 'Feb', 'Mär', 'Apr', 'Mai', 'Jun', 'Jul', 'Aug', 'Sep', 'Okt', 'Nov', 'Dez'],
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
}

/** An ISO 8601 day: `20.11.2026` in German, `20 Nov 2026` in English, with spaces that do not break. */
export function dayIn(language: Language, iso: string): string {
  const [year = '', month = '', day = ''] = iso.split('-')
  return language === 'de'
    ? `${day}.${month}.${year}`
    : `${Number(day)}\u00a0${months.en[Number(month) - 1]}\u00a0${year}`
}

/** A day without its year, `20.11.` or `20 Nov`, with a space that does not break. @param monthDay MM-DD */
export function monthDayIn(language: Language, monthDay: string): string {
  const [month = '', day = ''] = monthDay.split('-')
  return language === 'de' ? `${day}.${month}.` : `${Number(day)}\u00a0${months.en[Number(month) - 1]}`
}

/** A name for searching and sorting: `Möwenstein Straße` is `mowenstein strasse`. */
export const searchKey = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[ßæœøðþłı]/g, (letter) => plain[letter] ?? letter)

/** Equal names keep their order. */
export const sortedByName = <T extends { readonly name: string }>(items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, key: searchKey(item.name) }))
    .sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)))
    .map(({ item }) => item)

/** Also shortens `ae`, `oe` and `ue`: `Moewenstein` and `Möwenstein` match. For search only: `value` becomes `valu`. */
export const umlautKey = (text: string) => searchKey(text).replace(/([aou])e/g, '$1')

/** Letters that Unicode does not split into a letter and a mark. */
const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}
