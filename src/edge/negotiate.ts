/** Content negotiation with quality values. Source: RFC 9110, 12.4 and 12.5; decisions.md, Requests. */

import type { Format, Language } from '../routes/table.ts'

/**
 * How exactly a range of a header names an offer: 0 not at all, 1 by `*`, more for a closer match.
 * @param range in lower case, without parameters: `application/*`, `en-gb`
 */
export type Specificity<T> = (range: string, offer: T) => number

/**
 * The offer that the header prefers: highest quality first (an offer's quality is that of the range that names it most
 * exactly), then the more exact range, then the order in the header, then the order of the offers.
 * @returns null if there is no header or nothing in it is acceptable
 */
export function preferred<T>(header: string | undefined, offers: readonly T[], specificity: Specificity<T>): T | null {
  if (header === undefined) return null
  const ranges = header.toLowerCase().split(',').map(parseRange)
  let best: T | null = null
  let bestRank: Rank = { quality: 0, specificity: 0, order: 0 }
  offers.forEach((offer) => {
    const rank = rankOf(offer, ranges, specificity)
    if (rank.quality > 0 && isBetter(rank, bestRank)) {
      best = offer
      bestRank = rank
    }
  })
  return best
}

/** The quality that the header gives an offer: 0 if it does not want it, or does not name it. */
export function qualityOf<T>(header: string, offer: T, specificity: Specificity<T>): number {
  return rankOf(offer, header.toLowerCase().split(',').map(parseRange), specificity).quality
}

export const formatSpecificity: Specificity<Format> = (range, format) => {
  if (range === 'application/' + format || range === 'text/' + format) return 3
  if (format === 'json' && /^application\/[^/]+\+json$/.test(range)) return 3
  if (range === 'application/*' || range === 'text/*') return 2
  return range === '*/*' ? 1 : 0
}

/** `en-GB` counts as `en`. */
export const languageSpecificity: Specificity<Language> = (range, language) =>
  range.split('-')[0] === language ? 2 : range === '*' ? 1 : 0

interface Range {
  readonly name: string
  readonly quality: number
}

interface Rank {
  readonly quality: number
  readonly specificity: number
  readonly order: number
}

function parseRange(text: string): Range {
  const parts = text.split(';')
  let quality = 1
  parts.slice(1).forEach((part) => {
    const parameter = part.trim()
    if (parameter.slice(0, 2) !== 'q=') return
    const value = parameter.slice(2)
    // A quality that is none makes the range void.
    quality = /^(0(\.[0-9]{0,3})?|1(\.0{0,3})?)$/.test(value) ? Number(value) : 0
  })
  return { name: (parts[0] as string).trim(), quality }
}

function rankOf<T>(offer: T, ranges: readonly Range[], specificity: Specificity<T>): Rank {
  let best: Rank = { quality: 0, specificity: 0, order: 0 }
  ranges.forEach((range, order) => {
    const rank = { quality: range.quality, specificity: specificity(range.name, offer), order }
    const isCloser = rank.specificity > best.specificity
    if (isCloser || (rank.specificity === best.specificity && rank.specificity > 0 && rank.quality > best.quality)) {
      best = rank
    }
  })
  return best
}

function isBetter(rank: Rank, than: Rank): boolean {
  if (rank.quality !== than.quality) return rank.quality > than.quality
  if (rank.specificity !== than.specificity) return rank.specificity > than.specificity
  return rank.order < than.order
}
