/** The index of the search in the documentation, as it is published, and what it finds. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { findParts, placesIn, wordsOf } from '../../../src/extensions/describe/browser/find-parts.ts'
import type { SearchedPage } from '../../../src/extensions/describe/searched.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'

let site: Site
beforeAll(async () => {
  site = await buildDemoSite()
  return () => void site.server.close()
})

const read = (key: string) => readFileSync(join(site.out, key), 'utf8')
const indexOf = (language: string) =>
  JSON.parse(read(`docs/assets/search.${language}.json`)) as readonly SearchedPage[]
const folders = { en: 'docs/', de: 'docs/de/' } as const
const plain = (markup: string) =>
  markup
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()

describe.each(['en', 'de'] as const)('the search in %s', (language) => {
  it('knows every heading of every page of the documentation, and leads to it', () => {
    const index = indexOf(language)
    const known = index.flatMap(({ path, parts }) =>
      parts.map(({ id, heading }) => `${path}#${id} ${heading}`),
    )
    const wanted = index.flatMap(({ path }) => {
      const page = read(folders[language] + path)
      const [, title = ''] = /<h1>([^]*?)<\/h1>/.exec(page) ?? []
      const below = [...page.matchAll(/<h[23] id="([\w-]+)">([^]*?)<\/h[23]>/g)]
      return [
        `${path}# ${plain(title)}`,
        ...below.map(([, id = '', text = '']) => `${path}#${id} ${plain(text)}`),
      ]
    })
    expect(known.length).toBeGreaterThan(80)
    expect(known.toSorted()).toEqual(wanted.toSorted())
  })

  it('finds every page of the navigation, every term of the guides and every field', () => {
    const index = indexOf(language)
    const start = read(`${folders[language]}index.html`)
    const [, navigation = ''] = /<div class="wide">([^]*?)<\/nav>/.exec(start) ?? []
    const linked = [...navigation.matchAll(/href="([^"#]*index\.html)"/g)].map(([, to = '']) => to)
    const others = linked.filter((to) => !to.startsWith('..') && !to.includes('explorer'))
    expect(index.map(({ path }) => path).toSorted()).toEqual([...new Set(others)].toSorted())
    for (const { path } of index) {
      const page = read(folders[language] + path).replace(/<pre[^]*?<\/pre>/g, '')
      const terms = [
        ...page.matchAll(/<dt>([^]*?)<\/dt>/g),
        ...page.matchAll(/<th scope="row"[^>]*>([^]*?)<\/th>/g),
      ]
      for (const [, term = ''] of terms) {
        const text = plain(term)
        // `[ ]` is an item of an array.
        if (/\w/.test(text))
          expect({ path, text, found: findParts(index, text).length > 0 }).toEqual({
            path,
            text,
            found: true,
          })
      }
    }
  })

  it('weighs less than 20 kB', () => {
    const text = read(`docs/assets/search.${language}.json`)
    expect(gzipSync(text).length).toBeLessThan(20_000)
  })
})

it('finds what a reader asks for first', () => {
  const first = (language: string, typed: string) => {
    const [best] = findParts(indexOf(language), typed)
    return best === undefined ? null : `${best.page.path}#${best.part.id}`
  }
  expect(first('en', 'decimal comma')).toBe('conventions/index.html#values')
  expect(first('en', 'month-ends')).toBe('recipes/index.html#month-ends')
  expect(first('en', 'etag')).toBe('index.html#caching')
  expect(first('en', 'current prices')).toBe('v1/endpoints/prices/index.html#prices-current')
  expect(first('de', 'schnelleinstieg')).toBe('index.html#start')
  // Umlauts also as two letters, whatever the case.
  expect(first('de', 'ZEITRAEUME')).toBe(first('de', 'zeiträume'))
  expect(first('de', 'ZEITRAEUME')).not.toBeNull()
  expect(first('de', '429')).toBe('terms/index.html#fair-use')
  expect(first('de', 'kein solches wort')).toBeNull()
  expect(first('de', '  ')).toBeNull()
})

it('finds a word of its own before the beginning of one, and that before letters within one', () => {
  const page = (id: string, text: string) => ({
    path: `${id}.html`,
    title: id,
    parts: [{ id, heading: id === 'heading' ? text : id, texts: [text] }],
  })
  const pages = [
    page('heading', 'Masters and parameters'),
    page('beginning', 'The terms of a term sheet'),
    page('own', 'The costs of a year (TER), in percent'),
    page('none', 'Nothing of the kind'),
  ]
  const found = findParts(pages, 'TER')
  expect(found.map(({ part }) => part.id)).toEqual(['own', 'beginning', 'heading'])
  expect(found[0]?.sentence).toContain('(TER)')
  for (const language of ['en', 'de'])
    for (const word of ['TER', 'NAV'])
      expect(findParts(indexOf(language), word)[0]?.sentence).toContain(`(${word})`)
})

it.each([
  ['en', 'rate limit', 'fair-use'],
  ['en', 'too many requests', 'fair-use'],
  ['en', 'authentication', 'fair-use'],
  ['en', 'changelog', 'changes'],
  ['en', 'merger', 'changes'],
  ['de', 'rate limit', 'fair-use'],
  ['de', 'API-Schlüssel', 'fair-use'],
  ['de', 'changelog', 'changes'],
  ['de', 'änderungsprotokoll', 'changes'],
  ['de', 'fusion', 'changes'],
  ['de', 'verschmelzung', 'changes'],
])('knows in %s what readers call it: %s', (language, typed, id) => {
  const [best] = findParts(indexOf(language), typed)
  expect(best && `${best.page.path}#${best.part.id}`).toBe(`terms/index.html#${id}`)
})

it('shows the sentence with the words, cut where it is long', () => {
  const [found] = findParts(indexOf('en'), 'strong etag')
  expect(found?.sentence).toBe('It has a strong ETag, Last-Modified and Cache-Control.')
  for (const { sentence } of findParts(indexOf('en'), 'e')) expect(sentence.length).toBeLessThan(190)
})

it.each([
  ['en', 'distribution'],
  ['en', 'null'],
  ['de', 'Ausschüttung'],
  ['de', 'ausschuettung'],
  ['de', 'Preis'],
  ['de', 'TER'],
])('shows in %s a sentence that has the word where the text has it: %s', (language, typed) => {
  const words = wordsOf(typed)
  const found = findParts(indexOf(language), typed)
  expect(found.length).toBeGreaterThan(4)
  for (const { part, sentence } of found)
    if (part.texts.some((text) => placesIn(text, words).length > 0)) {
      expect({ sentence, hits: placesIn(sentence, words).length }).not.toEqual({ sentence, hits: 0 })
      expect(part.texts.some((text) => text.includes(sentence.replace(/^… | …$/g, '')))).toBe(true)
    }
})

it.each([
  ['Ausschüttungen', 'ausschuettung', ['Ausschüttung']],
  ['Die Größe in Größen', 'groesse', ['Größe', 'Größe']],
  ['Straße 1, Strasse 2', 'STRASSE', ['Straße', 'Strasse']],
  ['The TER is no terminal', 'ter', ['TER', 'ter']],
  ['The value of a price', 'price value', ['value', 'price']],
  ['Nothing', 'price', []],
])('knows where in the text “%s” is what was typed: %s', (text, typed, expected) => {
  expect(placesIn(text, wordsOf(typed)).map(({ from, to }) => text.slice(from, to))).toEqual(expected)
})

it('leads to files that exist', () => {
  for (const language of ['en', 'de'] as const)
    for (const { path } of indexOf(language))
      expect(existsSync(join(site.out, dirname(folders[language] + path)))).toBe(true)
})
