/** What an endpoint answers in this snapshot: the request, and the answer in both formats, long ones cut down. */

import type { Endpoint, FundEndpoint } from '../contract/endpoint.ts'
import type { SitePageSource } from '../contract/page.ts'
import { joinWindows } from '../edge/range.ts'
import { jsonByIsin, xmlByIsin } from '../encode/by-isin.ts'
import { documentKey, fill, windowKey, windowListKey } from '../routes/keys.ts'
import { formats, type Format, type Language, type Route, type Values } from '../routes/table.ts'
import type { WindowList } from '../routes/windows.ts'
import { byIsin, record } from '../contract/shape.ts'
import { abridged, parseJsonTree, type JsonTree } from './json-tree.ts'
import { abridgedXml, parseXmlTree, type XmlTree } from './xml-tree.ts'

export interface Example {
  /** The path that was asked for. */
  readonly path: string
  readonly values: Values
  readonly json: JsonTree
  readonly xml: XmlTree
}

/** How many records of a date range are shown: its bounds are their days. */
const recordsShown = 2

/** @returns null where the snapshot has no fund with such an answer */
export function exampleOf(endpoint: Endpoint, source: SitePageSource, language: Language): Example | null {
  if (source.exampleIsin === null) return null
  const of = endpoint.scope === 'all' ? endpoint.of : endpoint
  const route = source.table.routes.find(({ id }) => id === of.id)
  const answer = route === undefined ? null : answerOf(of, route, source, source.exampleIsin, language)
  if (answer === null) return null
  const { values, texts } = answer
  if (endpoint.scope === 'fund') return exampleFrom(endpoint.path, of, values, texts)
  const all = inAllFunds(source.exampleIsin, texts)
  return {
    path: endpoint.path,
    values: {},
    json: abridged(parseJsonTree(all.json), record({ funds: byIsin(of.body) })),
    xml: abridgedXml(parseXmlTree(all.xml)),
  }
}

type Texts = Readonly<Record<Format, string>>

interface Answer {
  readonly values: Values
  readonly texts: Texts
}

function exampleFrom(path: string, { body }: FundEndpoint, values: Values, texts: Texts): Example {
  return {
    path: fill(path, values),
    values,
    json: abridged(parseJsonTree(texts.json), body),
    xml: abridgedXml(parseXmlTree(texts.xml)),
  }
}

function answerOf(
  endpoint: FundEndpoint,
  route: Route,
  { examples }: SitePageSource,
  isin: string,
  language: Language,
): Answer | null {
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

/** The last records there are, as the edge joins them. */
function newestRange(route: Route, examples: ReadonlyMap<string, string>, isin: string): Answer | null {
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
  const join = (format: Format, text: string) =>
    joinWindows(format, series, [text], from, newest.last).join('')
  const days = route.parameters.filter(({ kind }) => kind === 'date').map(({ name }) => name)
  const values = Object.fromEntries(days.map((name, index) => [name, index === 0 ? from : newest.last]))
  return { values: { isin, ...values }, texts: { json: join('json', json), xml: join('xml', xml) } }
}

/** That fund's entry as the document over all funds has it, alone. */
function inAllFunds(isin: string, { json, xml }: Texts): Texts {
  const content = xml.slice(xml.indexOf('<root>') + '<root>'.length, -'</root>'.length)
  return {
    json: `${jsonByIsin.head}"${isin}":${json}${jsonByIsin.tail}`,
    xml: `${xmlByIsin.head}<${isin}>${content}</${isin}>${xmlByIsin.tail}`,
  }
}
