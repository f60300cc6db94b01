/**
 * Rows as Parquet: days as DATE, decimal texts as DECIMAL, so that nothing is rounded. A decimal is DECIMAL(18, 6) on any
 * night; only a column with a value that does not fit is wider (see decimal-width.ts). Row groups are bounded, and hold
 * many funds: an analyst reads one column, or one fund by the bounds of its group.
 */

import { join } from 'node:path'
import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import type { Cell, Column, Row } from './column.ts'
import { unscaled, type DecimalWidth } from './decimal-width.ts'
import { fileThere, type WrittenFile } from './file-sink.ts'

/** What a row group holds, at most that and a fund's rows: few enough for a small heap. */
const rowsPerGroup = 32_768

export interface ParquetTable {
  /** @throws {RangeError} if a decimal does not fit its column */
  readonly add: (rows: readonly Row[]) => void
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
  let waiting: Row[] = []
  const flush = () => {
    if (waiting.length === 0) return
    // A column at a time: what it is converted to is garbage before the next one.
    void writer.write({
      columnData: forms.map(({ column: { name }, form }, index) => ({
        name,
        data: waiting.map((row) => {
          const cell = row[index] ?? null
          return cell === null ? null : form.value(cell)
        }),
        statistics: form.hasBounds,
        ...form.encoding,
      })),
      rowGroupSize: waiting.length,
    })
    waiting = []
  }
  return {
    add: (rows) => {
      for (const row of rows) waiting.push(row)
      if (waiting.length >= rowsPerGroup) flush()
    },
    close: () => {
      flush()
      void writer.finish()
      return fileThere(folder, path)
    },
  }
}

interface Form {
  readonly element: Omit<SchemaElement, 'name'>
  readonly value: (cell: NonNullable<Cell>) => unknown
  /** Whether groups say their smallest and largest value: where somebody filters by it. */
  readonly hasBounds: boolean
  /** Digits of prices seldom repeat: looking for a dictionary takes longer than it saves. */
  readonly encoding: { readonly encoding?: 'PLAIN' }
}

function formOf(column: Column, widthOf: (column: Column) => DecimalWidth): Form {
  switch (column.type) {
    case 'text':
      return form({ type: 'BYTE_ARRAY', converted_type: 'UTF8' }, String, column.name === 'isin')
    case 'date':
      return form({ type: 'INT32', converted_type: 'DATE' }, (cell) => dayNumber(String(cell)), true)
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
  return { element, value, hasBounds: false, encoding: { encoding: 'PLAIN' } }
}

const form = (element: Form['element'], value: Form['value'], hasBounds: boolean): Form => ({
  element,
  value,
  hasBounds,
  encoding: {},
})

/** Days since 1970-01-01. Funds share their days. */
function dayNumber(day: string): number {
  const known = days.get(day)
  if (known !== undefined) return known
  const number = Date.parse(`${day}T00:00:00Z`) / 86_400_000
  days.set(day, number)
  return number
}

const days = new Map<string, number>()
