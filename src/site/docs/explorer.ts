/** The API explorer: Swagger UI (`templates/docs/swagger-ui/`), on this snapshot's own description. */

import type { Page, SitePageSource } from '../../api/contract/page.ts'
import type { Language } from '../../api/routes/table.ts'
import { html, linkTo } from '../layout/html.ts'
import { layout, pageTemplate } from '../layout/layout.ts'
import { wording } from '../wording.ts'
import { docKey, docLanguages, explorerPath, openApiKey } from './site.ts'

/** Files of the library, and their names beside the page. Its licence must be published with it. */
const libraryFiles: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui.css': 'swagger-ui.css',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  LICENSE: 'swagger-ui.LICENSE.txt',
  NOTICE: 'swagger-ui.NOTICE.txt',
}

/** In each language; what the library shows is always English. */
export function* explorerPages(source: SitePageSource): Generator<Page> {
  for (const language of docLanguages)
    yield { key: docKey(language, explorerPath), content: explorerPage(source, language) }
  yield { key: fileKey('explorer.js'), content: pageTemplate('docs/explorer.js') }
  yield { key: fileKey('explorer.css'), content: pageTemplate('docs/explorer.css') }
  for (const [file, name] of Object.entries(libraryFiles)) {
    const text = pageTemplate(`docs/swagger-ui/${file}`)
    // The source maps are not published: developer tools must not ask for them.
    const content = text.replace(/\n(?:\/\/|\/\*)# sourceMappingURL=\S+\s*$/, '\n')
    yield { key: fileKey(name), content }
  }
}

/** All files lie beside the English page. */
const fileKey = (name: string) => docKey('en', explorerPath).replace('index.html', name)

function explorerPage(source: SitePageSource, language: Language): string {
  const key = docKey(language, explorerPath)
  const { docs, shell } = wording[language]
  const text = docs.explorer
  const description = linkTo(key, openApiKey)
  return layout({
    key,
    language,
    title: `${text.title} · ${shell.brand}`,
    description: text.description,
    part: 'explorer',
    hasDownloads: source.hasDownloads,
    translations: { en: docKey('en', explorerPath), de: docKey('de', explorerPath) },
    styles: [fileKey('swagger-ui.css'), fileKey('explorer.css')],
    scripts: [fileKey('swagger-ui-bundle.js'), fileKey('explorer.js')],
    main: html`<h1>${text.title}</h1>
      <p class="lead">
        ${text.lead}
        <a href="${linkTo(key, docKey(language, 'index.html'))}">${text.documentation}</a>.
      </p>
      <noscript
        ><p class="notice">${text.noScript} <a href="${description}">openapi.json</a>.</p></noscript
      >
      <p class="notice" id="from-folder" hidden>${text.fromFolder} <code>fundpress serve</code>.</p>
      <div id="explorer" lang="en" data-description="${description}"></div>`,
    footer: html`${docs.footer(source.asOf)} Swagger UI:
      <a href="${linkTo(key, fileKey('swagger-ui.LICENSE.txt'))}">Apache 2.0</a>.`,
  })
}
