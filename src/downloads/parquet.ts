/**
 * Rows as Parquet: days as DATE, decimal texts as DECIMAL, so that nothing is rounded. A decimal is DECIMAL(18, 6) on any
 * night; only a column with a value that does not fit is wider (see decimal-width.ts). Row groups are bounded, and hold
 * many funds: an analyst reads one column, or one fund by the bounds of its group.
 */

import { join } from 'node:path'
import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { Cell, Column, Row } from './column.ts'
import { unscaled, unscaledAt, type DecimalWidth } from './decimal-width.ts'
import { fileThere, type WrittenFile } from './file-sink.ts'

/** What a row group holds, at most that and a fund's rows: few enough for a small heap. */
const rowsPerGroup = 32_768

export interface ParquetTable {
  /** @throws {RangeError} if a decimal does not fit its column */
  readonly add: (rows: readonly Row[]) => void
  /**
   * Takes whole lines of CSV, in pieces, of bare columns (`isBare`), each with CRLF at its end; an empty field is NULL.
   * @throws {RangeError} if a decimal does not fit its column
   */
  readonly addLines: (lines: readonly Buffer[]) => void
  readonly close: () => WrittenFile
}

/** @param widthOf the form of a decimal column */
export function parquetTable(
  folder: string,
  path: string,
  columns: readonly Column[],
  widthOf: (column: Column) => DecimalWidth,
): ParquetTable {
  const forms = columns.map((column) => ({ column, form: formOf(column, widthOf) }))
  const writer = new ParquetWriter({
    writer: fileWriter(join(folder, path)),
    schema: [
      { name: 'root', num_children: columns.length },
      ...forms.map(({ column: { name, isNullable }, form }): SchemaElement => ({
        name,
        repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED',
        ...form.element,
      })),
    ],
    createdBy: 'fundpress',
  })
  const readers = forms.map(({ form }) => form.read)
  let waiting: unknown[][] = forms.map(() => [])
  let rows = 0
  const flush = () => {
    if (rows === 0) return
    void writer.write({
      columnData: forms.map(({ column: { name }, form }, index) => ({
        name,
        data: waiting[index] ?? [],
        statistics: form.hasBounds,
        ...form.encoding,
      })),
      rowGroupSize: rows,
    })
    waiting = forms.map(() => [])
    rows = 0
  }
  const addRows = (count: number) => {
    rows += count
    if (rows >= rowsPerGroup) flush()
  }
  return {
    add: (some) => {
      for (const [index, { form }] of forms.entries()) {
        const values = waiting[index]
        for (const row of some) {
          const cell = row[index] ?? null
          values?.push(cell === null ? null : form.value(cell))
        }
      }
      addRows(some.length)
    },
    addLines: (some) => {
      let count = 0
      for (const lines of some) count += takeFields(lines, readers, waiting)
      addRows(count)
    },
    close: () => {
      flush()
      void writer.finish()
      return fileThere(folder, path)
    },
  }
}

/** Reads lines of bare fields into their columns. @returns how many lines there are */
function takeFields(lines: Buffer, readers: readonly Form['read'][], columns: readonly unknown[][]): number {
  let count = 0
  let index = 0
  let start = 0
  for (let at = 0; at < lines.length; at++) {
    const byte = lines[at]
    if (byte !== comma && byte !== carriageReturn) continue
    columns[index]?.push(at === start ? null : readers[index]?.(lines, start, at))
    index++
    if (byte === carriageReturn) {
      // The line feed.
      at++
      count++
      index = 0
    }
    start = at + 1
  }
  return count
}

const comma = 0x2c
const carriageReturn = 0x0d

interface Form {
  readonly element: Omit<SchemaElement, 'name'>
  readonly value: (cell: NonNullable<Cell>) => unknown
  /** The same of a bare field, which stands between two places. */
  readonly read: (lines: Buffer, start: number, end: number) => unknown
  /** Whether groups say their smallest and largest value: where somebody filters by it. */
  readonly hasBounds: boolean
  /** Digits of prices seldom repeat: looking for a dictionary takes longer than it saves. */
  readonly encoding: { readonly encoding?: 'PLAIN' }
}

function formOf(column: Column, widthOf: (column: Column) => DecimalWidth): Form {
  switch (column.type) {
    case 'text':
      return form({ type: 'BYTE_ARRAY', converted_type: 'UTF8' }, String, column.name === 'isin', sameAgain())
    case 'date':
      return form(
        { type: 'INT32', converted_type: 'DATE' },
        (cell) => dayNumber(String(cell)),
        true,
        dayNumberAt,
      )
    case 'number':
      return form({ type: 'DOUBLE' }, Number, false)
    case 'integer':
      return form({ type: 'INT64' }, (cell) => BigInt(cell), true)
    case 'boolean':
      return form({ type: 'BOOLEAN' }, (cell) => cell === 1, false)
    case 'decimal':
      return decimalForm(widthOf(column))
    default:
      return column.type satisfies never
  }
}

function decimalForm(width: DecimalWidth): Form {
  if (width === 'text') return form({ type: 'BYTE_ARRAY', converted_type: 'UTF8' }, String, false)
  const { precision, scale } = width
  const physical =
    precision <= 18 ? { type: 'INT64' as const } : { type: 'FIXED_LEN_BYTE_ARRAY' as const, type_length: 16 }
  const element = { ...physical, converted_type: 'DECIMAL' as const, precision, scale }
  const value = (cell: NonNullable<Cell>) => unscaled(String(cell), width)
  const read: Form['read'] = (lines, start, end) => unscaledAt(lines, start, end, width)
  return { element, value, read, hasBounds: false, encoding: { encoding: 'PLAIN' } }
}

function form(
  element: Form['element'],
  value: Form['value'],
  hasBounds: boolean,
  read: Form['read'] = (lines, start, end) => value(lines.toString('latin1', start, end)),
): Form {
  return { element, value, read, hasBounds, encoding: {} }
}

/** Reads a text that is mostly that of the line before. */
function sameAgain(): Form['read'] {
  let last = ''
  return (lines, start, end) => {
    let same = last.length === end - start
    for (let at = start; same && at < end; at++) same = lines[at] === last.charCodeAt(at - start)
    if (!same) last = lines.toString('latin1', start, end)
    return last
  }
}

/** Days since 1970-01-01. Funds share their days. */
function dayNumber(day: string): number {
  const known = days.get(day)
  if (known !== undefined) return known
  const number = Date.parse(`${day}T00:00:00Z`) / 86_400_000
  days.set(day, number)
  return number
}

const days = new Map<string, number>()

/** The same of ISO 8601 that stands in a line. */
function dayNumberAt(lines: Buffer, start: number): number {
  const digits = (from: number, count: number) => {
    let number = 0
    for (let at = from; at < from + count; at++) number = number * 10 + (lines[at] ?? 0) - zero
    return number
  }
  return Date.UTC(digits(start, 4), digits(start + 5, 2) - 1, digits(start + 8, 2)) / 86_400_000
}

const zero = 0x30
