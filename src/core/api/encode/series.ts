/**
 * A series of records (historic prices) as text that can be cut between records and joined again, without parsing:
 * `head`, records with a separator between them, `tail`. A window is exactly the document of its records.
 *
 * How a cut finds a record by its bytes, in a document of the shape `{…, <list>: [{<date>: …, …}, …], <next>: …}`:
 * - JSON: each record starts with `{"<date>":"`. No value can hold that: inside a string every quotation mark has a
 *   backslash before it, and the mark that closes a string is followed by `,`, `:`, `}` or `]`, never by a name. The
 *   list starts after `,"<list>":[` and ends before `],"<next>":`, for the same reason.
 * - XML: each record starts with `<item key="`, the list stands between `<list>` and `</list>`. No value can hold
 *   a `<`: it is escaped.
 * - CSV (csv.ts): a record is a line, its date the first cell. No cell can hold a line ending.
 * The records' own fields hold neither a list nor a record with a date first (`seriesOf` refuses such a shape).
 */

import { record, type Optional, type RecordOf, type Shape } from '../contract/shape.ts'
import { jsonEncoder } from './json.ts'
import { xmlContent, xmlDeclaration, xmlItem } from './xml.ts'

/** The parts of a document with at least one record. */
export interface SeriesText {
  /** Text before the first record and after the last one. */
  readonly head: string
  readonly tail: string
  readonly separator: string
  /** @param index of the record in the document */
  readonly record: (record: unknown, index: number) => string
}

/** @param body a value of the whole body's shape; its list is not read */
export type SeriesEncoder = (body: unknown) => SeriesText

/** The record shape of a series body. @throws {Error} if the bytes do not show where a record begins */
export function seriesRecord(body: RecordOf, list: string, date: string): RecordOf {
  const shape = body.fields[list]
  if (shape?.kind !== 'list' || shape.of.kind !== 'record')
    throw new Error(`series: ${list} is not a list of records`)
  const names = Object.keys(shape.of.fields)
  if (names[0] !== date) throw new Error(`series: a record of ${list} must start with ${date}`)
  if (
    Object.values(shape.of.fields)
      .slice(1)
      .some((field) => isAmbiguous(field, date))
  )
    throw new Error(`series: a record of ${list} must hold plain values or records of plain values`)
  const after = Object.keys(body.fields)
  if (after.indexOf(list) <= 0 || after.at(-1) === list)
    throw new Error(`series: ${list} must stand between others`)
  return shape.of
}

export function jsonSeries(body: RecordOf, list: string, date: string): SeriesEncoder {
  const document = jsonEncoder(body)
  const mark = `,"${list}":[`
  const record = jsonEncoder(seriesRecord(body, list, date))
  return (value) => {
    const empty = document({ ...(value as object), [list]: [] })
    const cut = empty.indexOf(mark) + mark.length
    return { head: empty.slice(0, cut), separator: ',', record, tail: empty.slice(cut) }
  }
}

export function xmlSeries(body: RecordOf, list: string, date: string): SeriesEncoder {
  const fields = Object.entries(body.fields)
  const at = fields.findIndex(([name]) => name === list)
  const before = xmlContent(record(Object.fromEntries(fields.slice(0, at))))
  const after = xmlContent(record(Object.fromEntries(fields.slice(at + 1))))
  const content = xmlContent(seriesRecord(body, list, date))
  return (value) => ({
    head: `${xmlDeclaration}<root>${before(value)}<${list}>`,
    separator: '',
    record: (one, index) => xmlItem(String(index), content(one)),
    tail: `</${list}>${after(value)}</root>`,
  })
}

/** True if a field's own text could hold the start of a record. */
function isAmbiguous(field: Shape | Optional, date: string): boolean {
  const shape = field.kind === 'optional' ? field.of : field
  return !(isPlain(shape) || (shape.kind === 'record' && isRecordOfTexts(shape, date)))
}

const isPlain = (shape: Shape): boolean =>
  ['text', 'decimal', 'day', 'number', 'flag', 'item'].includes(shape.kind) ||
  (shape.kind === 'nullable' && isPlain(shape.of))

const isRecordOfTexts = (shape: RecordOf, date: string): boolean =>
  Object.keys(shape.fields)[0] !== date &&
  Object.values(shape.fields).every((field) => field.kind !== 'optional' && isPlain(field))

/** Parts of a document over all funds, written fund by fund. Source: the interface, conventions, 6. */
export interface ByIsinText {
  readonly empty: string
  readonly head: string
  readonly separator: string
  readonly tail: string
}

export const jsonByIsin: ByIsinText = {
  empty: '{"funds":{}}',
  head: '{"funds":{',
  separator: ',',
  tail: '}}',
}

export const xmlByIsin: ByIsinText = {
  empty: `${xmlDeclaration}<root><funds/></root>`,
  head: `${xmlDeclaration}<root><funds>`,
  separator: '',
  tail: '</funds></root>',
}
