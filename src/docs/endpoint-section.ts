/** One endpoint on its group's page: path, parameters, a real request with its answer, fields, errors. */

import type { Endpoint, PathParameter } from '../contract/endpoint.ts'
import type { SitePageSource } from '../contract/page.ts'
import { record, byIsin } from '../contract/shape.ts'
import { structureTypeName, structureTypes } from '../contract/structure-types.ts'
import { schemaKey } from '../derive/document-schemas.ts'
import { html, type Html } from '../pages/html.ts'
import { linkTo } from '../pages/link.ts'
import type { Format, Language } from '../routes/table.ts'
import { codeBlock, curl, tabs } from './code.ts'
import { errorLinks } from './error-list.ts'
import { exampleOf, type Example } from './examples.ts'
import { fieldTable } from './field-table.ts'
import { jsonListing } from './json-tree.ts'
import { docKey, explorerPath, groupPath, type Site } from './site.ts'
import { translate } from './translate.ts'
import { words } from './words.ts'
import { xmlListing } from './xml-tree.ts'

export function endpointSection(endpoint: Endpoint, site: Site, language: Language): Html {
  const { id, path, summary } = endpoint
  const text = words[language]
  const key = docKey(language, groupPath(endpoint.group))
  const body = endpoint.scope === 'fund' ? endpoint.body : record({ funds: byIsin(endpoint.of.body) })
  const title = translate(summary, language)
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
    <div class="scroll" tabindex="0" role="group" aria-label="${text.errors}: ${title}">
      <table class="errors">
        <thead>
          <tr>
            <th scope="col">${text.status}</th>
            <th scope="col">${text.title}</th>
            <th scope="col">${text.when}</th>
          </tr>
        </thead>
        <tbody>
          ${errorLinks(endpoint, { language, key })}
        </tbody>
      </table>
    </div>
  </section> `
}

/** With its parameters set off, and places where a long one may break. */
export const pathTemplate = (path: string): Html =>
  html`${path
    .split(/(\{\w+\})/)
    .map((piece) =>
      piece.startsWith('{')
        ? html`<var>${piece}</var>`
        : html`${piece.split('/').map((segment, index) => (index === 0 ? segment : html`/<wbr />${segment}`))}`,
    )}`

function exampleBlock(endpoint: Endpoint, site: Site, language: Language, key: string): Html {
  const text = words[language]
  const example = exampleOf(endpoint, site.source, language)
  const explorer = linkTo(key, `${docKey(language, explorerPath)}#/${endpoint.group}/${endpoint.id}`)
  const links = (open: Html | null) =>
    html`<p class="small links">${open}<a href="${explorer}">${text.inExplorer}</a></p>`
  if (example === null)
    return html`<p class="quiet">${text.noExample}</p>
      ${links(null)}`
  const panel = (format: Format) => {
    const target = targetOf(endpoint, example.path, language, format)
    const open = html`<a href="${linkTo(key, target.slice(1))}">${text.tryIt}</a> `
    const label = `${format.toUpperCase()}, ${endpoint.id}`
    return html`${codeBlock(curl(site.source.baseUrl + target), `${text.request} ${label}`, true)}
    ${codeBlock(listing(example, format, language), `${text.answer} ${label}`, false)} ${links(open)}`
  }
  return html`<p class="quiet small">${aboutExample(site, language)}</p>
    ${tabs(`t-${endpoint.id}`, `${text.example}: ${translate(endpoint.summary, language)}`, [
      ['JSON', panel('json')],
      ['XML', panel('xml')],
    ])}`
}

function listing({ json, xml }: Example, format: Format, language: Language): Html {
  const { more } = words[language]
  return format === 'json' ? jsonListing(json, more) : xmlListing(xml, more)
}

export function aboutExample({ source }: Site, language: Language): Html {
  const { exampleOf: of, excerpt } = words[language]
  return html`${of(exampleName(source), source.exampleIsin ?? '', source.asOf)} ${excerpt}`
}

/** As the documents have it. */
function exampleName({ examples }: SitePageSource): string {
  for (const [key, text] of examples) {
    if (!key.endsWith('.json')) continue
    const { fund } = JSON.parse(text) as { readonly fund?: { readonly name: string } }
    if (fund !== undefined) return fund.name
  }
  return ''
}

/** Path and query of the example: JSON and German are what an answer is without asking. */
export function targetOf(endpoint: Endpoint, path: string, language: Language, format: Format): string {
  const hasLanguages = endpoint.scope === 'all' ? endpoint.of.hasLanguages : endpoint.hasLanguages
  const query = [
    ...(hasLanguages ? [`language=${language}`] : []),
    ...(format === 'xml' ? ['format=xml'] : []),
  ].join('&')
  return query === '' ? path : `${path}?${query}`
}

function parameterTable(endpoint: Endpoint, language: Language): Html {
  const text = words[language]
  const own = endpoint.scope === 'all' ? [] : Object.entries(endpoint.parameters)
  const hasLanguages = endpoint.scope === 'all' ? endpoint.of.hasLanguages : endpoint.hasLanguages
  const row = (name: string, where: string, meaning: Html | string) =>
    html`<tr>
      <th scope="row"><code>${name}</code></th>
      <td>${where}</td>
      <td>${meaning}</td>
    </tr> `
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${text.parameters}: ${endpoint.id}">
      <table>
        <thead>
          <tr>
            <th scope="col">${text.name}</th>
            <th scope="col">${text.where}</th>
            <th scope="col">${text.meaning}</th>
          </tr>
        </thead>
        <tbody>
          ${own.map(([name, parameter]) => row(name, text.path, meaningOf(name, parameter, language)))}
          ${row('format', `${text.query}, ${text.optional}`, text.format)}
          ${hasLanguages ? row('language', `${text.query}, ${text.optional}`, text.language) : null}
        </tbody>
      </table>
    </div>
    ${own.map(([, parameter]) => (parameter.kind === 'choice' ? choiceTable(parameter.choices, language) : null))}`
}

function meaningOf(name: string, parameter: PathParameter, language: Language): string {
  const text = words[language]
  if (parameter.kind === 'isin') return text.isin
  if (parameter.kind === 'choice') return text.choice
  return name === 'dateto' ? text.dateto : text.datefrom
}

function choiceTable(choices: readonly string[], language: Language): Html {
  const { types, type, typeNames } = words[language]
  const nameOf = (choice: string) =>
    structureTypes.includes(choice) ? structureTypeName(choice, language) : ''
  return html`<details class="choices">
    <summary>${choices.length} ${types}</summary>
    <div class="scroll" tabindex="0" role="group" aria-label="${types}">
      <table>
        <thead>
          <tr>
            <th scope="col">${type}</th>
            <th scope="col">${typeNames}</th>
          </tr>
        </thead>
        <tbody>
          ${choices.map(
            (choice) =>
              html`<tr>
                <th scope="row"><code>${choice}</code></th>
                <td>${nameOf(choice)}</td>
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
  </details>`
}
