/** Atom feeds, read by libxml2, and the files that they lead to. */
import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'
import type { DayChanges } from '../../src/core/api/contract/changes.ts'

/** @param expression XPath with Atom's elements as `a:…` */
export function askFeed(feed: string, expression: string): string {
  const path = expression.replace(
    /\ba:(\w+)/g,
    "*[local-name()='$1' and namespace-uri()='http://www.w3.org/2005/Atom']",
  )
  return execFileSync('xmllint', ['--xpath', path, '-'], { input: feed }).toString().trimEnd()
}

/** What several expressions give, of which none has a line break: starting libxml2 takes longer than reading a feed. */
const askFeedAll = (feed: string, expressions: readonly string[]): readonly string[] =>
  askFeed(feed, `concat(${expressions.join(", '\n', ")}, '')`).split('\n')

/** The texts of an element in each of the first entries. */
export const textsOfEntries = (feed: string, count: number, name: string) =>
  askFeedAll(
    feed,
    Array.from({ length: count }, (_, index) => `string(/a:feed/a:entry[${index + 1}]/a:${name})`),
  )

/** What RFC 4287 asks of a feed. */
export function assertIsFeed(
  feed: string,
  wanted: { readonly self: string; readonly language: string; readonly entries: number },
): void {
  const { self, language } = wanted
  const entries = String(wanted.entries)
  const one = (name: string) => `[count(a:${name}) = 1]`
  // RFC 4287, 4.1: no element that it does not know, and each at most once, but links.
  const known = 'feed entry id title published updated author name generator link summary content'
  const unknown = known.split(' ').map((name) => `[not(self::a:${name})]`)
  // Addresses are absolute, and no two links of an element have the same relation and type.
  const alternate = (type: string) => `[count(a:link[@rel="alternate"][@type="${type}"]) = 1]`
  const links = String(2 + 2 * wanted.entries)
  const expected = {
    [`count(/a:feed${['id', 'title', 'updated'].map(one).join('')})`]: '1',
    'count(/a:feed/a:author/a:name[string-length() > 0])': '1',
    'string(/a:feed/a:link[@rel="self"]/@href)': self,
    'string(/a:feed/@*[local-name()="lang"])': language,
    'count(/a:feed/a:entry)': entries,
    [`count(/a:feed/a:entry${['id', 'title', 'published', 'updated', 'summary', 'content'].map(one).join('')})`]:
      entries,
    [`count(/a:feed/a:entry${['text/html', 'application/json'].map(alternate).join('')})`]: entries,
    'count(//a:entry/a:content[@type="html"][not(*)])': entries,
    'count(//a:entry[a:published = a:updated][string-length(a:summary) > 0])': entries,
    [`count(//*${unknown.join('')})`]: '0',
    'count(//a:link)': links,
    'count(//a:link[starts-with(@href, "https://")])': links,
  }
  const found = askFeedAll(feed, Object.keys(expected))
  expect(Object.fromEntries(Object.keys(expected).map((asked, at) => [asked, found[at]]))).toEqual(expected)
  const [id = '', newest] = askFeedAll(feed, ['string(/a:feed/a:id)', 'string(/a:feed/a:updated)'])
  const ids = [id, ...textsOfEntries(feed, wanted.entries, 'id')]
  const updated = textsOfEntries(feed, wanted.entries, 'updated')
  expect(new Set(ids).size).toBe(wanted.entries + 1)
  expect(new Set(updated).size).toBe(wanted.entries)
  for (const id of ids)
    expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const time of updated) expect(new Date(time).toISOString()).toBe(time.replace('Z', '.000Z'))
  expect(newest).toBe(updated.toSorted().at(-1))
}

/** The files of a slot's `changes/`, sorted. @param days ISO 8601 */
export const filesOfChanges = (days: readonly string[]) =>
  [
    ...days.map((asOf) => `${asOf}.json`),
    'de.html',
    'de/feed.xml',
    'downloads.json',
    'feed.xml',
    'index.html',
    'index.json',
  ].sort()

/**
 * Both feeds are valid, and each entry leads to the page with a day whose file has its publish.
 * @param bodyOf a file of `changes/` @param wanted `lost`: the file of a day has lost publishes
 */
export function assertFeedsLead(
  bodyOf: (file: string) => string,
  wanted: { readonly baseUrl: string; readonly entries: number; readonly lost: boolean },
): void {
  const { baseUrl, entries, lost } = wanted
  for (const [feed, language] of Object.entries({ 'feed.xml': 'en', 'de/feed.xml': 'de' })) {
    assertIsFeed(bodyOf(feed), { self: `${baseUrl}/changes/${feed}`, language, entries })
    const links = bodyOf(feed).matchAll(/<link rel="alternate" type="text\/html" href="([^"]*)"\/>/g)
    const addresses = [...links].map(([, address = '']) => address.replaceAll('&amp;', '&'))
    expect(addresses).toHaveLength(entries + 1)
    for (const address of addresses) {
      const [, path, day, id] =
        /^([^?]*)(?:[?]day=([^#]*)#day-\2-(.*))?$/.exec(address.slice(`${baseUrl}/changes/`.length)) ?? []
      const page = bodyOf(path === '' ? 'index.html' : (path ?? ''))
      expect(page).toContain(`<html lang="${language}">`)
      // Without scripts, the page of all days comes, at the place of the publish.
      if (day !== undefined) expect(page).toContain(`id="day-${day}-${id ?? ''}"`)
      if (day === undefined || lost) continue
      const { publish, earlier } = JSON.parse(bodyOf(`${day}.json`)) as DayChanges
      expect([publish, ...earlier.map((one) => one.publish)].map(String)).toContain(id)
    }
  }
}
