/** The shell of every page: head, navigation, main part, footer; and the keys and files that pages share. */

import { readFileSync } from 'node:fs'
import type { Page, Publisher, SitePart, SiteParts } from '../api/contract/page.ts'
import type { Language } from '../api/routes/table.ts'
import { wording } from './wording.ts'
import { colourRules } from './colours.ts'
import { headLinks, startKeys, type PageKeys } from './head.ts'
import { html, linkTo, raw, type Html } from './html.ts'
import { iconKey, pictures, pngIconKey } from './pictures.ts'

const styleKey = 'docs/assets/style.css'
export const statusStyleKey = 'status/status.css'

/** The style sheet, icons and pictures of all pages: each extension with pages puts them into the snapshot. */
export function sharedPages(publisher: Publisher | null): readonly Page[] {
  const icon = pageTemplate('pages/icon.svg')
  const colour = accentOf(publisher)
  const logo = publisher?.logo ?? null
  return [
    { key: styleKey, content: styleSheet(publisher) },
    { key: iconKey, content: icon.replace(iconColour, colour) },
    ...pictures(publisher ?? {}, colour),
    ...(logo === null ? [] : [{ key: logo.key, content: Buffer.from(logo.content, 'base64') }]),
  ]
}

/** The style sheet of the pages that name a snapshot. Without other pages there is no shared one. */
export function statusStyle({ isAlone, publisher }: PageSite): Page {
  const style = pageTemplate(statusStyleKey)
  return { key: statusStyleKey, content: isAlone ? `${styleSheet(publisher)}\n${style}` : style }
}

/** The colour in `icon.svg`. */
const iconColour = '#0b6463'

/** For what is always light. */
export const accentOf = (publisher: Publisher | null): string => publisher?.accent.light ?? iconColour

const styleSheet = (publisher: Publisher | null): string =>
  pageTemplate('pages/style.css') + colourRules(publisher)

/**
 * A template as pages get it: a style sheet has no comments and no indents, which are for its authors.
 * @param path below `templates/` @throws {Error} if the file does not exist
 */
export function pageTemplate(path: string): string {
  const known = templates.get(path)
  if (known !== undefined) return known
  const text = readFileSync(new URL(`../../../templates/${path}`, import.meta.url), 'utf8')
  const sent = path.endsWith('.css') ? text.replace(notSent, '$<kept>') : text
  templates.set(path, sent)
  return sent
}

const templates = new Map<string, string>()

/** Comments, and spaces at the beginning of lines; strings and addresses are kept as they are. */
const notSent = /(?<kept>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|url\([^)]*\))|\/\*.*?\*\/\s*|(?<=\n)\s+/gs

/** The page for missing ones, shown at any address. */
export const notFoundKeys: PageKeys = { en: 'not-found/index.html', de: 'not-found/de.html' }

/** The first page of each part of the site, in the order of the navigation. */
export const frontPages = {
  funds: { en: 'funds/index.html', de: 'funds/de.html' },
  compare: { en: 'compare/index.html', de: 'compare/de.html' },
  docs: { en: 'docs/index.html', de: 'docs/de/index.html' },
  explorer: { en: 'docs/explorer/index.html', de: 'docs/de/explorer/index.html' },
  downloads: { en: 'downloads/latest/index.html', de: 'downloads/latest/de.html' },
  status: { en: 'status/index.html', de: 'status/de.html' },
} as const satisfies Readonly<Partial<Record<SitePart, PageKeys>>>

type FrontPart = keyof typeof frontPages

export const fundPageKeys = (isin: string): PageKeys => ({
  de: `funds/${isin}/de.html`,
  en: `funds/${isin}/index.html`,
})
export const fundFeedKeys = (isin: string): PageKeys => ({
  de: `funds/${isin}/feed.de.xml`,
  en: `funds/${isin}/feed.xml`,
})
export const distributionKeys = (isin: string) => ({
  csv: `funds/${isin}/distributions.csv`,
  json: `funds/${isin}/distributions.json`,
})
export const documentsKey = (isin: string) => `funds/${isin}/documents.json`
export const fundChartKey = (isin: string) => `funds/${isin}/chart.svg`

export interface PageLayout {
  /** This page in each language. All links are relative to its own key. */
  readonly keys: PageKeys
  /** The permanent keys, if these are others. */
  readonly canonicalKeys?: PageKeys
  readonly language: Language
  /** Without a closing slash. */
  readonly baseUrl: string
  readonly title: string
  /** One sentence, for search engines and link previews. */
  readonly description: string
  /** Null for the start page and the page for missing ones. */
  readonly part: FrontPart | null
  readonly parts: SiteParts
  readonly publisher: Publisher | null
  /** The snapshot has no other pages: this page links to none, nor to shared files. */
  readonly isAlone?: boolean
  /** The page is shown at any address: its links begin with a slash, and search engines leave it out. */
  readonly isAnywhere?: boolean
  readonly main: Html
  /** Left of the main part where there is room, and before it on a phone. Of a long page, its {@link sectionLinks}. */
  readonly side?: Html
  /** Keys. Scripts run after the document is parsed; a page must work without them. */
  readonly scripts?: readonly string[]
  readonly styles?: readonly string[]
  readonly head?: Html
}

/** The sections of a long page, for its side: beside it, and where there is no room, in a row that stays at the top. */
export function sectionLinks(
  sections: readonly { readonly id: string; readonly heading: string }[],
  language: Language,
): Html {
  const { onThisPage } = wording[language].shell
  return html`<nav class="sections" aria-label="${onThisPage}">
    <p class="heading">${onThisPage}</p>
    <ul>
      ${sections.map(({ id, heading }) => html`<li><a href="#${id}">${heading}</a></li> `)}
    </ul>
  </nav>`
}

export function layout(page: PageLayout): string {
  const { language, isAlone = false, side } = page
  const w = wording[language].shell
  const link = linksOf(page)
  const brand = brandOf(page)
  const others = (['en', 'de'] as const).filter((other) => other !== language)
  const languages = html`<p class="languages">
    <span class="unseen">${w.language}: </span>${others.map(
      (other) =>
        html`<a href="${link(page.keys[other])}" hreflang="${other}" lang="${other}"
          >${languageNames[other]}</a
        >`,
    )}
  </p> `
  // For scripts, which write names, too.
  const names = page.publisher?.fundNames ? ` data-names="${page.publisher.fundNames}"` : ''
  const attributes = `lang="${language}"${names}`
  const document = html`<!doctype html>
    <html ${raw(attributes)}>
      <head>
        ${commonHead}
        <title>${titleOf(page)}</title>
        <meta name="description" content="${page.description}" />
        ${
          !isAlone &&
          html`${icons(page, link)}
            <link rel="stylesheet" href="${link(styleKey)}" /> `
        }${page.styles?.map((style) => html`<link rel="stylesheet" href="${link(style)}" /> `)}${page.scripts?.map(
          (script) => html`<script src="${link(script)}" defer></script> `,
        )}${page.head}${page.isAnywhere === true ? html`<meta name="robots" content="noindex" /> ` : describedHead(page)}
      </head>
      <body>
        <a class="skip" href="#main">${w.skip}</a>
        <header class="site">
          <div class="bar">${isAlone ? plainBrand(brand) : siteLinks(page, brand)} ${languages}</div>
        </header>
        <div class="${side === undefined ? 'page' : 'page with-side'}">
          ${side && html`<div class="side">${side}</div> `}
          <main id="main" tabindex="-1">${page.main}</main>
        </div>
        <footer class="site">
          <div class="bar">
            ${publisherLine(page)}${page.publisher?.credit !== false && html`<p>${w.made}</p> `}
          </div>
        </footer>
      </body>
    </html> `
  return document.markup
}

/** The company's icon is a PNG, ours an SVG. Home screens of Apple take a PNG only. */
const icons = ({ publisher }: PageLayout, link: (to: string) => string): Html =>
  html`${
      (publisher?.icon ?? null) === null
        ? html`<link rel="icon" href="${link(iconKey)}" type="image/svg+xml" />`
        : html`<link rel="icon" href="${link(pngIconKey)}" type="image/png" />`
    } <link rel="apple-touch-icon" href="${link(pngIconKey)}" />`

/** With the company, for bookmarks and search results. */
function titleOf({ title, language, publisher }: PageLayout): string {
  const name = publisher?.name ?? wording[language].shell.brand
  return title.includes(name) ? title : `${title} · ${name}`
}

/** Links from a page to a file of the snapshot, by its key. */
export function linksOf(page: Pick<PageLayout, 'keys' | 'language' | 'baseUrl' | 'isAnywhere'>) {
  const { keys, language, baseUrl, isAnywhere = false } = page
  if (!isAnywhere) return (to: string) => linkTo(keys[language], to)
  // The site may lie in a folder of its host.
  const root = new URL(baseUrl).pathname.replace(/\/$/, '')
  return (to: string) => `${root}/${to}`
}

function describedHead(page: PageLayout): Html {
  const { language, part, parts: there, title, publisher } = page
  const { isAlone = false, canonicalKeys: keys = page.keys } = page
  const { brand, parts, start } = wording[language].shell
  const first = there.includes('start') ? [{ name: start, key: startKeys[language] }] : []
  const above =
    part === null || !there.includes(part) ? [] : [{ name: parts[part], key: frontPages[part][language] }]
  const isFront = part === null || keys[language] === frontPages[part][language]
  const own = isFront ? [] : [{ name: title, key: keys[language] }]
  return headLinks({
    ...page,
    keys,
    siteName: publisher?.name ?? brand,
    hasPictures: !isAlone,
    trail: isAlone ? [] : [...first, ...above, ...own],
  })
}

/** Everything comes from this host: `file:` if the page is opened from a folder; elsewhere browsers refuse it. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "style-src 'self' file:",
  "script-src 'self' file:",
  "img-src 'self' file: data:",
  "connect-src 'self' file:",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** The first elements of each page's head. */
const commonHead = html`<meta charset="utf-8" />
  <meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}" />
  <meta name="viewport" content="width=device-width, initial-scale=1" />
  <meta name="color-scheme" content="light dark" /> `

const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch' }

const mark = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" focusable="false">
  <rect width="24" height="24" rx="6" />
  <path d="M5 16.5l4.5-5 3.5 3L19 7.5" />
</svg>`

/** The company's logo, or its name. A page that is alone has no files but its own. */
function brandOf(page: PageLayout): Html {
  const { language, publisher, isAlone = false } = page
  const { name = null, logo = null } = publisher ?? {}
  const { brand } = wording[language].shell
  if (logo === null || isAlone)
    return name === null ? html`${mark}<span>${brand}</span>` : html`<span>${name}</span>`
  const width = Math.round((logo.width / logo.height) * logoHeight)
  return html`<img
    src="${linksOf(page)(logo.key)}"
    width="${width}"
    height="${logoHeight}"
    alt="${name ?? brand}"
  />`
}

/** In CSS pixels. */
const logoHeight = 28

function siteLinks(page: PageLayout, brand: Html): Html {
  const { keys, language, part, parts } = page
  const w = wording[language].shell
  const link = linksOf(page)
  const items = (Object.keys(frontPages) as FrontPart[]).map((each) => {
    if (!parts.includes(each)) return null
    const front = frontPages[each][language]
    const here = each === part && html` aria-current="${keys[language] === front ? 'page' : 'true'}"`
    return html`<li><a href="${link(front)}" ${here}>${w.parts[each]}</a></li> `
  })
  const home = parts.includes('start')
    ? html`<a class="brand" href="${link(startKeys[language])}">${brand}</a>`
    : plainBrand(brand)
  // Where there is no room for the menu, the button shows it: a popover needs no script.
  return html`${home}
    <button type="button" class="menu" popovertarget="menu">${w.menu}</button>
    <nav id="menu" popover aria-label="${w.navigation}">
      <ul>
        ${items}
      </ul>
    </nav>`
}

const plainBrand = (brand: Html) => html`<span class="brand">${brand}</span>`

export const mailTo = (address: string) => `mailto:${address.split('@').map(encodeURIComponent).join('@')}`

/** The publisher with links to other sites, the same in both languages; null without any. */
function publisherLine({ publisher, language }: PageLayout): Html | null {
  if (publisher === null) return null
  const w = wording[language].shell
  const { name, imprint, privacy, contact, terms, homePage } = publisher
  const parts = [
    homePage !== null
      ? html`<a href="${homePage}">${name ?? w.homePage}</a>`
      : name !== null && html`<span>${name}</span>`,
    imprint === null ? null : html`<a href="${imprint}">${w.imprint}</a>`,
    privacy === null ? null : html`<a href="${privacy}" rel="privacy-policy">${w.privacy}</a>`,
    contact === null ? null : html`<a href="${mailTo(contact)}">${w.contact}</a>`,
    terms === null ? null : html`<a href="${terms}" rel="terms-of-service">${w.terms}</a>`,
  ].filter((part) => part !== null && part !== false)
  const joined = parts.map((part, index) => [index === 0 ? '' : ' · ', part])
  return parts.length === 0 ? null : html`<p>${joined}</p> `
}

export interface PageSite {
  /** Without a closing slash. */
  readonly baseUrl: string
  readonly publisher: Publisher | null
  /** The snapshot has no other pages: the page links to none. */
  readonly isAlone: boolean
  readonly parts: SiteParts
}

/** A publish makes these pages; a build puts empty ones into the folder. */
export const changesKeys: PageKeys = { en: 'changes/index.html', de: 'changes/de.html' }
/** The pages of the status, at the top of each: how new the data are, and what has changed. Null if there is one only. */
export function statusPair(
  here: PageKeys,
  language: Language,
  { parts }: Pick<PageSite, 'parts'>,
): Html | null {
  if (!parts.includes('status') || !parts.includes('changes')) return null
  const { shell } = wording[language]
  const pages = [
    { keys: frontPages.status, name: shell.parts.status },
    { keys: changesKeys, name: shell.changes },
  ]
  const links = pages.map(({ keys, name }) => {
    const isHere = keys[language] === here[language]
    return html`<li>
      <a href="${linkTo(here[language], keys[language])}" ${isHere && html`aria-current="page"`}>${name}</a>
    </li> `
  })
  return html`<nav class="pair" aria-label="${shell.parts.status}">
    <ul>
      ${links}
    </ul>
  </nav> `
}

/** A build makes this script, with the pages of the status. */
export const changesScriptKey = 'status/changes.js'
export const feedKeys: PageKeys = { en: 'changes/feed.xml', de: 'changes/de/feed.xml' }

/** For the head of a page, where feed readers find it. @param key of the page */
export const feedLink = (
  key: string,
  language: Language,
  feed = feedKeys[language],
  title = wording[language].shell.feed,
): Html =>
  html`<link rel="alternate" type="application/atom+xml" title="${title}" href="${linkTo(key, feed)}" /> `
