/** Excerpts of an endpoint's answers in this snapshot. The encoders of the API write them: same digits. */

import type { Endpoint, FundEndpoint } from '../../core/api/contract/endpoint.ts'
import type { SitePageSource } from '../../core/api/contract/page.ts'
import { byIsin, record, type Shape, text, wholeNumber } from '../../core/api/contract/shape.ts'
import { csvEncoder } from '../../core/api/encode/csv.ts'
import { jsonEncoder } from '../../core/api/encode/json.ts'
import { xmlAttribute, xmlContent } from '../../core/api/encode/xml.ts'
import { fill } from '../../core/api/routes/keys.ts'
import { problemType } from '../../core/api/routes/problems.ts'
import type { DocumentFormat, Language, Problem, Values } from '../../core/api/routes/table.ts'
import { html, type Html, type HtmlContent } from '../../core/layout/html.ts'

/** Number of records in the example of a date range. Their days are its bounds. */
const recordsShown = 2

/** @returns request and answer in each format (`csv` may be null); null without an answer */
export function endpointExample(endpoint: Endpoint, source: SitePageSource, language: Language) {
  const { exampleIsin: isin } = source
  const one = endpoint.scope === 'all' ? endpoint.of : endpoint
  const answer = isin === null ? null : answerOf(one, isin, source, language)
  if (isin === null || answer === null) return null
  const { values, body } = answer
  const csv = one.csv === undefined ? null : csvEncoder(one.body, one.csv)
  const inFormats = (shape: Shape, value: unknown) => {
    return { json: excerpt('json', shape, value), xml: excerpt('xml', shape, value) }
  }
  if (endpoint.scope === 'fund') {
    const path = fill(endpoint.path, values)
    return { path, values, csv: csv?.document(body) ?? null, ...inFormats(one.body, body) }
  }
  // The document over all funds with this fund's entry alone.
  return {
    path: endpoint.path,
    values: {},
    csv: csv && csv.byIsin.head + csv.member(isin, body) + csv.byIsin.tail,
    ...inFormats(record({ funds: byIsin(one.body) }), { funds: new Map([[isin, body]]) }),
  }
}

/** Takes the first type that has an answer. A date range is that of the last records. */
function answerOf(endpoint: FundEndpoint, isin: string, source: SitePageSource, language: Language) {
  const { parameters, series } = endpoint
  const named = Object.entries(parameters)
  const [choiceName = '', choice] = named.find(([, { kind }]) => kind === 'choice') ?? []
  const types = choice?.kind === 'choice' ? choice.choices : ['']
  for (const type of types) {
    const body = source.exampleAnswer(endpoint, type, language)
    if (body === null) continue
    const values: Values = choice === undefined ? { isin } : { isin, [choiceName]: type }
    if (series === undefined) return { values, body }
    const all = (body as Readonly<Record<string, readonly Readonly<Record<string, string>>[]>>)[series.list]
    const records = all?.slice(-recordsShown) ?? []
    const days = named.filter(([, { kind }]) => kind === 'date')
    const bounds = days.map(([name], index) => [name, records.at(index === 0 ? 0 : -1)?.[series.date] ?? ''])
    return {
      values: { ...values, ...(Object.fromEntries(bounds) as Values) },
      body: { ...body, [series.list]: records },
    }
  }
  return null
}

export interface Excerpt {
  /** A bracket of JSON, or a tag of XML. */
  readonly open: string
  readonly close: string
  /** Names have their quotation marks; '' in lists and in XML. */
  readonly members: readonly { readonly name: string; readonly value: Excerpt | string }[]
  readonly hidden: number
}

export function excerpt(format: DocumentFormat, shape: Shape, value: unknown): Excerpt {
  const tree = format === 'json' ? jsonTree(shape, value) : xmlElement('root', shape, value)
  if (typeof tree === 'string') throw new Error(`${tree} is no document`)
  return tree
}

const problemShape = record({ title: text(''), type: text(''), status: wholeNumber('', '') })

export function problemExcerpt(format: DocumentFormat, docsUrl: string, problem: Problem, values: Values) {
  const { title, status } = problem
  const body = { title: fill(title, values), type: problemType(docsUrl, problem), status }
  return excerpt(format, problemShape, body)
}

function jsonTree(shape: Shape, value: unknown): Excerpt | string {
  const parts = partsOf(shape, value)
  if (parts === null) return jsonEncoder(shape)(value)
  const { kind, shown, hidden } = parts
  const members = shown.map(([key, of, part]) => {
    return { name: kind === 'list' ? '' : JSON.stringify(key), value: jsonTree(of, part) }
  })
  return { ...(kind === 'list' ? { open: '[', close: ']' } : { open: '{', close: '}' }), members, hidden }
}

function xmlElement(name: string, shape: Shape, value: unknown, attributes = ''): Excerpt {
  const parts = partsOf(shape, value)
  const elements = parts?.shown.map(([key, of, part]) =>
    parts.kind === 'object'
      ? xmlElement(key, of, part)
      : xmlElement('item', of, part, ` key="${xmlAttribute(key)}"`),
  )
  const content = elements ?? [xmlContent(shape)(value)].filter((one) => one !== '')
  if (content.length === 0) return { open: `<${name}${attributes}/>`, close: '', members: [], hidden: 0 }
  const members = content.map((one) => ({ name: '', value: one }))
  return { open: `<${name}${attributes}>`, close: `</${name}>`, members, hidden: parts?.hidden ?? 0 }
}

type Part = readonly [key: string, shape: Shape, value: unknown]

interface Parts {
  readonly kind: keyof typeof most
  readonly shown: readonly Part[]
  readonly hidden: number
}

/** Limits of an excerpt: items of a list, and entries of a map whose keys are data. */
const most = { object: Infinity, list: 2, map: 3 }

/** The first parts of a value, and the number of hidden ones; null for a value without parts. */
function partsOf(shape: Shape, value: unknown): Parts | null {
  const cut = (kind: Parts['kind'], parts: readonly Part[]) => {
    const shown = parts.slice(0, most[kind])
    return { kind, shown, hidden: parts.length - shown.length }
  }
  switch (shape.kind) {
    case 'nullable':
      return value === null ? null : partsOf(shape.of, value)
    case 'item':
      return cut('object', [
        ['name', text(''), shape.name],
        ['value', shape.value, value],
      ])
    case 'record': {
      const parts = Object.entries(shape.fields).map(([name, field]): Part => {
        const of = field.kind === 'optional' ? field.of : field
        return [name, of, (value as Readonly<Record<string, unknown>>)[name]]
      })
      return cut(
        'object',
        parts.filter(([, , part]) => part !== undefined),
      )
    }
    case 'list': {
      const items = value as readonly unknown[]
      return cut(
        'list',
        items.map((item, index): Part => [String(index), shape.of, item]),
      )
    }
    case 'keyed':
    case 'byIsin': {
      const entries = [...(value as ReadonlyMap<string, unknown>)]
      const parts = entries.map(([key, member]): Part => [key, shape.of, member])
      return cut(shape.kind === 'keyed' ? 'map' : 'object', parts)
    }
    default:
      return null
  }
}

const isXml = ({ open }: Excerpt) => open.startsWith('<')

/** The tree as a compact document, without its hidden members. */
export function compact(value: Excerpt | string): string {
  if (typeof value === 'string') return value
  const members = value.members.map((member) => (member.name && `${member.name}:`) + compact(member.value))
  return value.open + members.join(isXml(value) ? '' : ',') + value.close
}

export const xmlDocument = (tree: Excerpt) => `<?xml version="1.0" encoding="UTF-8"?>\n${compact(tree)}`

/** Number of characters on one line. */
const lineLength = { json: 64, xml: 72 }

function fitsLine(tree: Excerpt): boolean {
  if (tree.hidden > 0) return false
  const isFlat = tree.members.every(({ value }) => typeof value === 'string')
  const { length } = compact(tree)
  return isXml(tree) ? isFlat || length <= lineLength.xml : isFlat && length <= lineLength.json
}

/** Indented and coloured; a line counts the hidden members. @param more for example `n => '… 5 more'` */
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
