/** What the pages of the documentation have in common: where they lie, how they are left, the navigation beside them. */

import type { Endpoint } from '../contract/endpoint.ts'
import type { Page, SitePageSource } from '../contract/page.ts'
import { html, type Html } from '../pages/html.ts'
import { layout, withoutDownloads } from '../pages/layout.ts'
import { linkTo } from '../pages/link.ts'
import type { Language } from '../routes/table.ts'
import { generalGroup, groupWords } from './groups.ts'
import { words } from './words.ts'

export interface Site {
  readonly source: SitePageSource
  readonly endpoints: readonly Endpoint[]
  /** Paths of the pages of the guide, without their language. */
  readonly guide: readonly GuidePath[]
}

export type GuidePath = 'index.html' | 'conventions/index.html' | 'recipes/index.html'

export interface DocPage {
  /** Relative to the documentation in its language: `v1/endpoints/prices/index.html`. */
  readonly path: string
  readonly language: Language
  readonly title: string
  readonly description: string
  readonly main: Html
  /** Headings to jump to: they stand below the page's own entry in the navigation. */
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

/** English is what an error's `type` points to: it has no language in its path. */
export const docKey = (language: Language, path: string): string =>
  language === 'en' ? `docs/${path}` : `docs/${language}/${path}`

export const groupPath = (group: string) => `v1/endpoints/${group}/index.html`

/** The groups of the endpoints in their order, and last what belongs to none. */
export const groupsOf = (endpoints: readonly Endpoint[]): readonly string[] => [
  ...new Set(endpoints.map(({ group }) => group)),
  generalGroup,
]

export function docPage(site: Site, page: DocPage): Page {
  const { language, path, title, description, main } = page
  const key = docKey(language, path)
  const navigation = sideNavigation(site, page)
  const content = layout({
    key,
    language,
    title: path === 'index.html' ? title : `${title} · ${siteName[language]}`,
    description,
    part: 'docs',
    without: withoutDownloads(site.source),
    translations: { en: docKey('en', path), de: docKey('de', path) },
    styles: [docStyleKey],
    scripts: [scriptKey],
    side: html`<details class="narrow">
        <summary>${words[language].contents}</summary>
        ${navigation}
      </details>
      <div class="wide">${navigation}</div>`,
    main,
    footer: html`${words[language].footer(site.source.asOf)}`,
  })
  return { key, content }
}

const siteName = { en: 'Fund data', de: 'Fondsdaten' } as const

const guideTitle = (path: GuidePath, language: Language): string => {
  const { overview, decisions, recipes } = words[language]
  return { 'index.html': overview, 'conventions/index.html': decisions, 'recipes/index.html': recipes }[path]
}

function sideNavigation(site: Site, page: DocPage): Html {
  const { language } = page
  const { guide, endpoints, reference, explorer, openapi, contents } = words[language]
  const here = docKey(language, page.path)
  const own = (path: string, text: string) => entry(here, docKey(language, path), text, page)
  return html`<nav aria-label="${contents}">
    <p class="heading">${guide}</p>
    <ul>
      ${site.guide.map((path) => own(path, guideTitle(path, language)))}
    </ul>
    <p class="heading">${endpoints}</p>
    <ul>
      ${groupsOf(site.endpoints).map((group) => own(groupPath(group), groupWords(group, language).title))}
    </ul>
    <p class="heading">${reference}</p>
    <ul>
      ${entry(here, docKey(language, explorerPath), explorer, page)} ${entry(here, openApiKey, openapi, page)}
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
