/** What a value of each kind may be, in all tables. The checks refuse other values, warn of doubtful ones, and name the row. */

import { structureTypes } from '../../api/contract/structure-types.ts'
import {
  hasEntity,
  hasOuterBlank,
  invisibleIn,
  isDecodedTwice,
  isFormula,
  isSuspect,
  isWebAddress,
  unfitForXml,
} from '../../api/contract/texts.ts'
import { isDay, isIsin } from '../../api/routes/values.ts'
import { countryFault } from './countries.ts'
import { currencyFault } from './currencies.ts'
import { printableNumber, quoted } from './printable.ts'
import type { TableColumn, TextKind } from './columns.ts'

export const maxTextBytes = 100_000

/** Browsers and servers take so many characters. */
const maxAddress = 2000
const isWithoutBlank = /^[\x21-\x7e]+$/

/** Rows in one list of a document: an investment structure of one type, key figures, legal periods. */
export const maxListRows = 10_000

/** Digits of a decimal text, on both sides of the point together. */
const maxDigits = 30
export const maxDecimals = 15
/** Together with 15 decimals these are the 38 digits of the widest decimal that Parquet readers agree on. */
export const maxWholeDigits = 23

function isWithinDigits(decimal: string): boolean {
  // A text this short is within all limits, wherever the point is. It saves time: there are millions of prices.
  if (decimal.length <= maxDecimals) return true
  const [before = 0, after = 0] = decimal
    .replace('-', '')
    .split('.')
    .map(({ length }) => length)
  return before <= maxWholeDigits && after <= maxDecimals && before + after <= maxDigits
}

/** The magnitude of a number that is not 0 lies between these two. */
export const maxNumber = 1e30
export const minNumber = 1e-30

/** Before the oldest funds. */
export const firstDay = '1700-01-01'
/** What spreadsheets and databases store for no day: the zero of Excel and OLE, and the first day of SQL Server. */
const emptyDays = new Set(['1899-12-30', '1753-01-01'])

/** What programs store for an end that is not known. */
const openEnds = new Set(['2099-12-31', '2999-12-31', '9999-12-31'])

export const isOpenEnd = (day: string): boolean => openEnds.has(day)

/** How many years any day of a database may lie ahead. */
const mostYearsAhead = 50

const yearsAfter = (day: string, years: number): string =>
  `${String(Number(day.slice(0, 4)) + years).padStart(4, '0')}${day.slice(4)}`

/** @param asOf ISO 8601 @returns the last day that a database may name */
export const lastDay = (asOf: string): string => yearsAfter(asOf, mostYearsAhead)

const knownTypes = new Set(structureTypes)

const unless = (isRight: (text: string) => boolean, what: string) => (text: string) =>
  isRight(text) ? undefined : `${quoted(text)} is not ${what}`

const notDay = unless(isDay, 'a date (YYYY-MM-DD)')
const notPlain = unless((text) => /^-?[0-9]+(?:\.[0-9]+)?$/.test(text), 'a plain decimal')

/** `#REF!`, `#BEZUG!`, `#DIV/0!`, `#N/A`, `#NV` of Excel, also within a text; `###`, a column that is too narrow; `Err:502` of LibreOffice. */
const spreadsheetError = /(?:^|\s)#(?:[A-ZÄÖÜ]+(?:\/0)?[!?]|N\/A|NV)(?:[\s%]|$)|^#{3,}$|^Err:\d{3}$/
/**
 * Words for a missing value, as programs write them (`NaN %`, `null`, `<NA>`) and people (`n/a`, `k. A.`, a dash alone).
 * `NA` and `none` are not among them: as a text they may mean something.
 */
const missingValue =
  /^(?:-?nan|null|\(null\)|undefined|<na>|n\/a|n\.\s?a\.|k\/a|k\.\s?a\.?|n\.\s?v\.|keine angaben?|not available|not applicable|nicht verfügbar|[-\u2010-\u2015\u2212]{1,3})(?:\s?%)?$/i

/** Whether a text says that there is no value. */
export const isMissing = (text: string): boolean => missingValue.test(text.trim())

/** A WKN has no I and no O. */
const wknForm = /^[0-9A-HJ-NP-Z]{6}$/

/**
 * @param isin of the fund: a German one has the WKN in it, after three zeros
 * @returns the end of a sentence that begins with the column's name
 */
export function wknFault(wkn: string, isin: string): string | undefined {
  if (!wknForm.test(wkn)) {
    const hint = /^[0-9.,]+(?:E[+-]?[0-9]+)?$/i.test(wkn) ? '; a spreadsheet makes numbers of them' : ''
    return `${quoted(wkn)} is not a WKN: six digits and capital letters without I and O${hint}`
  }
  const own = isin.slice(5, 11)
  return isin.startsWith('DE000') && isIsin(isin) && own !== wkn
    ? `${quoted(wkn)} is not the WKN that the ISIN ${isin} holds: ${own}`
    : undefined
}

/** @returns the end of a sentence that begins with `amount`: what a distribution cannot be */
export const amountFault = (amount: string): string | undefined =>
  Number(amount) <= 0 ? `${quoted(amount)} is not above 0` : undefined

/** @returns the end of a sentence that begins with `factor`: what that of a split cannot be */
export const factorFault = (factor: string): string | undefined =>
  Number(factor) <= 0 || Number(factor) === 1 ? `${quoted(factor)} is not above 0, or it is 1` : undefined

const notText = (text: string): string | undefined => {
  // UTF-8 has up to three bytes for what is one unit here.
  if (text.length > maxTextBytes / 3 && Buffer.byteLength(text) > maxTextBytes)
    return `has more than ${maxTextBytes} bytes`
  const unfit = unfitForXml(text)
  if (unfit !== undefined) return `holds ${unfit}, which XML cannot hold`
  if (spreadsheetError.test(text)) return `${quoted(text)} is an error of a spreadsheet`
  return isMissing(text) ? `${quoted(text)} says that there is no value` : undefined
}

/** Describe the fault of a text: the end of a sentence that begins with the column's name. Undefined for a right text. */
export const textFaults: Readonly<Record<TextKind, (text: string) => string | undefined>> = {
  isin: unless(isIsin, 'an ISIN: wrong form or check digit'),
  structureType: unless((text) => knownTypes.has(text), 'one of the structure types'),
  currency: currencyFault,
  country: countryFault,
  language: unless((text) => /^[a-z]{2}$/.test(text), 'a language: two small letters, ISO 639-1'),
  address: unless(
    (text) =>
      text.length <= maxAddress && isWebAddress(text) && isWithoutBlank.test(text) && URL.canParse(text),
    'an address of the web: http:// or https:// and no blank',
  ),
  day: (text) => (emptyDays.has(text) ? `${quoted(text)} is what programs store for no day` : notDay(text)),
  dayOfYear: unless((text) => isDay(`2000-${text}`), 'a day of the year (MM-DD)'),
  decimal: (text) =>
    notPlain(text) ??
    (isWithinDigits(text)
      ? undefined
      : `${quoted(text)} has more than ${maxDigits} digits, ${maxWholeDigits} before and ${maxDecimals} after the point`),
  text: notText,
  wkn: notText,
}

/**
 * What cannot be, of a value of any table.
 * @param last the last day that a database may name
 * @returns the end of a sentence that begins with the column's name; undefined for a right value
 */
export function valueFault(column: TableColumn, value: string | number, last: string): string | undefined {
  const { kind, allowed } = column
  // The schema's CHECK constraints promise it, unless they were switched off.
  if (allowed !== undefined) return allowed.includes(value) ? undefined : notAmong(value, allowed)
  if (typeof value === 'number') return errorInNumber(column, value, last)
  const fault = textFaults[kind as TextKind](value)
  return fault === undefined && kind === 'day' ? dayBeyond(column, value, last) : fault
}

/** Describes a value that a closed list lacks. @returns the end of a sentence that begins with the column's name */
export const notAmong = (value: string | number, allowed: readonly (string | number)[]): string =>
  `${typeof value === 'string' ? quoted(value) : value} is not one of ${allowed.join(', ')}`

function dayBeyond(
  { mayBeOpen, yearsAhead = mostYearsAhead }: TableColumn,
  day: string,
  last: string,
): string | undefined {
  const latest = yearsAfter(last, yearsAhead - mostYearsAhead)
  if (day >= firstDay && day <= latest) return undefined
  const hint = mayBeOpen === true && isOpenEnd(day) ? ': an end that is not known is NULL' : ''
  return `${day} does not lie between ${firstDay} and ${latest}${hint}`
}

/** The same, of a value that is right by itself: a day or a year may lie too far ahead. */
export function faultOfDay(column: TableColumn, value: string | number, last: string): string | undefined {
  return typeof value === 'number' ? errorInNumber(column, value, last) : dayBeyond(column, value, last)
}

/** @param last the last day that a database may name */
export function errorInNumber({ kind, least }: TableColumn, value: number, last: string): string | undefined {
  if (kind === 'year') {
    const from = Number(firstDay.slice(0, 4))
    const to = Number(last.slice(0, 4))
    return value >= from && value <= to ? undefined : `${value} does not lie between ${from} and ${to}`
  }
  if (!Number.isFinite(value)) return 'is infinite'
  const size = Math.abs(value)
  if (size !== 0 && (size <= minNumber || size >= maxNumber))
    return `${printableNumber(value)} is not between ${minNumber} and ${maxNumber}`
  return least !== undefined && value < least
    ? `${printableNumber(value)} is below ${least}, which cannot be`
    : undefined
}

/**
 * What can hardly be, of a value that is right. How high costs are is a matter of what is live (`check/columns.ts`).
 * @returns ends of sentences that begin with the column's name
 */
export function valueDoubts({ kind, allowed }: TableColumn, value: string | number): readonly string[] {
  if (typeof value === 'number') return []
  if ((kind !== 'text' && kind !== 'wkn') || allowed !== undefined || !isSuspect(value)) return []
  const hidden = invisibleIn(value)
  return [
    value.includes('\ufffd') ? 'holds U+FFFD: it was not UTF-8 once' : '',
    hidden === undefined ? '' : `holds ${hidden}, which cannot be seen`,
    isFormula(value) ? 'is a formula for a spreadsheet' : '',
    isDecodedTwice(value) ? 'looks like UTF-8 that was read in another encoding' : '',
    hasEntity(value) ? 'holds an entity of HTML' : '',
    hasOuterBlank(value) ? 'has a blank at its beginning or end' : '',
  ].flatMap((what) => (what === '' ? [] : [`${what}, ${quoted(value)}`]))
}
