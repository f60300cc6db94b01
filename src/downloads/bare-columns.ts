/**
 * Columns of a row group, read out of lines of CSV: there are millions of values, so that they go from byte to byte and
 * never become objects.
 */

import { ByteWriter } from 'hyparquet-writer'
import { isBare, type Column } from './column.ts'
import type { Encoded } from './column-chunk.ts'
import { powers, safeDigits, unscaled, type DecimalWidth } from './decimal-width.ts'

export interface BareColumn {
  /**
   * Takes the field that begins there; an empty one is NULL.
   * @returns where it ends
   * @throws {RangeError} if a decimal does not fit its column
   */
  readonly take: (lines: Buffer, start: number) => number
  /** Gives what was taken since the last time. Its bytes are good until the next field is taken. */
  readonly encode: () => Encoded
}

/** @param column a bare one (`isBare`) @param width of a decimal */
export function bareColumn(column: Column, width: DecimalWidth): BareColumn {
  if (!isBare(column)) throw new Error(`column ${column.name} has values that are quoted in CSV`)
  switch (column.type) {
    case 'date':
      return days(column)
    case 'decimal':
      if (width === 'text' || width.precision > longDigits)
        throw new Error(`column ${column.name} is too wide to be read out of lines`)
      return longs(column, width)
    case 'integer':
      return longs(column, { precision: longDigits, scale: 0 })
    default:
      return repeated(column)
  }
}

/** Any number of so many digits is an INT64. */
const longDigits = 18

/** INT64: whole numbers of 10^-scale. */
function longs(column: Column, width: { readonly precision: number; readonly scale: number }): BareColumn {
  const values = growing()
  const presence = presenceOf(column)
  return {
    take: (lines, start) => {
      const isNegative = lines[start] === minus
      let at = isNegative ? start + 1 : start
      let value = 0
      let pointAt = -1
      for (; ; at++) {
        const byte = lines[at] ?? comma
        if (byte >= zero) value = value * 10 + byte - zero
        else if (byte === point) pointAt = at
        else break
      }
      if (at === start) {
        presence.missing()
        return at
      }
      presence.there()
      const view = room(values, 8)
      const places = pointAt < 0 ? 0 : at - pointAt - 1
      if (places <= width.scale && at - start + width.scale - places <= safeDigits) {
        const whole = (isNegative ? -value : value) * (powers[width.scale - places] ?? 0)
        view.setUint32(values.length, whole, true)
        view.setInt32(values.length + 4, Math.floor(whole / 2 ** 32), true)
      } else view.setBigInt64(values.length, unscaled(lines.toString('latin1', start, at), width), true)
      values.length += 8
      return at
    },
    encode: () => ({ ...presence.taken(), page: taken(values), dictionary: null, bounds: null }),
  }
}

/** INT32: days since 1970-01-01, of ISO 8601. */
function days(column: Column): BareColumn {
  const values = growing()
  const presence = presenceOf(column)
  let [first, last] = [Infinity, -Infinity]
  return {
    take: (lines, start) => {
      if (isEnd(lines[start])) {
        presence.missing()
        return start
      }
      presence.there()
      const day = dayNumberAt(lines, start)
      if (day < first) first = day
      if (day > last) last = day
      room(values, 4).setInt32(values.length, day, true)
      values.length += 4
      return start + isoDay.length
    },
    encode: () => {
      const bounds = first > last ? null : { first, last }
      first = Infinity
      last = -Infinity
      return { ...presence.taken(), page: taken(values), dictionary: null, bounds }
    },
  }
}

const isoDay = 'yyyy-mm-dd'

function dayNumberAt(lines: Buffer, start: number): number {
  const digit = (at: number) => (lines[start + at] ?? zero) - zero
  const year = digit(0) * 1000 + digit(1) * 100 + digit(2) * 10 + digit(3)
  return Date.UTC(year, digit(5) * 10 + digit(6) - 1, digit(8) * 10 + digit(9)) / 86_400_000
}

/** BYTE_ARRAY: texts that mostly are that of the line before. */
function repeated(column: Column): BareColumn {
  const presence = presenceOf(column)
  let texts: string[] = []
  let counts: number[] = []
  let last = ''
  return {
    take: (lines, start) => {
      let at = start
      while (at - start < last.length && lines[at] === last.charCodeAt(at - start)) at++
      const isSame = at > start && at - start === last.length && isEnd(lines[at])
      while (!isEnd(lines[at])) at++
      if (at === start) {
        presence.missing()
        return at
      }
      presence.there()
      if (isSame) counts[counts.length - 1] = (counts.at(-1) ?? 0) + 1
      else {
        last = lines.toString('latin1', start, at)
        texts.push(last)
        counts.push(1)
      }
      return at
    },
    encode: () => {
      const [first, ...others] = texts
      const bounds = first === undefined ? null : boundsOf(first, others)
      const dictionary = { count: texts.length, bytes: plainTexts(texts) }
      const page = numbered(counts)
      texts = []
      counts = []
      last = ''
      return { ...presence.taken(), page, dictionary, bounds }
    },
  }
}

/** Source: Apache Parquet, encodings: PLAIN of BYTE_ARRAY. */
function plainTexts(texts: readonly string[]): Uint8Array {
  const bytes = new ByteWriter()
  for (const text of texts) {
    bytes.appendUint32(text.length)
    bytes.appendBytes(Buffer.from(text, 'latin1'))
  }
  return bytes.getBytes()
}

/** The numbers 0, 1, 2 …, each so many times. Source: Apache Parquet, encodings: RLE_DICTIONARY. */
function numbered(counts: readonly number[]): Uint8Array {
  const bits = Math.max(1, Math.ceil(Math.log2(counts.length)))
  const bytes = new ByteWriter()
  bytes.appendUint8(bits)
  for (const [number, count] of counts.entries()) {
    bytes.appendVarInt(count << 1)
    for (let shift = 0; shift < bits; shift += 8) bytes.appendUint8((number >> shift) & 0xff)
  }
  return bytes.getBytes()
}

const boundsOf = (some: string, others: readonly string[]) =>
  others.reduce(
    ({ first, last }, text) => ({ first: text < first ? text : first, last: text > last ? text : last }),
    { first: some, last: some },
  )

/** Which rows have a value. */
function presenceOf({ name, isNullable }: Column) {
  let levels = new Uint8Array(1 << 12)
  let rows = 0
  let nulls = 0
  const mark = (level: 0 | 1) => {
    if (isNullable) {
      if (rows === levels.length) levels = doubled(levels)
      levels[rows] = level
    }
    rows++
  }
  return {
    there: () => {
      mark(1)
    },
    missing: () => {
      if (!isNullable) throw new Error(`column ${name} has no NULL`)
      mark(0)
      nulls++
    },
    taken: () => {
      const all = { rows, nulls, levels: isNullable ? levels.subarray(0, rows) : null }
      rows = 0
      nulls = 0
      return all
    },
  }
}

interface Growing {
  bytes: Uint8Array<ArrayBuffer>
  view: DataView
  length: number
}

function growing(): Growing {
  const bytes = new Uint8Array(1 << 15)
  return { bytes, view: new DataView(bytes.buffer), length: 0 }
}

/** @returns where so many bytes have room */
function room(values: Growing, count: number): DataView {
  if (values.length + count > values.bytes.length) {
    values.bytes = doubled(values.bytes)
    values.view = new DataView(values.bytes.buffer)
  }
  return values.view
}

function doubled(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const more = new Uint8Array(bytes.length * 2)
  more.set(bytes)
  return more
}

function taken(values: Growing): Uint8Array {
  const { bytes, length } = values
  values.length = 0
  return bytes.subarray(0, length)
}

const isEnd = (byte: number | undefined) => byte === comma || byte === carriageReturn || byte === undefined

const carriageReturn = 0x0d
const comma = 0x2c
const minus = 0x2d
const point = 0x2e
const zero = 0x30
