/** Checks of single values of a fund's rows: each reports what is wrong, and in which row. Pure. */

import { codePoint, invisibleIn, isFormula } from '../contract/texts.ts'
import { isDay } from '../routes/values.ts'
import type { Finding } from './finding.ts'
import {
  firstDay,
  isWithinDigits,
  lastDay,
  maxNumber,
  maxTextBytes,
  minNumber,
  mostDigits,
} from './limits.ts'
import { quoted } from './printable.ts'

/** Of one table of one fund: a column that is wrong throughout must not fill the memory of a night with 500 funds. */
const maxFindings = 1000

type Column = string | number | null
/** A row as the queries give it: the schema's columns in camelCase. */
type Row = object
/** Where in the table, with what divides it from the column: `item 3: `. Asked only where something is wrong. */
type Place = () => string

export type RowChecks = ReturnType<typeof rowChecks>

/** @param asOf the snapshot's date, ISO 8601 */
export function rowChecks(isin: string, asOf: string) {
  const last = lastDay(asOf)
  const listed: Finding[] = []
  const unlisted = new Map<string, { readonly finding: Finding; readonly count: number }>()
  const counts = new Map<string, number>()

  const add = (severity: Finding['severity'], table: string, message: string) => {
    const kind = `${severity} ${table}`
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const finding = { severity, isin, table, message }
    if (count <= maxFindings) listed.push(finding)
    else unlisted.set(kind, { finding, count: count - maxFindings })
  }
  const error = (table: string, message: string) => add('error', table, message)

  const day = (table: string, place: Place, name: string, value: string): boolean => {
    if (!isDay(value)) error(table, `${place()}${name} ${quoted(value)} is not a date (YYYY-MM-DD)`)
    else if (value < firstDay || value > last)
      error(table, `${place()}${name} ${value} does not lie between ${firstDay} and ${last}`)
    else return true
    return false
  }
  const decimal = (table: string, place: Place, name: string, value: string) => {
    if (!plainDecimal.test(value)) error(table, `${place()}${name} ${quoted(value)} is not a plain decimal`)
    else if (!isWithinDigits(value))
      error(table, `${place()}${name} ${quoted(value)} has more than ${mostDigits}`)
  }
  /** Every number of a row: an infinite one has no digits, and an absurd one hundreds. */
  const numbers = (table: string, place: Place, row: Row) => {
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== 'number' || value === 0) continue
      const size = Math.abs(value)
      if (size < maxNumber && size > minNumber) continue
      const fault = Number.isFinite(value)
        ? `${value} is not between ${minNumber} and ${maxNumber}`
        : Number.isNaN(value)
          ? 'is not a number'
          : 'is infinite'
      error(table, `${place()}${columnName(name)} ${fault}`)
    }
  }
  /** Every free text of a row: none may hold what XML 1.0 cannot, or be too long. */
  const texts = (table: string, place: Place, row: Row) => {
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== 'string') continue
      // UTF-8 has up to three bytes for what is one unit here.
      if (value.length > maxTextBytes / 3 && Buffer.byteLength(value) > maxTextBytes)
        error(table, `${place()}${columnName(name)} has more than ${maxTextBytes} bytes`)
      else if (suspect.test(value)) suspicious(table, `${place()}${columnName(name)}`, value)
    }
  }
  const suspicious = (table: string, column: string, value: string) => {
    const bad = unfitForXml(value)
    if (bad !== undefined) {
      error(table, `${column} holds ${bad}, which XML cannot hold`)
      return
    }
    const warn = (what: string) => {
      add('warning', table, `${column} ${what}, ${quoted(value)}`)
    }
    const hidden = invisibleIn(value)
    if (value.includes('\ufffd')) warn('holds U+FFFD: it was not UTF-8 once')
    if (hidden !== undefined) warn(`holds ${hidden}, which cannot be seen`)
    if (isFormula(value)) warn('is a formula for a spreadsheet')
  }
  /** What the schema's CHECK constraints promise, unless somebody has switched them off. */
  const oneOf = (
    table: string,
    place: Place,
    values: Readonly<Record<string, Column>>,
    allowed: readonly Column[],
  ) => {
    for (const [name, value] of Object.entries(values)) {
      if (value === null || allowed.includes(value)) continue
      const found = typeof value === 'string' ? quoted(value) : value
      error(table, `${place()}${columnName(name)} is ${found}, not one of ${allowed.join(', ')}`)
    }
  }
  const findings = (): Finding[] => [
    ...listed,
    ...[...unlisted.values()].map(({ finding, count }) => {
      return { ...finding, message: `${count} more of this fund, the last of them: ${finding.message}` }
    }),
  ]
  return { add, error, day, decimal, numbers, texts, oneOf, findings }
}

/** The column's name in the schema. */
export function columnName(field: string): string {
  if (field === 'inceptionDate') return 'fund_inception_date'
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** @returns the first character that XML 1.0 does not have, as `U+000B`; undefined where all of them are fit */
export function unfitForXml(text: string): string | undefined {
  const bad = suspect.test(text) ? notInXml.exec(text)?.[0] : undefined
  if (bad === undefined) return undefined
  return codePoint(bad)
}

const plainDecimal = /^-?[0-9]+(?:\.[0-9]+)?$/

/** The characters that XML 1.0 does not have (its production Char). */
const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u

/** What may be in a text that needs a closer look: most texts have none of it. */
const suspect =
  /^\s*[=+\-@]|[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffd-\uffff]/
