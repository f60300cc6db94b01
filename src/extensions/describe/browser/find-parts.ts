/**
 * Finds parts of the documentation by words: each must be there. A word of its own comes before the beginning of one, and
 * that before letters within one: TER is no terminal. Among equals those in a heading come first. Pure.
 */

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
      const all = [part.heading, page.title, ...part.texts].join(' ')
      if (!words.every((word) => nearnessOf(all, [word]) > 0)) return []
      const [best = { text: '', nearness: 0 }] = part.texts
        .map((text) => ({ text, nearness: nearnessOf(text, words) }))
        .sort((one, other) => other.nearness - one.nearness)
      const inHeading = nearnessOf(part.heading, words)
      const place = 4 * inHeading + 2 * best.nearness + nearnessOf(page.title, words)
      return [{ page, part, nearness: nearnessOf(all, words), place, sentence: sentenceIn(best.text, words) }]
    }),
  )
  return found.sort((one, other) => other.nearness - one.nearness || other.place - one.place)
}

/** The sum over the words: 3 for a word of its own, 2 for the beginning of one, 1 within one. Also with `ae` for `ä`. */
function nearnessOf(text: string, words: readonly string[]): number {
  const plain = searchKey(text)
  const short = umlautKey(text)
  const nearness = words.map((word) => Math.max(nearnessIn(plain, word), nearnessIn(short, umlautKey(word))))
  return nearness.reduce((sum, one) => sum + one, 0)
}

function nearnessIn(text: string, word: string): number {
  let nearest = 0
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const begins = !isOfWord(text.charAt(at - 1))
    const ends = !isOfWord(text.charAt(at + word.length))
    nearest = Math.max(nearest, begins ? (ends ? 3 : 2) : 1)
  }
  return nearest
}

const isOfWord = (character: string) => /[\p{L}\p{N}_]/u.test(character)

/** Characters of a sentence that a reader takes in at a glance. */
const longest = 180

/** The sentence with most of the words, cut where it is too long. */
function sentenceIn(text: string, words: readonly string[]): string {
  const sentences = text.split(/(?<=[.:;!?])\s+(?=[\p{Lu}\p{N}])/u)
  const [best = ''] = [...sentences].sort((one, other) => nearnessOf(other, words) - nearnessOf(one, words))
  if (best.length <= longest) return best
  const [first = ''] = words
  const place = Math.max(0, searchKey(best).indexOf(first) - longest / 3)
  const start = place === 0 ? 0 : best.indexOf(' ', place) + 1
  const cut = best.slice(start, start + longest).replace(/\s\S*$/, '')
  return `${start > 0 ? '… ' : ''}${cut}${start + cut.length < best.length ? ' …' : ''}`
}
