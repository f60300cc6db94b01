/** Shared parts of the documentation's pages: their keys, the navigation, blocks of code. */

import { groupsOf, type Endpoint } from '../../core/api/contract/endpoint.ts'
import { generalGroup, type EndpointGroup } from '../../core/api/contract/errors.ts'
import type { Page, SitePageSource } from '../../core/api/contract/page.ts'
import type { Format, Language } from '../../core/api/routes/table.ts'
import { shellText } from '../../core/system/shell-text.ts'
import { addressText, html, linkTo, type HtmlContent, type Html } from '../../core/layout/html.ts'
import { layout, type PageLayout } from '../../core/layout/layout.ts'
import { wording } from '../../core/layout/wording.ts'
import { colouredProgram } from './coloured.ts'
import { docWords } from './wording.ts'

export interface Site {
  readonly source: SitePageSource
  readonly endpoints: readonly Endpoint[]
  readonly guides: readonly Guide[]
}

export type Guide = 'overview' | 'conventions' | 'lists' | 'recipes' | 'clients' | 'terms'

interface DocPage extends Pick<PageLayout, 'language' | 'title' | 'description' | 'main'> {
  /** Relative to the documentation in its language: `v1/endpoints/prices/index.html`. */
  readonly path: string
  readonly onPage: readonly { readonly id: string; readonly text: HtmlContent }[]
}

export const scriptKey = 'docs/assets/docs.js'
export const searchIndexKey = (language: Language) => `docs/assets/search.${language}.json`
export const searchScriptKey = 'docs/assets/search.js'
export const docStyleKey = 'docs/assets/docs.css'
export const explorerPath = 'explorer/index.html'
export const openApiKey = 'openapi.json'

/** English pages have no language in their path: an error's `type` points to them. */
export const docKey = (language: Language, path: string): string =>
  language === 'en' ? `docs/${path}` : `docs/${language}/${path}`

export const guidePath = (guide: Guide) => (guide === 'overview' ? 'index.html' : `${guide}/index.html`)

export const groupPath = (group: string) => `v1/endpoints/${group}/index.html`

/** The groups of the endpoints in their order, then the errors that belong to no endpoint. */
export const docGroups = (endpoints: readonly Endpoint[]): readonly EndpointGroup[] => [
  ...groupsOf(endpoints),
  generalGroup,
]

export function docPage(site: Site, page: DocPage): Page {
  const { language, path, title, description, main } = page
  const { shell } = wording[language]
  const docs = docWords[language]
  const navigation = sideNavigation(site, page)
  const content = layout({
    keys: { en: docKey('en', path), de: docKey('de', path) },
    language,
    baseUrl: site.source.baseUrl,
    title: path === 'index.html' ? title : `${title} · ${shell.brand}`,
    description,
    part: 'docs',
    parts: site.source.parts,
    publisher: site.source.publisher,
    styles: [docStyleKey],
    scripts: [scriptKey, searchScriptKey],
    side: html`<div>
      ${searchDialog(page)}
      <nav aria-label="${docs.contents}">
        <details class="narrow">
          <summary>${docs.contents}</summary>
          ${navigation}
        </details>
        <div class="wide">${navigation}</div>
      </nav>
    </div>`,
    main: html`${main}${pager(site, page)}`,
  })
  return { key: docKey(language, path), content }
}

interface Neighbour {
  /** As in {@link DocPage}. */
  readonly path: string
  readonly title: string
}

const guidesIn = ({ guides }: Site, language: Language): readonly Neighbour[] =>
  guides.map((guide) => ({ path: guidePath(guide), title: docWords[language][guide] }))

const groupsIn = ({ endpoints }: Site, language: Language): readonly Neighbour[] =>
  docGroups(endpoints).map(({ id, title }) => ({ path: groupPath(id), title: title[language] }))

/** Leads on to the next page, and back, in the order of the navigation. The explorer is the end of it. */
function pager(site: Site, { language, path }: DocPage): Html {
  const w = docWords[language]
  const explorer = { path: explorerPath, title: wording[language].shell.parts.explorer }
  const all = [...guidesIn(site, language), ...groupsIn(site, language), explorer]
  const at = all.findIndex((one) => one.path === path)
  const link = (one: Neighbour | undefined, rel: 'prev' | 'next', label: string) =>
    one !== undefined &&
    html`<a href="${linkTo(docKey(language, path), docKey(language, one.path))}" rel="${rel}"
      ><small>${label}</small> <span>${one.title}</span></a
    > `
  return html`<nav class="pager" aria-label="${w.pages}">
    ${at > 0 && link(all[at - 1], 'prev', w.previous)}${link(all[at + 1], 'next', w.next)}
  </nav>`
}

/** The index is loaded when the dialog is opened. */
function searchDialog({ language, path }: DocPage): Html {
  const w = docWords[language].search
  const here = docKey(language, path)
  return html`<button
      type="button"
      class="open-search"
      id="open-search"
      aria-haspopup="dialog"
      aria-keyshortcuts="/ Control+K"
    >
      ${w.open} <kbd>/</kbd>
    </button>
    <dialog
      class="search"
      id="search"
      aria-label="${w.title}"
      data-index="${linkTo(here, searchIndexKey(language))}"
      data-root="${linkTo(here, docKey(language, ''))}"
      data-words="${JSON.stringify(w.says)}"
      data-again="${wording[language].shell.again}"
    >
      <div class="head" role="search">
        <input
          type="search"
          aria-label="${w.title}"
          placeholder="${w.open}"
          autocomplete="off"
          spellcheck="false"
        />
        <button type="button">${w.close}</button>
        <p role="status"></p>
      </div>
      <ol></ol>
    </dialog>`
}

function sideNavigation(site: Site, { language, path, onPage }: DocPage): Html {
  const { shell } = wording[language]
  const w = docWords[language]
  const here = docKey(language, path)
  const entry = (to: string, text: string) => {
    if (here !== to) return html`<li><a href="${linkTo(here, to)}">${text}</a></li> `
    const jumps = onPage.map((heading) => html`<li><a href="#${heading.id}">${heading.text}</a></li> `)
    const list = html`<ul>
      ${jumps}
    </ul>`
    return html`<li>
      <a href="${linkTo(here, to)}" aria-current="page">${text}</a>
      ${jumps.length > 0 && list}
    </li> `
  }
  const own = (to: string, text: string) => entry(docKey(language, to), text)
  return html`<p class="heading">${w.guide}</p>
    <ul>
      ${guidesIn(site, language).map((one) => own(one.path, one.title))}
    </ul>
    <p class="heading">${w.endpoints}</p>
    <ul>
      ${groupsIn(site, language).map((one) => own(one.path, one.title))}
    </ul>
    <p class="heading">${w.reference}</p>
    <ul>
      ${[own(explorerPath, shell.parts.explorer), '\n', entry(openApiKey, w.openapi)]}
    </ul>`
}

/** A request or an answer. @param label for screen readers @param canBeCopied adds a button */
export function codeBlock(content: HtmlContent, label: string, canBeCopied = false): Html {
  const code = preformatted(content, label)
  return canBeCopied ? html`<div class="code" data-copy>${code}</div>` : html`<div class="code">${code}</div>`
}

/** An answer as an example: the explorer shows it until a request is sent. */
export const exampleAnswer = (format: Format, content: HtmlContent, label: string): Html =>
  html`<div class="code" data-example="${format}">${preformatted(content, label)}</div>`

/** The code may be wider than the page: readers without a mouse must be able to scroll it. */
const preformatted = (content: HtmlContent, label: string): Html =>
  html`<pre tabindex="0" role="group" aria-label="${label}"><code>${content}</code></pre>`

/** A program that a test finds by its name. @param label for screen readers */
export const namedCode = (name: string, label: string, code: string): Html =>
  html`<div class="code" data-copy>
    <pre
      tabindex="0"
      role="group"
      aria-label="${label}"
      data-recipe="${name}"
    ><code>${colouredProgram(code)}</code></pre>
  </div>`

/** The place of a block in a guide: `recipeMonthEnds` for `month-ends`. */
export const placeholder = (kind: string, name: string) =>
  kind + name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())

/** A request for a shell. @param url absolute @param flags as words */
export function curlRequest(url: string, ...flags: readonly string[]): Html {
  const parts = flags.map((flag) =>
    /^[\w.-]+$/.test(flag) ? `${flag} ` : html`<span class="s">${shellText(flag)}</span> `,
  )
  return html`curl ${parts}<span class="s">${addressText(shellText(url))}</span>`
}

/** A choice that a reader makes once for all pages, by a script. */
type Remembered = 'program' | 'format'

interface TabsOf {
  /** Unique within the page. */
  readonly id: string
  /** For screen readers. */
  readonly legend: string
  readonly remembered?: Remembered
}

/** Panels of which one shows. Radio buttons switch them without a script. */
export const tabs = (of: TabsOf, panels: readonly (readonly [string, Html])[]): Html =>
  html`<fieldset class="tabs" ${rememberedAs(of)}>
    ${tabsOnly(
      of,
      panels.map(([name]) => name),
    )}
    ${panels.map(([, panel]) => html`<div class="panel">${panel}</div>`)}
  </fieldset>`

export const rememberedAs = ({ remembered }: TabsOf): Html | false =>
  remembered !== undefined && html`data-remembered="${remembered}"`

/** The legend and the tabs of a `<fieldset>`. */
export const tabsOnly = ({ id, legend }: TabsOf, names: readonly string[]): Html =>
  html`<legend class="unseen">${legend}</legend>
    ${names.map(
      (name, index) =>
        html`<input
            type="radio"
            name="${id}"
            id="${id}-${index}"
            value="${name}"
            ${index === 0 ? html`checked` : null}
          /><label for="${id}-${index}">${name}</label>`,
    )}`
