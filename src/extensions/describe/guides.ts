/** The guides: Markdown in `templates/docs`, one file for each language, with placeholders that this file fills in. */

import { maxCharacters, type Page, type SitePageSource } from '../../core/api/contract/page.ts'
import { documentSchemas } from './json-schema.ts'
import { xmlBodies } from './xml-schema.ts'
import { errorCases, rightPath, unassignedIsin } from '../../core/api/derive/error-cases.ts'
import type { Format, Language } from '../../core/api/routes/table.ts'
import { fixedIn } from '../../core/layout/formats.ts'
import { html, type Html, type HtmlContent, linkTo, markupOf, raw } from '../../core/layout/html.ts'
import { mailTo, pageTemplate } from '../../core/layout/layout.ts'
import { programs } from './browser/requests.ts'
import { colouredProgram } from './coloured.ts'
import { answerAge } from './answer-age.ts'
import { clientBlocks } from './clients.ts'
import { endpointExample, listing, problemExcerpt } from './examples.ts'
import { aboutExample, pathTemplate, targetOf } from './group.ts'
import { listSections } from './lists.ts'
import { renderMarkdown } from './markdown.ts'
import { recipeBlocks } from './recipes.ts'
import {
  codeBlock,
  curlRequest,
  docGroups,
  docKey,
  docPage,
  explorerPath,
  groupPath,
  type Guide,
  guidePath,
  type Site,
  tabs,
} from './site.ts'
import { docWords } from './wording.ts'

/** Recipes use the files for analysts. */
export const guidesOf = ({ parts }: SitePageSource): readonly Guide[] => [
  'overview',
  'conventions',
  'lists',
  ...(parts.includes('downloads') ? (['recipes'] as const) : []),
  'clients',
  'terms',
]

export function guidePage(guide: Guide, site: Site, language: Language): Page {
  const path = guidePath(guide)
  const w = docWords[language]
  const main = filled(guide, site, language, docKey(language, path))
  const headings = main.matchAll(/<h2 id="([\w-]+)">([^<]+)<\/h2>/g)
  return docPage(site, {
    path,
    language,
    title: guide === 'overview' ? w.front : w[guide],
    description: w.descriptions[guide],
    main: raw(main),
    onPage: [...headings].map(([, id = '', text = '']) => ({ id, text: raw(text.trim()) })),
  })
}

/**
 * Renders a guide, then fills in `{{name}}`, so that no value is read as Markdown. A placeholder with a paragraph of its own is a
 * block. Links lead to pages of the documentation in the same language, `conventions/index.html#csv`, or to any file of the
 * snapshot by its key, `/openapi.json`. What is between `{{with PART}}` and `{{end}}` stays if the snapshot has that part of the
 * site. @throws {Error} for an unknown placeholder
 */
function filled(guide: Guide, site: Site, language: Language, key: string): string {
  const blocks = blocksOf(site, language, key)
  const template = `docs/${guide}.${language}.md`
  const linkOf = (address: string) =>
    linkTo(key, address.startsWith('/') ? address.slice(1) : docKey(language, address))
  const fill = (_: string, paragraph: string | undefined, inline: string | undefined): string => {
    const name = paragraph ?? inline ?? ''
    const block = blocks[name]
    if (block === undefined) throw new Error(`${template}: no {{${name}}} is known`)
    return markupOf(block)
  }
  const { example } = docWords[language]
  const { parts } = site.source
  const forParts = (_: string, name: string, text: string) =>
    parts.some((part) => part === name) ? text : ''
  const markdown = pageTemplate(template).replace(/\{\{with\s+(\w+)\}\}([^]*?)\{\{end\}\}/g, forParts)
  return renderMarkdown(markdown, linkOf, example).replace(/<p>\{\{(\w+)\}\}<\/p>|\{\{(\w+)\}\}/g, fill)
}

function blocksOf(site: Site, language: Language, key: string): Readonly<Record<string, HtmlContent>> {
  const { source, endpoints } = site
  const { request, answer, error, noExample, more, makeRequest, openExplorer } = docWords[language]
  const exampleOf = (id: string) => {
    const endpoint = endpoints.find((one) => one.id === id)
    if (endpoint === undefined) throw new Error(`no endpoint ${id}`)
    return { endpoint, example: endpointExample(endpoint, source, language) }
  }
  // Without an example, the request names a fund that does not exist.
  const url = (id: string, format: Format = 'json') => {
    const { endpoint, example } = exampleOf(id)
    return source.baseUrl + targetOf(endpoint, example?.path ?? rightPath(endpoint), language, format)
  }
  const block = (first: Html, second?: Html) =>
    codeBlock(second === undefined ? first : [first, '\n', second], request, true)
  const current = url('prices-current')
  const profile = url('profile')
  const { example } = exampleOf('prices-current')
  return {
    baseUrl: source.baseUrl,
    isin: pricedIsins(source)[0],
    ...recipeBlocks(source, pricedIsins(source), language),
    ...clientBlocks(source, pricedIsins(source)[0]),
    maxCharacters: fixedIn(language, maxCharacters, 0),
    actions: html`<p class="actions">
      <a class="button first" href="#start">${makeRequest}</a>
      <a class="button" href="${linkTo(key, docKey(language, explorerPath))}">${openExplorer}</a>
    </p>`,
    example: html`<p class="small quiet">
      ${source.exampleIsin === null ? noExample : aboutExample(source, language)}
    </p>`,
    firstRequest: tabs(
      { id: 'first-request', legend: docWords[language].program, remembered: 'program' },
      Object.entries(programs).map(([name, program]) => {
        const code = program({ url: current, kind: 'json' }, docWords[language].explorer.says)
        return [name, codeBlock(colouredProgram(code), `${request} ${name}`, true)] as const
      }),
    ),
    firstAnswer: example === null ? html`` : codeBlock(listing(example.json, more), answer),
    historicRequest: block(curlRequest(url('prices-historic', 'xml'))),
    profileRequest: block(curlRequest(profile)),
    formatRequests: block(
      curlRequest(url('prices-current', 'xml')),
      curlRequest(current, '-H', 'Accept: application/xml'),
    ),
    csvRequest: block(curlRequest(url('prices-historic', 'csv'))),
    languageRequests: block(
      curlRequest(profile),
      curlRequest(profile.replace(/\?.*/, ''), '-H', `Accept-Language: ${language}`),
    ),
    cachedRequest: block(
      curlRequest(current, ...'--compressed --etag-save etag.txt --etag-compare etag.txt'.split(' ')),
    ),
    statusRequest: block(
      curlRequest(
        `${source.baseUrl}/status/index.json`,
        ...'-sS --compressed --etag-save status.etag --etag-compare status.etag'.split(' '),
      ),
    ),
    answerAge: source.caching && html`<p id="age">${answerAge(source.caching, language).join(' ')}</p> `,
    licence: licenceText(source, language),
    published: html`<p>${docWords[language].published(source.publisher?.publishedBy ?? null)}</p> `,
    endpointTable: endpointTable(site, language, key),
    errorDocument: codeBlock(errorDocument(site), error),
    lists: listSections(source, language, key),
    schemaList: html`<ul class="schemas">
      ${[
        ...documentSchemas(endpoints, source.baseUrl).map(({ key }) => key),
        ...xmlBodies(endpoints).keys(),
      ].map(
        (schema) =>
          html`<li>
            <a href="${linkTo(key, schema)}"><code>${schema.split('/')[1]}</code></a>
          </li> `,
      )}
    </ul>`,
  }
}

/** Two funds with published prices, since others have no files in the downloads; the fund of the examples first. */
function pricedIsins({ exampleIsin, funds }: SitePageSource): readonly [string, string] {
  const priced = funds.filter(({ newest }) => newest !== null).map(({ isin }) => isin)
  const [first = unassignedIsin, second = first] = [...priced].sort(
    (one, other) => Number(other === exampleIsin) - Number(one === exampleIsin),
  )
  return [first, second]
}

function licenceText({ publisher }: SitePageSource, language: Language): Html {
  const { licensed, noLicence, termsApply, questions } = docWords[language]
  const { licence = null, terms = null, contact = null } = publisher ?? {}
  const name =
    licence && (licence.url === null ? licence.name : html`<a href="${licence.url}">${licence.name}</a>`)
  const unlicensed = terms === null && html`<p>${noLicence}</p> `
  return html`${name === null ? unlicensed : html`<p>${licensed} ${name}.</p> `}${terms !== null && html`<p>${termsApply} <a href="${terms}">${terms}</a></p> `}${contact !== null && html`<p>${questions} <a href="${mailTo(contact)}">${contact}</a></p> `}`
}

/** The error of an unknown ISIN. */
function errorDocument({ source, endpoints }: Site): Html {
  const error = endpoints.flatMap(errorCases).find(({ problem }) => problem.status === 404)
  if (error === undefined) return html``
  return listing(problemExcerpt('json', source.table.docsUrl, error.problem, error.values), () => '')
}

function endpointTable({ endpoints }: Site, language: Language, key: string): Html {
  const { endpoints: title } = docWords[language]
  const groups = docGroups(endpoints).map(({ id: group, title: name, lead }) => {
    const to = docKey(language, groupPath(group))
    const own = endpoints
      .filter((endpoint) => endpoint.group.id === group)
      .map(
        ({ id, path, summary }) =>
          html`<li>
            <a href="${linkTo(key, `${to}#${id}`)}" title="${summary[language]}"
              ><code>${pathTemplate(path)}</code></a
            >
          </li> `,
      )
    const list = html`<ul>
      ${own}
    </ul>`
    return html`<li>
      <h3><a href="${linkTo(key, to)}">${name[language]}</a></h3>
      <p>${lead[language]}</p>
      ${own.length > 0 && list}
    </li> `
  })
  return html`<ul class="groups" aria-label="${title}">
    ${groups}
  </ul>`
}
