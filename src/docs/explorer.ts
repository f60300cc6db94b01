/** The API explorer: Swagger UI, bundled with the snapshot, on this snapshot's own description. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page, SitePageSource } from '../contract/page.ts'
import { pageTemplate } from '../pages/assets.ts'
import { html } from '../pages/html.ts'
import { layout, withoutDownloads } from '../pages/layout.ts'
import { linkTo } from '../pages/link.ts'
import { docKey, explorerKey, openApiKey } from './site.ts'

/** Of the library, as they are put beside the page. A licence asks to be given out with it. */
const libraryFiles: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'swagger-ui-bundle.js',
  'swagger-ui.css': 'swagger-ui.css',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  LICENSE: 'swagger-ui.LICENSE.txt',
  NOTICE: 'swagger-ui.NOTICE.txt',
}

export function* explorerPages(source: SitePageSource): Generator<Page> {
  yield { key: explorerKey, content: explorerPage(source) }
  yield { key: beside('explorer.js'), content: pageTemplate('docs/explorer.js') }
  yield { key: beside('explorer.css'), content: pageTemplate('docs/explorer.css') }
  const require = createRequire(import.meta.url)
  for (const [file, name] of Object.entries(libraryFiles)) {
    const text = readFileSync(require.resolve(`swagger-ui-dist/${file}`), 'utf8')
    // The maps are not published: developer tools would ask for them in vain.
    const content = text.replace(/\n(?:\/\/|\/\*)# sourceMappingURL=\S+\s*$/, '\n')
    yield { key: beside(name), content }
  }
}

const beside = (name: string) => explorerKey.replace('index.html', name)

function explorerPage(source: SitePageSource): string {
  const description = linkTo(explorerKey, openApiKey)
  return layout({
    key: explorerKey,
    language: 'en',
    title: 'API explorer · Fund data',
    description: 'Every request of the API, to be tried in the browser.',
    part: 'explorer',
    without: withoutDownloads(source),
    translations: null,
    styles: [beside('swagger-ui.css'), beside('explorer.css')],
    scripts: [beside('swagger-ui-bundle.js'), beside('explorer.js')],
    main: html`<h1>API explorer</h1>
      <p class="lead">
        Every request of the API, ready to be sent to the server that shows you this page. The same in words:
        <a href="${linkTo(explorerKey, docKey('en', 'index.html'))}" hreflang="en">documentation</a>,
        <a href="${linkTo(explorerKey, docKey('de', 'index.html'))}" hreflang="de" lang="de">Dokumentation</a
        >.
      </p>
      <noscript
        ><p class="notice">
          The explorer needs scripts. The description that it shows is
          <a href="${description}">openapi.json</a>.
        </p></noscript
      >
      <p class="notice" id="from-folder" hidden>
        This page was opened from a folder. The explorer needs a server: <code>fundpress serve</code> is one.
      </p>
      <div id="explorer" data-description="${description}"></div>`,
    footer: html`Made of the snapshot of ${source.asOf}. Swagger UI:
      <a href="swagger-ui.LICENSE.txt">Apache 2.0</a>.`,
  })
}
