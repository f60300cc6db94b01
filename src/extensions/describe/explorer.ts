/** The API explorer: a form for each operation. Its script sends the request and shows the response. */

import { type Endpoint, groupsOf } from '../../core/api/contract/endpoint.ts'
import { listsOf } from '../../core/api/contract/lists.ts'
import type { Page } from '../../core/api/contract/page.ts'
import type { Texts } from '../../core/api/contract/shape.ts'
import { formatsOf, type Language, languages } from '../../core/api/routes/table.ts'
import { html, type Html, type HtmlContent, linkTo } from '../../core/layout/html.ts'
import { frontPages, layout, pageTemplate } from '../../core/layout/layout.ts'
import { wording } from '../../core/layout/wording.ts'
import { endpointExample } from './examples.ts'
import { hasLanguages, pathTemplate } from './group.ts'
import { listValues } from './lists.ts'
import {
  codeBlock,
  docKey,
  docStyleKey,
  groupPath,
  guidePath,
  openApiKey,
  scriptKey,
  type Site,
} from './site.ts'
import { docWords } from './wording.ts'

const styleKey = 'docs/assets/explorer.css'
const ownScriptKey = 'docs/assets/explorer.js'

export function* explorerPages(site: Site): Generator<Page> {
  for (const language of languages)
    yield { key: frontPages.explorer[language], content: explorerPage(site, language) }
  yield { key: ownScriptKey, content: pageTemplate('docs/explorer.js') }
  yield { key: styleKey, content: pageTemplate('docs/explorer.css') }
}

/** The forms are hidden until the script can send them: without scripts, each operation links to its documentation. */
function explorerPage(site: Site, language: Language): string {
  const { parts, publisher, baseUrl } = site.source
  const keys = frontPages.explorer
  const link = (to: string) => linkTo(keys[language], to)
  const { shell } = wording[language]
  const docs = docWords[language]
  const text = docs.explorer
  const title = shell.parts.explorer
  const { waiting, failed, tooLong } = text
  return layout({
    keys,
    language,
    title: `${title} · ${shell.brand}`,
    description: text.description,
    part: 'explorer',
    baseUrl,
    parts,
    publisher,
    styles: [docStyleKey, styleKey],
    scripts: [scriptKey, ownScriptKey],
    main: html`<h1>${title}</h1>
      <p class="lead">${text.lead}</p>
      <noscript
        ><p class="notice">${text.noScript} <a href="${link(openApiKey)}">openapi.json</a>.</p></noscript
      >
      <p class="notice" id="from-folder" hidden>${text.fromFolder} <code>fundpress serve</code>.</p>
      <div
        id="explorer"
        data-root="${link('')}"
        data-waiting="${waiting}"
        data-failed="${failed}"
        data-too-long="${tooLong}"
      >
        ${groupsOf(site.endpoints).map(
          ({ id, title: name }) =>
            html`<h2>${name[language]}</h2>
              ${site.endpoints
                .filter(({ group }) => group.id === id)
                .map((endpoint) => endpointOperation(endpoint, site, language))}`,
        )}
        <h2>${docs.lists}</h2>
        ${listsOf(site.source)
          .filter(({ isForPublisher = false }) => !isForPublisher)
          .map(({ id, path, title: name }) => {
            const fields = placeholders(path).map((each) => field(each, listValues(site.source)[each]))
            return operation({ id, path, summary: name, page: guidePath('lists') }, fields, language)
          })}
      </div>`,
  })
}

const placeholders = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

function endpointOperation(endpoint: Endpoint, { source }: Site, language: Language): Html {
  const { id, path, summary, group, scope } = endpoint
  const { byDefault } = docWords[language].explorer
  const values: Readonly<Record<string, string>> = {
    isin: source.exampleIsin ?? '',
    ...endpointExample(endpoint, source, language)?.values,
  }
  const ofPath = placeholders(path).map((name) => {
    const parameter = scope === 'all' ? undefined : endpoint.parameters[name]
    if (parameter?.kind !== 'choice') return field(name, values[name])
    const options = parameter.choices.map(
      (one) => [one, `${parameter.nameOf(one, language)} (${one})`] as const,
    )
    return choice(name, options, values[name])
  })
  const hasCsv = (scope === 'all' ? endpoint.of : endpoint).csv !== undefined
  const option = (standard: string) => (value: string) =>
    value === standard ? (['', byDefault(value)] as const) : ([value, value] as const)
  const format = choice('format', formatsOf({ hasCsv }).map(option('json')))
  const ofLanguage = choice('language', languages.map(option('de')), language)
  const fields = [ofPath, format, hasLanguages(endpoint) && ofLanguage]
  return operation({ id, path, summary, page: groupPath(group.id) }, fields, language)
}

const labelled = (name: string, control: Html) => html`<label><code>${name}</code> ${control}</label> `

/** @param name of the placeholder in the path */
const field = (name: string, value = '') =>
  labelled(
    name,
    html`<input
      type="text"
      name="${name}"
      value="${value}"
      required
      autocomplete="off"
      autocapitalize="off"
      spellcheck="false"
    />`,
  )

const choice = (name: string, options: readonly (readonly [string, string])[], chosen = '') =>
  labelled(
    name,
    html`<select name="${name}">
      ${options.map(
        ([value, text]) =>
          html`<option value="${value}" ${value === chosen ? html`selected` : null}>${text}</option> `,
      )}
    </select>`,
  )

interface Operation {
  readonly id: string
  readonly path: string
  readonly summary: Texts
  /** Of the documentation, in its language. */
  readonly page: string
}

function operation({ id, path, summary, page }: Operation, fields: HtmlContent, language: Language): Html {
  const text = docWords[language]
  const about = linkTo(frontPages.explorer[language], `${docKey(language, page)}#${id}`)
  return html`<details class="operation" id="${id}">
    <summary>
      <span class="method">GET</span> <code>${pathTemplate(path)}</code> <span>${summary[language]}</span>
    </summary>
    <p class="small"><a href="${about}">${text.explorer.documentation}</a></p>
    <form data-path="${path}" hidden>
      <div class="parameters">${fields}</div>
      <button type="submit" class="button first">${text.explorer.send}</button>
    </form>
    <p role="status"></p>
    <div class="result" hidden>
      ${codeBlock('', `${text.request} ${id}`, true)} ${codeBlock('', `${text.answer} ${id}`)}
      <details class="choices">
        <summary>${text.explorer.headers}</summary>
        ${codeBlock('', `${text.explorer.headers} ${id}`)}
      </details>
    </div>
  </details> `
}
