/** The API explorer: Swagger UI (`templates/docs/swagger-ui/`), on this snapshot's own description. */

import type { Page, SitePageSource } from '../contract/page.ts'
import { pageTemplate } from '../pages/assets.ts'
import { html } from '../pages/html.ts'
import { layout, withoutDownloads } from '../pages/layout.ts'
import { linkTo } from '../pages/link.ts'
import type { Language } from '../routes/table.ts'
import { docKey, docLanguages, explorerPath, openApiKey } from './site.ts'
import { words } from './words.ts'

/** Of the library, as they are put beside the page. A licence asks to be given out with it. */
const libraryFiles: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui.css': 'swagger-ui.css',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  LICENSE: 'swagger-ui.LICENSE.txt',
  NOTICE: 'swagger-ui.NOTICE.txt',
}

/** In each language; what the library shows in it is English in all of them. */
export function* explorerPages(source: SitePageSource): Generator<Page> {
  for (const language of docLanguages)
    yield { key: docKey(language, explorerPath), content: explorerPage(source, language) }
  yield { key: fileKey('explorer.js'), content: pageTemplate('docs/explorer.js') }
  yield { key: fileKey('explorer.css'), content: pageTemplate('docs/explorer.css') }
  for (const [file, name] of Object.entries(libraryFiles)) {
    const text = pageTemplate(`docs/swagger-ui/${file}`)
    // The maps are not published: developer tools would ask for them in vain.
    const content = text.replace(/\n(?:\/\/|\/\*)# sourceMappingURL=\S+\s*$/, '\n')
    yield { key: fileKey(name), content }
  }
}

/** All files lie beside the English page. */
const fileKey = (name: string) => docKey('en', explorerPath).replace('index.html', name)

const texts = {
  en: {
    title: 'API explorer · Fund data',
    description: 'Every request of the API, to be tried in the browser.',
    heading: 'API explorer',
    lead: 'Every request of the API, ready to be sent to the server that shows you this page. The same in words:',
    documentation: 'documentation',
    noScript: 'The explorer needs scripts. The description that it shows is',
    fromFolder: 'This page was opened from a folder. The explorer needs a server, such as',
  },
  de: {
    title: 'API-Explorer · Fondsdaten',
    description: 'Jede Anfrage der API, zum Ausprobieren im Browser.',
    heading: 'API-Explorer',
    lead:
      'Jede Anfrage der API, bereit zum Senden an den Server, der diese Seite zeigt. Der Explorer selbst spricht ' +
      'Englisch. Dasselbe in Worten:',
    documentation: 'Dokumentation',
    noScript: 'Der Explorer braucht Skripte. Die Beschreibung, die er zeigt, ist',
    fromFolder:
      'Diese Seite wurde aus einem Ordner geöffnet. Der Explorer braucht einen Server, zum Beispiel',
  },
} as const

function explorerPage(source: SitePageSource, language: Language): string {
  const key = docKey(language, explorerPath)
  const text = texts[language]
  const description = linkTo(key, openApiKey)
  return layout({
    key,
    language,
    title: text.title,
    description: text.description,
    part: 'explorer',
    without: withoutDownloads(source),
    translations: { en: docKey('en', explorerPath), de: docKey('de', explorerPath) },
    styles: [fileKey('swagger-ui.css'), fileKey('explorer.css')],
    scripts: [fileKey('swagger-ui-bundle.js'), fileKey('explorer.js')],
    main: html`<h1>${text.heading}</h1>
      <p class="lead">
        ${text.lead}
        <a href="${linkTo(key, docKey(language, 'index.html'))}">${text.documentation}</a>.
      </p>
      <noscript
        ><p class="notice">${text.noScript} <a href="${description}">openapi.json</a>.</p></noscript
      >
      <p class="notice" id="from-folder" hidden>${text.fromFolder} <code>fundpress serve</code>.</p>
      <div id="explorer" lang="en" data-description="${description}"></div>`,
    footer: html`${words[language].footer(source.asOf)} Swagger UI:
      <a href="${linkTo(key, fileKey('swagger-ui.LICENSE.txt'))}">Apache 2.0</a>.`,
  })
}
