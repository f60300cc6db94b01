/**
 * Statistics of a snapshot: what the tables of the database hold, in a file beside the documents. Guards compare them, and
 * readers are told what has changed. `data/read/statistics.ts` writes them. Pure.
 */

import { endReasons } from '../api/contract/rows.ts'
import type { endOf } from './life.ts'

/**
 * What a column of a fund's table holds, as a text: equal texts are equal values.
 * `values|sum|host|text`: the number of values (neither NULL nor empty); the sum of their amounts if all are numbers; the host
 * if all are web addresses; `~` and the value itself if it is one short value, else a digest.
 */
export type Summary = string

/** A figure of a table that another figure of the fund contradicts. */
export interface Contradiction {
  readonly column: string
  /** The year, day or label of the row; '' for a table with one row. */
  readonly row: string
  readonly came: string
  /** What the other figure gives, with its name: `38.10 % by the prices`. */
  readonly expected: string
}

/** A part of a table that is compared for itself: a key figure, a year, the documents of a kind. */
export interface Slice {
  readonly name: string
  /** The newest day of its rows, ISO 8601; '' in a table without days. */
  readonly day: string
  /** In the order of {@link Statistics.columns}. */
  readonly summaries: readonly Summary[]
}

export interface TableStatistics {
  readonly rows: number
  readonly slices: readonly Slice[]
  /** Number of figures that were compared with others of the fund. */
  readonly judged: number
  readonly contradictions: readonly Contradiction[]
}

/** The key of the file of a snapshot that has its statistics. Source: src/core/bucket/keys.md. */
export const statisticsKey = 'statistics.ndjson'

/** Statistics of a snapshot. Only what may be given out is in them. */
export interface Statistics {
  /** Names of the columns by table. */
  readonly columns: Readonly<Record<string, readonly string[]>>
  /** Columns whose values go again in the course of things (`fund.suspended_from`): no guard compares them. */
  readonly passing: ReadonlySet<string>
  /** By ISIN. */
  readonly funds: ReadonlyMap<string, FundStatistics>
}

/** The last day of a fund, ISO 8601, and why it ends; null if that is not known. */
export type FundEnd = NonNullable<ReturnType<typeof endOf>>

/** Tables are read when they are asked for: all of them, of ten thousand funds, would take half a gigabyte. */
export interface FundStatistics {
  readonly name: string
  /** Its end, past or announced; null if none is known. Also of a fund whose prices may not be given out. */
  readonly end: FundEnd | null
  /** The line of a table; undefined without one. Equal lines are equal tables. See {@link parseTable}. */
  readonly lineOf: (table: string) => string | undefined
}

/** Rises when a summary or a judgement changes: what an update finds is nothing that a night has brought. */
export const statisticsFormat = 3

/** The form of {@link Summary}: whoever may write to the bucket can write anything. */
const summaryForm = /^\d{1,9}\|[-+.\de]{0,30}\|[^|\s]{0,800}\|[^\n]{0,80}$/

/**
 * @param parts of the file, in their order: each ends with a fund. They are kept as they are, since a text of them would take twice as much
 * @returns null for another format: another version compares other things
 * @throws {Error} for what `gatherStatistics` has not written; what tables hold is not looked at
 */
export function parseStatistics(parts: readonly Buffer[]): Statistics | null {
  const [head = Buffer.of(), ...others] = parts
  const { format, columns, passing } = asRecord(JSON.parse(lineAt(head, 0))) as Readonly<
    Record<string, unknown>
  >
  if (format !== statisticsFormat) return typeof format === 'number' ? null : wrong(format, 'a format')
  const names = Object.entries(asRecord(columns)).map(
    ([table, some]) => [asName(table), asList(some).map(asName)] as const,
  )
  const all = [head.subarray(endOfLine(head, 0) + 1), ...others].flatMap(fundsIn)
  return {
    columns: Object.fromEntries(names),
    passing: new Set(asList(passing).map(asText)),
    funds: new Map(all),
  }
}

const openingBrace = 0x7b
const lineFeed = 0x0a
/** Bytes of a line in which the name of its table ends. */
const longestOpening = 84

/** The place behind the last byte of a line. */
function endOfLine(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(lineFeed, start)
  return end === -1 ? bytes.length : end
}

const lineAt = (bytes: Buffer, start: number) => bytes.toString('utf8', start, endOfLine(bytes, start))

/** The funds of a part by ISIN: a line says who a fund is, those behind it are its tables. */
function fundsIn(part: Buffer): readonly (readonly [isin: string, fund: FundStatistics])[] {
  const starts: number[] = []
  for (let start = 0; start < part.length; start = endOfLine(part, start) + 1)
    if (part[start] === openingBrace) starts.push(start)
    else if (!/^\["\w{1,80}",/.test(part.toString('latin1', start, start + longestOpening)))
      wrong(lineAt(part, start), 'the line of a table')
  return starts.map((start, index) => {
    const {
      isin,
      name,
      end = null,
    } = asRecord(JSON.parse(lineAt(part, start))) as Readonly<Record<string, unknown>>
    const tables = part.subarray(endOfLine(part, start), starts[index + 1])
    const key = asName(isin)
    return [key, { name: asText(name), end: end === null ? null : endIn(end), lineOf: lineReader(tables) }]
  })
}

/** @param tables lines, a line feed before each */
const lineReader =
  (tables: Buffer): FundStatistics['lineOf'] =>
  (table) => {
    const feed = tables.indexOf(`\n["${table}",`)
    return feed === -1 ? undefined : lineAt(tables, feed + 1)
  }

function endIn(value: unknown): FundEnd {
  const { day, reason, successorIsin } = asRecord(value) as Readonly<Record<string, unknown>>
  return {
    day: asText(day),
    reason: endReasons.find((one) => one === reason) ?? null,
    successorIsin: successorIsin === null ? null : asName(successorIsin),
  }
}

/** @returns what a fund's table holds; undefined without a line @throws {Error} for a line that is none of a table */
export function parseTable(line: string | undefined): TableStatistics | undefined {
  if (line === undefined) return undefined
  const [, rows, slices, judged, contradictions] = asList(JSON.parse(line))
  return {
    rows: asCount(rows),
    slices: asList(slices).map(sliceOf),
    judged: asCount(judged),
    contradictions: asList(contradictions).map(contradictionOf),
  }
}

function sliceOf(packed: unknown): Slice {
  const [name, newest, ...summaries] = asList(packed)
  return { name: asText(name), day: asText(newest), summaries: summaries.map(asSummary) }
}

function contradictionOf(packed: unknown): Contradiction {
  const [column, row, came, expected] = asList(packed)
  return { column: asName(column), row: asText(row), came: asText(came), expected: asText(expected) }
}

function wrong(value: unknown, expected: string): never {
  throw new Error(`${JSON.stringify(value ?? null).slice(0, 80)} is not ${expected}`)
}
const asRecord = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : wrong(value, 'an object')
const asList = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : wrong(value, 'a list'))
const asText = (value: unknown) => (typeof value === 'string' ? value : wrong(value, 'a text'))
const asCount = (value: unknown) =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : wrong(value, 'a count')
/** The name of a table or a column becomes a subject of guards. */
const asName = (value: unknown) =>
  typeof value === 'string' && /^\w{1,80}$/.test(value) ? value : wrong(value, 'a name')
const asSummary = (value: unknown): Summary =>
  typeof value === 'string' && summaryForm.test(value) ? value : wrong(value, 'a summary')
