/** The guide: overview, conventions, recipes. */

import { existsSync } from 'node:fs'
import type { Page } from '../contract/page.ts'
import { documentSchemas } from '../derive/document-schemas.ts'
import { unknownIsin } from '../derive/error-cases.ts'
import { pageTemplate } from '../pages/assets.ts'
import { html, type Html } from '../pages/html.ts'
import { linkTo } from '../pages/link.ts'
import { problemDocument } from '../routes/problems.ts'
import type { Language } from '../routes/table.ts'
import { codeBlock, curl } from './code.ts'
import { aboutExample, pathTemplate, targetOf } from './endpoint-section.ts'
import { exampleOf } from './examples.ts'
import { fillFragment, headingsOf } from './fragment.ts'
import { groupWords } from './groups.ts'
import { jsonListing, parseJsonTree } from './json-tree.ts'
import { docKey, docPage, groupPath, groupsOf, type GuidePath, type Site } from './site.ts'
import { translate } from './translate.ts'
import { words } from './words.ts'

/** The fragments that there are; recipes may be missing. */
export function guidePaths(): readonly GuidePath[] {
  const all: readonly GuidePath[] = ['index.html', 'conventions/index.html', 'recipes/index.html']
  return all.filter((path) =>
    existsSync(new URL(`../../templates/${fragmentOf(path, 'en')}`, import.meta.url)),
  )
}

const fragmentNames = {
  'index.html': 'overview',
  'conventions/index.html': 'conventions',
  'recipes/index.html': 'recipes',
} as const

const fragmentOf = (path: GuidePath, language: Language) => `docs/${fragmentNames[path]}.${language}.html`

export function guidePage(path: GuidePath, site: Site, language: Language): Page {
  const key = docKey(language, path)
  const main = fillFragment(pageTemplate(fragmentOf(path, language)), {
    key,
    language,
    blocks: blocksOf(site, language, key),
  })
  const { title, description } = about[language][path]
  return docPage(site, { path, language, title, description, main, onPage: headingsOf(main) })
}

const about = {
  en: {
    'index.html': {
      title: 'Fund data: documentation',
      description: 'How to read prices, performance, structures and more of every fund, as JSON or XML.',
    },
    'conventions/index.html': {
      title: 'Conventions',
      description: 'What the interface promises in every detail: requests, dates, values, XML, errors.',
    },
    'recipes/index.html': {
      title: 'Recipes',
      description: 'Fund data in curl, Python, R, DuckDB, Excel, Google Sheets and Portfolio Performance.',
    },
  },
  de: {
    'index.html': {
      title: 'Fondsdaten: Dokumentation',
      description:
        'Wie man Preise, Wertentwicklung, Strukturen und mehr jedes Fonds liest, als JSON oder XML.',
    },
    'conventions/index.html': {
      title: 'Vereinbarungen',
      description: 'Was die Schnittstelle im Einzelnen zusagt: Anfragen, Tage, Werte, XML, Fehler.',
    },
    'recipes/index.html': {
      title: 'Rezepte',
      description: 'Fondsdaten in curl, Python, R, DuckDB, Excel, Google Sheets und Portfolio Performance.',
    },
  },
} as const

/** What fragments may name. */
function blocksOf(site: Site, language: Language, key: string): Readonly<Record<string, Html | string>> {
  const { source, endpoints } = site
  const { request, answer, error } = words[language]
  const isin = source.exampleIsin ?? unknownIsin
  const request_ = (target: string) => codeBlock(curl(source.baseUrl + target), request, true)
  const first = endpoints[0]
  const current = first === undefined ? null : exampleOf(first, source, language)
  const problem = source.table.problems.find(({ title }) => title.includes('{isin}'))
  return {
    baseUrl: source.baseUrl,
    asOf: source.asOf,
    isin,
    fundCount: String(source.funds.length),
    example: source.exampleIsin === null ? words[language].noExample : aboutExample(site, language),
    firstRequest: request_(`/api/v1/prices-current/${isin}/`),
    firstAnswer:
      current === null ? html`` : codeBlock(jsonListing(current.json, words[language].more), answer, false),
    historicRequest: request_(historicTarget(site, language)),
    profileRequest: request_(`/api/v1/profile/${isin}/?language=${language}`),
    xmlRequest: codeBlock(
      html`curl -H
        <span class="s">'Accept: application/xml'</span>
        ${curlUrl(`${source.baseUrl}/api/v1/prices-current/${isin}/`)}`,
      request,
      true,
    ),
    conditionalRequest: codeBlock(
      html`curl -I ${curlUrl(`${source.baseUrl}/api/v1/prices-current/${isin}/`)} `,
      request,
      true,
    ),
    endpointTable: endpointTable(site, language, key),
    errorDocument:
      problem === undefined
        ? html``
        : codeBlock(
            jsonListing(
              parseJsonTree(problemDocument(source.table.docsUrl, problem, { isin: unknownIsin }, 'json')),
              () => '',
            ),
            error,
            false,
          ),
    schemaList: html`<ul class="schemas">
      ${documentSchemas(endpoints, source.baseUrl).map(
        ({ key: schema }) =>
          html`<li>
            <a href="${linkTo(key, schema)}"><code>${schema.split('/')[1]}</code></a>
          </li> `,
      )}
    </ul>`,
  }
}

const curlUrl = (url: string): Html => html`<span class="s">'${url}'</span>`

/** A range of one month: the last that the example fund has prices in. */
function historicTarget({ source, endpoints }: Site, language: Language): string {
  const historic = endpoints.find((endpoint) => endpoint.scope === 'fund' && endpoint.series !== undefined)
  const example = historic === undefined ? null : exampleOf(historic, source, language)
  if (historic === undefined || example === null)
    return `/api/v1/prices-historic/${unknownIsin}/2026-01-01/2026-12-31/?format=xml`
  return targetOf(historic, example, language, 'xml')
}

function endpointTable({ endpoints }: Site, language: Language, key: string): Html {
  const { endpoints: title } = words[language]
  const groups = groupsOf(endpoints).map((group) => {
    const to = docKey(language, groupPath(group))
    const own = endpoints.filter((endpoint) => endpoint.group === group)
    const { title: name, lead } = groupWords(group, language)
    return html`<li>
      <h3><a href="${linkTo(key, to)}">${name}</a></h3>
      <p>${lead}</p>
      ${
        own.length === 0
          ? null
          : html`<ul>
              ${own.map(
                ({ id, path, summary }) =>
                  html`<li>
                    <a href="${linkTo(key, `${to}#${id}`)}" title="${translate(summary, language)}"
                      ><code>${pathTemplate(path)}</code></a
                    >
                  </li> `,
              )}
            </ul>`
      }
    </li> `
  })
  return html`<ul class="groups" aria-label="${title}">
    ${groups}
  </ul>`
}
