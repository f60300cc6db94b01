/** The guide: overview, conventions, recipes. */

import { maxCharacters } from '../contract/fund-files.ts'
import type { Page, SitePageSource } from '../contract/page.ts'
import { documentSchemas } from '../derive/document-schemas.ts'
import { errorCases, rightPath, unknownIsin } from '../derive/error-cases.ts'
import { pageTemplate } from '../pages/assets.ts'
import { html, type Html } from '../pages/html.ts'
import { linkTo } from '../pages/link.ts'
import { problemDocument } from '../routes/problems.ts'
import type { Format, Language } from '../routes/table.ts'
import { codeBlock, curl } from './code.ts'
import { aboutExample, pathTemplate, targetOf } from './endpoint-section.ts'
import { exampleOf } from './examples.ts'
import { fillFragment, headingsOf } from './fragment.ts'
import { groupWords } from './groups.ts'
import { jsonListing, parseJsonTree } from './json-tree.ts'
import { docKey, docPage, groupPath, groupsOf, type GuidePath, type Site } from './site.ts'
import { translate } from './translate.ts'
import { words } from './words.ts'

/** Recipes are about the files for analysts. */
export const guidePaths = ({ hasDownloads }: SitePageSource): readonly GuidePath[] => [
  'index.html',
  'conventions/index.html',
  ...(hasDownloads ? (['recipes/index.html'] as const) : []),
]

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
  const { request, answer, error, noExample, more } = words[language]
  const url = (id: string, format: Format = 'json') =>
    source.baseUrl + requestTarget(id, site, language, format)
  const block = (content: Html) => codeBlock(content, request, true)
  const current = endpoints.find(({ id }) => id === 'prices-current')
  const example = current === undefined ? null : exampleOf(current, source, language)
  return {
    baseUrl: source.baseUrl,
    asOf: source.asOf,
    isin: pricedIsin(source),
    maxCharacters: maxCharacters.toString().replace(/(?=\d{3}$)/, language === 'de' ? '.' : ','),
    example: source.exampleIsin === null ? noExample : aboutExample(site, language),
    firstRequest: block(curl(url('prices-current'))),
    firstAnswer: example === null ? html`` : codeBlock(jsonListing(example.json, more), answer, false),
    historicRequest: block(curl(url('prices-historic'))),
    profileRequest: block(curl(url('profile'))),
    formatRequests: block(
      html`${curl(url('prices-current', 'xml'))}
      ${curl(url('prices-current'), '-H', 'Accept: application/xml')}`,
    ),
    languageRequests: block(
      html`${curl(url('profile'))}
      ${curl(url('profile').replace(/\?.*/, ''), '-H', `Accept-Language: ${language}`)}`,
    ),
    cachedRequest: block(
      curl(url('prices-current'), '--compressed', '--etag-save', 'etag.txt', '--etag-compare', 'etag.txt'),
    ),
    endpointTable: endpointTable(site, language, key),
    errorDocument: codeBlock(errorDocument(site), error, false),
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

/** The fund of the examples where its prices are given out: the downloads have files of such funds only. */
function pricedIsin({ exampleIsin, funds }: SitePageSource): string {
  const priced = funds.filter(({ newest }) => newest !== null)
  return (priced.find(({ isin }) => isin === exampleIsin) ?? priced[0])?.isin ?? unknownIsin
}

/** Path and query of an endpoint's example; without one, of a fund that nobody has. */
function requestTarget(id: string, { source, endpoints }: Site, language: Language, format: Format): string {
  const endpoint = endpoints.find((one) => one.id === id)
  if (endpoint === undefined) throw new Error(`no endpoint ${id}`)
  const path = exampleOf(endpoint, source, language)?.path ?? rightPath(endpoint)
  return targetOf(endpoint, path, language, format)
}

/** An error that every reader has met: an unknown ISIN. */
function errorDocument({ source, endpoints }: Site): Html {
  const error = endpoints.flatMap(errorCases).find(({ problem }) => problem.status === 404)
  if (error === undefined) return html``
  const text = problemDocument(source.table.docsUrl, error.problem, error.values, 'json')
  return jsonListing(parseJsonTree(text), () => '')
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
