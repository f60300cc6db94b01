/**
 * Columns of a row group, read out of lines of CSV: there are millions of values, so that they go from byte to byte and
 * never become objects.
 */

import { ByteWriter } from 'hyparquet-writer'
import { isBare, type Column } from './column.ts'
import type { Encoded } from './column-chunk.ts'
import { scale, unscaled } from './unscaled.ts'

export interface BareColumn {
  /**
   * Takes the field that begins there; an empty one is NULL.
   * @returns where it ends
   */
  readonly take: (lines: Buffer, start: number) => number
  /** Gives what was taken since the last time. Its bytes are good until the next field is taken. */
  readonly encode: () => Encoded
}

/** @param column a bare one (`isBare`) */
export function bareColumn(column: Column): BareColumn {
  if (!isBare(column)) throw new Error(`column ${column.name} has values that are quoted in CSV`)
  switch (column.type) {
    case 'date':
      return days(column)
    case 'decimal':
      return decimals(column)
    default:
      return repeated(column)
  }
}

/** FIXED_LEN_BYTE_ARRAY: whole numbers of 10^-scale, in 16 bytes, the highest first. */
function decimals(column: Column): BareColumn {
  const values = growing()
  const presence = presenceOf(column)
  return {
    take: (lines, start) => {
      const isNegative = lines[start] === minus
      let at = isNegative ? start + 1 : start
      const first = at
      let whole = 0
      let fraction = 0
      let pointAt = -1
      for (; ; at++) {
        const byte = lines[at] ?? comma
        if (byte === point) pointAt = at
        else if (byte < zero) break
        else if (pointAt < 0) whole = whole * 10 + byte - zero
        else fraction = fraction * 10 + byte - zero
      }
      if (at === start) {
        presence.missing()
        return at
      }
      presence.there()
      const places = pointAt < 0 ? 0 : at - pointAt - 1
      const view = room(values, decimalBytes)
      if ((pointAt < 0 ? at : pointAt) - first <= safeDigits)
        setDecimal(view, values.length, isNegative, whole, fraction * (powers[scale - places] ?? 0))
      else setInteger(view, values.length, unscaled(lines.toString('latin1', start, at)))
      values.length += decimalBytes
      return at
    },
    encode: () => ({ ...presence.taken(), page: taken(values), dictionary: null, bounds: null }),
  }
}

export const decimalBytes = 16

/** Digits that a double holds for certain. */
const safeDigits = 15

/** Powers of ten. */
const powers: readonly number[] = Array.from({ length: scale + 1 }, (_, index) => 10 ** index)

const half = 2 ** 25
const [highUnit, lowUnit] = [Math.floor(10 ** scale / half), 10 ** scale % half]

/**
 * Writes whole * 10^scale + fraction, both of 15 digits at most: in pieces of 25 bits, whose products a double holds. BigInt
 * would take ten times as long.
 */
function setDecimal(view: DataView, at: number, isNegative: boolean, whole: number, fraction: number): void {
  const [high, low] = [Math.floor(whole / half), whole % half]
  const first = low * lowUnit + fraction
  const second = high * lowUnit + low * highUnit + Math.floor(first / half)
  // Of 2^50.
  const above = high * highUnit + Math.floor(second / half)
  const below = (first % half) + (second % half) * half
  const upper = Math.floor(above / 2 ** 14)
  view.setUint32(at, Math.floor(upper / 2 ** 32))
  view.setUint32(at + 4, upper % 2 ** 32)
  view.setUint32(at + 8, Math.floor(below / 2 ** 32) + (above % 2 ** 14) * 2 ** 18)
  view.setUint32(at + 12, below % 2 ** 32)
  if (isNegative) negate(view, at)
}

/** The two's complement: every bit the other one, and one more. */
function negate(view: DataView, at: number): void {
  let carry = 1
  for (let word = at + decimalBytes - 4; word >= at; word -= 4) {
    const value = 2 ** 32 - 1 - view.getUint32(word) + carry
    view.setUint32(word, value)
    carry = value === 2 ** 32 ? 1 : 0
  }
}

function setInteger(view: DataView, at: number, value: bigint): void {
  view.setBigInt64(at, value >> 64n)
  view.setBigUint64(at + 8, BigInt.asUintN(64, value))
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
