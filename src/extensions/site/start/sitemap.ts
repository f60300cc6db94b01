/** Files for crawlers: `robots.txt`, and the addresses of all pages in `sitemap.xml`. */

import { create } from 'xmlbuilder2'
import type { Page, SitePageSource, SitePart } from '../../../core/api/contract/page.ts'
import { addressOf, defaultLanguage, type PageKeys } from '../../../core/layout/head.ts'
import { changesKeys, frontPages, fundPageKeys, notFoundKeys } from '../../../core/layout/layout.ts'

/** Source: sitemaps.org: at most 50,000 addresses and 50 MB. An address with its languages takes less than 1 KB. */
const maxAddresses = 50_000

/**
 * Pages without room go into `funds/sitemap-2.xml` and so on, since a sitemap may list files in its own folder only: so
 * pages of funds come last.
 * @param before keys of pages that a build makes before its status and the empty changes
 */
export function* sitemapPages(
  { baseUrl, parts, funds }: SitePageSource,
  before: readonly string[],
): Generator<Page> {
  const made = new Set(before)
  const pairs = before.flatMap((key) => {
    const pair = { en: key, de: germanKey(key) }
    return pair.de !== key && made.has(pair.de) && key !== notFoundKeys.en ? [pair] : []
  })
  const ofPart = (part: SitePart, keys: PageKeys) => (parts.includes(part) ? [keys] : [])
  const others = [
    ...pairs,
    ...ofPart('downloads', frontPages.downloads),
    frontPages.status,
    ...ofPart('changes', changesKeys),
  ]
  const all = [...others, ...funds.map(({ isin }) => fundPageKeys(isin))]
  const names: string[] = []
  // Each page is two addresses, one for each language.
  for (let start = 0; start < all.length; start += maxAddresses / 2) {
    const name = names.length === 0 ? 'sitemap.xml' : `funds/sitemap-${names.length + 1}.xml`
    names.push(name)
    yield { key: name, content: sitemap(all.slice(start, start + maxAddresses / 2), baseUrl) }
  }
  const lines = names.map((name) => `Sitemap: ${addressOf(baseUrl, name)}\n`)
  yield { key: 'robots.txt', content: `User-agent: *\nAllow: /\n\n${lines.join('')}` }
}

/** The German page of an English one. @param key of another file is returned unchanged */
const germanKey = (key: string): string =>
  /^docs\/(?!de\/).*\.html$/.test(key)
    ? key.replace('docs/', 'docs/de/')
    : key.replace(/(?<![^/])index\.html$/, 'de.html')

/** Source: sitemaps.org, and Google's `xhtml:link` for the languages of a page. */
function sitemap(pages: readonly PageKeys[], baseUrl: string): string {
  const alternate = (hreflang: string, href: string) => ({
    '@rel': 'alternate',
    '@hreflang': hreflang,
    '@href': href,
  })
  const url = pages.flatMap(({ en, de }) => {
    const languages = [
      ...[en, de].map((key) => alternate(key === en ? 'en' : 'de', addressOf(baseUrl, key))),
      alternate('x-default', addressOf(baseUrl, { en, de }[defaultLanguage])),
    ]
    return [en, de].map((key) => ({ loc: addressOf(baseUrl, key), 'xhtml:link': languages }))
  })
  const content = {
    urlset: {
      '@xmlns': 'http://www.sitemaps.org/schemas/sitemap/0.9',
      '@xmlns:xhtml': 'http://www.w3.org/1999/xhtml',
      url,
    },
  }
  return `${create({ encoding: 'UTF-8' }, content).end({ prettyPrint: true })}\n`
}
