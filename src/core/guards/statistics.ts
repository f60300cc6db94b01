/**
 * Statistics of a snapshot: what the tables of the database hold, in a file beside the documents. Guards compare them, and
 * readers are told what has changed. `data/read/statistics.ts` writes them. Pure.
 */

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

/** By the name of the table. */
export type FundStatistics = ReadonlyMap<string, TableStatistics>

/** Rises when a summary or a judgement changes: what an update finds is nothing that a night has brought. */
export const statisticsFormat = 3

/** The form of {@link Summary}: whoever may write to the bucket can write anything. */
const summaryForm = /^\d{1,9}\|[-+.\de]{0,30}\|[^|\s]{0,800}\|[^\n]{0,80}$/

/**
 * @returns null for another format: another version compares other things
 * @throws {Error} for a text that `statisticsText` has not written
 */
export function parseStatistics(text: string): Statistics | null {
  const [head = '', ...lines] = text.trimEnd().split('\n')
  const columns = parseStatisticsHead(head)
  return columns && { ...columns, funds: new Map(lines.map(parseFundStatistics)) }
}

/** The columns, of the first line. @returns null for another format @throws {Error} for another line */
export function parseStatisticsHead(line: string): Omit<Statistics, 'funds'> | null {
  const { format, columns, passing } = asRecord(JSON.parse(line)) as Readonly<Record<string, unknown>>
  if (format !== statisticsFormat) return typeof format === 'number' ? null : wrong(format, 'a format')
  const names = Object.entries(asRecord(columns)).map(
    ([table, some]) => [asName(table), asList(some).map(asName)] as const,
  )
  return { columns: Object.fromEntries(names), passing: new Set(asList(passing).map(asText)) }
}

/** @returns the ISIN of a line, and what it says @throws {Error} for another line */
export function parseFundStatistics(line: string): readonly [isin: string, statistics: FundStatistics] {
  const [isin, name, ...all] = asList(JSON.parse(line))
  asText(name)
  const tables = all.map((table) => {
    const [named, rows, slices, judged, contradictions] = asList(table)
    const statistics: TableStatistics = {
      rows: asCount(rows),
      slices: asList(slices).map(sliceOf),
      judged: asCount(judged),
      contradictions: asList(contradictions).map(contradictionOf),
    }
    return [asName(named), statistics] as const
  })
  return [asName(isin), new Map(tables)]
}

const beginning = /^\["(\w{1,80})",("(?:[^"\\]|\\.)*")/

/** The fund of a line, read without the rest of it. @throws {Error} for another line */
export function fundOfLine(line: string): { readonly isin: string; readonly name: string } {
  const [, isin, name] = beginning.exec(line) ?? []
  return isin === undefined || name === undefined
    ? wrong(line, 'the line of a fund')
    : { isin, name: asText(JSON.parse(name)) }
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
