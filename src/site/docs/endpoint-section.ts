/** One endpoint on its group's page: path, parameters, a real request with its answer, fields, errors. */

import type { ChoiceParameter, Endpoint, PathParameter } from '../../api/contract/endpoint.ts'
import type { SitePageSource } from '../../api/contract/page.ts'
import { byIsin, record } from '../../api/contract/shape.ts'
import { schemaKey } from '../../api/derive/json-schema.ts'
import type { Format, Language } from '../../api/routes/table.ts'
import { html, linkTo, type Html } from '../layout/html.ts'
import { wideTable } from '../layout/parts.ts'
import { wording } from '../wording.ts'
import { errorRows } from './errors.ts'
import { endpointExample } from './examples.ts'
import { listing } from './excerpt.ts'
import { fieldTable, inlineCode } from './fields.ts'
import { codeBlock, curlRequest, docKey, explorerPath, groupPath, tabs, type Site } from './site.ts'

export function endpointSection(endpoint: Endpoint, site: Site, language: Language): Html {
  const { id, path, summary } = endpoint
  const text = wording[language].docs
  const key = docKey(language, groupPath(endpoint.group.id))
  const body = endpoint.scope === 'fund' ? endpoint.body : record({ funds: byIsin(endpoint.of.body) })
  const title = summary[language]
  return html`<section class="endpoint" aria-labelledby="${id}">
    <h2 id="${id}">${title}</h2>
    <p class="path"><span class="method">GET</span> <code>${pathTemplate(path)}</code></p>
    <h3>${text.parameters}</h3>
    ${parameterTable(endpoint, language)}
    <h3>${text.example}</h3>
    ${exampleBlock(endpoint, site, language, key)}
    <h3>${text.fields}</h3>
    ${fieldTable(body, language, `${text.fields}: ${title}`)}
    <p class="small">
      <a href="${linkTo(key, schemaKey(id))}">${text.schema}: <code>${id}.json</code></a>
    </p>
    <h3>${text.errors}</h3>
    ${wideTable(`${text.errors}: ${title}`, {
      kind: 'errors',
      columns: [text.status, text.title, text.when],
      rows: errorRows(endpoint, language, key),
    })}
  </section> `
}

/** A path that marks its parameters and may break at each slash. */
export const pathTemplate = (path: string): Html =>
  html`${path
    .split(/(\{\w+\})/)
    .map((piece) =>
      piece.startsWith('{')
        ? html`<var>${piece}</var>`
        : html`${piece.split('/').map((segment, index) => (index === 0 ? segment : html`/<wbr />${segment}`))}`,
    )}`

function exampleBlock(endpoint: Endpoint, site: Site, language: Language, key: string): Html {
  const text = wording[language].docs
  const example = endpointExample(endpoint, site.source, language)
  const explorer = linkTo(key, `${docKey(language, explorerPath)}#/${endpoint.group.id}/${endpoint.id}`)
  const links = (open: Html | null) =>
    html`<p class="small links">${open}<a href="${explorer}">${text.inExplorer}</a></p>`
  if (example === null)
    return html`<p class="quiet">${text.noExample}</p>
      ${links(null)}`
  const panel = (format: Format) => {
    const target = targetOf(endpoint, example.path, language, format)
    const open = html`<a href="${linkTo(key, target.slice(1))}">${text.tryIt}</a> `
    const label = `${format.toUpperCase()}, ${endpoint.id}`
    return html`${codeBlock(curlRequest(site.source.baseUrl + target), `${text.request} ${label}`, true)}
    ${codeBlock(listing(example[format], text.more), `${text.answer} ${label}`, false)} ${links(open)}`
  }
  return html`<p class="quiet small">${aboutExample(site, language)}</p>
    ${tabs(`t-${endpoint.id}`, `${text.example}: ${endpoint.summary[language]}`, [
      ['JSON', panel('json')],
      ['XML', panel('xml')],
    ])}`
}

export function aboutExample({ source }: Site, language: Language): Html {
  const { exampleOf: of, excerpt } = wording[language].docs
  return html`${of(exampleName(source), source.exampleIsin ?? '', source.asOf)} ${excerpt}`
}

/** The fund's name in the documents. */
function exampleName({ examples }: SitePageSource): string {
  for (const [key, text] of examples) {
    if (!key.endsWith('.json')) continue
    const { fund } = JSON.parse(text) as { readonly fund?: { readonly name: string } }
    if (fund !== undefined) return fund.name
  }
  return ''
}

/** Path and query of the example. JSON needs no parameter, since it is the default. */
export function targetOf(endpoint: Endpoint, path: string, language: Language, format: Format): string {
  const query = [
    ...(hasLanguages(endpoint) ? [`language=${language}`] : []),
    ...(format === 'xml' ? ['format=xml'] : []),
  ].join('&')
  return query === '' ? path : `${path}?${query}`
}

const hasLanguages = (endpoint: Endpoint) =>
  endpoint.scope === 'all' ? endpoint.of.hasLanguages : endpoint.hasLanguages

function parameterTable(endpoint: Endpoint, language: Language): Html {
  const text = wording[language].docs
  const own = endpoint.scope === 'all' ? [] : Object.entries(endpoint.parameters)
  const row = (name: string, where: string, meaning: Html | string) => [
    html`<code>${name}</code>`,
    where,
    meaning,
  ]
  const inQuery = `${text.query}, ${text.optional}`
  return html`${wideTable(`${text.parameters}: ${endpoint.id}`, {
    columns: [text.name, text.where, text.meaning],
    rows: [
      ...own.map(([name, parameter]) => row(name, text.path, meaningOf(parameter, language))),
      row('format', inQuery, text.format),
      ...(hasLanguages(endpoint) ? [row('language', inQuery, text.language)] : []),
    ],
  })}
  ${own.map(([, parameter]) => (parameter.kind === 'choice' ? choiceTable(parameter, language) : null))}`
}

function meaningOf(parameter: PathParameter, language: Language): Html | string {
  const text = wording[language].docs
  if (parameter.kind === 'isin') return text.isin
  return parameter.kind === 'choice'
    ? text.choice
    : inlineCode(`${parameter.meaning[language]} (${text.kinds.day})`)
}

function choiceTable({ choices, nameOf }: ChoiceParameter, language: Language): Html {
  const { types, type, typeNames } = wording[language].docs
  return html`<details class="choices">
    <summary>${choices.length} ${types}</summary>
    ${wideTable(types, {
      columns: [type, typeNames],
      rows: choices.map((choice) => [html`<code>${choice}</code>`, nameOf(choice, language)]),
    })}
  </details>`
}
