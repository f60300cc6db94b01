/** Parts that all pages of the documentation share: their keys, the navigation beside them, blocks of code. */

import { groupsOf, type Endpoint } from '../../api/contract/endpoint.ts'
import { generalGroup, type EndpointGroup } from '../../api/contract/errors.ts'
import type { Page, SitePageSource } from '../../api/contract/page.ts'
import type { Language } from '../../api/routes/table.ts'
import { shellText } from '../../system/shell-text.ts'
import { html, linkTo, type HtmlContent, type Html } from '../layout/html.ts'
import { layout } from '../layout/layout.ts'
import { wording } from '../wording.ts'

export interface Site {
  readonly source: SitePageSource
  readonly endpoints: readonly Endpoint[]
  readonly guides: readonly Guide[]
}

export type Guide = 'overview' | 'conventions' | 'recipes'

export interface DocPage {
  /** Relative to the documentation in its language: `v1/endpoints/prices/index.html`. */
  readonly path: string
  readonly language: Language
  readonly title: string
  readonly description: string
  readonly main: Html
  /** Headings that the page's own entry in the navigation leads to. */
  readonly onPage?: readonly Heading[]
}

export interface Heading {
  readonly id: string
  readonly text: string
}

export const docLanguages = ['en', 'de'] as const satisfies readonly Language[]
export const scriptKey = 'docs/assets/docs.js'
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
  const key = docKey(language, path)
  const navigation = sideNavigation(site, page)
  const content = layout({
    key,
    language,
    title: path === 'index.html' ? title : `${title} · ${wording[language].shell.brand}`,
    description,
    part: 'docs',
    hasDownloads: site.source.hasDownloads,
    translations: { en: docKey('en', path), de: docKey('de', path) },
    styles: [docStyleKey],
    scripts: [scriptKey],
    side: html`<details class="narrow">
        <summary>${wording[language].docs.contents}</summary>
        ${navigation}
      </details>
      <div class="wide">${navigation}</div>`,
    main,
    footer: html`${wording[language].docs.footer(site.source.asOf)}`,
  })
  return { key, content }
}

function sideNavigation(site: Site, page: DocPage): Html {
  const { language } = page
  const { docs: w, shell } = wording[language]
  const here = docKey(language, page.path)
  const own = (path: string, text: string) => entry(here, docKey(language, path), text, page)
  return html`<nav aria-label="${w.contents}">
    <p class="heading">${w.guide}</p>
    <ul>
      ${site.guides.map((guide) => own(guidePath(guide), w[guide]))}
    </ul>
    <p class="heading">${w.endpoints}</p>
    <ul>
      ${docGroups(site.endpoints).map(({ id, title }) => own(groupPath(id), title[language]))}
    </ul>
    <p class="heading">${w.reference}</p>
    <ul>
      ${entry(here, docKey(language, explorerPath), shell.parts.explorer, page)}
      ${entry(here, openApiKey, w.openapi, page)}
    </ul>
  </nav>`
}

function entry(here: string, to: string, text: string, { onPage = [] }: DocPage): Html {
  if (here !== to) return html`<li><a href="${linkTo(here, to)}">${text}</a></li> `
  const jumps = onPage.map((heading) => html`<li><a href="#${heading.id}">${heading.text}</a></li> `)
  return html`<li>
    <a href="${linkTo(here, to)}" aria-current="page">${text}</a>
    ${
      jumps.length === 0
        ? null
        : html`<ul>
            ${jumps}
          </ul>`
    }
  </li> `
}

/** A request or an answer. @param label what it is, for screen readers @param canBeCopied whether it gets a button */
export function codeBlock(content: HtmlContent, label: string, canBeCopied: boolean): Html {
  // It may be wider than the page: readers without a mouse must be able to scroll it.
  const code = html`<pre tabindex="0" role="group" aria-label="${label}"><code>${content}</code></pre>`
  return canBeCopied ? html`<div class="code" data-copy>${code}</div>` : html`<div class="code">${code}</div>`
}

/** A request for a shell. @param url absolute @param flags as words */
export function curlRequest(url: string, ...flags: readonly string[]): Html {
  const parts = flags.map((flag) =>
    /^[\w.-]+$/.test(flag) ? `${flag} ` : html`<span class="s">${shellText(flag)}</span> `,
  )
  return html`curl ${parts}<span class="s">${shellText(url)}</span>`
}

/**
 * Alternatives of which one shows. Radio buttons switch them without a script.
 * @param id unique within the page
 */
export function tabs(id: string, legend: string, panels: readonly (readonly [string, Html])[]): Html {
  return html`<fieldset class="tabs">
    <legend class="unseen">${legend}</legend>
    ${panels.map(
      ([name], index) =>
        html`<input
            type="radio"
            name="${id}"
            id="${id}-${index}"
            ${index === 0 ? html`checked` : null}
          /><label for="${id}-${index}">${name}</label>`,
    )}
    ${panels.map(([, panel]) => html`<div class="panel">${panel}</div>`)}
  </fieldset>`
}
