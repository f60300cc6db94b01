/** The page of a group: its endpoints, each with a real request, its answer and its fields; and its errors. */

import type { Endpoint, PathParameter } from '../../core/api/contract/endpoint.ts'
import { type EndpointGroup, generalGroup } from '../../core/api/contract/errors.ts'
import type { Page, SitePageSource } from '../../core/api/contract/page.ts'
import { byIsin, type Optional, record, type RecordOf, type Shape } from '../../core/api/contract/shape.ts'
import { schemaKey } from './json-schema.ts'
import { memberText } from './members.ts'
import { type ErrorCase, errorCases, strayErrorCases } from '../../core/api/derive/error-cases.ts'
import type { DocumentFormat, Format, Language, Problem } from '../../core/api/routes/table.ts'
import {
  addressText,
  html,
  type Html,
  type HtmlContent,
  linkTo,
  section,
  wideTable,
} from '../../core/layout/html.ts'
import { endpointExample, listing, problemExcerpt } from './examples.ts'
import {
  codeBlock,
  curlRequest,
  docKey,
  docPage,
  exampleAnswer,
  explorerPath,
  groupPath,
  type Site,
  tabs,
} from './site.ts'
import { docWords } from './wording.ts'

export function groupPage(group: EndpointGroup, site: Site, language: Language): Page {
  const w = docWords[language]
  const title = group.title[language]
  const lead = group.lead[language]
  const path = groupPath(group.id)
  const key = docKey(language, path)
  const own = site.endpoints.filter((endpoint) => endpoint.group.id === group.id)
  const general = linkTo(key, docKey(language, groupPath(generalGroup.id)))
  const others = html`<p>${w.generalErrors} <a href="${general}">${generalGroup.title[language]}</a>.</p>`
  return docPage(site, {
    path,
    language,
    title,
    description: lead,
    main: html`<h1>${title}</h1>
      <p class="lead">${lead}</p>
      ${own.map((endpoint) => endpointSection(endpoint, site, language, key))}
      ${section('errors', w.errors, [
        html`<div class="refusals">${errorArticles(group.id, site, language, key)}</div> `,
        group.id !== generalGroup.id && others,
      ])}`,
    onPage: [
      ...own.map(({ id, summary }) => ({ id, text: summary[language] })),
      { id: 'errors', text: w.errors },
    ],
  })
}

function endpointSection(endpoint: Endpoint, site: Site, language: Language, key: string): Html {
  const { id, path, summary } = endpoint
  const text = docWords[language]
  const body = endpoint.scope === 'fund' ? endpoint.body : record({ funds: byIsin(endpoint.of.body) })
  const title = summary[language]
  const errorRows = errorCases(endpoint).map(({ problem, when }) => {
    const article = `${docKey(language, groupPath(problem.group))}#${errorAnchor(problem)}`
    return [
      html`<span class="status">${problem.status}</span>`,
      html`<a href="${linkTo(key, article)}">${placeholders(problem.title)}</a>`,
      when[language],
    ]
  })
  return html`<section class="endpoint" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <p class="path"><span class="method">GET</span> <code>${pathTemplate(path)}</code></p>
    <div>
      <h3>${text.parameters}</h3>
      ${parameterTable(endpoint, language)}
    </div>
    <div class="example">
      <h3>${text.example}</h3>
      ${exampleBlock(endpoint, site, language, key)}
    </div>
    <div>
      <h3>${text.fields}</h3>
      ${fieldTable(body, language, `${text.fields}: ${title}`)}
      <p class="small">
        <a href="${linkTo(key, schemaKey(id))}">${text.schema}: <code>${id}.json</code></a>
      </p>
      <details class="choices">
        <summary>${text.errorsOf(errorRows.length)}</summary>
        ${wideTable(`${text.errors}: ${title}`, {
          kind: 'errors',
          columns: [text.status, text.title, text.when],
          rows: errorRows,
        })}
      </details>
    </div>
  </section> `
}

/** Marks the parameters of a path. The path may break after each slash. */
export const pathTemplate = (path: string): Html =>
  html`${path
    .split(/(?<=.\/)(?=[^/])/)
    .map((segment, index) => [
      index > 0 && html`<wbr />`,
      segment.includes('{') ? withParameters(segment) : addressText(segment),
    ])}`

const withParameters = (segment: string) =>
  segment.split(/(\{\w+\})/).map((piece) => (piece.startsWith('{') ? html`<var>${piece}</var>` : piece))

function exampleBlock(endpoint: Endpoint, site: Site, language: Language, key: string): Html {
  const text = docWords[language]
  const example = endpointExample(endpoint, site.source, language)
  const explorer = linkTo(key, `${docKey(language, explorerPath)}#${endpoint.id}`)
  const links = (open: Html | null) =>
    html`<p class="small links">${open}<a href="${explorer}">${text.inExplorer}</a></p>`
  if (example === null)
    return html`<p class="quiet">${text.noExample}</p>
      ${links(null)}`
  const panel = (format: Format, content: HtmlContent) => {
    const target = targetOf(endpoint, example.path, language, format)
    const open = html`<a href="${linkTo(key, target.slice(1))}">${text.tryIt}</a> `
    const label = `${format.toUpperCase()}, ${endpoint.id}`
    return html`${codeBlock(curlRequest(site.source.baseUrl + target), `${text.request} ${label}`, true)}
    ${exampleAnswer(format, content, `${text.answer} ${label}`)} ${links(open)}`
  }
  const panels: [string, Html][] = [
    ['JSON', panel('json', listing(example.json, text.more))],
    ['XML', panel('xml', listing(example.xml, text.more))],
  ]
  if (example.csv !== null) panels.push(['CSV', panel('csv', example.csv.replaceAll('\r', ''))])
  return html`<p class="quiet small">${aboutExample(site.source, language)}</p>
    ${tabs(
      {
        id: `t-${endpoint.id}`,
        legend: `${text.example}: ${endpoint.summary[language]}`,
        remembered: 'format',
      },
      panels,
    )}`
}

/** Names the fund of the examples, which are shortened. */
export function aboutExample({ funds, exampleIsin }: SitePageSource, language: Language): string {
  const { exampleOf, excerpt } = docWords[language]
  const fund = funds.find(({ isin }) => isin === exampleIsin)
  return `${exampleOf(fund?.name ?? '', exampleIsin ?? '')} ${excerpt}`
}

/** Path and query of the example. JSON is the default and needs no parameter. */
export function targetOf(endpoint: Endpoint, path: string, language: Language, format: Format): string {
  const query = new URLSearchParams()
  if (hasLanguages(endpoint)) query.set('language', language)
  if (format !== 'json') query.set('format', format)
  return query.size === 0 ? path : `${path}?${query.toString()}`
}

export const hasLanguages = (endpoint: Endpoint) =>
  endpoint.scope === 'all' ? endpoint.of.hasLanguages : endpoint.hasLanguages

function parameterTable(endpoint: Endpoint, language: Language): Html {
  const text = docWords[language]
  const own = endpoint.scope === 'all' ? [] : Object.entries(endpoint.parameters)
  const inQuery = `${text.query}, ${text.optional}`
  const row = (name: string, where: string, meaning: Html | string) => {
    return [html`<code>${name}</code>`, where, meaning]
  }
  const rows = own.map(([name, parameter]) => row(name, text.path, meaningOf(parameter, language)))
  const { csv } = endpoint.scope === 'all' ? endpoint.of : endpoint
  rows.push(row('format', inQuery, csv === undefined ? text.format : text.formatOrCsv))
  if (hasLanguages(endpoint)) rows.push(row('language', inQuery, text.language))
  const columns = [text.name, text.where, text.meaning]
  return html`${wideTable(`${text.parameters}: ${endpoint.id}`, { kind: 'fields', columns, rows })}
  ${own.map(([, parameter]) => choiceTable(parameter, language))}`
}

function meaningOf(parameter: PathParameter, language: Language): Html | string {
  const text = docWords[language]
  if (parameter.kind === 'date') return `${parameter.meaning[language]}: ${text.kinds.day}`
  return parameter.kind === 'isin' ? text.isin : text.choice
}

function choiceTable(parameter: PathParameter, language: Language): Html | null {
  if (parameter.kind !== 'choice') return null
  const { types, inPath, typeNames } = docWords[language]
  return html`<details class="choices">
    <summary>${parameter.choices.length} ${types}</summary>
    ${wideTable(types, {
      columns: [inPath, typeNames],
      rows: parameter.choices.map((choice) => [
        html`<code>${choice}</code>`,
        parameter.nameOf(choice, language),
      ]),
    })}
  </details>`
}

/** Source: src/core/api/interface.md, error body, `type`. */
const errorAnchor = ({ status, slug }: Problem) => `error-${status}-${slug}`

/** All errors of a group, each once, by status. Errors with the same status and slug share an anchor. */
function errorArticles(group: string, site: Site, language: Language, key: string): readonly Html[] {
  const all = [...site.endpoints.flatMap(errorCases), ...strayErrorCases]
  const own = all.filter(({ problem }) => problem.group === group)
  // Several endpoints may have the same error: the first shows it.
  const different = [...Map.groupBy(own, ({ problem }) => JSON.stringify(problem)).values()]
    .flatMap(([first]) => first ?? [])
    .sort((one, other) => one.problem.status - other.problem.status)
  const { docsUrl } = site.source.table
  return [...Map.groupBy(different, ({ problem }) => errorAnchor(problem))].map(
    ([anchor, cases]) =>
      html`<article class="error" id="${anchor}" aria-labelledby="${anchor}-title">
        <h3 id="${anchor}-title">
          <a class="anchor" href="#${anchor}"
            ><span class="status">${cases[0]?.problem.status}</span> <code>${cases[0]?.problem.slug}</code></a
          >
        </h3>
        ${cases.map((error, index) => errorPart(error, `t-${anchor}-${index}`, docsUrl, language, key))}
      </article> `,
  )
}

function errorPart(error: ErrorCase, id: string, docsUrl: string, language: Language, key: string): Html {
  const { problem, when, values, target } = error
  const { example } = docWords[language]
  const text = (format: DocumentFormat) => listing(problemExcerpt(format, docsUrl, problem, values), () => '')
  return html`<p class="error-title"><strong>${placeholders(problem.title)}</strong></p>
    <p>
      ${when[language]}${
        target !== null &&
        html` <a href="${linkTo(key, target.slice(1))}"><code>${addressText(target)}</code></a>`
      }
    </p>
    <details class="choices">
      <summary>${example}</summary>
      ${tabs({ id, legend: `${example}: ${problem.status} ${problem.slug}`, remembered: 'format' }, [
        ['JSON', codeBlock(text('json'), `${example} JSON`)],
        ['XML', codeBlock(text('xml'), `${example} XML`)],
      ])}
    </details>`
}

/** A title for readers: `<isin>` instead of `{isin}`. */
const placeholders = (title: string): Html =>
  html`${title
    .split(/[{}]/)
    .map((piece, index) => (index % 2 === 1 ? html`<var>&lt;${piece}&gt;</var>` : piece))}`

export function fieldTable(body: RecordOf, language: Language, label: string): Html {
  const { field, type, meaning, optional } = docWords[language]
  const rows = fieldsOf(body, language).map((one) => [
    { content: html`<code>${one.name}</code>`, kind: `d${one.depth}` },
    [one.type, one.isOptional && html`, <em>${optional}</em>`],
    inlineCode(one.notes),
  ])
  return wideTable(label, {
    kind: 'fields',
    attributes: html` data-answer`,
    columns: [field, type, meaning],
    rows,
  })
}

export const inlineCode = (text: string): Html =>
  html`${text.split('`').map((piece, index) => (index % 2 === 1 ? html`<code>${piece}</code>` : piece))}`

interface DescribedField {
  readonly name: string
  /** 0 for a field of the document itself. */
  readonly depth: number
  readonly type: string
  readonly isOptional: boolean
  readonly notes: string
}

/** @param parent name of the field around them; '' in a document */
function fieldsOf(shape: Shape, language: Language, depth = 0, parent = ''): readonly DescribedField[] {
  switch (shape.kind) {
    case 'record':
      return Object.entries(shape.fields).flatMap(([name, field]) =>
        withInner(name, field, language, depth, parent),
      )
    case 'nullable':
      return fieldsOf(shape.of, language, depth, parent)
    case 'list':
      return withInner('[ ]', shape.of, language, depth, parent)
    case 'keyed':
      return withInner(`{${shape.key[language]}}`, shape.of, language, depth, parent)
    case 'byIsin':
      return withInner('{ISIN}', shape.of, language, depth, parent)
    default:
      return []
  }
}

function withInner(
  name: string,
  field: Shape | Optional,
  language: Language,
  depth: number,
  parent: string,
): readonly DescribedField[] {
  const isOptional = field.kind === 'optional'
  const shape = isOptional ? field.of : field
  const [type, notes] = describe(shape, language)
  // An item of an array or of a map has no name: those within it are members of the array.
  const isNamed = /^\w/.test(name)
  const text = notes === '' && isNamed ? (memberText(parent, name)?.[language] ?? '') : notes
  const within = fieldsOf(shape, language, depth + 1, isNamed ? name : parent)
  return [{ name, depth, type, isOptional, notes: text }, ...within]
}

function describe(shape: Shape, language: Language): readonly [type: string, notes: string] {
  const { kinds, always, oneOf } = docWords[language]
  const decimal = (mark: '.' | ',') => (mark === '.' ? kinds.decimalPoint : kinds.decimalComma)
  switch (shape.kind) {
    case 'text': {
      const note = shape.description[language]
      if (shape.form === undefined || !('enum' in shape.form)) return [kinds.text, note]
      return [kinds.text, `${note}. ${oneOf(shape.form.enum.map((value) => `\`${value}\``).join(', '))}`]
    }
    case 'decimal':
      return [decimal(shape.mark), shape.description[language]]
    case 'day':
    case 'flag':
      return [kinds[shape.kind], shape.description[language]]
    case 'number':
      return [shape.whole === undefined ? kinds.number : kinds.whole, shape.description[language]]
    case 'item':
      return [
        `${kinds.item}: ${decimal(shape.value.mark)}`,
        `${shape.value.description[language]}. ${always(shape.name)}`,
      ]
    case 'nullable': {
      const [type, notes] = describe(shape.of, language)
      return [`${type} ${kinds.orNull}`, notes]
    }
    case 'record':
    case 'list':
      return [kinds[shape.kind], '']
    case 'keyed':
    case 'byIsin':
      return [kinds.map, '']
    default:
      return shape satisfies never
  }
}
