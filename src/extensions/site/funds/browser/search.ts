/** Search for funds on all pages: each word must match, also with `ae`, `oe` and `ue` for umlauts. */

import { searchKey, umlautKey } from '../../../../core/layout/formats.ts'

export interface SearchText {
  readonly plain: string
  readonly short: string
}

/** @param parts for example name, ISIN and WKN */
export const searchText = (parts: readonly string[]): SearchText => ({
  plain: parts.map(searchKey).join(' '),
  short: parts.map(umlautKey).join(' '),
})

/** @param typed without a word, every text matches */
export function searchFor(typed: string): (text: SearchText) => boolean {
  const words = typed.split(/\s+/).map((word) => searchText([word]))
  return (text) => words.every(({ plain, short }) => text.plain.includes(plain) || text.short.includes(short))
}
