/** A page's description for search engines and link previews. Only these addresses are absolute. */

import type { Publisher } from '../api/contract/page.ts'
import type { Language } from '../api/routes/table.ts'
import { html, linkedData, type Html } from './html.ts'
import { previewKey, previewSize } from './pictures.ts'

export type PageKeys = Readonly<Record<Language, string>>

interface Described {
  readonly title: string
  readonly description: string
  readonly language: Language
  /** The permanent keys of the page. */
  readonly keys: PageKeys
  /** Without a closing slash. */
  readonly baseUrl: string
  readonly siteName: string
  /** False of a page that is alone. */
  readonly hasPictures: boolean
  /** The pages from the start page to this one; empty for the start page. */
  readonly trail: readonly Crumb[]
}

interface Crumb {
  readonly name: string
  readonly key: string
}

/** The API's: that of an answer to a request that names none, such as those of search engines. */
export const defaultLanguage = 'de'

export const startKeys: PageKeys = { en: 'index.html', de: 'de.html' }

/**
 * The one public address of a file: that of a folder without `index.html`. `/` is the start page in the default language: so
 * a search engine gets it there. In the other language, it keeps its name.
 */
export const addressOf = (baseUrl: string, key: string): string =>
  key === startKeys[defaultLanguage]
    ? `${baseUrl}/`
    : `${baseUrl}/${key.replace(/\/index\.html(?=$|#)/, '/')}`

const locales: Readonly<Record<Language, string>> = { en: 'en_GB', de: 'de_DE' }

export function headLinks(page: Described): Html {
  const { language, keys, baseUrl, title, description, siteName, trail } = page
  const address = (to: string) => addressOf(baseUrl, to)
  const other = language === 'en' ? 'de' : 'en'
  const alternate = (hreflang: string, href: string) =>
    html`<link rel="alternate" hreflang="${hreflang}" href="${href}" /> `
  const property = (name: string, content: string) =>
    html`<meta property="og:${name}" content="${content}" /> `
  return html`<link rel="canonical" href="${address(keys[language])}" />
    ${[alternate('en', address(keys.en)), alternate('de', address(keys.de)), alternate('x-default', address(keys[defaultLanguage]))]}${[
      property('type', 'website'),
      property('site_name', siteName),
      property('title', title),
      property('description', description),
      property('url', address(keys[language])),
      property('locale', locales[language]),
      property('locale:alternate', locales[other]),
      page.hasPictures && [
        property('image', address(previewKey)),
        property('image:width', String(previewSize.width)),
        property('image:height', String(previewSize.height)),
        property('image:alt', siteName),
        // Title, text and picture are those above.
        html`<meta name="twitter:card" content="summary_large_image" /> `,
      ],
    ]}${trail.length > 1 && linkedData(breadcrumbs(trail, address))}`
}

/** Source: schema.org/BreadcrumbList. */
const breadcrumbs = (trail: readonly Crumb[], address: (key: string) => string) => ({
  '@context': 'https://schema.org',
  '@type': 'BreadcrumbList',
  itemListElement: trail.map(({ name, key }, index) => ({
    '@type': 'ListItem',
    position: index + 1,
    name,
    item: address(key),
  })),
})

/** Source: schema.org/Organization. Null without a name. */
export function organizationOf(publisher: Publisher | null, baseUrl: string) {
  const { name = null, homePage = null, contact = null, logo = null } = publisher ?? {}
  if (name === null) return null
  return {
    '@type': 'Organization',
    name,
    ...(homePage !== null && { url: homePage }),
    ...(contact !== null && { email: contact }),
    ...(logo !== null && { logo: addressOf(baseUrl, logo.key) }),
  }
}
