/** How the numbers and days of a file are written: sniffed from all of it, never guessed. */

import { quoted } from '../../core/data/model/printable.ts'
import type { Field, FileLines } from './layout.ts'
import {
  dateFormHint,
  dateFormNames,
  dateForms,
  dateFormsOf,
  namesOfDaysOfYear,
  type DateForm,
  type DayHabits,
} from './days.ts'
import { decimalMarks, type FileCell, type DecimalMark } from './values.ts'

export interface Notations {
  readonly marks: readonly DecimalMark[]
  /** Of each field: days of a year may have another form than other days. */
  readonly dates: readonly DateForm[]
  readonly days: DayHabits
  /** For people: the marks and the form of the dates, as far as the file has any. */
  readonly form: readonly string[]
}

/** A cell that shows something, and where it is. */
interface Example {
  readonly text: string
  readonly line: number
}
type Examples<Key extends string> = Partial<Record<Key, Example>>

/** A column of numbers, with the first cells of each sort. */
interface NumberColumn {
  readonly label: string
  /** Cells that are a number with this mark only. */
  readonly sure: Examples<DecimalMark>
  /** Cells that are a number with either mark, by the mark that makes fractions of them: `1.234`. */
  readonly either: Examples<DecimalMark>
  /** The first whole number, and the digits of the cell behind it: a comma may have split it. */
  split?: Example & { readonly behind: string }
}

interface Wanted {
  readonly decimal: DecimalMark | undefined
  readonly dates: DateForm | undefined
}

/** Whether the cells decide anything. A comma that is said to be the decimal mark may still have split numbers. */
export const isOpen = ({ decimal, dates }: Wanted): boolean => decimal !== 'point' || dates === undefined

/** Looks at the cells of one line after the other and decides at the end. Its memory does not grow. */
export function notationSniffer(
  fields: readonly Field[],
  file: Pick<FileLines, 'header' | 'splitsAtCommas'>,
  wanted: Wanted & { readonly dropTimes: boolean },
) {
  const labels = fields.map(({ label }) => label)
  const numbers = fields.map(({ label, column: { kind } }): NumberColumn | undefined =>
    ['decimal', 'number'].includes(kind) ? { label, sure: {}, either: {} } : undefined,
  )
  const days = dateSniffer()
  const daysOfYear = dateSniffer()
  const sniffers = fields.map(({ column: { kind } }) => {
    if (kind === 'dayOfYear') return daysOfYear
    return kind === 'day' ? days : undefined
  })

  const hasField = new Set(fields.map(({ at }) => at))
  /** The cell behind one, if it belongs to no column. In a line with more cells than the header, any cell may be of another column. */
  const cellBehind = (cells: readonly FileCell[], at: number): FileCell | undefined =>
    hasField.has(at + 1) && cells.length <= file.header.length ? undefined : cells[at + 1]

  /** @param behind where the cells of a line are not as in the file: the cell behind its value */
  const look = (cells: readonly FileCell[], line: number, behind?: FileCell): void => {
    for (const [index, { at }] of fields.entries()) {
      const text = cells[at]
      // Of a workbook: a day without marks is a number there.
      if (typeof text === 'number') sniffers[index]?.look(String(text), line)
      if (typeof text !== 'string' || text === '') continue
      const column = numbers[index]
      if (column !== undefined) {
        lookAtNumber(column, text, line)
        if (file.splitsAtCommas) lookForSplit(column, text, behind ?? cellBehind(cells, at), line)
      } else sniffers[index]?.look(text, line)
    }
  }
  /** @throws {Error} that says which lines contradict each other, or leave it open */
  const notations = (): Notations => {
    if (wanted.decimal !== 'point') numbers.forEach(refuseSplit)
    const found = wanted.decimal === undefined ? sniffMarks(numbers) : fields.map(() => wanted.decimal)
    const mark = wanted.decimal ?? agreed(found)
    const dates = wanted.dates ?? days.form()
    const ofYear = daysOfYear.monthAndDay(dates) ?? dates ?? daysOfYear.form()
    const other = ofYear === dates ? undefined : ofYear
    return {
      marks: found.map((own) => own ?? mark ?? 'point'),
      dates: sniffers.map((own) => {
        const form = own === daysOfYear ? ofYear : dates
        return form ?? own?.hint() ?? 'iso'
      }),
      days: { takesShortYears: wanted.dates !== undefined, dropsTimes: wanted.dropTimes },
      form: [
        mark === undefined ? columnsByMark(labels, found) : `decimal ${mark}`,
        dates === undefined ? '' : `dates ${dateFormNames[dates]}`,
        other === undefined ? '' : `days of the year ${namesOfDaysOfYear[other]}`,
      ].filter((part) => part !== ''),
    }
  }
  return { look, notations }
}

/** Days of eighty years. */
const mostSeen = 30_000

/** The forms that all days of a file have, as far as it was read. */
function dateSniffer() {
  /** The first day of each set of forms: there are few sets. */
  const examples = new Map<string, Example & { readonly forms: readonly DateForm[] }>()
  const seen = new Set<string>()
  // The form of a cell that is bad either way. It decides only which form the message names.
  let hint: DateForm | undefined
  const commonForms = () =>
    dateForms.filter((form) => [...examples.values()].every(({ forms }) => forms.includes(form)))
  return {
    look: (text: string, line: number): void => {
      // Days repeat: there are few of them, fund after fund.
      if (seen.has(text)) return
      if (seen.size < mostSeen) seen.add(text)
      const forms = dateFormsOf(text)
      if (forms.length === 0) hint ??= dateFormHint(text)
      else if (!examples.has(forms.join())) examples.set(forms.join(), { text, line, forms })
    },
    hint: () => hint,
    /** @returns undefined if there is no day @throws {Error} that says which lines contradict each other, or leave it open */
    form: (): DateForm | undefined => {
      const found = [...examples.values()]
      const [first] = found
      if (first === undefined) return undefined
      const [form, other] = commonForms()
      // Days of a year without a year (06-05) are as the schema has them, unless other days say something else.
      if (form === 'iso' || (form !== undefined && other === undefined)) return form
      if (form !== undefined && other !== undefined)
        throw new Error(
          `the dates can be read as ${dateFormNames[form]} and as ${dateFormNames[other]}, as ${show(first)}, ` +
            `and no other one decides it: choose one with --dates ${form} or --dates ${other}`,
        )
      throw twoForms(found)
    },
    /**
     * The form of days of a year beside other days: theirs if they fit it, else one that leaves no doubt which number is the month.
     * @returns undefined if there is none
     */
    monthAndDay: (others: DateForm | undefined): DateForm | undefined => {
      const common = examples.size === 0 ? [] : commonForms()
      const isInDoubt = common.includes('dmy') && common.length > 1
      if (others === undefined || common.includes(others)) return others
      return isInDoubt ? undefined : common[0]
    },
  }
}

function twoForms(found: readonly (Example & { readonly forms: readonly DateForm[] })[]): Error {
  const pairs = found.flatMap((one, index) => found.slice(index + 1).map((other) => ({ one, other })))
  const pair = pairs.find(({ one, other }) => !one.forms.some((form) => other.forms.includes(form)))
  const shown = pair === undefined ? found : [pair.one, pair.other]
  return new Error(
    `the dates are of two forms, ${shown.map(show).join(' and ')}: choose one with --dates; ` +
      'lines with the other one are then bad lines',
  )
}

function lookAtNumber({ sure, either }: NumberColumn, text: string, line: number): void {
  // Most cells tell nothing new.
  if (sure.comma !== undefined && !text.includes('.')) return
  if (sure.point !== undefined && !text.includes(',')) return
  const [mark, other] = decimalMarks(text)
  if (mark === undefined) return
  if (other === undefined) sure[mark] ??= { text, line }
  else either[text.includes(',') ? 'comma' : 'point'] ??= { text, line }
}

/** A currency behind a number would make it none, but the cell before it is one. */
const currency = /(?:[A-Z]{3}|\p{Sc})$/u

function lookForSplit(column: NumberColumn, text: string, behind: FileCell | undefined, line: number): void {
  if (column.split !== undefined || behind === undefined) return
  const fraction = String(behind).trim()
  const whole = `${text.trim()},${fraction.replace(currency, '').trim()}`
  const isNumber = !text.includes(',') && decimalMarks(whole).includes('comma')
  if (isNumber) column.split = { text, line, behind: fraction }
}

/** @throws {Error} if no number of the column has a decimal point, and one may have been split at its comma */
function refuseSplit(column: NumberColumn | undefined): void {
  if (column?.split === undefined || column.sure.point !== undefined) return
  const { text, line, behind } = column.split
  throw new Error(
    `column ${column.label}: ${quoted(text)} (line ${line}) may be ${quoted(`${text},${behind}`)}, as commas separate the cells and ` +
      `the next one is ${quoted(behind)}: put numbers in quotation marks, or separate the cells with semicolons; if the column ` +
      'has whole numbers, --decimal point says so',
  )
}

/** By column, since some files have columns of both kinds. Undefined for a column without any mark. */
function sniffMarks(columns: readonly (NumberColumn | undefined)[]): (DecimalMark | undefined)[] {
  const sure = columns.map((column) => {
    const twoMarks = ({ comma, point }: Required<NumberColumn['sure']>) =>
      `column ${column?.label}: ${show(comma)} has a decimal comma, ${show(point)} a decimal point: choose one with --decimal`
    return column && theOnly(column.sure, twoMarks)
  })
  const common = agreed(sure)
  return columns.map((column, index) => {
    const mark = sure[index]
    if (column === undefined || mark !== undefined) return mark
    const { comma, point } = column.either
    const example = comma ?? point
    if (example === undefined) return undefined
    // The other columns decide if they agree and if that makes it a fraction. We never read it as
    // thousands instead, which would be a thousand times as much: the user has to say so.
    const asDecimal = comma === undefined ? 'point' : 'comma'
    if (common === asDecimal && (comma === undefined || point === undefined)) return asDecimal
    throw new Error(
      `column ${column.label}: ${show(example)} can be read with a decimal comma and with a decimal point, ` +
        'and no other cell of the column decides it: choose one with --decimal',
    )
  })
}

/** The only key with an example. @throws {Error} if two have one */
function theOnly<Key extends string>(
  examples: Examples<Key>,
  contradiction: (both: Required<Examples<Key>>) => string,
): Key | undefined {
  const [key, other] = Object.keys(examples) as Key[]
  if (other === undefined) return key
  const what = contradiction(examples as Required<Examples<Key>>)
  throw new Error(`${what}; lines with the other one are then bad lines`)
}

/** The mark of all columns that have one, if it is the same. */
function agreed(marks: readonly (DecimalMark | undefined)[]): DecimalMark | undefined {
  const found = new Set(marks.filter((mark) => mark !== undefined))
  return found.size === 1 ? [...found][0] : undefined
}

const show = ({ text, line }: Example): string => `${quoted(text)} (line ${line})`

function columnsByMark(labels: readonly string[], marks: readonly (DecimalMark | undefined)[]): string {
  const columns = (mark: DecimalMark) => labels.filter((_, index) => marks[index] === mark).join(', ')
  const comma = columns('comma')
  return comma === '' ? '' : `decimal comma (${comma}) and point (${columns('point')})`
}
