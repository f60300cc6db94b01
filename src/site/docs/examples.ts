/** An endpoint's answer in this snapshot: the request, and the answer in both formats, long ones cut down. */

import type { Endpoint } from '../../api/contract/endpoint.ts'
import type { SitePageSource } from '../../api/contract/page.ts'
import { byIsin, record } from '../../api/contract/shape.ts'
import { jsonByIsin, xmlByIsin } from '../../api/encode/series.ts'
import { documentKey, fill, windowKey, type WindowList, windowListKey } from '../../api/routes/keys.ts'
import { type Format, formats, type Language, type Route, type Values } from '../../api/routes/table.ts'
import { byteSearch, windowJoiner } from '../../edge/core/join.ts'
import { abridged, abridgedXml, parseJson, parseXml } from './excerpt.ts'

/** The number of records in the example of a date range. Their days are its bounds. */
const recordsShown = 2

/**
 * @returns the requested path and the values of its parameters, and the answer as JSON and as XML; null if no fund of the
 * snapshot has such an answer
 */
export function endpointExample(endpoint: Endpoint, source: SitePageSource, language: Language) {
  const { exampleIsin: isin, examples, table } = source
  const { body, id } = endpoint.scope === 'all' ? endpoint.of : endpoint
  const route = table.routes.find((one) => one.id === id)
  if (isin === null || route === undefined) return null
  const answer =
    route.series === undefined
      ? documentOf(route, examples, isin, language)
      : newestRange(route, examples, isin)
  if (answer === null) return null
  const { values, json, xml } = answer
  if (endpoint.scope === 'fund')
    return {
      path: fill(endpoint.path, values),
      values,
      json: abridged(parseJson(json), body),
      xml: abridgedXml(parseXml(xml)),
    }
  // The document over all funds with this fund's entry alone.
  const entry = xml.slice(xml.indexOf('<root>') + '<root>'.length, -'</root>'.length)
  const allJson = `${jsonByIsin.head}"${isin}":${json}${jsonByIsin.tail}`
  const allXml = `${xmlByIsin.head}<${isin}>${entry}</${isin}>${xmlByIsin.tail}`
  return {
    path: endpoint.path,
    values: {},
    json: abridged(parseJson(allJson), record({ funds: byIsin(body) })),
    xml: abridgedXml(parseXml(allXml)),
  }
}

interface Answer extends Readonly<Record<Format, string>> {
  readonly values: Values
}

/** The first type that has an answer counts. */
function documentOf(
  route: Route,
  examples: ReadonlyMap<string, string>,
  isin: string,
  language: Language,
): Answer | null {
  const choice = route.parameters.find(({ kind }) => kind === 'choice')
  const types: readonly Values[] =
    choice?.kind === 'choice' ? choice.choices.map((type) => ({ [choice.name]: type })) : [{}]
  for (const type of types) {
    const values = { isin, ...type }
    const [json, xml] = formats.map((format) => examples.get(documentKey(route, values, language, format)))
    if (json !== undefined && xml !== undefined) return { values, json, xml }
  }
  return null
}

/** The last records, joined by the edge's own code. */
function newestRange(route: Route, examples: ReadonlyMap<string, string>, isin: string): Answer | null {
  const { series } = route
  const list = examples.get(windowListKey(route, { isin }))
  const newest = list === undefined ? undefined : (JSON.parse(list) as WindowList).windows.at(-1)
  if (newest === undefined || series === undefined) return null
  const [json, xml] = formats.map((format) => examples.get(windowKey(route, { isin }, newest.year, format)))
  if (json === undefined || xml === undefined) return null
  const document = JSON.parse(json) as Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>
  const from = document[series.list]?.slice(-recordsShown)[0]?.[series.date] ?? newest.first
  const part = { from, to: newest.last, isFirst: true, isLast: true, before: 0 }
  const join = (format: Format, text: string) => {
    const { bytes } = windowJoiner(byteSearch, format, series).join([Buffer.from(text)], part)
    return Buffer.from(bytes).toString()
  }
  const days = route.parameters.filter(({ kind }) => kind === 'date')
  const values = days.map(({ name }, index) => [name, index === 0 ? from : newest.last] as const)
  return { values: { isin, ...Object.fromEntries(values) }, json: join('json', json), xml: join('xml', xml) }
}
