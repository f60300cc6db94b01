/**
 * A cell becomes the value of its column, as the schema wants it, or a reason why it cannot. Days and numbers may be written
 * in several ways; `notation.ts` finds out which one a file uses. Pure.
 */

import { structureTypeName, structureTypes } from '../../core/api/contract/structure-types.ts'
import { byNearness } from '../../core/system/nearest.ts'
import { isIsinInEitherCase } from '../../core/api/routes/values.ts'
import { currencyOfHundredths, writtenCurrency } from '../../core/data/model/currencies.ts'
import { errorInNumber, isMissing, notAmong, textFaults, wknFault } from '../../core/data/model/limits.ts'
import { printable, quoted } from '../../core/data/model/printable.ts'
import type { Kind, TableColumn, TextKind } from '../../core/data/model/columns.ts'
import { offerColumns } from '../../core/data/derive/offer.ts'
import { percentOf } from './decimals.ts'
import {
  hasShortYear,
  hasTime,
  isDayOfAnyForm,
  plainDay,
  plainDayOfYear,
  shortYearRule,
  whyNoDay,
  whyNoDayOfYear,
  type DateForm,
  type DayHabits,
} from './days.ts'

/** A cell is text; a workbook also knows numbers, percentages and times. `String` gives what people see. */
export type FileCell = string | number | Percentage | SheetTime

/** A number of a workbook whose format has a percent sign: it is a hundredth of what people see. */
export class Percentage {
  readonly fraction: number
  constructor(fraction: number) {
    this.fraction = fraction
  }
  /** @returns what people see, with all digits: `5.23 %` */
  toString(): string {
    return `${shownPercent(this.fraction)} %`
  }
}

/** A day or a time of a workbook, which has no zone. */
export class SheetTime extends Date {
  /** @returns the day, with the time of day if it has one: `2026-11-27` */
  override toString(): string {
    if (Number.isNaN(this.getTime())) return 'no day'
    const length = isMidnight(this) ? 10 : 19
    return this.toISOString().slice(0, length).replace('T', ' ')
  }
}

const shownPercent = (fraction: number): string => {
  const plain = plainNumber(fraction)
  return plain === undefined ? String(fraction * 100) : percentOf(plain)
}

export type Value = string | number | null

/** Fault of a cell. In a message the reason follows the column's name. */
interface CellProblem {
  readonly reason: string
}

/** The mark between whole and fraction. */
export type DecimalMark = 'comma' | 'point'

export interface Notation {
  readonly mark: DecimalMark
  readonly dates: DateForm
  readonly days?: DayHabits
  /** Takes `GBp` for a currency: hundredths, which the sink makes whole. */
  readonly takesMinorUnits: boolean
}

/** Whether a cell is an ISIN, in either case. */
export const isIsinCell = (cell: FileCell): boolean =>
  typeof cell === 'string' && isIsinInEitherCase(cell.trim())

/** Whether a cell is a day of the calendar, in any form but the number of a spreadsheet. */
export const isDayCell = (cell: FileCell): boolean =>
  cell instanceof SheetTime || (typeof cell === 'string' && isDayOfAnyForm(cell))

/** Whether a cell is a number or a day, as no name of a column is. */
export const isNumberOrDay = (cell: FileCell): boolean =>
  typeof cell !== 'string' || /^\s*[-+]?\d[\d.,'/-]*\s*$/.test(cell)

export const isProblem = (value: Value | CellProblem): value is CellProblem =>
  typeof value === 'object' && value !== null

/** An empty cell is NULL, and so is a word for a missing value. */
export function convert(cell: FileCell, column: TableColumn, notation: Notation): Value | CellProblem {
  const value = valueOf(cell, column, notation)
  if (isPriceOfNone(column.name, value)) return emptyValue(column, 'is 0, which is no price')
  const { allowed } = column
  if (isProblem(value) || value === null || allowed === undefined || allowed.includes(value)) return value
  return { reason: notAmong(value, allowed) }
}

/** No price is 0: feeds write it where there is none, as beside a fund that is closed to new investors. */
export const isPriceOfNone = (column: string, value: Value | CellProblem): boolean =>
  pricesOfRow.has(column) && typeof value === 'string' && /^-?[0.]+$/.test(value)

const pricesOfRow: ReadonlySet<string> = new Set(['net_asset_value', ...offerColumns])

function valueOf(cell: FileCell, column: TableColumn, notation: Notation): Value | CellProblem {
  const { kind } = column
  const isEmpty = typeof cell === 'string' && (kind === 'text' ? cell === '' : cell.trim() === '')
  if (isEmpty) return emptyValue(column, 'is empty')
  if (typeof cell === 'number') {
    const number = fromNumber(cell, kind, notation)
    return typeof number === 'number' ? checkedNumber(number, column) : number
  }
  if (cell instanceof Percentage) return fromPercentage(cell, column)
  if (typeof cell !== 'string') return fromDate(cell, kind, notation)
  const value = ofColumn(cell, column, notation) ?? converters[kind](cell, notation)
  if (typeof value === 'number') return checkedNumber(value, column)
  if (!isProblem(value) || !(isMissing(cell) || isMissingNumber(cell, kind))) return value
  return emptyValue(column, `is ${quoted(cell)}, which says that there is no value`)
}

/** What a column has where a file names no value. @param reason why it cannot have none */
export function emptyValue({ kind, isNullable }: TableColumn, reason: string): Value | CellProblem {
  if (isNullable) return null
  // A part of a key, which cannot be NULL: the document is for all countries.
  return kind === 'country' ? '' : { reason }
}

const kindsOfNumbers: readonly Kind[] = ['decimal', 'number', 'integer', 'day', 'year']

/** R writes `NA`, which may mean something as a text (Namibia), and SAS and the Bundesbank a point. */
const isMissingNumber = (cell: string, kind: Kind) =>
  kindsOfNumbers.includes(kind) && ['NA', '.'].includes(cell.trim())

/** Whether a cell of a number says that there is none: a word, or what a spreadsheet writes where it looked in vain. */
export const hasNoValue = (cell: FileCell): boolean =>
  typeof cell === 'string' &&
  (isMissing(cell) || isMissingNumber(cell, 'number') || cell.trim().toUpperCase() === '#N/A')

const wordsFor = <V extends Value>(value: V, words: string) =>
  words.split(' ').map((word) => [word, value] as const)

/** As our downloads, spreadsheets in English and German, databases and people write them. */
const yesAndNo = new Map([
  ...wordsFor(0, 'false falsch no nein n f'),
  ...wordsFor(1, 'true wahr yes ja y j t x'),
])

/** What pays distributions is no accumulating fund. `A` alone is no word: accumulating in English, and distributing in German. */
export const accumulatingWords: ReadonlyMap<string, 0 | 1> = new Map([
  ...wordsFor(
    0,
    'distributing distribution dist income inc ausschüttend ausschuettend aussch. both teilthesaurierend',
  ),
  ...(['accumulating & distributing', 'accumulating and distributing'] as const).map(
    (word) => [word, 0] as const,
  ),
  ...wordsFor(1, 'accumulating accumulation acc thesaurierend thes.'),
])

/** Words of single columns. */
const ownWords: Readonly<Record<string, ReadonlyMap<string, string | 0 | 1>>> = {
  compatible_for_clients_with_esg_preferences: new Map([
    ...wordsFor('Y', 'yes ja'),
    ...wordsFor('N', 'no nein'),
  ]),
  other_specific_investment_need: new Map(wordsFor('N', 'no nein')),
  accumulating: accumulatingWords,
}

/** The word of a closed list, whatever its case is. */
const wordAmong = (cell: string, { allowed }: TableColumn) =>
  allowed?.find((word) => typeof word === 'string' && word.toLowerCase() === cell.trim().toLowerCase())

type Converter = (cell: string, notation: Notation) => Value | CellProblem

const toNumber: Converter = (cell, { mark }) => {
  const number = Number(plainDecimal(cell, mark) ?? exponential(cell, mark))
  return Number.isFinite(number) ? number : noNumber(cell, mark)
}

const wholeNumber = /^-?[0-9]{1,15}$/

const converters: Readonly<Record<Kind, Converter>> = {
  text: (cell) => checked('text', cell),
  isin: (cell) => (isIsinCell(cell) ? cell.trim().toUpperCase() : checked('isin', cell)),
  structureType: structureTypeOf,
  currency: (cell, { takesMinorUnits }) => currencyIn(writtenCurrency(cell), takesMinorUnits),
  country: (cell) => checked('country', cell.trim().toUpperCase()),
  language: (cell) => checked('language', cell.trim().toLowerCase()),
  address: (cell) => checked('address', cell.trim()),
  wkn: wknOf,
  day: (cell, { dates, days }) =>
    plainDay(cell, dates, days) ?? { reason: `${quoted(cell)} ${whyNoDay(cell, dates)}` },
  dayOfYear: (cell, { dates }) =>
    plainDayOfYear(cell, dates) ?? { reason: `${quoted(cell)} ${whyNoDayOfYear(dates)}` },
  decimal: (cell, { mark }) => {
    const decimal = plainDecimal(cell, mark)
    return decimal === undefined ? noNumber(cell, mark) : checked('decimal', decimal)
  },
  number: toNumber,
  integer: (cell) => (wholeNumber.test(cell.trim()) ? Number(cell) : wrong(cell, 'a whole number')),
  flag: (cell) => {
    const text = cell.trim().toLowerCase()
    // Another whole number breaks a constraint of the schema, which says so.
    if (wholeNumber.test(text)) return Number(text)
    return yesAndNo.get(text) ?? wrong(cell, `one of 0, 1, ${[...yesAndNo.keys()].join(', ')}`)
  },
  year: (cell) => (/^[1-9][0-9]{3}$/.test(cell.trim()) ? Number(cell) : wrong(cell, 'a year of four digits')),
}

const shownTypes = 5

/** A type in any case. The message about another word begins with those whose names in either language are like it. */
function structureTypeOf(cell: string): string | CellProblem {
  const word = cell.trim()
  const value = checked('structureType', word.toLowerCase())
  if (!isProblem(value)) return value
  const names = byNearness(withoutLead(word), structureTypes, spellingsOf).map(({ name }) => name)
  const some = names.slice(0, shownTypes).join(', ')
  return {
    reason: `${quoted(word)} is not one of the structure types: ${some} and ${names.length - shownTypes} more, which \`import --help\` lists`,
  }
}

/** Many names begin in the same way. */
const withoutLead = (name: string) => name.replace(/^(?:Aufteilung nach|Breakdown by) /i, '')

const spellingsOf = (type: string) => [
  type,
  withoutLead(structureTypeName(type, 'de')),
  withoutLead(structureTypeName(type, 'en')),
]

function checked(kind: TextKind, text: string): string | CellProblem {
  const reason = textFaults[kind](text)
  return reason === undefined ? text : { reason }
}

/** What cannot be whatever the day is: the checks would refuse it. */
function checkedNumber(number: number, column: TableColumn): Value | CellProblem {
  if (column.allowed !== undefined || column.kind === 'year') return number
  const reason = errorInNumber(column, number, '')
  if (reason !== undefined) return { reason }
  return isShare(column) ? withKeptDigits(number) : number
}

function currencyIn(text: string, takesMinorUnits: boolean): Value | CellProblem {
  const value = checked('currency', text)
  if (!isProblem(value) || currencyOfHundredths(text) === undefined) return value
  return takesMinorUnits ? text : { reason: `${value.reason}, or let --minor-units do it` }
}

/** The WKN of a cell. */
export function wknOf(cell: FileCell): string | CellProblem {
  const wkn = String(cell).trim().toUpperCase()
  const reason = wkn === '' ? 'is empty' : wknFault(wkn, '')
  return reason === undefined ? wkn : { reason }
}

const wrong = (cell: string, what: string): CellProblem => ({ reason: `${quoted(cell)} is not ${what}` })
const noNumber = (cell: string, mark: DecimalMark) => wrong(cell, `a number (with a decimal ${mark})`)

/** A float may be written in a way that no digits of an amount are: `1E+300`. */
function exponential(cell: string, mark: DecimalMark): string {
  const text = mark === 'comma' ? cell.trim().replace(',', '.') : cell.trim()
  return /^[+-]?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]{1,3}$/.test(text) ? text : 'NaN'
}

/** Digits that a double keeps, whatever they are: those of a spreadsheet, too. */
const keptDigits = 15

/**
 * A number of a workbook. It is a double: its shortest decimal text is what was typed, if it has no more digits than a double keeps.
 * A formula may leave more (61.830000000000005).
 */
function fromNumber(number: number, kind: Kind, notation: Notation): Value | CellProblem {
  const { dates, days } = notation
  if (kind === 'text') return textOfNumber(number)
  if (kind === 'wkn') return wknOf(number)
  if (kind === 'day') {
    const how = hasTime(String(number), dates) ? ': it has a time of day, which --drop-times leaves out' : ''
    return plainDay(String(number), dates, days) ?? { reason: `cannot be the number ${number}${how}` }
  }
  if (kind === 'number') return number
  if (kind === 'decimal') return decimalOf(number)
  const isWhole = Number.isSafeInteger(number)
  if (isWhole && (kind === 'integer' || kind === 'flag' || kind === 'year'))
    return converters[kind](String(number), { mark: 'point', dates, takesMinorUnits: false })
  return { reason: `cannot be the number ${number}` }
}

/** A number in a text, such as a key figure: with a decimal comma, as the interface has them. */
const textOfNumber = (number: number): string =>
  (plainNumber(keptNumber(number)) ?? String(number)).replace('.', ',')

/** The shortest decimal text of a double; undefined for one so large that its last digits are not known. */
export function plainNumber(number: number): string | undefined {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? []
  const decimal = movePoint(whole, fraction, Number(power))
  return decimal === undefined ? undefined : sign + decimal
}

const doubles = new Float64Array(2)
const places = new BigInt64Array(doubles.buffer)

/** Of a share such as 1/3 more digits say only how it was computed; an index keeps all. */
const isShare = ({ kind, unit }: TableColumn): boolean => kind === 'number' && unit !== undefined

const withKeptDigits = (number: number): number => Number(number.toPrecision(keptDigits))

/** @returns the number of fifteen digits that a formula has missed by one place of the double; else the number itself */
export function keptNumber(number: number): number {
  const kept = withKeptDigits(number)
  doubles[0] = number
  doubles[1] = kept
  const distance = (places[1] ?? 0n) - (places[0] ?? 0n)
  return distance >= -1n && distance <= 1n ? kept : number
}

function decimalOf(given: number): string | CellProblem {
  const number = keptNumber(given)
  const decimal = plainNumber(number)
  if (decimal === undefined) return { reason: `cannot be the number ${number}` }
  const digits = decimal.replace(/[-.]/g, '').replace(/^0+/, '')
  return digits.length > keptDigits && /[1-9]/.test(digits.slice(keptDigits))
    ? {
        reason: `is the number ${number}, with more than ${keptDigits} digits, as formulas make them: round it in the spreadsheet`,
      }
    : checked('decimal', decimal)
}

/** @returns what stands before the percent sign at the end of a text; undefined if there is none */
function beforePercentSign(text: string): string | undefined {
  const end = text.trimEnd()
  return end.endsWith('%') ? end.slice(0, -1).trimEnd() : undefined
}

/** What a cell has that its value does not show. */
const oddities = {
  percent: 'a percent sign',
  time: 'a time of day, which is left out',
  shortYear: `a year of two digits (${shortYearRule})`,
  digits: 'more digits than a spreadsheet keeps, as formulas make them',
} as const
type Oddity = (typeof oddities)[keyof typeof oddities]

/** @returns what people should know of a cell that was taken for a value: `a percent sign` */
export function odditiesOf(cell: FileCell, column: TableColumn, { dates }: Notation): readonly Oddity[] {
  const { kind } = column
  if (isPercentage(cell, column)) return [oddities.percent]
  if (typeof cell === 'number' && kind === 'decimal' && keptNumber(cell) !== cell) return [oddities.digits]
  if (isShare(column) && hasMoreDigits(cell)) return [oddities.digits]
  // Most days of most files.
  if (kind !== 'day' || (dates === 'iso' && typeof cell === 'string' && cell.length === 10)) return none
  if (cell instanceof SheetTime) return isMidnight(cell) ? none : [oddities.time]
  const text = String(cell)
  const isShort = hasShortYear(text, dates)
  return [...(hasTime(text, dates) ? [oddities.time] : []), ...(isShort ? [oddities.shortYear] : [])]
}

const none: readonly Oddity[] = []

const hasMoreDigits = (cell: FileCell): boolean => {
  const [digits = ''] = String(cell).toLowerCase().split('e')
  return digits.replace(/[^0-9]/g, '').replace(/^0+/, '').length > keptDigits
}

/** Whether a cell says that it is a percentage, in a column of percentages or fractions. */
export const isPercentage = (cell: FileCell, { unit }: TableColumn): boolean =>
  unit !== undefined &&
  (cell instanceof Percentage || (typeof cell === 'string' && beforePercentSign(cell) !== undefined))

/** Its first second counts: a double may miss it. */
const isMidnight = (date: Date): boolean => date.getTime() % 86_400_000 < 1000

/** An end of 31.12.99 is that of 9999, as programs shorten it: no fund that is still delivered ended in 1999. */
function shortOpenEnd(
  cell: string,
  { mayBeOpen }: TableColumn,
  { dates, days }: Notation,
): string | undefined {
  const isShort = mayBeOpen === true && hasShortYear(cell, dates)
  return isShort && plainDay(cell, dates, days) === '1999-12-31' ? '9999-12-31' : undefined
}

/** What a text says in this column, and would not in another of its kind. */
const ofColumn = (cell: string, column: TableColumn, notation: Notation) =>
  ownWords[column.name]?.get(cell.trim().toLowerCase()) ??
  wordAmong(cell, column) ??
  percentageOf(cell, column, notation) ??
  shortOpenEnd(cell, column, notation)

/** @returns undefined if the column has no numbers, or the cell no percent sign behind one */
function percentageOf(
  cell: string,
  column: TableColumn,
  { mark }: Notation,
): Value | CellProblem | undefined {
  const number = holdsNumbers(column) ? beforePercentSign(cell) : undefined
  const percent = number === undefined ? undefined : plainDecimal(number, mark)
  return percent === undefined ? undefined : inUnit(percent, column, cell)
}

function fromPercentage(cell: Percentage, column: TableColumn): Value | CellProblem {
  if (column.kind === 'text') return `${textOfNumber(Number(shownPercent(cell.fraction)))} %`
  if (!holdsNumbers(column)) return { reason: `cannot be the percentage ${quoted(String(cell))}` }
  const fraction = column.kind === 'decimal' ? decimalOf(cell.fraction) : plainNumber(cell.fraction)
  if (fraction === undefined) return { reason: `cannot be the percentage ${quoted(String(cell))}` }
  return typeof fraction === 'string' ? inUnit(percentOf(fraction), column, String(cell)) : fraction
}

const holdsNumbers = ({ kind }: TableColumn) => kind === 'decimal' || kind === 'number'

/** @param percent the number before the percent sign, plain */
function inUnit(percent: string, column: TableColumn, shown: string): Value | CellProblem {
  if (column.unit === undefined) return { reason: `cannot be the percentage ${quoted(shown)}` }
  const value = column.unit === 'percent' ? percent : hundredthOf(percent)
  return column.kind === 'decimal' ? checked('decimal', value) : checkedNumber(Number(value), column)
}

function fromDate(date: SheetTime, kind: Kind, { days = {} }: Notation): Value | CellProblem {
  const text = String(date)
  const day = kind === 'day' ? plainDay(text, 'iso', days) : undefined
  if (day !== undefined) return day
  if (kind === 'day' && hasTime(text, 'iso'))
    return {
      reason: `cannot be the date ${printable(text)}: it has a time of day, which --drop-times leaves out`,
    }
  // A spreadsheet makes a day of 05-31. It may have taken 05-06 for the sixth of May or the fifth of June.
  if (kind === 'dayOfYear' && plainDay(text, 'iso') !== undefined && Number(text.slice(8)) > 12)
    return text.slice(5)
  return { reason: `cannot be the date ${printable(text)}` }
}

/** A group of thousands never starts with a zero, and one number has one kind of divider. Longer exponents are no amounts. */
function numberPattern(mark: string, group: string): RegExp {
  const groups = String.raw`[1-9]\d{0,2}([${group}'\u2019 \u00a0\u202f])\d{3}(?:\3\d{3})*`
  const start = String.raw`^([+\-\u2212]?)(?=[${mark}\d])`
  return new RegExp(String.raw`${start}(\d+|${groups})?(?:[${mark}](\d+))?(?:[eE]([+-]?\d{1,3}))?$`)
}

const patterns: Readonly<Record<DecimalMark, RegExp>> = {
  comma: numberPattern(',', '.'),
  point: numberPattern('.', ','),
}

/** Most numbers: neither groups, nor an exponent, nor a plus. */
const simple: Readonly<Record<DecimalMark, RegExp>> = {
  comma: /^-?[0-9]+(?:,[0-9]+)?$/,
  point: /^-?[0-9]+(?:\.[0-9]+)?$/,
}

/**
 * The number as the schema has it: `-1.234,50` with a decimal comma is `-1234.50`. Its digits stay as they are; an
 * exponent only moves the point.
 * @returns undefined if it is no number, or if its exponent hides digits (`1,23457E+11`)
 */
function plainDecimal(text: string, mark: DecimalMark): string | undefined {
  if (simple[mark].test(text)) return mark === 'comma' ? text.replace(',', '.') : text
  const match = patterns[mark].exec(text.trim())
  if (match === null) return undefined
  const [, signs = '', grouped = '', , fraction = '', power] = match
  const whole = grouped.replace(/[^0-9]/g, '')
  const minus = signs === '' || signs === '+' ? '' : '-'
  const digits = power === undefined ? withPoint(whole, fraction) : movePoint(whole, fraction, Number(power))
  return digits === undefined ? undefined : minus + digits
}

const withPoint = (whole: string, fraction: string) =>
  (whole === '' ? '0' : whole) + (fraction === '' ? '' : `.${fraction}`)

/** @param decimal plain, as the schema has it @returns a hundredth of it, with the same digits */
export function hundredthOf(decimal: string): string {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  return (decimal.startsWith('-') ? '-' : '') + (movePoint(whole, fraction, -2) ?? decimal)
}

/** @param decimal plain, as the schema has it @param factor a power of ten @returns the product, without a point if it is whole */
export function multiplied(decimal: string, factor: number): string {
  const [whole = '', fraction = ''] = decimal.replace('-', '').split('.')
  const power = String(factor).length - 1
  const product = movePoint(whole, fraction.padEnd(power, '0'), power) ?? decimal
  return (decimal.startsWith('-') ? '-' : '') + product
}

function movePoint(whole: string, fraction: string, power: number): string | undefined {
  const digits = whole + fraction
  const point = whole.length + power
  // 1.23457E+11 was a longer number once: what would be zeros here are digits that a spreadsheet cut off.
  if (point > digits.length) return /^0+$/.test(digits) ? '0' : undefined
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits
  const at = point <= 0 ? 1 : point
  return withPoint(padded.slice(0, at).replace(/^0+(?=[0-9])/, ''), padded.slice(at))
}

/** The marks with which a text is a number; none if it has neither mark, because then it tells nothing of its file. */
export function decimalMarks(text: string): readonly DecimalMark[] {
  if (!/[,.]/.test(text)) return []
  const number = (beforePercentSign(text) ?? text).trim()
  return (['comma', 'point'] as const).filter((mark) => patterns[mark].test(number))
}
