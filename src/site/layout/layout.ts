/** The shell of every page: head, header with navigation, main part, footer; and the files that all pages share. */

import { readFileSync } from 'node:fs'
import type { Page } from '../../api/contract/page.ts'
import type { Language } from '../../api/routes/table.ts'
import { wording } from '../wording.ts'
import { html, linkTo, type Html } from './html.ts'

const styleKey = 'docs/assets/style.css'
const iconKey = 'docs/assets/icon.svg'

/** The style sheet and the icon of all pages. The documentation puts them into the snapshot. */
export const sharedPages = (): readonly Page[] => [
  { key: styleKey, content: pageTemplate('pages/style.css') },
  { key: iconKey, content: pageTemplate('pages/icon.svg') },
]

/** @param path below `templates/` @throws {Error} if the file does not exist */
export function pageTemplate(path: string): string {
  return readFileSync(new URL(`../../../templates/${path}`, import.meta.url), 'utf8')
}

/** The parts of the site, in the order of the navigation. */
export type SitePart = 'funds' | 'docs' | 'explorer' | 'downloads' | 'status'

export interface PageLayout {
  /** This page's own key. All links are relative to it. */
  readonly key: string
  readonly language: Language
  readonly title: string
  /** One sentence, for search engines and link previews. */
  readonly description: string
  readonly part: SitePart
  /** Whether the snapshot has files for analysts, so that the navigation leads there. Default: true. */
  readonly hasDownloads?: boolean
  /** The snapshot has no other pages: this page links to none, nor to the files that they share. */
  readonly isAlone?: boolean
  /** The key of this page in each language. */
  readonly translations: Readonly<Record<Language, string>>
  readonly main: Html
  /** Stands left of the main part where there is room, and before it on a phone. */
  readonly side?: Html
  /** Keys of scripts and further style sheets. Scripts run after the document is parsed; a page must work without them. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  /** Further elements of `<head>`. */
  readonly head?: Html
  /** A sentence in the footer: the page's source and its date. */
  readonly footer?: Html
}

/** @returns a whole document */
export function layout(page: PageLayout): string {
  const w = wording[page.language].shell
  const link = (key: string) => linkTo(page.key, key)
  const document = html`<!doctype html>
    <html lang="${page.language}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title}</title>
        <meta name="description" content="${page.description}" />
        ${alternates(page)}
        ${page.isAlone === true ? null : sharedFiles(page)}${page.styles?.map((key) => html`<link rel="stylesheet" href="${link(key)}" /> `)}${page.scripts?.map(
          (key) => html`<script src="${link(key)}" defer></script> `,
        )}${page.head}
      </head>
      <body>
        <a class="skip" href="#main">${w.skip}</a>
        <header class="site">
          <div class="bar">
            ${page.isAlone === true ? brand(page) : siteLinks(page)} ${languageLinks(page)}
          </div>
        </header>
        <div class="${page.side === undefined ? 'page' : 'page with-side'}">
          ${page.side === undefined ? null : html`<div class="side">${page.side}</div> `}
          <main id="main" tabindex="-1">${page.main}</main>
        </div>
        <footer class="site">
          <div class="bar">
            ${page.footer === undefined ? null : html`<p>${page.footer}</p> `}
            <p>${w.made}</p>
          </div>
        </footer>
      </body>
    </html> `
  return document.markup
}

/**
 * Everything comes from this host. `file:` stands for 'self' when the page is opened from a folder; elsewhere a browser
 * refuses such addresses anyway.
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self' file:",
  "script-src 'self' file:",
  "img-src 'self' file: data:",
  "connect-src 'self' file:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** The key of a part's first page. */
export const frontPage = (part: SitePart, language: Language): string => parts[part][language]

/** The front page of each part. */
const parts: Readonly<Record<SitePart, Readonly<Record<Language, string>>>> = {
  funds: { en: 'funds/index.html', de: 'funds/de.html' },
  docs: { en: 'docs/index.html', de: 'docs/de/index.html' },
  explorer: { en: 'docs/explorer/index.html', de: 'docs/de/explorer/index.html' },
  downloads: { en: 'downloads/latest/index.html', de: 'downloads/latest/de.html' },
  status: { en: 'status/index.html', de: 'status/de.html' },
}

const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }
const pageLanguages = ['en', 'de'] as const satisfies readonly Language[]

const mark = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">
  <rect width="24" height="24" rx="6" />
  <path d="M5 16.5l4.5-5 3.5 3L19 7.5" />
</svg>`

const partsOf = ({ hasDownloads = true }: PageLayout) =>
  (Object.keys(parts) as SitePart[]).filter((part) => hasDownloads || part !== 'downloads')

const sharedFiles = ({ key }: PageLayout): Html =>
  html`<link rel="icon" href="${linkTo(key, iconKey)}" type="image/svg+xml" />
    <link rel="stylesheet" href="${linkTo(key, styleKey)}" /> `

const brand = ({ language }: PageLayout): Html => html`<span class="brand">${named(language)}</span>`

const named = (language: Language): Html => html`${mark}<span>${wording[language].shell.brand}</span>`

function siteLinks(page: PageLayout): Html {
  const { key, language } = page
  return html`<a class="brand" href="${linkTo(key, parts.docs[language])}">${named(language)}</a>
    <nav aria-label="${wording[language].shell.navigation}">
      <ul>
        ${navigation(page)}
      </ul>
    </nav>`
}

function navigation(page: PageLayout): readonly Html[] {
  return partsOf(page).map((part) => {
    const keys = parts[part]
    const href = linkTo(page.key, keys[page.language])
    const here =
      part === page.part ? html` aria-current="${page.key === keys[page.language] ? 'page' : 'true'}"` : null
    return html`<li><a href="${href}" ${here}>${wording[page.language].shell.parts[part]}</a></li> `
  })
}

/** Links to this page in the other languages, each named in its own language. */
function languageLinks({ key, language, translations }: PageLayout): Html {
  const others = pageLanguages.filter((other) => other !== language)
  return html`<p class="languages">
    <span class="unseen">${wording[language].shell.language}: </span>${others.map(
      (other) =>
        html`<a href="${linkTo(key, translations[other])}" hreflang="${other}" lang="${other}"
          >${languageNames[other]}</a
        >`,
    )}
  </p> `
}

function alternates({ key, translations }: PageLayout): readonly Html[] {
  const alternate = (hreflang: string, to: string) =>
    html`<link rel="alternate" hreflang="${hreflang}" href="${linkTo(key, to)}" /> `
  return [
    ...pageLanguages.map((language) => alternate(language, translations[language])),
    alternate('x-default', translations.en),
  ]
}

/** Relative to the live snapshot. `publish` makes the feed of what each nightly run changed: a folder has none. */
export const feedKey = 'changes/feed.xml'

/** For the head of a page: feed readers look there. @param key of the page */
export const feedLink = (key: string, language: Language): Html =>
  html`<link
    rel="alternate"
    type="application/atom+xml"
    title="${wording[language].shell.feed}"
    href="${linkTo(key, feedKey)}"
  /> `
