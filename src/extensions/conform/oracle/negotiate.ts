/** Format and language by the headers of a request. Sources: src/core/api/decisions.md (Requests), RFC 9110. */

export type OracleFormat = 'json' | 'xml' | 'csv'

/** How exactly a range of the header names an offer; undefined: not at all. */
type SpecificityOf = (range: string) => number | undefined

/** JSON if nothing is acceptable or readable, and for a browser. @param hasCsv the answer exists as CSV */
export function acceptedFormat(header: string | undefined, hasCsv = false): OracleFormat {
  const best = bestOffer(header, hasCsv)
  return best === 'html' ? 'json' : best
}

/** A browser prefers HTML. */
export const isBrowser = (accept: string | undefined): boolean => bestOffer(accept, false) === 'html'

function bestOffer(header: string | undefined, hasCsv: boolean): OracleFormat | 'html' {
  const json: SpecificityOf = (range) => {
    if (range === '*/*') return 0
    if (range === 'application/*+json') return 1
    return /^(?:application|text)\/json$|^application\/[^/\s]+\+json$/.test(range) ? 2 : undefined
  }
  const xml: SpecificityOf = (range) => {
    if (range === '*/*') return 0
    return range === 'application/xml' || range === 'text/xml' ? 2 : undefined
  }
  const only =
    (name: string): SpecificityOf =>
    (range) =>
      range === '*/*' ? 0 : range === name ? 2 : undefined
  const offers: [OracleFormat | 'html', SpecificityOf][] = [
    ['json', json],
    ['xml', xml],
  ]
  if (hasCsv) offers.push(['csv', only('text/csv')])
  offers.push(['html', only('text/html')])
  const [format] = offers.reduce((best, offer) => (isSecondBetter(header, best[1], offer[1]) ? offer : best))
  return format
}

/** German if nothing is acceptable or readable. `*` stands for each language that no range names (RFC 9110, 12.5.4). */
export function acceptedLanguage(header: string | undefined): 'de' | 'en' {
  const specificityOf =
    (language: string): SpecificityOf =>
    (range) => {
      if (range === '*') return 0
      return range.split('-', 1)[0] === language ? 1 : undefined
    }
  return isSecondBetter(header, specificityOf('de'), specificityOf('en')) ? 'en' : 'de'
}

/** Compares by quality, then by the more specific range, then by position. */
function isSecondBetter(header = '', ofFirst: SpecificityOf, ofSecond: SpecificityOf): boolean {
  const first = bestMatch(header, ofFirst)
  const second = bestMatch(header, ofSecond)
  if (second.quality === 0) return false
  if (second.quality !== first.quality) return second.quality > first.quality
  if (second.specificity !== first.specificity) return second.specificity > first.specificity
  return second.position < first.position
}

/** The most specific range decides, even if it excludes the offer with q=0. */
function bestMatch(header: string, specificityOf: SpecificityOf) {
  const matches = header.split(',').flatMap((member, position) => {
    const [range = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    const specificity = specificityOf(range)
    // A member with a broken weight does not count.
    const isReadable = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight)
    return specificity !== undefined && isReadable ? [{ quality: Number(weight), specificity, position }] : []
  })
  const [best] = matches.sort((a, b) => b.specificity - a.specificity || b.quality - a.quality)
  return best ?? { quality: 0, specificity: 0, position: 0 }
}
