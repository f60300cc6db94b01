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

/** Tables are parsed when they are asked for: all of them, of ten thousand funds, would take half a gigabyte. */
export interface FundStatistics {
  readonly name: string
  /** Its end, past or announced; null if none is known. Also of a fund whose prices may not be given out. */
  readonly end: FundEnd | null
  /** By the name of the table, its line: equal lines are equal tables. See {@link parseTable}. */
  readonly lines: ReadonlyMap<string, string>
}

/** Rises when a summary or a judgement changes: what an update finds is nothing that a night has brought. */
export const statisticsFormat = 3

/** The form of {@link Summary}: whoever may write to the bucket can write anything. */
const summaryForm = /^\d{1,9}\|[-+.\de]{0,30}\|[^|\s]{0,800}\|[^\n]{0,80}$/

/**
 * @returns null for another format: another version compares other things
 * @throws {Error} for a text that `statisticsText` has not written; its tables are not looked at
 */
export function parseStatistics(text: string): Statistics | null {
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const { format, columns, passing } = asRecord(JSON.parse(head)) as Readonly<Record<string, unknown>>
  if (format !== statisticsFormat) return typeof format === 'number' ? null : wrong(format, 'a format')
  const names = Object.entries(asRecord(columns)).map(
    ([table, some]) => [asName(table), asList(some).map(asName)] as const,
  )
  const funds = new Map<string, FundStatistics>()
  let tables = new Map<string, string>()
  for (const line of lines) {
    if (line.startsWith('{')) {
      const { isin, name, end = null } = JSON.parse(line) as Readonly<Record<string, unknown>>
      tables = new Map()
      funds.set(asName(isin), { name: asText(name), end: end === null ? null : endIn(end), lines: tables })
    } else {
      const [, table] = /^\["(\w{1,80})",/.exec(line) ?? wrong(line, 'the line of a table')
      tables.set(table ?? '', line)
    }
  }
  return { columns: Object.fromEntries(names), passing: new Set(asList(passing).map(asText)), funds }
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
