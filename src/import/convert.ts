/** A cell into the value of its column, as the schema wants it, or what is wrong with it. */

import { structureTypes } from '../contract/structure-types.ts'
import { isIsinInEitherCase } from '../routes/values.ts'
import { printable, quoted } from '../source/printable.ts'
import { isWithinDigits, maxTextBytes, mostDigits } from '../source/limits.ts'
import { unfitForXml } from '../source/row-checks.ts'
import type { Cell } from './cells.ts'
import { dateFormNames, plainDay, plainDayOfYear, whyNoDay, type DateForm } from './day.ts'
import { plainDecimal, type DecimalMark } from './decimal.ts'
import type { Column, Kind } from './tables.ts'

export type Value = string | number | null

/** What is wrong, to be put behind the column's name. */
export interface Problem {
  readonly reason: string
}

/** How the numbers and days of a column are written. */
export interface Notation {
  readonly mark: DecimalMark
  readonly dates: DateForm
}

export const isProblem = (value: Value | Problem): value is Problem =>
  typeof value === 'object' && value !== null

/** An empty cell is NULL. */
export function convert(cell: Cell, column: Column, notation: Notation): Value | Problem {
  const isEmpty = typeof cell === 'string' && (column.kind === 'text' ? cell === '' : cell.trim() === '')
  if (isEmpty) return column.isNotNull ? { reason: 'is empty' } : null
  if (typeof cell === 'number') return fromNumber(cell, column)
  if (typeof cell !== 'string') return fromDate(cell, column)
  return fromText(cell, column, notation)
}

const knownTypes: ReadonlySet<string> = new Set(structureTypes)

const fromText = (cell: string, { kind }: Column, notation: Notation): Value | Problem =>
  converters[kind](cell, notation)

type Converter = (cell: string, notation: Notation) => Value | Problem

const converters: Readonly<Record<Kind, Converter>> = {
  text: fromFreeText,
  isin: (cell) =>
    isIsinInEitherCase(cell.trim())
      ? cell.trim().toUpperCase()
      : wrong(cell, 'an ISIN: wrong form or check digit'),
  structureType: (cell) =>
    knownTypes.has(cell.trim()) ? cell.trim() : wrong(cell, 'one of the structure types'),
  currency: (cell) => (/^[A-Z]{3}$/.test(cell.trim()) ? cell.trim() : wrong(cell, 'an ISO 4217 code')),
  day: (cell, { dates }) =>
    plainDay(cell, dates) ?? wrong(cell, `a day (${dateFormNames[dates]})${whyNoDay(cell)}`),
  dayOfYear: (cell, { dates }) =>
    plainDayOfYear(cell, dates) ?? wrong(cell, `a day of the year (${daysOfYear[dates]})`),
  decimal: (cell, { mark }) => {
    const decimal = plainDecimal(cell, mark)
    if (decimal === undefined) return wrong(cell, `a number (with a decimal ${mark})`)
    return isWithinDigits(decimal) ? decimal : { reason: `${quoted(cell)} has more than ${mostDigits}` }
  },
  number: (cell, { mark }) => {
    const number = Number(plainDecimal(cell, mark) ?? exponential(cell, mark))
    return Number.isFinite(number) ? number : wrong(cell, `a number (with a decimal ${mark})`)
  },
  integer: (cell) => (/^-?[0-9]{1,15}$/.test(cell.trim()) ? Number(cell) : wrong(cell, 'a whole number')),
  flag: (cell) => {
    const text = cell.trim().toLowerCase()
    // Another whole number breaks a constraint of the schema, which says so.
    if (/^-?[0-9]{1,15}$/.test(text)) return Number(text)
    return flags.get(text) ?? wrong(cell, 'one of 0, 1, false, true, no, yes, nein, ja')
  },
  year: (cell) => (/^[1-9][0-9]{3}$/.test(cell.trim()) ? Number(cell) : wrong(cell, 'a year of four digits')),
}

/** As our downloads, spreadsheets in English and German, and people write them. */
const flags: ReadonlyMap<string, 0 | 1> = new Map([
  ...(['false', 'falsch', 'no', 'nein'] as const).map((word) => [word, 0] as const),
  ...(['true', 'wahr', 'yes', 'ja'] as const).map((word) => [word, 1] as const),
])

const daysOfYear: Readonly<Record<DateForm, string>> = { iso: 'MM-DD', german: 'DD.MM.' }

function wrong(cell: string, what: string): Problem {
  return { reason: `${quoted(cell)} is not ${what}` }
}

function fromFreeText(text: string): string | Problem {
  const unfit = unfitForXml(text)
  if (unfit !== undefined) return { reason: `holds ${unfit}, which XML cannot hold` }
  return Buffer.byteLength(text) > maxTextBytes ? { reason: `has more than ${maxTextBytes} bytes` } : text
}

/** A float may be written in a way that no digits of an amount are: `1E+300`. */
function exponential(cell: string, mark: DecimalMark): string {
  const text = mark === 'comma' ? cell.trim().replace(',', '.') : cell.trim()
  return /^[+-]?[0-9]+(?:\.[0-9]+)?[eE][+-]?[0-9]{1,3}$/.test(text) ? text : 'NaN'
}

/** A number of a workbook. The float that it is has lost digits: no decimal text is made of it. */
function fromNumber(number: number, { kind }: Column): Value | Problem {
  if (kind === 'text') return String(number)
  if (kind === 'number') return number
  if (kind === 'integer' && Number.isSafeInteger(number)) return number
  return { reason: `${number} is not what belongs there` }
}

function fromDate(date: Date, { kind }: Column): Value | Problem {
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/T00:00:00\.000Z$/, '')
  if (kind === 'day' && plainDay(text, 'iso') !== undefined) return text
  return { reason: `the date ${printable(text)} is not what belongs there` }
}
