/**
 * The guides: overview, conventions, recipes. People write them as HTML fragments in `templates/docs`, one for each
 * language, with places that this file fills in.
 */

import { maxCharacters, type Page, type SitePageSource } from '../../api/contract/page.ts'
import { documentSchemas } from '../../api/derive/json-schema.ts'
import { errorCases, rightPath, unassignedIsin } from '../../api/derive/error-cases.ts'
import { problemDocument } from '../../api/routes/problems.ts'
import type { Format, Language } from '../../api/routes/table.ts'
import { aboutExample, pathTemplate, targetOf } from './endpoint-section.ts'
import { endpointExample } from './examples.ts'
import { listing, parseJson } from './excerpt.ts'
import {
  codeBlock,
  curlRequest,
  docGroups,
  docKey,
  docPage,
  groupPath,
  type Guide,
  guidePath,
  type Heading,
  type Site,
} from './site.ts'
import { html, type Html, type HtmlContent, linkTo, raw } from '../layout/html.ts'
import { pageTemplate } from '../layout/layout.ts'
import { wording } from '../wording.ts'

/** The recipes are about the files for analysts. */
export const guidesOf = ({ hasDownloads }: SitePageSource): readonly Guide[] => [
  'overview',
  'conventions',
  ...(hasDownloads ? (['recipes'] as const) : []),
]

export function guidePage(guide: Guide, site: Site, language: Language): Page {
  const path = guidePath(guide)
  const main = filled(
    pageTemplate(`docs/${guide}.${language}.html`),
    docKey(language, path),
    language,
    blocksOf(site, language, docKey(language, path)),
  )
  const { title, description } = wording[language].docs.about[guide]
  return docPage(site, { path, language, title, description, main, onPage: headingsOf(main) })
}

/**
 * Fills in `{{name}}` (a block), `{{to KEY}}` (a link to a file of the snapshot) and `{{doc PATH}}` (a link to a page of
 * the documentation in the same language).
 * @throws {Error} for an unknown place
 */
function filled(
  fragment: string,
  key: string,
  language: Language,
  blocks: Readonly<Record<string, HtmlContent>>,
): Html {
  const fill = (_: string, name: string, argument: string | undefined): string => {
    if (argument !== undefined && name === 'to') return linkTo(key, argument)
    if (argument !== undefined && name === 'doc') return linkTo(key, docKey(language, argument))
    const block = blocks[name]
    if (block === undefined || argument !== undefined) throw new Error(`${key}: no {{${name}}} is known`)
    return html`${block}`.markup
  }
  return raw(fragment.replace(/\{\{(\w+)(?: ([^{}]+))?\}\}/g, fill))
}

/** The `<h2>` headings that the navigation leads to. */
function headingsOf({ markup }: Html): readonly Heading[] {
  return [...markup.matchAll(/<h2 id="([\w-]+)">([^<]+)<\/h2>/g)].map(([, id = '', text = '']) => ({
    id,
    text: text.trim(),
  }))
}

/** The blocks that fragments may name. */
function blocksOf(site: Site, language: Language, key: string): Readonly<Record<string, HtmlContent>> {
  const { source, endpoints } = site
  const { request, answer, error, noExample, more } = wording[language].docs
  const url = (id: string, format: Format = 'json') =>
    source.baseUrl + requestTarget(id, site, language, format)
  const block = (content: Html) => codeBlock(content, request, true)
  const current = endpoints.find(({ id }) => id === 'prices-current')
  const example = current === undefined ? null : endpointExample(current, source, language)
  return {
    baseUrl: source.baseUrl,
    asOf: source.asOf,
    isin: pricedIsin(source),
    maxCharacters: maxCharacters.toString().replace(/(?=\d{3}$)/, language === 'de' ? '.' : ','),
    example: source.exampleIsin === null ? noExample : aboutExample(site, language),
    firstRequest: block(curlRequest(url('prices-current'))),
    firstAnswer: example === null ? html`` : codeBlock(listing(example.json, more), answer, false),
    historicRequest: block(curlRequest(url('prices-historic'))),
    profileRequest: block(curlRequest(url('profile'))),
    formatRequests: block(
      html`${curlRequest(url('prices-current', 'xml'))}
      ${curlRequest(url('prices-current'), '-H', 'Accept: application/xml')}`,
    ),
    languageRequests: block(
      html`${curlRequest(url('profile'))}
      ${curlRequest(url('profile').replace(/\?.*/, ''), '-H', `Accept-Language: ${language}`)}`,
    ),
    cachedRequest: block(
      curlRequest(
        url('prices-current'),
        '--compressed',
        '--etag-save',
        'etag.txt',
        '--etag-compare',
        'etag.txt',
      ),
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

/** A fund whose prices may be given out, since only such funds have files in the downloads; if possible that of the examples. */
function pricedIsin({ exampleIsin, funds }: SitePageSource): string {
  const priced = funds.filter(({ newest }) => newest !== null)
  return (priced.find(({ isin }) => isin === exampleIsin) ?? priced[0])?.isin ?? unassignedIsin
}

/** Path and query of an endpoint's example; without an example, of a fund that does not exist. */
function requestTarget(id: string, { source, endpoints }: Site, language: Language, format: Format): string {
  const endpoint = endpoints.find((one) => one.id === id)
  if (endpoint === undefined) throw new Error(`no endpoint ${id}`)
  const path = endpointExample(endpoint, source, language)?.path ?? rightPath(endpoint)
  return targetOf(endpoint, path, language, format)
}

/** The error for an unknown ISIN. */
function errorDocument({ source, endpoints }: Site): Html {
  const error = endpoints.flatMap(errorCases).find(({ problem }) => problem.status === 404)
  if (error === undefined) return html``
  const text = problemDocument(source.table.docsUrl, error.problem, error.values, 'json')
  return listing(parseJson(text), () => '')
}

function endpointTable({ endpoints }: Site, language: Language, key: string): Html {
  const { endpoints: title } = wording[language].docs
  const groups = docGroups(endpoints).map(({ id: group, title: name, lead }) => {
    const to = docKey(language, groupPath(group))
    const own = endpoints.filter((endpoint) => endpoint.group.id === group)
    return html`<li>
      <h3><a href="${linkTo(key, to)}">${name[language]}</a></h3>
      <p>${lead[language]}</p>
      ${
        own.length === 0
          ? null
          : html`<ul>
              ${own.map(
                ({ id, path, summary }) =>
                  html`<li>
                    <a href="${linkTo(key, `${to}#${id}`)}" title="${summary[language]}"
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
