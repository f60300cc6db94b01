/**
 * The index of the search in the documentation: a file for each language, made of the finished pages, so that nothing that is on a
 * page is missing. A browser loads it when a reader searches for the first time.
 */

import type { Page } from '../../core/api/contract/page.ts'
import type { Language } from '../../core/api/routes/table.ts'
import type { SearchedPage, SearchedPart } from './searched.ts'
import { docKey, searchIndexKey } from './site.ts'

/** @param pages of the documentation in one language, in the order of its navigation */
export function searchIndex(pages: readonly Page[], language: Language): Page {
  const root = docKey(language, '')
  // A field of every response, such as the name of the fund, is found where it comes first.
  const known = new Set<string>()
  const searched = pages.map(({ key, content }): SearchedPage => {
    const parts = partsOf(String(content))
    const title = parts[0]?.heading ?? ''
    const withNews = parts.map((part, at) => {
      // The beginning of a page is what the search shows of it before a word is typed.
      const texts = part.texts.filter((text) => at === 0 || !known.has(text))
      for (const text of texts) known.add(text)
      return { id: part.id, heading: part.heading, texts }
    })
    return { path: key.slice(root.length), title, parts: withNews }
  })
  return { key: searchIndexKey(language), content: JSON.stringify(searched) }
}

/** Parts of our own markup, which `html` has made: each tag is whole, each text is escaped. */
function partsOf(content: string): readonly SearchedPart[] {
  const [, main = ''] = /<main[^>]*>([^]*)<\/main>/.exec(content) ?? []
  const pieces = main.replace(unsearched, '').split(headingTag)
  const parts: SearchedPart[] = []
  for (let at = 1; at < pieces.length; at += 3) {
    const [id = '', heading = '', below = ''] = pieces.slice(at, at + 3)
    parts.push({ id, heading: textOf(heading), texts: textsOf(below) })
  }
  return parts
}

/** Examples, what names them for screen readers, and links to other pages. */
const unsearched = /<(pre|label|legend|caption|thead|noscript|nav)\b[^>]*>[^]*?<\/\1>/g
/** A heading without an id belongs to the part above it. */
const headingTag = /<h(?:1|[2-4] id="([\w-]+)")>([^]*?)<\/h[1-4]>/

const textsOf = (markup: string): readonly string[] =>
  markup
    .replace(/<\/dt>/g, ': ')
    .replace(/<\/t[hd]>/g, ' ')
    .split(/<\/(?:p|li|dd|tr|summary|h3)>/)
    .map(textOf)
    .filter((text) => /\p{L}/u.test(text))

const textOf = (markup: string): string =>
  markup
    .replace(/<[^<>]*>/g, '')
    .replace(/&(?:#(\d+)|(\w+));/g, (_, code: string | undefined, name: string) =>
      code === undefined ? (entities[name] ?? ' ') : String.fromCodePoint(Number(code)),
    )
    .replace(/\s+/g, ' ')
    .trim()

/** What Markdown is escaped with; all else has a number. */
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
