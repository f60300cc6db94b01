/** The documentation of a snapshot: pages in English and German, OpenAPI, JSON Schemas, the API explorer. */

import type { Endpoint } from '../../api/contract/endpoint.ts'
import { generalGroup, type EndpointGroup } from '../../api/contract/errors.ts'
import type { Page, SitePageSource } from '../../api/contract/page.ts'
import { documentSchemas } from '../../api/derive/json-schema.ts'
import { openApi, type OpenApiExample } from '../../api/derive/openapi.ts'
import { endpoints as registry } from '../../api/endpoints/index.ts'
import type { Language } from '../../api/routes/table.ts'
import { html, linkTo } from '../layout/html.ts'
import { pageTemplate, sharedPages } from '../layout/layout.ts'
import { section } from '../layout/parts.ts'
import { wording } from '../wording.ts'
import { endpointSection } from './endpoint-section.ts'
import { errorList, errorsOfGroup } from './errors.ts'
import { endpointExample } from './examples.ts'
import { compact, xmlDocument } from './excerpt.ts'
import { explorerPages } from './explorer.ts'
import { guidePage, guidesOf } from './guides.ts'
import {
  docGroups,
  docKey,
  docLanguages,
  docPage,
  docStyleKey,
  groupPath,
  openApiKey,
  scriptKey,
  type Site,
} from './site.ts'

/** @param endpoints those to document; tests add to the registry */
export function* docsPages(
  source: SitePageSource,
  endpoints: readonly Endpoint[] = registry,
): Generator<Page> {
  yield* sharedPages()
  yield { key: docStyleKey, content: pageTemplate('docs/docs.css') }
  yield { key: scriptKey, content: pageTemplate('docs/docs.js') }
  yield { key: openApiKey, content: json(descriptionOf(source, endpoints)) }
  for (const { key, schema } of documentSchemas(endpoints, source.baseUrl)) {
    yield { key, content: json(schema) }
  }
  const site: Site = { source, endpoints, guides: guidesOf(source) }
  for (const language of docLanguages) {
    for (const guide of site.guides) yield guidePage(guide, site, language)
    for (const group of docGroups(endpoints)) yield groupPage(group, site, language)
  }
  yield* explorerPages(source)
}

/** The page of a group: its endpoints, and its errors at their anchors. */
function groupPage(group: EndpointGroup, site: Site, language: Language): Page {
  const w = wording[language].docs
  const [title, lead] = [group.title[language], group.lead[language]]
  const path = groupPath(group.id)
  const key = docKey(language, path)
  const own = site.endpoints.filter((endpoint) => endpoint.group.id === group.id)
  const errors = errorsOfGroup(group.id, site.endpoints)
  const general = linkTo(key, docKey(language, groupPath(generalGroup.id)))
  const others = html`<p>${w.generalErrors} <a href="${general}">${generalGroup.title[language]}</a>.</p>`
  return docPage(site, {
    path,
    language,
    title,
    description: lead,
    main: html`<h1>${title}</h1>
      <p class="lead">${lead}</p>
      ${own.map((endpoint) => endpointSection(endpoint, site, language))}
      ${section('errors', w.errors, [
        errorList(errors, { docsUrl: site.source.table.docsUrl, language, key }),
        group.id === generalGroup.id ? null : others,
      ])}`,
    onPage: [
      ...own.map(({ id, summary }) => ({ id, text: summary[language] })),
      { id: 'errors', text: w.errors },
    ],
  })
}

/** Indented, since people read it, too. */
const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`

function descriptionOf(source: SitePageSource, endpoints: readonly Endpoint[]) {
  const examples = new Map<string, OpenApiExample>()
  // One value for each parameter: the dates of the date range; the fund and the type of any example will do.
  let values: Readonly<Record<string, string>> = {}
  for (const endpoint of endpoints) {
    const example = endpointExample(endpoint, source, 'en')
    if (example === null) continue
    values = { ...values, ...example.values }
    examples.set(endpoint.id, {
      json: JSON.parse(compact(example.json)) as unknown,
      xml: xmlDocument(example.xml),
    })
  }
  return openApi({
    endpoints,
    baseUrl: source.baseUrl,
    docsUrl: source.table.docsUrl,
    asOf: source.asOf,
    examples,
    values,
  })
}
