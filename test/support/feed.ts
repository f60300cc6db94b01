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
  const { entries, language, self } = wanted
  // RFC 4287, 4.1: no element that it does not know, and each at most once, but links.
  const known = 'feed entry id title updated author name generator link summary content'
  const unknown = known.split(' ').map((name) => `[not(self::a:${name})]`)
  const ofEntry = ['id', 'title', 'updated', 'summary', 'content']
  const wholeEntries = `/a:feed/a:entry${ofEntry.map((name) => `[count(a:${name}) = 1]`).join('')}`
  const linksTo = (type: string) => `[count(a:link[@rel="alternate"][@type="${type}"]) = 1]`
  const facts: readonly (readonly [expression: string, value: string | number])[] = [
    ['count(/a:feed)', 1],
    ...['id', 'title', 'updated'].map((name) => [`count(/a:feed/a:${name})`, 1] as const),
    ['count(/a:feed/a:author/a:name[string-length() > 0])', 1],
    ["string(/a:feed/a:link[@rel='self']/@href)", self],
    ['string(/a:feed/@*[local-name()="lang"])', language],
    ['count(/a:feed/a:entry)', entries],
    [`count(${wholeEntries})`, entries],
    [`count(//*${unknown.join('')})`, 0],
    ['count(//a:entry/a:content[@type="html"][not(*)])', entries],
    // Addresses are absolute, and no two links of an element have the same relation and type.
    ['count(//a:link)', 2 + 2 * entries],
    ['count(//a:link[starts-with(@href, "https://")])', 2 + 2 * entries],
    [`count(/a:feed/a:entry${linksTo('text/html')}${linksTo('application/json')})`, entries],
  ]
  // One question: each starts a process.
  const answers = askFeed(feed, `concat(${facts.map(([expression]) => expression).join(", '\n', ")})`)
  const said = answers.split('\n').map((value, index) => [facts[index]?.[0], value])
  expect(said).toEqual(facts.map(([expression, value]) => [expression, String(value)]))
  const texts = (name: string) =>
    [...askFeed(feed, `/a:feed/a:${name} | /a:feed/a:entry/a:${name}`).matchAll(/>([^<]*)</g)]
      .map(([, text = '']) => text.trim())
      .filter((text) => text !== '')
  const ids = texts('id')
  const [newest, ...updated] = texts('updated')
  expect([new Set(ids).size, ids.length]).toEqual([entries + 1, entries + 1])
  expect([new Set(updated).size, updated.length]).toEqual([entries, entries])
  for (const id of ids)
    expect(id).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  for (const time of updated) expect(new Date(time).toISOString()).toBe(time.replace('Z', '.000Z'))
  expect(newest).toBe(updated.toSorted().at(-1))
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
