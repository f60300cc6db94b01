/**
 * The documents of one endpoint about one fund, refusals included, in every language and format; for a date-range
 * endpoint its yearly windows and the list of them. Source: src/core/bucket/keys.md, endpoint 3.
 */

import { isRefusal, type RefusedAnswer, type RowsOf } from '../api/contract/endpoint.ts'
import type { Group } from '../api/contract/rows.ts'
import {
  documentKey,
  errorKey,
  type WindowEntry,
  windowKey,
  type WindowList,
  windowListKey,
} from '../api/routes/keys.ts'
import { problemDocument } from '../api/routes/problems.ts'
import {
  type Format,
  formats,
  formatsOf,
  type Language,
  languages,
  type RouteTable,
} from '../api/routes/table.ts'
import type { YearDigest } from '../data/read/fund-digests.ts'
import type { SeriesText } from '../api/encode/series.ts'
import type { Written } from './document-files.ts'
import type { RenderedLine } from './manifest.ts'
import type { Plan, WindowPlan } from './plans.ts'

export type Put = (document: Written) => RenderedLine

/** Inputs of an answer beside the fund's rows. */
export interface RenderContext {
  /** As `dayThatCounts` gives it. */
  readonly day: string
  readonly table: RouteTable
}

export type Rows = RowsOf<Group>

/** Renders one plan without windows for one fund, in the byte order of the keys. */
export function putDocuments(plan: Plan, rows: Rows, context: RenderContext, put: Put): void {
  const { route } = plan
  const first = answerOf(plan, rows, context)
  if (isRefusal(first)) {
    putRefusal(plan, first, rows, context, put)
    return
  }
  for (const language of route.hasLanguages ? languages : [firstLanguage]) {
    const body = language === firstLanguage ? first : answerOf(plan, rows, context, language)
    for (const [format, { document }] of plan.encoders)
      put({ key: documentKey(route, valuesOf(plan, rows), language, format), content: document(body) })
  }
}

/** A fund's part of the document over all funds, by format; null if the endpoint refuses the fund. */
export function membersOf(plan: Plan, rows: Rows, context: RenderContext) {
  const body = answerOf(plan, rows, context)
  if (isRefusal(body)) return null
  const { isin } = rows.fund
  return new Map([...plan.encoders].map(([format, { member }]) => [format, member(isin, body)] as const))
}

const valuesOf = ({ type }: Plan, { fund }: Rows) => ({ isin: fund.isin, type })

const answerOf = ({ endpoint, type }: Plan, rows: Rows, { day }: RenderContext, language = firstLanguage) =>
  endpoint.build(rows, { asOf: day, language, type }) as object

const firstLanguage: Language = languages[0]

function putRefusal(
  plan: Plan,
  { refused }: RefusedAnswer,
  rows: Rows,
  { table }: RenderContext,
  put: Put,
): void {
  const { endpoint, route } = plan
  const row = endpoint.errors[refused]
  if (row === undefined)
    throw new Error(`endpoint ${endpoint.id} refused with ${refused}, which it does not declare`)
  const values = valuesOf(plan, rows)
  for (const format of formats) {
    const content = problemDocument(table.docsUrl, { group: endpoint.group.id, ...row }, values, format)
    put({ key: errorKey(route, values, format), content })
  }
}

export type WindowLines = ReadonlyMap<Format, RenderedLine>

/**
 * Renders a plan with windows for one fund: the windows that changed, then the list of all; or errors.
 * @param years all years with prices, ascending @param unchanged lines of windows that need no rendering, by year
 * @param rowsOf the fund with the prices of one year, or none. A refusal may depend on whether there are prices, but
 * not on their values
 * @param putOf writes the window of a year; with null the list, or the errors in its place
 */
export function putWindows(
  plan: Plan,
  { cut, series }: WindowPlan,
  years: readonly YearDigest[],
  unchanged: ReadonlyMap<string, WindowLines>,
  rowsOf: (year: string | null) => Rows,
  context: RenderContext,
  putOf: (year: YearDigest | null) => Put,
): void {
  const { route } = plan
  const values = valuesOf(plan, rowsOf(null))
  // If all windows are unchanged, any of them shows the text around the records.
  const shown = (years.find(({ year }) => !unchanged.has(year)) ?? years[0])?.year ?? null
  const answer = answerOf(plan, rowsOf(shown), context)
  if (isRefusal(answer)) {
    putRefusal(plan, answer, rowsOf(null), context, putOf(null))
    return
  }
  const render = (of: YearDigest): WindowLines => {
    const { year } = of
    const body = year === shown ? answer : answerOf(plan, rowsOf(year), context)
    // Records of that year only, ascending by date.
    const records = (body as Readonly<Record<string, readonly unknown[]>>)[cut.list] ?? []
    const put = putOf(of)
    const lines = [...series].map(([format, textOf]) => {
      const content = windowPieces(textOf(body), records, cut.date)
      return [format, put({ key: windowKey(route, values, year, format), content })] as const
    })
    return new Map(lines)
  }
  const byFormat = <T>(of: (format: Format) => T) =>
    Object.fromEntries(formatsOf(route).map((format) => [format, of(format)])) as Record<Format, T>
  const windows = years.map((of): WindowEntry => {
    const lines = unchanged.get(of.year) ?? render(of)
    const { year, first, last, records } = of
    return {
      year: Number(year),
      first,
      last,
      records,
      ...byFormat((format) => lines.get(format)?.sha256.slice(0, 32) ?? ''),
      months: byFormat((format) => lines.get(format)?.months ?? []),
    }
  })
  const around = byFormat((format) => {
    const { head = '', tail = '' } = series.get(format)?.(answer) ?? {}
    return { head, tail }
  })
  const content: WindowList = { windows, around }
  putOf(null)({ key: windowListKey(route, values), content: JSON.stringify(content) })
}

/** @returns 14 pieces: the text before the records of a year, those of each month, the text after them */
export function windowPieces(
  { head, separator, record, tail }: SeriesText,
  records: readonly unknown[],
  date: string,
): readonly string[] {
  const months = Array<string>(12).fill('')
  let last = 0
  for (const [index, one] of records.entries()) {
    const month = Number((one as Readonly<Record<string, string>>)[date]?.slice(5, 7)) - 1
    if (index > 0) months[last] += separator
    months[month] += record(one, index)
    last = month
  }
  return [head, ...months, tail]
}
