/**
 * An endpoint's answer in this snapshot: the request, and the answer in its formats. Answers are trees that keep every
 * number and text as it is written, so that an excerpt shows the same digits: parsed, cut down, and printed for reading.
 */

import type { Endpoint } from '../../api/contract/endpoint.ts'
import type { SitePageSource } from '../../api/contract/page.ts'
import { byIsin, record, type Shape } from '../../api/contract/shape.ts'
import { jsonByIsin, xmlByIsin } from '../../api/encode/series.ts'
import { documentKey, fill, windowKey, type WindowList, windowListKey } from '../../api/routes/keys.ts'
import {
  type DocumentFormat,
  type Format,
  formats,
  type Language,
  type Route,
  type Values,
} from '../../api/routes/table.ts'
import { byteSearch, windowJoiner } from '../../edge/core/join.ts'
import { html, type Html, type HtmlContent } from '../layout/html.ts'

/** The number of records in the example of a date range. Their days are its bounds. */
const recordsShown = 2

/**
 * @returns the requested path and the values of its parameters, and the answer as JSON, as XML, and as CSV (null where there is
 * none); null if no fund of the snapshot has such an answer
 */
export function endpointExample(endpoint: Endpoint, source: SitePageSource, language: Language) {
  const { exampleIsin: isin, examples, table } = source
  const { body, id } = endpoint.scope === 'all' ? endpoint.of : endpoint
  const route = table.routes.find((one) => one.id === id)
  if (isin === null || route === undefined) return null
  const isRange = route.series !== undefined
  const answer = isRange ? newestRange(route, examples, isin) : documentOf(route, examples, isin, language)
  if (answer === null) return null
  const { values, json, xml, csv } = answer
  const excerpt = (jsonText: string, shape: Shape, xmlText: string) => {
    return { json: abridged(parseJson(jsonText), shape), xml: abridgedXml(parseXml(xmlText)) }
  }
  if (endpoint.scope === 'fund')
    return { path: fill(endpoint.path, values), values, csv, ...excerpt(json, body, xml) }
  // The document over all funds with this fund's entry alone.
  const entry = xml.slice(xml.indexOf('<root>') + '<root>'.length, -'</root>'.length)
  const allJson = `${jsonByIsin.head}"${isin}":${json}${jsonByIsin.tail}`
  const allXml = `${xmlByIsin.head}<${isin}>${entry}</${isin}>${xmlByIsin.tail}`
  const allCsv = csv === null ? null : csv.replace(/^(?=.)/gm, `${isin},`).replace(isin, 'isin')
  return {
    path: endpoint.path,
    values: {},
    csv: allCsv,
    ...excerpt(allJson, record({ funds: byIsin(body) }), allXml),
  }
}

type Examples = SitePageSource['examples']
type Answer = Readonly<Record<DocumentFormat, string>> & {
  /** Null where there is no CSV. */
  readonly csv: string | null
  readonly values: Values
}

/** The first type that has an answer counts. */
function documentOf(route: Route, examples: Examples, isin: string, language: Language): Answer | null {
  const choice = route.parameters.find(({ kind }) => kind === 'choice')
  const types: readonly Values[] =
    choice?.kind === 'choice' ? choice.choices.map((type) => ({ [choice.name]: type })) : [{}]
  for (const type of types) {
    const values = { isin, ...type }
    const [json, xml] = formats.map((format) => examples.get(documentKey(route, values, language, format)))
    const csv = examples.get(documentKey(route, values, language, 'csv')) ?? null
    if (json !== undefined && xml !== undefined) return { values, json, xml, csv }
  }
  return null
}

/** The last records, joined by the edge's own code. */
function newestRange(route: Route, examples: Examples, isin: string): Answer | null {
  const { series } = route
  const list = examples.get(windowListKey(route, { isin }))
  const newest = list === undefined ? undefined : (JSON.parse(list) as WindowList).windows.at(-1)
  if (newest === undefined || series === undefined) return null
  const [json, xml] = formats.map((format) => examples.get(windowKey(route, { isin }, newest.year, format)))
  if (json === undefined || xml === undefined) return null
  const document = JSON.parse(json) as Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>
  const from = document[series.list]?.slice(-recordsShown)[0]?.[series.date] ?? newest.first
  const csv = examples.get(windowKey(route, { isin }, newest.year, 'csv')) ?? null
  const join = (format: Format, text: string) => {
    const joiner = windowJoiner(byteSearch, format, series)
    const records = joiner.recordsIn(Buffer.from(text))
    const { bytes, start, end } = records
    const around = { head: bytes.subarray(0, start), tail: bytes.subarray(end) }
    return Buffer.from(joiner.join([records], { from, to: '', ...around, before: 0 }).bytes).toString()
  }
  const days = route.parameters.filter(({ kind }) => kind === 'date')
  const values = days.map(({ name }, index) => [name, index === 0 ? from : newest.last] as const)
  return {
    values: { isin, ...Object.fromEntries(values) },
    json: join('json', json),
    xml: join('xml', xml),
    csv: csv === null ? null : join('csv', csv),
  }
}

export interface Excerpt {
  /** A bracket of JSON, or a tag of XML. */
  readonly open: string
  readonly close: string
  /** Names have their quotation marks; in lists and in XML they are ''. */
  readonly members: readonly { readonly name: string; readonly value: Excerpt | string }[]
  /** The number of members cut off at the end. */
  readonly hidden: number
}
type Member = Excerpt['members'][number]

/** @param text a JSON document that is an object or a list @throws {Error} if it ends too early */
export function parseJson(text: string): Excerpt {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? []
  let position = 0
  const next = (): string => {
    const token = tokens[position++]
    if (token === undefined) throw new Error('JSON that ends too early')
    return token
  }
  const valueFrom = (token: string): Excerpt | string =>
    token === '[' || token === '{' ? treeFrom(token, token === '[' ? ']' : '}') : token
  const treeFrom = (open: string, close: string): Excerpt => {
    const members: Member[] = []
    for (let token = next(); token !== close; token = next()) {
      if (token === ',') continue
      // A name, and the colon after it.
      const name = open === '{' ? token : ''
      if (open === '{') next()
      members.push({ name, value: valueFrom(open === '{' ? next() : token) })
    }
    return { open, close, members, hidden: 0 }
  }
  const root = valueFrom(next())
  if (typeof root === 'string') throw new Error(`JSON that is no document: ${root}`)
  return root
}

/** @param text a document of encode/xml.ts: no comments, no CDATA @returns its root element */
export function parseXml(text: string): Excerpt {
  const stack: { open: string; members: Member[] }[] = [{ open: '', members: [] }]
  const add = (value: Excerpt | string) => stack.at(-1)?.members.push({ name: '', value })
  for (const token of text.match(/<[^<>]*>|[^<]+/g) ?? []) {
    if (token.startsWith('<?') || (stack.length === 1 && !token.startsWith('<'))) continue
    if (!token.startsWith('<')) add(token)
    else if (token.startsWith('</')) {
      const element = stack.pop()
      if (element !== undefined) add({ ...element, close: token, hidden: 0 })
    } else if (token.endsWith('/>')) add({ open: token, close: '', members: [], hidden: 0 })
    else stack.push({ open: token, members: [] })
  }
  const root = stack[0]?.members[0]?.value
  if (root === undefined || typeof root === 'string') throw new Error('XML without a root element')
  return root
}

/** An excerpt shows this many items of a list, and entries of a map whose keys are data. */
const shown = { items: 2, entries: 3 }

/** Cuts long lists and maps after their first members. */
export function abridged(tree: Excerpt, shape: Shape): Excerpt {
  switch (shape.kind) {
    case 'nullable':
      return abridged(tree, shape.of)
    case 'list':
      return cut(tree, shown.items, () => shape.of)
    case 'keyed':
    case 'byIsin':
      return cut(tree, shown.entries, () => shape.of)
    case 'record':
      return cut(tree, Infinity, (name) => {
        const field = shape.fields[JSON.parse(name) as string]
        return field?.kind === 'optional' ? field.of : field
      })
    default:
      return tree
  }
}

function cut(tree: Excerpt, most: number, shapeOf: (name: string) => Shape | undefined): Excerpt {
  const members = tree.members.slice(0, most).map(({ name, value }) => {
    const shape = shapeOf(name)
    return { name, value: typeof value === 'string' || shape === undefined ? value : abridged(value, shape) }
  })
  return { ...tree, members, hidden: tree.members.length - members.length }
}

/** Cuts lists and maps in XML: their members are elements `item`. */
function abridgedXml(tree: Excerpt): Excerpt {
  const items = tree.members.filter(
    ({ value }) => typeof value !== 'string' && value.open.startsWith('<item '),
  )
  const left = items.length > shown.items ? items.slice(0, shown.items) : tree.members
  const members = left.map(({ name, value }) => {
    return { name, value: typeof value === 'string' ? value : abridgedXml(value) }
  })
  return { ...tree, members, hidden: tree.members.length - members.length }
}

const isXml = ({ open }: Excerpt) => open.startsWith('<')

/** The tree as a compact document, without its hidden members. */
export function compact(value: Excerpt | string): string {
  if (typeof value === 'string') return value
  const members = value.members.map((member) => (member.name && `${member.name}:`) + compact(member.value))
  return value.open + members.join(isXml(value) ? '' : ',') + value.close
}

export const xmlDocument = (tree: Excerpt) => `<?xml version="1.0" encoding="UTF-8"?>\n${compact(tree)}`

/** The number of characters that fit on one line. */
const lineLength = { json: 64, xml: 72 }

function fitsLine(tree: Excerpt): boolean {
  if (tree.hidden > 0) return false
  const isFlat = tree.members.every(({ value }) => typeof value === 'string')
  const { length } = compact(tree)
  return isXml(tree) ? isFlat || length <= lineLength.xml : isFlat && length <= lineLength.json
}

/** Indented and coloured; a line says how many members are hidden. @param more for example `n => '… 5 more'` */
export function listing(tree: Excerpt, more: (hidden: number) => string, indent = ''): Html {
  const { open, close, hidden } = tree
  const isShort = fitsLine(tree)
  const deeper = isShort ? '' : `${indent}  `
  const bracket = (text: string) => (isXml(tree) && text !== '' ? html`<span class="k">${text}</span>` : text)
  const printed = (value: Excerpt | string): HtmlContent => {
    if (typeof value !== 'string') return listing(value, more, deeper)
    return isXml(tree) ? value : html`<span class="${value.startsWith('"') ? 's' : 'n'}">${value}</span>`
  }
  const members: HtmlContent[] = tree.members.map(({ name, value }) =>
    name === '' ? printed(value) : html`<span class="k">${name}</span>: ${printed(value)}`,
  )
  if (hidden > 0)
    members.push(html`<span class="c">${isXml(tree) ? `<!-- ${more(hidden)} -->` : more(hidden)}</span>`)
  if (members.length === 0) return html`${bracket(open)}${bracket(close)}`
  const [gap, separator] = isXml(tree) ? ['', ''] : [' ', ',']
  const blank = isShort ? gap : `\n${deeper}`
  const joined = members.map((member, index) => [index === 0 ? blank : separator + blank, member])
  return html`${bracket(open)}${joined}${isShort ? gap : `\n${indent}`}${bracket(close)}`
}
