/** An endpoint's answer in this snapshot: the request, and the answer in both formats, long ones cut down. */

import type { Endpoint, FundEndpoint } from '../../api/contract/endpoint.ts'
import type { SitePageSource } from '../../api/contract/page.ts'
import { byIsin, record } from '../../api/contract/shape.ts'
import { jsonByIsin, xmlByIsin } from '../../api/encode/series.ts'
import { documentKey, fill, windowKey, type WindowList, windowListKey } from '../../api/routes/keys.ts'
import { type Format, formats, type Language, type Route, type Values } from '../../api/routes/table.ts'
import { byteSearch, windowJoiner } from '../../edge/core/join.ts'
import { abridged, abridgedXml, type Excerpt, parseJson, parseXml } from './excerpt.ts'

export interface EndpointExample {
  /** The requested path. */
  readonly path: string
  readonly values: Values
  readonly json: Excerpt
  readonly xml: Excerpt
}

/** The number of records in the example of a date range. Their days are its bounds. */
const recordsShown = 2

/** @returns null if no fund of the snapshot has such an answer */
export function endpointExample(
  endpoint: Endpoint,
  source: SitePageSource,
  language: Language,
): EndpointExample | null {
  if (source.exampleIsin === null) return null
  const of = endpoint.scope === 'all' ? endpoint.of : endpoint
  const route = source.table.routes.find(({ id }) => id === of.id)
  const answer = route === undefined ? null : answerOf(of, route, source, source.exampleIsin, language)
  if (answer === null) return null
  const isForAll = endpoint.scope === 'all'
  const texts = isForAll ? inAllFunds(source.exampleIsin, answer.texts) : answer.texts
  return {
    path: isForAll ? endpoint.path : fill(endpoint.path, answer.values),
    values: isForAll ? {} : answer.values,
    json: abridged(parseJson(texts.json), isForAll ? record({ funds: byIsin(of.body) }) : of.body),
    xml: abridgedXml(parseXml(texts.xml)),
  }
}

type FormatTexts = Readonly<Record<Format, string>>

interface ExampleAnswer {
  readonly values: Values
  readonly texts: FormatTexts
}

function answerOf(
  endpoint: FundEndpoint,
  route: Route,
  { examples }: SitePageSource,
  isin: string,
  language: Language,
): ExampleAnswer | null {
  if (endpoint.series !== undefined) return newestRange(route, examples, isin)
  const choice = route.parameters.find(({ kind }) => kind === 'choice')
  const choices = choice?.kind === 'choice' ? choice.choices : ['']
  for (const value of choices) {
    const values = { isin, ...(choice === undefined ? {} : { [choice.name]: value }) }
    const [json, xml] = formats.map((format) => examples.get(documentKey(route, values, language, format)))
    if (json !== undefined && xml !== undefined) return { values, texts: { json, xml } }
  }
  return null
}

/** The last records, joined by the edge's own code. */
function newestRange(
  route: Route,
  examples: ReadonlyMap<string, string>,
  isin: string,
): ExampleAnswer | null {
  const { series } = route
  const list = examples.get(windowListKey(route, { isin }))
  const newest = list === undefined ? undefined : (JSON.parse(list) as WindowList).windows.at(-1)
  if (newest === undefined || series === undefined) return null
  const [json, xml] = formats.map((format) => examples.get(windowKey(route, { isin }, newest.year, format)))
  if (json === undefined || xml === undefined) return null
  const document = JSON.parse(json) as Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>
  const [from = newest.first] = (document[series.list] ?? [])
    .slice(-recordsShown)
    .map((entry) => entry[series.date])
  const part = { from, to: newest.last, isFirst: true, isLast: true, before: 0 }
  const join = (format: Format, text: string) => {
    const { bytes } = windowJoiner(byteSearch, format, series).join([Buffer.from(text)], part)
    return Buffer.from(bytes).toString()
  }
  const days = route.parameters.filter(({ kind }) => kind === 'date').map(({ name }) => name)
  const values = Object.fromEntries(days.map((name, index) => [name, index === 0 ? from : newest.last]))
  return { values: { isin, ...values }, texts: { json: join('json', json), xml: join('xml', xml) } }
}

/** The document over all funds with this fund's entry alone. */
function inAllFunds(isin: string, { json, xml }: FormatTexts): FormatTexts {
  const content = xml.slice(xml.indexOf('<root>') + '<root>'.length, -'</root>'.length)
  return {
    json: `${jsonByIsin.head}"${isin}":${json}${jsonByIsin.tail}`,
    xml: `${xmlByIsin.head}<${isin}>${content}</${isin}>${xmlByIsin.tail}`,
  }
}
