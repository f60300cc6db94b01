/** The API explorer: a form for each operation. Its script sends the request and shows the response. */

import { type Endpoint, groupsOf } from '../../core/api/contract/endpoint.ts'
import { listsOf, type PublishedList } from '../../core/api/contract/lists.ts'
import type { Page } from '../../core/api/contract/page.ts'
import type { Texts } from '../../core/api/contract/shape.ts'
import { formatsOf, type Language, languages } from '../../core/api/routes/table.ts'
import { html, type Html, type HtmlContent, linkTo } from '../../core/layout/html.ts'
import { frontPages, layout, pageTemplate } from '../../core/layout/layout.ts'
import { wording } from '../../core/layout/wording.ts'
import { type AnswerKind, programs } from './browser/requests.ts'
import { endpointExample, problemShape } from './examples.ts'
import { fieldTable, hasLanguages, pathTemplate } from './group.ts'
import { listValues } from './lists.ts'
import {
  codeBlock,
  docKey,
  docStyleKey,
  groupPath,
  guidePath,
  openApiKey,
  rememberedAs,
  scriptKey,
  type Site,
  tabs,
  tabsOnly,
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
  const published = listsOf(site.source).filter(({ isForPublisher = false }) => !isForPublisher)
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
        data-words="${JSON.stringify(text.says)}"
        data-again="${shell.again}"
      >
        <div class="filter" role="search" hidden>
          <input
            type="search"
            aria-label="${text.filter}"
            placeholder="${text.filter}"
            aria-keyshortcuts="/"
            autocomplete="off"
            spellcheck="false"
          />
          <kbd aria-hidden="true">/</kbd>
          <span role="status"></span>
        </div>
        ${fundSuggestions(site, link)}
        <template id="error-fields">${fieldTable(problemShape, language, text.errorFields)}</template>
        ${groupsOf(site.endpoints).map(({ id, title: name }) =>
          operations(
            id,
            name[language],
            site.endpoints
              .filter(({ group }) => group.id === id)
              .map((endpoint) => endpointOperation(endpoint, site, language)),
          ),
        )}
        ${operations(
          'lists',
          docs.lists,
          published.map((list) => listOperation(list, site, language)),
        )}
      </div>`,
  })
}

/** Filled by the script when a reader first wants to type an ISIN. */
const fundSuggestions = ({ source }: Site, link: (to: string) => string): Html => {
  const list = listsOf(source).find(({ id }) => id === 'fund-list')
  const from = list !== undefined && html`data-source="${link(list.path.slice(1))}"`
  return html`<datalist id="funds" ${from}></datalist>`
}

const operations = (id: string, name: string, content: readonly Html[]): Html =>
  html`<section class="operations" aria-labelledby="group-${id}">
    <h2 id="group-${id}">${name}</h2>
    ${content}
  </section> `

const placeholders = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)

function listOperation({ id, path, title, type }: PublishedList, { source }: Site, language: Language): Html {
  const values = listValues(source)
  const fields = placeholders(path).map((name) =>
    field(name, name === 'as_of' ? 'day' : name === 'isin' ? 'isin' : 'text', values[name]),
  )
  const kind = type.includes('json') ? 'json' : type.includes('xml') ? 'xml' : 'text'
  return operation({ id, path, summary: title, page: guidePath('lists'), kind }, fields, language)
}

function endpointOperation(endpoint: Endpoint, { source }: Site, language: Language): Html {
  const { id, path, summary, group, scope } = endpoint
  const { byDefault } = docWords[language].explorer
  const values: Readonly<Record<string, string>> = {
    isin: source.exampleIsin ?? '',
    ...endpointExample(endpoint, source, language)?.values,
  }
  const ofPath = placeholders(path).map((name) => {
    const parameter = scope === 'all' ? undefined : endpoint.parameters[name]
    if (parameter?.kind === 'date') return field(name, 'day', values[name])
    if (parameter?.kind !== 'choice') return field(name, 'isin', values[name])
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
  return operation({ id, path, summary, page: groupPath(group.id), kind: 'json' }, fields, language)
}

const labelled = (name: string, control: Html) => html`<label><code>${name}</code> ${control}</label> `

/** @param name of the placeholder in the path */
const field = (name: string, sort: 'isin' | 'day' | 'text', value = ''): Html =>
  labelled(
    name,
    sort === 'day'
      ? html`<input type="date" name="${name}" value="${value}" required />`
      : html`<input
          type="text"
          name="${name}"
          value="${value}"
          ${sort === 'isin' && html`list="funds"`}
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
  /** What the answer is unless the form has it in another format. */
  readonly kind: AnswerKind
}

function operation(
  { id, path, summary, page, kind }: Operation,
  fields: HtmlContent,
  language: Language,
): Html {
  const w = docWords[language]
  const text = w.explorer
  const about = linkTo(frontPages.explorer[language], `${docKey(language, page)}#${id}`)
  const ofProgram = { id: `p-${id}`, legend: w.program, remembered: 'program' } as const
  return html`<details class="operation" id="${id}">
    <summary>
      <span class="method">GET</span> <code>${pathTemplate(path)}</code> <span>${summary[language]}</span>
    </summary>
    <p class="small"><a href="${about}">${text.documentation}</a></p>
    <form data-path="${path}" data-kind="${kind}" hidden>
      <div class="parameters">
        ${fields}
        <p class="small bad" aria-live="polite"></p>
      </div>
      <p class="links">
        <button type="submit" class="button first">${text.send}</button>
        <a class="permalink" href="#${id}">${text.permalink}</a>
      </p>
    </form>
    <div class="exchange" hidden>
      <div class="request">
        <fieldset class="tabs programs" ${rememberedAs(ofProgram)}>
          ${tabsOnly(ofProgram, Object.keys(programs))}
        </fieldset>
        ${codeBlock('', `${w.request} ${id}`, true)}
      </div>
      <div>
        <h3>${w.answer}</h3>
        <p role="status">${text.notSent}</p>
        <div class="result" hidden>
          ${tabs({ id: `r-${id}`, legend: `${w.answer} ${id}` }, [
            [text.body, codeBlock('', `${w.answer} ${id}`, true)],
            [text.headers, codeBlock('', `${text.headers} ${id}`, true)],
          ])}
        </div>
        <div class="sample" hidden>${codeBlock('', `${w.example} ${id}`)}</div>
      </div>
      <div class="described" hidden>
        <h3>${w.fields}</h3>
        <div class="members" tabindex="0" role="group" aria-label="${w.fields}: ${summary[language]}"></div>
      </div>
    </div>
  </details> `
}
