/** The page of a group of endpoints, in each language: its endpoints, and its errors with their anchors. */

import type { Page } from '../contract/page.ts'
import { html } from '../pages/html.ts'
import { linkTo } from '../pages/link.ts'
import type { Language } from '../routes/table.ts'
import { endpointSection } from './endpoint-section.ts'
import { errorList, errorsOfGroup } from './error-list.ts'
import { generalGroup, groupWords } from './groups.ts'
import { docKey, docPage, groupPath, type Site } from './site.ts'
import { translate } from './translate.ts'
import { words } from './words.ts'

export function groupPage(group: string, site: Site, language: Language): Page {
  const { title, lead } = groupWords(group, language)
  const { errors: errorsTitle, generalErrors } = words[language]
  const path = groupPath(group)
  const key = docKey(language, path)
  const own = site.endpoints.filter((endpoint) => endpoint.group === group)
  const errors = errorsOfGroup(group, site.endpoints)
  const general = docKey(language, groupPath(generalGroup))
  const others = html`<p>
    ${generalErrors} <a href="${linkTo(key, general)}">${groupWords(generalGroup, language).title}</a>.
  </p>`
  return docPage(site, {
    path,
    language,
    title,
    description: lead,
    main: html`<h1>${title}</h1>
      <p class="lead">${lead}</p>
      ${own.map((endpoint) => endpointSection(endpoint, site, language))}
      <section aria-labelledby="errors">
        <h2 id="errors">${errorsTitle}</h2>
        ${errorList(errors, { docsUrl: site.source.table.docsUrl, language, key })}
        ${group === generalGroup ? null : others}
      </section>`,
    onPage: [
      ...own.map((endpoint) => ({ id: endpoint.id, text: translate(endpoint.summary, language) })),
      { id: 'errors', text: errorsTitle },
    ],
  })
}
