/**
 * Rows as Parquet: days as DATE, decimal texts as DECIMAL(38, 15), so that nothing is rounded. What type a column has is
 * declared in tables.ts, and no row changes it. Row groups are bounded, and hold
 * many funds: an analyst reads one column, or one fund by the bounds of its group.
 */

import { join } from 'node:path'
import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { bareColumn, decimalBytes, type BareColumn } from './bare-columns.ts'
import type { Cell, Column, Row } from './column.ts'
import { writeChunk } from './column-chunk.ts'
import { fileThere, type WrittenFile } from './file-sink.ts'
import { codec, compress } from './parquet-codec.ts'
import { precision, scale, unscaled } from './unscaled.ts'

/** What a row group holds, at most that and a fund's rows: few enough for a small heap. */
const rowsPerGroup = 32_768

/** A Parquet file that grows. */
export interface ParquetFile<Rows> {
  readonly add: (rows: Rows) => void
  readonly close: () => WrittenFile
}

export function parquetFile(
  folder: string,
  path: string,
  columns: readonly Column[],
): ParquetFile<readonly Row[]> {
  const forms = columns.map((column) => ({ column, form: formOf(column) }))
  const writer = openWriter(folder, path, columns)
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
  return {
    add: (some) => {
      for (const [index, { form }] of forms.entries()) {
        const values = waiting[index]
        for (const row of some) {
          const cell = row[index] ?? null
          values?.push(cell === null ? null : form.value(cell))
        }
      }
      rows += some.length
      if (rows >= rowsPerGroup) flush()
    },
    close: () => {
      flush()
      void writer.finish()
      return fileThere(folder, path)
    },
  }
}

/**
 * The same of whole lines of CSV, in pieces, of bare columns (`isBare`), each with CRLF at its end; an empty field is NULL.
 */
export function parquetOfLines(
  folder: string,
  path: string,
  columns: readonly Column[],
): ParquetFile<readonly Buffer[]> {
  const writer = openWriter(folder, path, columns)
  const [, ...elements] = writer.schema
  const readers = columns.map((column) => bareColumn(column))
  let rows = 0
  const flush = () => {
    if (rows === 0) return
    const start = writer.writer.offset
    const chunks = elements.flatMap((element, index) => {
      const encoded = readers[index]?.encode()
      return encoded === undefined ? [] : writeChunk(writer.writer, element, encoded)
    })
    writer.row_groups.push({
      columns: chunks,
      num_rows: BigInt(rows),
      total_byte_size: chunks.reduce(
        (sum, { meta_data }) => sum + (meta_data?.total_uncompressed_size ?? 0n),
        0n,
      ),
      total_compressed_size: BigInt(writer.writer.offset - start),
    })
    writer.num_rows += BigInt(rows)
    rows = 0
  }
  return {
    add: (some) => {
      for (const lines of some) rows += takeLines(lines, readers)
      if (rows >= rowsPerGroup) flush()
    },
    close: () => {
      flush()
      void writer.finish()
      return fileThere(folder, path)
    },
  }
}

/** @returns how many lines there are */
function takeLines(lines: Buffer, readers: readonly BareColumn[]): number {
  let count = 0
  for (let at = 0; at < lines.length; count++) {
    // Behind each field is a comma, or the first byte of CRLF.
    for (const { take } of readers) at = take(lines, at) + 1
    at++
  }
  return count
}

const openWriter = (folder: string, path: string, columns: readonly Column[]) =>
  new ParquetWriter({
    writer: fileWriter(join(folder, path)),
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map((column): SchemaElement => ({
        name: column.name,
        repetition_type: column.isNullable ? 'OPTIONAL' : 'REQUIRED',
        ...formOf(column).element,
      })),
    ],
    codec,
    compressors: { [codec]: compress },
    createdBy: 'fundpress',
  })

interface Form {
  readonly element: Omit<SchemaElement, 'name'>
  readonly value: (cell: NonNullable<Cell>) => unknown
  /** Whether groups say their smallest and largest value: where somebody filters by it. */
  readonly hasBounds: boolean
  /** Digits of prices seldom repeat: looking for a dictionary takes longer than it saves. */
  readonly encoding: { readonly encoding?: 'PLAIN' }
}

function formOf(column: Column): Form {
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
      return decimalForm
    default:
      return column.type satisfies never
  }
}

const decimalForm: Form = {
  element: {
    type: 'FIXED_LEN_BYTE_ARRAY',
    type_length: decimalBytes,
    converted_type: 'DECIMAL',
    precision,
    scale,
  },
  value: (cell) => unscaled(String(cell)),
  hasBounds: false,
  encoding: { encoding: 'PLAIN' },
}

const form = (element: Form['element'], value: Form['value'], hasBounds: boolean): Form => {
  return { element, value, hasBounds, encoding: {} }
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
