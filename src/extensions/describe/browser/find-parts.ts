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
  const words = wordsOf(typed)
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

/** All pages, for who has typed nothing yet: each with the beginning of its text. */
export const firstParts = (pages: readonly SearchedPage[]): readonly Found[] =>
  pages.flatMap((page) => {
    const [part] = page.parts
    return part === undefined ? [] : [{ page, part, sentence: sentenceIn(part.texts[0] ?? '', []) }]
  })

/** @returns them as {@link searchKey} writes them */
export const wordsOf = (typed: string): readonly string[] => typed.split(/\s+/).map(searchKey).filter(Boolean)

/** The sum over the words: 3 for a word of its own, 2 for the beginning of one, 1 within one. Also with `ae` for `ä`. */
function nearnessOf(text: string, words: readonly string[]): number {
  const plain = searchKey(text)
  const short = umlautKey(text)
  const nearness = words.map((word) => Math.max(nearnessIn(plain, word), nearnessIn(short, umlautKey(word))))
  return nearness.reduce((sum, one) => sum + one, 0)
}

const nearnessIn = (text: string, word: string): number =>
  Math.max(0, ...occurrencesIn(text, word).map(({ nearness }) => nearness))

interface Occurrence {
  readonly at: number
  readonly nearness: number
}

function occurrencesIn(text: string, word: string): readonly Occurrence[] {
  const found: Occurrence[] = []
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const begins = !isOfWord(text.charAt(at - 1))
    const ends = !isOfWord(text.charAt(at + word.length))
    found.push({ at, nearness: begins ? (ends ? 3 : 2) : 1 })
  }
  return found
}

const isOfWord = (character: string) => /[\p{L}\p{N}_]/u.test(character)

/** A piece of a text that was typed, by the characters of the text. */
export interface Place {
  readonly from: number
  readonly to: number
  readonly nearness: number
}

/** @param words as {@link searchKey} writes them @returns where they are, in the order of the text; places do not overlap */
export function placesIn(text: string, words: readonly string[]): readonly Place[] {
  const letters = Array.from(text.matchAll(/./gsu), ({ 0: character, index }) =>
    Array.from(searchKey(character), (letter) => ({ letter, index })),
  ).flat()
  const short = letters.filter(
    ({ letter }, at) => letter !== 'e' || !/[aou]/.test(letters[at - 1]?.letter ?? ''),
  )
  const placesOf = (spelt: typeof letters, word: string) =>
    occurrencesIn(spelt.map(({ letter }) => letter).join(''), word).map(({ at, nearness }) => ({
      from: spelt[at]?.index ?? 0,
      to: spelt[at + word.length]?.index ?? text.length,
      nearness,
    }))
  const all = words.flatMap((word) => {
    const asTyped = placesOf(letters, word)
    return asTyped.length > 0 ? asTyped : placesOf(short, umlautKey(word))
  })
  const inOrder = all.sort((one, other) => one.from - other.from || other.to - one.to)
  return inOrder.filter(({ from }, at) => inOrder.slice(0, at).every(({ to }) => to <= from))
}

/** Characters of a sentence that a reader takes in at a glance. */
const longest = 180

/** The sentence with most of the words; where it is too long, the part with the nearest one. */
function sentenceIn(text: string, words: readonly string[]): string {
  const sentences = text.split(/(?<=[.:;!?])\s+(?=[\p{Lu}\p{N}])/u)
  const [best = ''] = [...sentences].sort((one, other) => nearnessOf(other, words) - nearnessOf(one, words))
  if (best.length <= longest) return best
  const [nearest] = [...placesIn(best, words)].sort((one, other) => other.nearness - one.nearness)
  const before = Math.max(0, Math.min((nearest?.from ?? 0) - longest / 3, best.length - longest))
  const start = before === 0 ? 0 : best.indexOf(' ', before) + 1
  const isWhole = start + longest >= best.length
  const shown = isWhole ? best.slice(start) : best.slice(start, start + longest).replace(/\s\S*$/, ' …')
  return `${start > 0 ? '… ' : ''}${shown}`
}
