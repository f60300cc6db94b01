/** The documentation of a snapshot: pages in English and German, OpenAPI, JSON Schemas, the API explorer. */

import { type Endpoint, groupsOf } from '../../api/contract/endpoint.ts'
import { listsOf } from '../../api/contract/lists.ts'
import type { Page, SitePageSource } from '../../api/contract/page.ts'
import { documentSchemas } from '../../api/derive/json-schema.ts'
import { openApi, type OpenApiExample } from '../../api/derive/openapi.ts'
import { endpoints as registry } from '../../api/endpoints/index.ts'
import type { Language } from '../../api/routes/table.ts'
import { dayIn } from '../funds/chart/formats.ts'
import { html, type Html, linkTo } from '../layout/html.ts'
import { frontPages, layout, pageTemplate, sharedPages } from '../layout/layout.ts'
import { wording } from '../wording.ts'
import { compact, endpointExample, xmlDocument } from './examples.ts'
import { groupPage, pathTemplate } from './group.ts'
import { guidePage, guidesOf } from './guides.ts'
import { listExamples, listValues } from './lists.ts'
import { assistantPages } from './llms.ts'
import { docGroups, docStyleKey, openApiKey, scriptKey, type Site, docKey, groupPath } from './site.ts'

/** @param endpoints those to document; tests add to the registry */
export function* docsPages(source: SitePageSource, endpoints = registry): Generator<Page> {
  yield* sharedPages(source.publisher)
  yield { key: docStyleKey, content: pageTemplate('docs/docs.css') }
  yield { key: scriptKey, content: pageTemplate('docs/docs.js') }
  yield { key: openApiKey, content: json(descriptionOf(source, endpoints)) }
  for (const { key, schema } of documentSchemas(endpoints, source.baseUrl))
    yield { key, content: json(schema) }
  const site: Site = { source, endpoints, guides: guidesOf(source) }
  for (const language of ['en', 'de'] as const) {
    for (const guide of site.guides) yield guidePage(guide, site, language)
    for (const group of docGroups(endpoints)) yield groupPage(group, site, language)
    yield { key: frontPages.explorer[language], content: explorerPage(site, language) }
  }
  yield* assistantPages(site)
  yield { key: explorerFile('explorer.js'), content: pageTemplate('docs/explorer.js') }
  yield { key: explorerFile('explorer.css'), content: pageTemplate('docs/explorer.css') }
  for (const [file, name] of Object.entries(libraryFiles)) {
    const text = pageTemplate(`docs/swagger-ui/${file}`)
    // The source maps are not published: developer tools must not ask for them.
    const content = text.replace(/\n(?:\/\/|\/\*)# sourceMappingURL=\S+\s*$/, '\n')
    yield { key: explorerFile(name), content }
  }
}

/** Indented, since people read it, too. */
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

function descriptionOf(source: SitePageSource, endpoints: readonly Endpoint[]) {
  const examples = new Map<string, OpenApiExample>()
  // One value for each parameter: the dates of the date range; the fund and the type of any example will do.
  const values: Record<string, string> = { ...listValues(source) }
  for (const endpoint of endpoints) {
    const example = endpointExample(endpoint, source, 'en')
    if (example === null) continue
    Object.assign(values, example.values)
    const json: unknown = JSON.parse(compact(example.json))
    examples.set(endpoint.id, { json, xml: xmlDocument(example.xml), csv: example.csv })
  }
  const { baseUrl, publisher } = source
  const lists = { lists: listsOf(source), listExamples: listExamples(source) }
  const { docsUrl } = source.table
  return openApi({ endpoints, ...lists, baseUrl, docsUrl, publisher, examples, values })
}

/** All files of the explorer lie beside its English page. */
const explorerFile = (name: string) => frontPages.explorer.en.replace('index.html', name)

/** Files of Swagger UI, and their names beside the page. Its licence must be published with it. */
const libraryFiles: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui.css': 'swagger-ui.css',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  LICENSE: 'swagger-ui.LICENSE.txt',
  NOTICE: 'swagger-ui.NOTICE.txt',
}

/**
 * Swagger UI on this snapshot's own description. What the library shows is always English. The page itself is the list of
 * the operations: its script loads the library, which is large, when a reader chooses one. Without scripts and in a folder
 * the list leads to the documentation.
 */
function explorerPage({ source, endpoints }: Site, language: Language): string {
  const { hasDownloads, publisher, asOf, baseUrl } = source
  const keys = frontPages.explorer
  const link = (to: string) => linkTo(keys[language], to)
  const { docs, shell } = wording[language]
  const text = docs.explorer
  const title = shell.parts.explorer
  return layout({
    keys,
    language,
    baseUrl,
    title: `${title} · ${shell.brand}`,
    description: text.description,
    part: 'explorer',
    hasDownloads,
    publisher,
    styles: [explorerFile('explorer.css')],
    scripts: [explorerFile('explorer.js')],
    main: html`<h1>${title}</h1>
      <p class="lead">
        ${text.lead}
        <a href="${link(frontPages.docs[language])}">${text.documentation}</a>.
      </p>
      <noscript
        ><p class="notice">${text.noScript} <a href="${link(openApiKey)}">openapi.json</a>.</p></noscript
      >
      <p class="notice" id="from-folder" hidden>${text.fromFolder} <code>fundpress serve</code>.</p>
      <h2>${text.operations}</h2>
      <p role="status" id="explorer-state" data-loading="${text.loading}" data-failed="${text.failed}"></p>
      <div id="operation-list">${operationList(endpoints, language)}</div>
      <div
        id="explorer"
        lang="en"
        data-description="${link(openApiKey)}"
        data-script="${link(explorerFile('swagger-ui-bundle.js'))}"
        data-style="${link(explorerFile('swagger-ui.css'))}"
      ></div>`,
    footer: html`${docs.footer(dayIn(language, asOf))} Swagger UI:
      <a href="${link(explorerFile('swagger-ui.LICENSE.txt'))}">Apache 2.0</a>.`,
  })
}

function operationList(endpoints: readonly Endpoint[], language: Language): readonly Html[] {
  const key = frontPages.explorer[language]
  const item = ({ id, group, path, summary }: Endpoint) =>
    html`<li>
      <a
        href="${linkTo(key, `${docKey(language, groupPath(group.id))}#${id}`)}"
        data-operation="${group.id}/${id}"
        ><span class="method">GET</span><code>${pathTemplate(path)}</code></a
      >
      <p>${summary[language]}</p>
    </li> `
  return groupsOf(endpoints).map(({ id, title }) => {
    const own = endpoints.filter(({ group }) => group.id === id)
    return html`<h3>${title[language]}</h3>
      <ul>
        ${own.map(item)}
      </ul> `
  })
}
