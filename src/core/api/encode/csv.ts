/**
 * Answers as CSV (RFC 4180): a header, then a line for each record. A cell is a day, a decimal with a point, or a text
 * of a known form: none needs quotation marks or holds a line ending, so lines can be cut out and joined (series.ts).
 * Source: src/core/api/decisions.md, Requests.
 */

import type { CsvLines } from '../contract/endpoint.ts'
import type { Optional, RecordOf, Shape } from '../contract/shape.ts'
import type { Encode } from './json.ts'
import type { ByIsinText, SeriesEncoder } from './series.ts'

const lineEnding = '\r\n'

interface CsvEncoder {
  readonly columns: readonly string[]
  readonly document: Encode
  /** A fund's lines in a document over all funds, which have its ISIN first. */
  readonly member: (isin: string, body: unknown) => string
  readonly byIsin: ByIsinText
  /** A record's text is its line with the line ending before it: the last one ends the document. */
  readonly series: SeriesEncoder
}

/** @throws {Error} if a field is missing, or may hold any text, a list or a record of several values */
export function csvEncoder(body: RecordOf, { records, then }: CsvLines): CsvEncoder {
  const field = body.fields[records]
  const shape = field?.kind === 'list' ? field.of : field
  if (shape?.kind !== 'record') throw new Error(`CSV: ${records} is neither a record nor a list of records`)
  const cells = Object.entries(shape.fields).map(([name, of]) => cellOf(name, of))
  const last = then.map((name) => cellOf(name, body.fields[name]))
  const columns = [...Object.keys(shape.fields), ...then]
  const header = columns.join(',') + lineEnding
  const record: Encode = (value) => {
    let line = ''
    for (const [index, cell] of cells.entries()) line += index === 0 ? cell(value) : `,${cell(value)}`
    return line
  }
  const endOf: Encode = (value) => last.map((cell) => `,${cell(value)}`).join('')
  const linesOf = (value: unknown): readonly string[] => {
    const found = (value as Readonly<Record<string, unknown>>)[records]
    const end = endOf(value)
    return (Array.isArray(found) ? found : [found]).map((one) => record(one) + end + lineEnding)
  }
  return {
    columns,
    document: (value) => header + linesOf(value).join(''),
    member: (isin, value) =>
      linesOf(value)
        .map((line) => `${isin},${line}`)
        .join(''),
    byIsin: { empty: `isin,${header}`, head: `isin,${header}`, separator: '', tail: '' },
    series: (value) => {
      const end = endOf(value)
      const head = columns.join(',')
      return { head, separator: '', record: (one) => lineEnding + record(one) + end, tail: lineEnding }
    },
  }
}

/** @returns encodes the cell of a record; a missing optional value is an empty cell */
function cellOf(name: string, field: Shape | Optional | undefined): Encode {
  const shape = field?.kind === 'optional' ? field.of : field
  const text = shape === undefined ? null : plainText(shape)
  if (text === null) throw new Error(`CSV: the field ${name} is no single value of a known form`)
  return (record) => {
    const value = (record as Readonly<Record<string, unknown>>)[name]
    return value === undefined ? '' : text(value)
  }
}

/** Null for a shape that is no single value, or may hold any text. */
function plainText(shape: Shape): Encode | null {
  switch (shape.kind) {
    case 'day':
      return (value) => value as string
    case 'text':
      return shape.form === undefined ? null : (value) => value as string
    case 'decimal':
      return shape.mark === '.' ? (value) => value as string : (value) => (value as string).replace(',', '.')
    case 'item':
      return plainText(shape.value)
    case 'nullable': {
      const text = plainText(shape.of)
      return text && ((value) => (value === null ? '' : text(value)))
    }
    case 'record': {
      // A name and its value: the column has the name.
      const { value } = shape.fields
      const text = value === undefined || value.kind === 'optional' ? null : plainText(value)
      return text === null ? null : (record) => text((record as { readonly value: unknown }).value)
    }
    default:
      return null
  }
}
