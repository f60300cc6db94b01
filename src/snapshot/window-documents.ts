/** Yearly windows of a date-range endpoint, and the list of them. Source: keys.md, endpoint 3. */

import { isRefusal } from '../contract/endpoint.ts'
import type { RecordOf } from '../contract/shape.ts'
import { jsonSeries, xmlSeries, type SeriesEncoder } from '../encode/series.ts'
import { windowKey, windowListKey } from '../routes/keys.ts'
import { formats, type Format, type Route, type Values } from '../routes/table.ts'
import type { WindowEntry, WindowList } from '../routes/windows.ts'
import { answerOf, putRefusal, valuesOf, type Context, type Put, type Rows } from './fund-documents.ts'
import type { Plan } from './plans.ts'

export interface WindowPlan {
  readonly list: string
  readonly date: string
  readonly series: Readonly<Record<Format, SeriesEncoder>>
}

export function windowPlan(body: RecordOf, { list, date }: { list: string; date: string }): WindowPlan {
  return { list, date, series: { json: jsonSeries(body, list, date), xml: xmlSeries(body, list, date) } }
}

/** A calendar year that has records. */
export interface WindowYear {
  /** Four digits. */
  readonly year: string
  /** Days of the first and the last record, ISO 8601. */
  readonly first: string
  readonly last: string
  readonly records: number
  /** Of the window that is there already, or null where it has to be rendered. */
  readonly digests: WindowDigests | null
}

/** SHA-256 of a window's documents, in hex. */
export type WindowDigests = Readonly<Record<Format, string>>

/**
 * Renders a plan with windows for one fund: the windows that are not there yet, then the list of all; or errors.
 * @param years all that the fund has, ascending
 * @param rowsOf the fund with the prices of one year, or without any. Whether an endpoint with windows refuses may
 * depend on whether there are prices, but not on what they are
 * @param putOf for the window of a year; with null for the list, or for the errors in the place of everything
 */
export function putWindows(
  plan: Plan,
  windows: WindowPlan,
  years: readonly WindowYear[],
  rowsOf: (year: string | null) => Rows,
  context: Context,
  putOf: (year: string | null) => Put,
): void {
  const { route } = plan
  const values = valuesOf(plan, rowsOf(null))
  const missing = years.find(({ digests }) => digests === null)?.year ?? null
  const answer = answerOf(plan, rowsOf(missing), context)
  // A fund that has windows already was not refused, and is the same.
  if (isRefusal(answer) && (missing !== null || years.length === 0)) {
    putRefusal(plan, answer, values, context, putOf(null))
    return
  }
  const entries = years.map(({ year, first, last, records, digests }): WindowEntry => {
    const render = () => {
      const body = year === missing ? answer : answerOf(plan, rowsOf(year), context)
      return putWindow(windows, route, values, year, body, putOf(year))
    }
    const { json, xml } = digests ?? render()
    return { year: Number(year), first, last, records, json: json.slice(0, 32), xml: xml.slice(0, 32) }
  })
  const list: WindowList = { windows: entries }
  putOf(null)({ key: windowListKey(route, values), content: JSON.stringify(list) })
}

/** Puts the documents of one year. @param body with the records of that year only, ascending by date */
function putWindow(
  { list, series }: WindowPlan,
  route: Route,
  values: Values,
  year: string,
  body: object,
  put: Put,
): WindowDigests {
  const records = (body as Readonly<Record<string, readonly unknown[]>>)[list] ?? []
  const putAs = (format: Format) => {
    const content = series[format].around(body).document(records.map(series[format].record))
    return put({ key: windowKey(route, values, year, format), content })
  }
  const [json = '', xml = ''] = formats.map(putAs)
  return { json, xml }
}
