/** Content negotiation with quality values. Source: RFC 9110, 12.4 and 12.5; src/core/api/decisions.md, Requests. */

import type { Format, Language } from '../../api/routes/table.ts'

/**
 * Rates how exactly a range of a header names an offer: 0 not at all, 1 by `*`, more for a closer match.
 * @param range in lower case, without parameters: `application/*`, `en-gb`
 */
type Specificity<T> = (range: string, offer: T) => number

/**
 * The offer that the header prefers: highest quality first (an offer's quality is that of the range that names it most
 * exactly), then the more exact range, then the order in the header, then the order of the offers.
 * @returns null if there is no header or nothing in it is acceptable
 */
export function preferred<T>(
  header: string | undefined,
  offers: readonly T[],
  specificity: Specificity<T>,
): T | null {
  if (header === undefined) return null
  const ranges = parseRanges(header)
  let best: T | null = null
  let bestScore = 0
  offers.forEach((offer) => {
    const { quality, exactness, order } = rankOf(offer, ranges, specificity)
    // Qualities have three decimals, headers at most a hundred ranges.
    const score = quality * 1e7 + exactness * 1e3 - order
    if (quality > 0 && score > bestScore) {
      best = offer
      bestScore = score
    }
  })
  return best
}

/** The quality of an offer: 0 if the header refuses it, or does not name it. */
export const qualityOf = <T>(header: string, offer: T, specificity: Specificity<T>): number =>
  rankOf(offer, parseRanges(header), specificity).quality

export type Accepted = Format | 'html'

export const formatSpecificity: Specificity<Accepted> = (range, format) => {
  if (range === 'application/' + format || range === 'text/' + format) return 3
  if (format === 'json' && /^application\/[^/]+\+json$/.test(range)) return 3
  if (range === 'application/*' || range === 'text/*') return 2
  return range === '*/*' ? 1 : 0
}

export const languageSpecificity: Specificity<Language> = (range, language) =>
  range.split('-')[0] === language ? 2 : range === '*' ? 1 : 0

/** Only the first hundred ranges count: njs takes 15 µs for each. */
const parseRanges = (header: string) => header.toLowerCase().split(',', 100).map(parseRange)

function parseRange(text: string) {
  const name = (text.split(';')[0] as string).trim()
  const given = /;\s*q=([^;\s]*)/.exec(text)
  if (given === null) return { name, quality: 1 }
  const value = given[1] as string
  // An invalid quality is NaN, and no comparison with NaN is true: the range does not count.
  return { name, quality: /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(value) ? Number(value) : NaN }
}

function rankOf<T>(offer: T, ranges: ReturnType<typeof parseRanges>, specificity: Specificity<T>) {
  let best = { quality: 0, exactness: 0, order: 0 }
  ranges.forEach(({ name, quality }, order) => {
    const exactness = specificity(name, offer)
    if (exactness > 0 && exactness + quality / 2 > best.exactness + best.quality / 2)
      best = { quality, exactness, order }
  })
  return best
}
