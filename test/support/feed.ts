/** Atom feeds, read by libxml2, and the files that they lead to. */
import { execFileSync } from 'node:child_process'
import { expect } from 'vitest'

/** @param expression XPath with Atom's elements as `a:…` */
export function askFeed(feed: string, expression: string): string {
  const path = expression.replace(
    /\ba:(\w+)/g,
    "*[local-name()='$1' and namespace-uri()='http://www.w3.org/2005/Atom']",
  )
  return execFileSync('xmllint', ['--xpath', path, '-'], { input: feed }).toString().trimEnd()
}

/** What RFC 4287 asks of a feed. */
export function assertIsFeed(
  feed: string,
  wanted: { readonly self: string; readonly language: string; readonly entries: number },
): void {
  execFileSync('xmllint', ['--noout', '-'], { input: feed })
  const { entries, language } = wanted
  const xpath = (expression: string) => askFeed(feed, expression)
  expect(xpath('count(/a:feed)')).toBe('1')
  for (const element of ['id', 'title', 'updated']) expect(xpath(`count(/a:feed/a:${element})`)).toBe('1')
  expect(xpath('count(/a:feed/a:author/a:name[string-length() > 0])')).toBe('1')
  expect(xpath("string(/a:feed/a:link[@rel='self']/@href)")).toBe(wanted.self)
  expect(xpath('count(/a:feed/a:entry)')).toBe(String(entries))
  expect(xpath('string(/a:feed/@*[local-name()="lang"])')).toBe(language)
  // RFC 4287, 4.1: no element that it does not know, and each at most once, but links.
  const known = 'feed entry id title updated author name generator link summary content'
  const unknown = known.split(' ').map((name) => `[not(self::a:${name})]`)
  expect(xpath(`count(//*${unknown.join('')})`)).toBe('0')
  expect(xpath('count(//a:entry/a:content[@type="html"][not(*)])')).toBe(String(entries))
  // Addresses are absolute, and no two links of an element have the same relation and type.
  const links = 'a:link[starts-with(@href, "https://")]'
  expect(xpath('count(//a:link)')).toBe(String(2 + 2 * entries))
  expect(xpath(`count(//${links})`)).toBe(String(2 + 2 * entries))
  for (const type of ['text/html', 'application/json'])
    expect(xpath(`count(/a:feed/a:entry[count(a:link[@rel="alternate"][@type="${type}"]) = 1])`)).toBe(
      String(entries),
    )
  const ids: string[] = []
  const updated: string[] = []
  for (let nth = 1; nth <= entries; nth++) {
    for (const element of ['id', 'title', 'updated', 'summary', 'content'])
      expect(xpath(`count(/a:feed/a:entry[${nth}]/a:${element})`)).toBe('1')
    ids.push(xpath(`string(/a:feed/a:entry[${nth}]/a:id)`))
    updated.push(xpath(`string(/a:feed/a:entry[${nth}]/a:updated)`))
  }
  expect(new Set(ids).size).toBe(entries)
  expect(new Set(updated).size).toBe(entries)
  for (const id of [...ids, xpath('string(/a:feed/a:id)')])
    expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const time of updated) expect(new Date(time).toISOString()).toBe(time.replace('Z', '.000Z'))
  expect(xpath('string(/a:feed/a:updated)')).toBe(updated.toSorted().at(-1))
}

/** The files of a slot's `changes/`, sorted. @param days ISO 8601 */
export const filesOfChanges = (days: readonly string[]) =>
  [
    ...days.flatMap((asOf) => [`${asOf}.json`, `${asOf}/index.html`, `${asOf}/de.html`]),
    ...['de.html', 'de/feed.xml', 'feed.xml', 'index.html', 'index.json'],
  ].sort()

/**
 * Both feeds are valid, and each entry leads to a page that has its place.
 * @param bodyOf a file of `changes/` @param wanted `lost`: the file of a day has lost publishes, so that its page lacks their places
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
      const [path = '', id] = address.slice(`${baseUrl}/changes/`.length).split('#')
      const page = bodyOf(path === '' || path.endsWith('/') ? `${path}index.html` : path)
      expect(page).toContain(`<html lang="${language}">`)
      if (id !== undefined && !lost) expect(page).toContain(`id="${id}"`)
    }
  }
}
