/** The documentation of a snapshot: pages in English and German, OpenAPI, JSON Schemas, the API explorer. */

import type { Page, SitePageSource, SitePages } from '../contract/page.ts'
import { documentSchemas } from '../derive/document-schemas.ts'
import { openApi, type OpenApiExample } from '../derive/openapi.ts'
import { endpoints } from '../endpoints/index.ts'
import { pageAssets, pageTemplate } from '../pages/assets.ts'
import { exampleOf } from './examples.ts'
import { explorerPages } from './explorer.ts'
import { groupPage } from './group-page.ts'
import { groupWords } from './groups.ts'
import { guidePage, guidePaths } from './guide-pages.ts'
import { compactJson } from './json-tree.ts'
import { docLanguages, docStyleKey, groupsOf, openApiKey, scriptKey, type Site } from './site.ts'
import { xmlDocument } from './xml-tree.ts'

export const docsPages: SitePages = function* (source): Generator<Page> {
  yield* pageAssets()
  yield { key: docStyleKey, content: pageTemplate('docs/docs.css') }
  yield { key: scriptKey, content: pageTemplate('docs/docs.js') }
  yield { key: openApiKey, content: json(descriptionOf(source)) }
  for (const { key, schema } of documentSchemas(endpoints, source.baseUrl)) {
    yield { key, content: json(schema) }
  }
  const site: Site = { source, endpoints, guide: guidePaths(source) }
  for (const language of docLanguages) {
    for (const path of site.guide) yield guidePage(path, site, language)
    for (const group of groupsOf(endpoints)) yield groupPage(group, site, language)
  }
  yield* explorerPages(source)
}

/** Indented: people read them too. */
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

function descriptionOf(source: SitePageSource) {
  const examples = new Map<string, OpenApiExample>()
  // The dates of the date range; the fund and the type are as good as those of any other example.
  let values: Readonly<Record<string, string>> = {}
  for (const endpoint of endpoints) {
    const example = exampleOf(endpoint, source, 'en')
    if (example === null) continue
    values = { ...values, ...example.values }
    examples.set(endpoint.id, {
      json: JSON.parse(compactJson(example.json)) as unknown,
      xml: xmlDocument(example.xml),
    })
  }
  return openApi({
    endpoints,
    baseUrl: source.baseUrl,
    docsUrl: source.table.docsUrl,
    asOf: source.asOf,
    groups: [...new Set(endpoints.map(({ group }) => group))].map((id) => ({
      id,
      title: groupWords(id, 'en').title,
    })),
    examples,
    values,
  })
}
