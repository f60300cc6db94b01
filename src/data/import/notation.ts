/** How the numbers and days of a file are written: sniffed from all of it, never guessed. */

import { quoted } from '../model/printable.ts'
import type { Field } from './layout.ts'
import {
  dateFormHint,
  dateFormNames,
  dateFormOf,
  decimalSign,
  type FileCell,
  type DateForm,
  type DecimalMark,
} from './values.ts'

export interface WantedNotation {
  readonly decimal: DecimalMark | undefined
  readonly dates: DateForm | undefined
}

export interface Notations {
  /** The mark of each field's column. */
  readonly marks: readonly DecimalMark[]
  readonly dates: DateForm
  /** For people; undefined where the file has nothing of the sort. */
  readonly decimalForm: string | undefined
  readonly dateForm: string | undefined
}

/** A cell that shows something, and where it is. */
interface Example {
  readonly text: string
  readonly line: number
}

type Examples<Key extends string> = Partial<Record<Key, Example>>

/** Looks at the cells of one line after the other and decides at the end. Its memory does not grow. */
export function notationSniffer(fields: readonly Field[], wanted: WantedNotation) {
  const numbers = fields.map(({ column: { kind } }): NumberExamples | undefined =>
    kind === 'decimal' || kind === 'number' || kind === 'fraction' ? { sure: {}, either: {} } : undefined,
  )
  const areDays = fields.map(({ column: { kind } }) => kind === 'day' || kind === 'dayOfYear')
  const days: Examples<DateForm> = {}
  // The form of a cell that is bad either way. It decides only which form the message names.
  let hint: DateForm | undefined

  const lookAtNumber = (seen: NumberExamples, text: string, line: number): void => {
    // Most cells tell nothing new.
    if (seen.sure.comma !== undefined && !text.includes('.')) return
    if (seen.sure.point !== undefined && !text.includes(',')) return
    const sign = decimalSign(text)
    if (sign?.kind === 'sure') seen.sure[sign.mark] ??= { text, line }
    else if (sign?.kind === 'either') seen.either[sign.ifDecimal] ??= { text, line }
  }
  const look = (cells: readonly FileCell[], line: number): void => {
    for (const [index, { at }] of fields.entries()) {
      const text = cells[at]
      if (typeof text !== 'string' || text === '') continue
      const seen = numbers[index]
      if (seen !== undefined) {
        lookAtNumber(seen, text, line)
      } else if (areDays[index] === true && (days.iso === undefined || days.german === undefined)) {
        const form = dateFormOf(text)
        if (form === undefined) hint ??= dateFormHint(text)
        else days[form] ??= { text, line }
      }
    }
  }
  /** @throws {Error} that says which lines contradict each other, or leave it open */
  const notations = (): Notations => {
    const marks =
      wanted.decimal === undefined ? sniffMarks(fields, numbers) : fields.map(() => wanted.decimal)
    const dates = wanted.dates ?? sniffDates(days)
    return {
      marks: marks.map((mark) => mark ?? commonest(marks) ?? 'point'),
      dates: dates ?? hint ?? 'iso',
      decimalForm: wanted.decimal === undefined ? describeMarks(fields, marks) : `decimal ${wanted.decimal}`,
      dateForm: dates === undefined ? undefined : `dates ${dateFormNames[dates]}`,
    }
  }
  return { look, notations, isNeeded: wanted.decimal === undefined || wanted.dates === undefined }
}

interface NumberExamples {
  readonly sure: Examples<DecimalMark>
  readonly either: Examples<DecimalMark>
}

/** By column, since some files have columns of both kinds. Undefined for a column without any mark. */
function sniffMarks(
  fields: readonly Field[],
  numbers: readonly (NumberExamples | undefined)[],
): (DecimalMark | undefined)[] {
  const sure = numbers.map((seen, index) => {
    if (seen === undefined) return undefined
    const { comma, point } = seen.sure
    if (comma !== undefined && point !== undefined) {
      throw new Error(
        `column ${fields[index]?.label ?? ''}: ${show(comma)} has a decimal comma, ${show(point)} a decimal point: ` +
          'choose one with --decimal; lines with the other one are then bad lines',
      )
    }
    return comma === undefined ? (point === undefined ? undefined : 'point') : 'comma'
  })
  const common = commonest(sure)
  return numbers.map((seen, index) => {
    const mark = sure[index]
    if (seen === undefined || mark !== undefined) return mark
    const { comma, point } = seen.either
    const only = comma === undefined ? point : point === undefined ? comma : undefined
    if (comma === undefined && point === undefined) return undefined
    // The other columns decide if they agree and if that makes it a fraction. We never read it as
    // thousands instead, which would be a thousand times as much: the user has to say so.
    const asDecimal = comma === undefined ? 'point' : 'comma'
    if (only !== undefined && common === asDecimal) return asDecimal
    const example = only ?? comma
    throw new Error(
      `column ${fields[index]?.label ?? ''}: ${example === undefined ? '' : show(example)} can be read with a decimal ` +
        'comma and with a decimal point, and no other cell of the column decides it: choose one with --decimal',
    )
  })
}

/** The mark of all columns that have one, if it is the same. */
function commonest(marks: readonly (DecimalMark | undefined)[]): DecimalMark | undefined {
  const found = new Set(marks.filter((mark) => mark !== undefined))
  return found.size === 1 ? [...found][0] : undefined
}

function sniffDates({ iso, german }: Examples<DateForm>): DateForm | undefined {
  if (iso !== undefined && german !== undefined) {
    throw new Error(
      `the dates are of two forms, ${show(iso)} and ${show(german)}: choose one with --dates; lines with the ` +
        'other one are then bad lines',
    )
  }
  return iso === undefined ? (german === undefined ? undefined : 'german') : 'iso'
}

const show = ({ text, line }: Example): string => `${quoted(text)} (line ${line})`

/** `decimal comma`, or the columns of each mark. */
function describeMarks(
  fields: readonly Field[],
  marks: readonly (DecimalMark | undefined)[],
): string | undefined {
  const common = commonest(marks)
  if (common !== undefined) return `decimal ${common}`
  const columns = (mark: DecimalMark) =>
    fields.filter((_, index) => marks[index] === mark).map(({ label }) => label)
  if (columns('comma').length === 0) return undefined
  return `decimal comma (${columns('comma').join(', ')}) and point (${columns('point').join(', ')})`
}
