/**
 * Excerpts of an endpoint's answers in this snapshot: bodies with long lists cut short. The encoders of the API write them, so an
 * excerpt has the digits and the escapes of the answer; here they are laid out and coloured.
 */

import type { Endpoint, FundEndpoint } from '../../core/api/contract/endpoint.ts'
import type { SitePageSource } from '../../core/api/contract/page.ts'
import { byIsin, record, type Shape, text, wholeNumber } from '../../core/api/contract/shape.ts'
import { csvEncoder } from '../../core/api/encode/csv.ts'
import { jsonEncoder } from '../../core/api/encode/json.ts'
import { xmlDeclaration, xmlEncoder } from '../../core/api/encode/xml.ts'
import { fill } from '../../core/api/routes/keys.ts'
import { problemType } from '../../core/api/routes/problems.ts'
import type { DocumentFormat, Language, Problem, Values } from '../../core/api/routes/table.ts'
import { addressText, type Html } from '../../core/layout/html.ts'
import { coloured } from './coloured.ts'
import { laidOut, patterns } from './laid-out.ts'

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

/** A document with long lists and maps cut short. */
export interface Excerpt {
  readonly format: DocumentFormat
  /** As an answer has it. */
  readonly text: string
  /** Number of members that are left out of each object, list and element with members, in the order in which they end. */
  readonly hidden: readonly number[]
}

export function excerpt(format: DocumentFormat, shape: Shape, value: unknown): Excerpt {
  const hidden: number[] = []
  const encode = { json: jsonEncoder, xml: xmlEncoder }[format](shape)
  return { format, text: encode(shortened(shape, value, hidden)), hidden }
}

/** An error document. */
export const problemShape = record({
  title: text('What is wrong, for people, in English', 'Was falsch ist, für Menschen, auf Englisch'),
  type: text(
    'Identifies the error for programs; URL of the section that describes it',
    'Kennzeichnet den Fehler für Programme; URL des Abschnitts, der ihn beschreibt',
  ),
  status: wholeNumber('HTTP status', 'HTTP-Status'),
})

export function problemExcerpt(format: DocumentFormat, docsUrl: string, problem: Problem, values: Values) {
  const { title, status } = problem
  const body = { title: fill(title, values), type: problemType(docsUrl, problem), status }
  return excerpt(format, problemShape, body)
}

/** Limits of an excerpt: items of a list, and entries of a map whose keys are data. */
const most = { list: 2, keyed: 3, byIsin: Infinity }

/** The value with the first members of lists and maps. @param hidden gets what is left out, as in {@link Excerpt} */
function shortened(shape: Shape, value: unknown, hidden: number[]): unknown {
  const ended = <T>(result: T, all: number, shown = all): T => {
    if (all > 0) hidden.push(all - shown)
    return result
  }
  switch (shape.kind) {
    case 'nullable':
      return value === null ? null : shortened(shape.of, value, hidden)
    case 'item':
      return ended(shortened(shape.value, value, hidden), 1)
    case 'record': {
      const parts = Object.entries(shape.fields).flatMap(([name, field]) => {
        const part = (value as Readonly<Record<string, unknown>>)[name]
        const of = field.kind === 'optional' ? field.of : field
        return part === undefined ? [] : [[name, shortened(of, part, hidden)] as const]
      })
      return ended(Object.fromEntries(parts), parts.length)
    }
    case 'list': {
      const items = value as readonly unknown[]
      const shown = items.slice(0, most.list).map((item) => shortened(shape.of, item, hidden))
      return ended(shown, items.length, shown.length)
    }
    case 'keyed':
    case 'byIsin': {
      const entries = [...(value as ReadonlyMap<string, unknown>)]
      const shown = entries
        .slice(0, most[shape.kind])
        .map(([key, member]) => [key, shortened(shape.of, member, hidden)] as const)
      return ended(new Map(shown), entries.length, shown.length)
    }
    default:
      return value
  }
}

/** Indented and coloured; a line counts the hidden members. @param more for example `n => '… 5 more'` */
export const listing = ({ format, text, hidden }: Excerpt, more: (hidden: number) => string): Html =>
  coloured(
    laidOut(format, text.replace(xmlDeclaration, ''), width[format], { hidden, more }),
    patterns[format],
    // A line beside the fields may break within an address.
    (piece) => (piece.includes('://') ? addressText(piece) : piece),
  )

/** Characters of a line, which stands beside the fields. */
const width = { json: 54, xml: 54 }
