/** Finds parts of the documentation by words: each must be there, those in a heading count most. Pure. */

import { searchKey, umlautKey } from '../../../core/layout/formats.ts'
import type { SearchedPage, SearchedPart } from '../searched.ts'

export interface Found {
  readonly page: SearchedPage
  readonly part: SearchedPart
  /** Of the text that matches best; '' if only the heading does. */
  readonly sentence: string
}

/** @returns the parts that have every word, the best first; none without a word */
export function findParts(pages: readonly SearchedPage[], typed: string): readonly Found[] {
  const words = typed.split(/\s+/).map(searchKey).filter(Boolean)
  if (words.length === 0) return []
  const found = pages.flatMap((page) =>
    page.parts.flatMap((part) => {
      const inHeading = countIn(part.heading, words)
      const all = [part.heading, page.title, ...part.texts].join(' ')
      if (countIn(all, words) < words.length) return []
      const [best = { text: '', count: 0 }] = part.texts
        .map((text) => ({ text, count: countIn(text, words) }))
        .sort((one, other) => other.count - one.count)
      const score =
        4 * inHeading + 2 * best.count + countIn(page.title, words) + wholeWords(part.heading, words)
      return [{ page, part, score, sentence: sentenceIn(best.text, words) }]
    }),
  )
  return found.sort((one, other) => other.score - one.score)
}

/** As a part of a text, also with `ae` for `ä`. */
function countIn(text: string, words: readonly string[]): number {
  const plain = searchKey(text)
  const short = umlautKey(text)
  return words.filter((word) => plain.includes(word) || short.includes(umlautKey(word))).length
}

function wholeWords(text: string, words: readonly string[]): number {
  const there = searchKey(text).split(/[^\p{L}\p{N}_]+/u)
  return words.filter((word) => there.includes(word)).length
}

/** Characters of a sentence that a reader takes in at a glance. */
const longest = 180

/** The sentence with most of the words, cut where it is too long. */
function sentenceIn(text: string, words: readonly string[]): string {
  const sentences = text.split(/(?<=[.:;!?])\s+(?=[\p{Lu}\p{N}])/u)
  const [best = ''] = [...sentences].sort((one, other) => countIn(other, words) - countIn(one, words))
  if (best.length <= longest) return best
  const [first = ''] = words
  const place = Math.max(0, searchKey(best).indexOf(first) - longest / 3)
  const start = place === 0 ? 0 : best.indexOf(' ', place) + 1
  const cut = best.slice(start, start + longest).replace(/\s\S*$/, '')
  return `${start > 0 ? '… ' : ''}${cut}${start + cut.length < best.length ? ' …' : ''}`
}
