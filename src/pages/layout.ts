/** The shell of every page for people: head, header with navigation, main part, footer. Its style is `pages/style.css`. */

import type { Language } from '../routes/table.ts'
import { html, type Html } from './html.ts'
import { linkTo } from './link.ts'

/** Keys of the files that all pages share; the documentation puts them into the snapshot. */
export const styleKey = 'docs/assets/style.css'
export const iconKey = 'docs/assets/icon.svg'

/** The parts of the site, in the order of the navigation. */
export type SitePart = 'funds' | 'docs' | 'explorer' | 'downloads' | 'status'

export interface PageLayout {
  /** Of this page: all links are made relative to it. */
  readonly key: string
  readonly language: Language
  readonly title: string
  /** One sentence, for search engines and link previews. */
  readonly description: string
  readonly part: SitePart | null
  /** Parts that the snapshot has not: nothing leads there. */
  readonly without?: readonly SitePart[]
  /** The snapshot has no other pages: nothing leads to them, or to the files that they share. */
  readonly isAlone?: boolean
  /** The key of this page in each language; null where it is in one only. */
  readonly translations: Readonly<Record<Language, string>> | null
  readonly main: Html
  /** Stands left of the main part where there is room, and in front of it on a phone. */
  readonly side?: Html
  /** Keys of scripts and further style sheets. Scripts run when the document is there; a page has to work without. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  /** Further elements of `<head>`. */
  readonly head?: Html
  /** A sentence in the footer: what the page is made of, and of when. */
  readonly footer?: Html
}

/** What pages are `without` where the snapshot has no files for analysts. */
export const withoutDownloads = ({
  hasDownloads,
}: {
  readonly hasDownloads: boolean
}): readonly SitePart[] => (hasDownloads ? [] : ['downloads'])

/** @returns a whole document */
export function layout(page: PageLayout): string {
  const words = texts[page.language]
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
        <a class="skip" href="#main">${words.skip}</a>
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
            <p>${words.made}</p>
          </div>
        </footer>
      </body>
    </html> `
  return document.markup
}

/**
 * Everything comes from this very host. `file:` is what 'self' means where the page is opened from a folder; elsewhere a
 * browser refuses such addresses anyway.
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

const texts = {
  en: {
    brand: 'Fund data',
    skip: 'Skip to content',
    navigation: 'Site',
    language: 'Language',
    made: 'Published with fundpress.',
    parts: {
      funds: 'Funds',
      docs: 'Documentation',
      explorer: 'API explorer',
      downloads: 'Downloads',
      status: 'Status',
    },
  },
  de: {
    brand: 'Fondsdaten',
    skip: 'Zum Inhalt',
    navigation: 'Seiten',
    language: 'Sprache',
    made: 'Veröffentlicht mit fundpress.',
    parts: {
      funds: 'Fonds',
      docs: 'Dokumentation',
      explorer: 'API-Explorer',
      downloads: 'Downloads',
      status: 'Status',
    },
  },
} as const

const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }
const pageLanguages = ['en', 'de'] as const satisfies readonly Language[]

const mark = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">
  <rect width="24" height="24" rx="6" />
  <path d="M5 16.5l4.5-5 3.5 3L19 7.5" />
</svg>`

const partsOf = ({ without = [] }: PageLayout) =>
  (Object.keys(parts) as SitePart[]).filter((part) => !without.includes(part))

const sharedFiles = ({ key }: PageLayout): Html =>
  html`<link rel="icon" href="${linkTo(key, iconKey)}" type="image/svg+xml" />
    <link rel="stylesheet" href="${linkTo(key, styleKey)}" /> `

const brand = ({ language }: PageLayout): Html => html`<span class="brand">${named(language)}</span>`

const named = (language: Language): Html => html`${mark}<span>${texts[language].brand}</span>`

function siteLinks(page: PageLayout): Html {
  const { key, language } = page
  return html`<a class="brand" href="${linkTo(key, parts.docs[language])}">${named(language)}</a>
    <nav aria-label="${texts[language].navigation}">
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
    return html`<li><a href="${href}" ${here}>${texts[page.language].parts[part]}</a></li> `
  })
}

/** The page in the other languages, said in the language that it leads to. */
function languageLinks({ key, language, translations }: PageLayout): Html | null {
  if (translations === null) return null
  const others = pageLanguages.filter((other) => other !== language)
  return html`<p class="languages">
    <span class="unseen">${texts[language].language}: </span>${others.map(
      (other) =>
        html`<a href="${linkTo(key, translations[other])}" hreflang="${other}" lang="${other}"
          >${languageNames[other]}</a
        >`,
    )}
  </p> `
}

function alternates({ key, translations }: PageLayout): readonly Html[] {
  if (translations === null) return []
  const alternate = (hreflang: string, to: string) =>
    html`<link rel="alternate" hreflang="${hreflang}" href="${linkTo(key, to)}" /> `
  return [
    ...pageLanguages.map((language) => alternate(language, translations[language])),
    alternate('x-default', translations.en),
  ]
}
