/**
 * Parquet: days as DATE, decimal texts as DECIMAL(38, 15), so that nothing is rounded. The type of a column is declared in
 * tables.ts, and no row changes it. OutputRow groups are bounded, and hold many funds: an analyst reads one column, or finds a
 * fund by the bounds of the groups.
 */

import { join } from 'node:path'
import { constants, gzipSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet'
import { fileWriter, ParquetWriter } from 'hyparquet-writer'
import { maxDecimals, maxWholeDigits } from '../../data/model/limits.ts'
import { fileThere } from '../file-sink.ts'
import { type OutputCell, type OutputColumn, type OutputRow, tables } from '../tables.ts'
import { eachTable, type RowsFormat, type TableFile } from './format.ts'

export const parquet: RowsFormat = {
  ...{ id: 'parquet', kind: 'rows', name: 'parquet', mediatype: 'application/vnd.apache.parquet' },
  section: 'plain',
  isSlow: true,
  ...eachTable(tables, ({ name, columns }, { folder }) => parquetFile(folder, `${name}.parquet`, columns)),
}

/** Number of rows in a row group: at most this and the rows of one fund. The threads have a small heap. */
const rowsPerGroup = 16_384

/** A Parquet file that grows. */
export function parquetFile(folder: string, path: string, columns: readonly OutputColumn[]): TableFile {
  const forms = columns.map(formOf)
  const writer = new ParquetWriter({
    writer: fileWriter(join(folder, path)),
    schema: schemaOf(columns, ({ physical }) => physical),
    codec: 'GZIP',
    compressors: { GZIP: compress },
    createdBy: 'fundpress',
  })
  let group: OutputRow[] = []
  let rows = 0
  const flush = () => {
    if (group.length === 0) return
    // The writer asks for one column after the other: only the values of one are in memory.
    const columnData = columns.map((column, index) => ({
      name: column.name,
      get data() {
        return valuesOf(column, index, group)
      },
      ...forms[index]?.options,
    }))
    void writer.write({ columnData, rowGroupSize: group.length })
    group = []
  }
  return {
    add: (some) => {
      for (const row of some) group.push(row)
      rows += some.length
      if (group.length >= rowsPerGroup) flush()
    },
    close: () => {
      flush()
      // The writer got values in their physical form. Readers learn from the footer what these mean.
      writer.schema = schemaOf(columns, ({ physical, meaning }) => ({ ...physical, ...meaning }))
      void writer.finish()
      return { ...fileThere(folder, path), rows }
    },
  }
}

/** Every reader has gzip. Snappy, which is as common, would be JavaScript: slower, and a third larger. */
function compress(bytes: Uint8Array): Uint8Array {
  const packed = gzipSync(bytes, { level: constants.Z_BEST_SPEED })
  packed[systemAt] = anySystem
  return packed
}

/** The byte of the header that names the system on which the file was packed. Source: RFC 1952. */
const systemAt = 9
const anySystem = 255

/** How values of a type are stored. */
interface Form {
  readonly physical: Omit<SchemaElement, 'name'>
  readonly meaning: Pick<SchemaElement, 'converted_type' | 'precision' | 'scale'>
  readonly value: (cell: NonNullable<OutputCell>, at: number) => unknown
  /**
   * `statistics`: whether groups tell their smallest and largest value, for columns that somebody filters by. Digits of
   * prices seldom repeat: to look for a dictionary takes longer than it saves.
   */
  readonly options: { readonly statistics: boolean; readonly encoding?: 'PLAIN' }
}

const schemaOf = (
  columns: readonly OutputColumn[],
  elementOf: (form: Form) => Omit<SchemaElement, 'name'>,
) => [
  { name: 'root', num_children: columns.length },
  ...columns.map((column): SchemaElement => ({
    name: column.name,
    repetition_type: column.isNullable ? 'OPTIONAL' : 'REQUIRED',
    ...elementOf(formOf(column)),
  })),
]

function formOf({ name, type }: OutputColumn): Form {
  switch (type) {
    case 'text': {
      const physical = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const
      return { physical, meaning: {}, value: String, options: { statistics: name === 'isin' } }
    }
    case 'date': {
      const physical = { type: 'INT32', converted_type: 'DATE' } as const
      return { physical, meaning: {}, value: dayNumber, options: { statistics: true } }
    }
    case 'number':
      return { physical: { type: 'DOUBLE' }, meaning: {}, value: Number, options: { statistics: false } }
    case 'integer':
      return {
        physical: { type: 'INT64' },
        meaning: {},
        value: (cell) => BigInt(cell),
        options: { statistics: true },
      }
    case 'boolean': {
      const value = (cell: NonNullable<OutputCell>) => cell === 1
      return { physical: { type: 'BOOLEAN' }, meaning: {}, value, options: { statistics: false } }
    }
    case 'decimal':
      return decimalForm
    default:
      return type satisfies never
  }
}

/** Every decimal column has the same type in any snapshot, wide enough for whatever the checks let through. */
const scale = maxDecimals
const precision = maxWholeDigits + maxDecimals
/** Room for 38 digits, the widest decimal that readers commonly know. */
const decimalBytes = 16

/** The library would take a BigInt apart byte by byte, in thrice the time: it gets the bytes. */
const decimalForm: Form = {
  physical: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: decimalBytes },
  meaning: { converted_type: 'DECIMAL', precision, scale },
  value: (cell, at) => decimalBytesOf(String(cell), at),
  options: { statistics: false, encoding: 'PLAIN' },
}

function valuesOf(column: OutputColumn, index: number, rows: readonly OutputRow[]): unknown[] {
  const { value } = formOf(column)
  return rows.map((row, at) => {
    const cell = row[index] ?? null
    if (cell !== null) return value(cell, at)
    if (column.isNullable) return null
    throw new Error(`column ${column.name} has no NULL`)
  })
}

/**
 * A plain decimal within the limits as a whole number of 10^-scale, the highest byte first.
 * @param at a place to put it: the writer has copied a column when it asks for the next one
 */
export function decimalBytesOf(text: string, at: number): Uint8Array {
  const point = text.indexOf('.')
  const whole = point < 0 ? text : text.slice(0, point)
  const fraction = point < 0 ? '' : text.slice(point + 1)
  const value = BigInt(whole + fraction + zeros.slice(fraction.length))
  const place = (places[at] ??= new DataView(new ArrayBuffer(decimalBytes)))
  place.setBigInt64(0, value >> 64n)
  place.setBigUint64(8, value)
  return (bytes[at] ??= new Uint8Array(place.buffer))
}

const zeros = '0'.repeat(scale)
const places: DataView[] = []
const bytes: Uint8Array[] = []

/** Days since 1970-01-01. Funds share their days. */
function dayNumber(cell: NonNullable<OutputCell>): number {
  const day = String(cell)
  const known = days.get(day)
  if (known !== undefined) return known
  const number = Date.parse(`${day}T00:00:00Z`) / 86_400_000
  days.set(day, number)
  return number
}

const days = new Map<string, number>()
