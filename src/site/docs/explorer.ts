import { groupsOf } from '../../api/contract/endpoint.ts'
import { listsOf } from '../../api/contract/lists.ts'
import type { Page } from '../../api/contract/page.ts'
import { listTag } from '../../api/derive/openapi.ts'
import { type Language, languages } from '../../api/routes/table.ts'
import { html, type Html, linkTo } from '../layout/html.ts'
import { frontPages, layout, pageTemplate } from '../layout/layout.ts'
import { wording } from '../wording.ts'
import { pathTemplate } from './group.ts'
import { docKey, groupPath, guidePath, openApiKey, type Site } from './site.ts'

export function* explorerPages(site: Site): Generator<Page> {
  for (const language of languages)
    yield { key: frontPages.explorer[language], content: explorerPage(site, language) }
  yield { key: explorerFile('explorer.js'), content: pageTemplate('docs/explorer.js') }
  yield { key: explorerFile('explorer.css'), content: pageTemplate('docs/explorer.css') }
  for (const [file, name] of Object.entries(libraryFiles)) {
    const text = pageTemplate(`docs/swagger-ui/${file}`)
    // The source maps are not published: developer tools must not ask for them.
    const content = text.replace(/\n(?:\/\/|\/\*)# sourceMappingURL=\S+\s*$/, '\n')
    yield { key: explorerFile(name), content }
  }
}

/** All files of the explorer lie beside its English page. */
const explorerFile = (name: string) => frontPages.explorer.en.replace('index.html', name)

/** Files of Swagger UI, and their names beside the page. Its licence must be published with it. */
const libraryFiles: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js.br': 'swagger-ui-bundle.js',
  'swagger-ui.css.br': 'swagger-ui.css',
  'swagger-ui-bundle.js.LICENSE.txt': 'swagger-ui-bundle.js.LICENSE.txt',
  LICENSE: 'swagger-ui.LICENSE.txt',
  NOTICE: 'swagger-ui.NOTICE.txt',
}

/**
 * Swagger UI, always in English. The page lists the operations; its script loads the large library when a reader
 * chooses one. Without scripts and in a folder the list links to the documentation.
 */
function explorerPage(site: Site, language: Language): string {
  const { hasDownloads, publisher, baseUrl } = site.source
  const keys = frontPages.explorer
  const link = (to: string) => linkTo(keys[language], to)
  const { docs, shell } = wording[language]
  const text = docs.explorer
  const title = shell.parts.explorer
  return layout({
    keys,
    language,
    title: `${title} · ${shell.brand}`,
    description: text.description,
    part: 'explorer',
    baseUrl,
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
      <div id="operation-list">${operationList(site, language)}</div>
      <div
        id="explorer"
        lang="en"
        data-description="${link(openApiKey)}"
        data-script="${link(explorerFile('swagger-ui-bundle.js'))}"
        data-style="${link(explorerFile('swagger-ui.css'))}"
      ></div>`,
    footer: html`Swagger UI: <a href="${link(explorerFile('swagger-ui.LICENSE.txt'))}">Apache 2.0</a>.`,
  })
}

function operationList({ source, endpoints }: Site, language: Language): readonly Html[] {
  const groups = groupsOf(endpoints).map(({ id: tag, title }) => {
    const own = endpoints.filter(({ group }) => group.id === tag)
    const items = own.map(({ id, path, summary }) => operation(tag, id, path, summary[language], language))
    return [title[language], items] as const
  })
  const lists = listsOf(source).map(({ id, path, title }) =>
    operation(listTag, id, path, title[language], language),
  )
  return [...groups, [wording[language].docs.lists, lists] as const].map(
    ([title, items]) =>
      html`<h3>${title}</h3>
        <ul>
          ${items}
        </ul> `,
  )
}

function operation(tag: string, id: string, path: string, summary: string, language: Language): Html {
  const key = frontPages.explorer[language]
  const page = docKey(language, tag === listTag ? guidePath('lists') : groupPath(tag))
  return html`<li>
    <a href="${linkTo(key, `${page}#${id}`)}" data-operation="${tag}/${id}"
      ><span class="method">GET</span><code>${pathTemplate(path)}</code></a
    >
    <p>${summary}</p>
  </li> `
}
