/** Yearly windows of a date-range endpoint, and the list of them. Source: keys.md, endpoint 3. */

import type { RecordOf } from '../contract/shape.ts'
import { jsonSeries, xmlSeries, type SeriesEncoder } from '../encode/series.ts'
import { windowKey, windowListKey } from '../routes/keys.ts'
import { formats, type Format, type Route, type Values } from '../routes/table.ts'
import type { WindowEntry, WindowList } from '../routes/windows.ts'
import type { Put } from './fund-documents.ts'

export interface WindowPlan {
  readonly list: string
  readonly date: string
  readonly series: Readonly<Record<Format, SeriesEncoder>>
}

export function windowPlan(body: RecordOf, { list, date }: { list: string; date: string }): WindowPlan {
  return { list, date, series: { json: jsonSeries(body, list, date), xml: xmlSeries(body, list, date) } }
}

/** Puts a body's windows, one a calendar year with records, then the list. @param body with records ascending by date */
export function windowDocuments(
  plan: WindowPlan,
  route: Route,
  values: Values,
  body: object,
  put: Put,
): void {
  const records =
    (body as Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>)[plan.list] ?? []
  const dates = records.map((record) => record[plan.date] ?? '')
  const windows: WindowEntry[] = []
  const around = { json: plan.series.json.around(body), xml: plan.series.xml.around(body) }
  for (let start = 0; start < records.length;) {
    const year = (dates[start] ?? '').slice(0, 4)
    let end = start + 1
    while (end < records.length && (dates[end] ?? '').startsWith(year)) end++
    const ofYear = records.slice(start, end)
    const digests = formats.map((format) => {
      const content = around[format].document(ofYear.map(plan.series[format].record))
      return put({ key: windowKey(route, values, year, format), format, content }).slice(0, 32)
    })
    windows.push({
      year: Number(year),
      first: dates[start] ?? '',
      last: dates[end - 1] ?? '',
      records: end - start,
      json: digests[0] ?? '',
      xml: digests[1] ?? '',
    })
    start = end
  }
  const list: WindowList = { windows }
  put({ key: windowListKey(route, values), format: 'json', content: JSON.stringify(list) })
}
