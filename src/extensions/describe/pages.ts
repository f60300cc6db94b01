/** The documentation of a snapshot: pages in English and German, OpenAPI, JSON Schemas, the API explorer. */

import type { Endpoint } from '../../core/api/contract/endpoint.ts'
import { listsOf } from '../../core/api/contract/lists.ts'
import type { Page, SitePageSource } from '../../core/api/contract/page.ts'
import { documentSchemas } from './json-schema.ts'
import { openApi, type OpenApiExample } from './openapi.ts'
import { xmlBodies, xmlSchemaOf } from './xml-schema.ts'
import { endpoints as registry } from '../../core/api/endpoints/index.ts'
import { pageTemplate, sharedPages } from '../../core/layout/layout.ts'
import { endpointExample } from './examples.ts'
import { explorerPages } from './explorer.ts'
import { groupPage } from './group.ts'
import { guidePage, guidesOf } from './guides.ts'
import { listExamples, listValues } from './lists.ts'
import { assistantPage } from './llms.ts'
import { searchIndex } from './search-index.ts'
import { docGroups, docStyleKey, openApiKey, scriptKey, searchScriptKey, type Site } from './site.ts'

/** @param endpoints to document; tests add to the registry */
export function* docsPages(source: SitePageSource, endpoints = registry): Generator<Page> {
  yield* sharedPages(source.publisher)
  yield { key: docStyleKey, content: pageTemplate('docs/docs.css') }
  yield { key: scriptKey, content: pageTemplate('docs/docs.js') }
  yield { key: openApiKey, content: json(descriptionOf(source, endpoints)) }
  for (const { key, schema } of documentSchemas(endpoints, source.baseUrl))
    yield { key, content: json(schema) }
  for (const [key, body] of xmlBodies(endpoints)) yield { key, content: xmlSchemaOf(body) }
  const site: Site = { source, endpoints, guides: guidesOf(source) }
  yield { key: searchScriptKey, content: pageTemplate('docs/search.js') }
  for (const language of ['en', 'de'] as const) {
    const pages = [
      ...site.guides.map((guide) => guidePage(guide, site, language)),
      ...docGroups(endpoints).map((group) => groupPage(group, site, language)),
    ]
    yield* pages
    yield searchIndex(pages, language)
  }
  yield assistantPage(site)
  yield* explorerPages(site)
}

/** Indented, for readers. */
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

function descriptionOf(source: SitePageSource, endpoints: readonly Endpoint[]) {
  const examples = new Map<string, OpenApiExample>()
  // One value for each parameter: the dates of the date range; fund and type may come from any example.
  const values: Record<string, string> = { ...listValues(source) }
  for (const endpoint of endpoints) {
    const example = endpointExample(endpoint, source, 'en')
    if (example === null) continue
    Object.assign(values, example.values)
    const json: unknown = JSON.parse(example.json.text)
    examples.set(endpoint.id, { json, xml: example.xml.text, csv: example.csv })
  }
  const { baseUrl, publisher } = source
  const inLists = [...listExamples(source)].map(
    ([id, example]) => [id, JSON.parse(example.text) as unknown] as const,
  )
  const lists = { lists: listsOf(source), listExamples: new Map(inLists) }
  const { docsUrl } = source.table
  return openApi({ endpoints, ...lists, baseUrl, docsUrl, publisher, examples, values })
}
