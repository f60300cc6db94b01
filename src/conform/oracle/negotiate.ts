/**
 * Which format and language a request's headers ask for. Source: src/api/decisions.md (Requests) and RFC 9110. The query
 * wins over headers and is not read here.
 */
export type OracleFormat = 'json' | 'xml'
export type OracleLanguage = 'de' | 'en'

interface Preference {
  readonly range: string
  readonly quality: number
}

interface Match {
  readonly quality: number
  readonly specificity: number
  readonly position: number
}

/** The best format of an Accept header; JSON if nothing in it is acceptable or readable. */
export function acceptedFormat(header: string | undefined): OracleFormat {
  return isSecondBetter(header, jsonSpecificity, xmlSpecificity) ? 'xml' : 'json'
}

/** The best language of an Accept-Language header; German if nothing in it is acceptable or readable. */
export function acceptedLanguage(header: string | undefined): OracleLanguage {
  const specificityOf = (language: OracleLanguage) => (range: string) => languageSpecificity(range, language)
  return isSecondBetter(header, specificityOf('de'), specificityOf('en')) ? 'en' : 'de'
}

type SpecificityOf = (range: string) => number | undefined

/** Whether a header prefers the second of two offers: by quality, then by the more specific range, then by position. */
function isSecondBetter(
  header: string | undefined,
  ofFirst: SpecificityOf,
  ofSecond: SpecificityOf,
): boolean {
  const preferences = readPreferences(header)
  const [first, second] = [bestMatch(preferences, ofFirst), bestMatch(preferences, ofSecond)]
  if (second === undefined || second.quality === 0) return false
  if (first === undefined || first.quality === 0) return true
  if (second.quality !== first.quality) return second.quality > first.quality
  if (second.specificity !== first.specificity) return second.specificity > first.specificity
  return second.position < first.position
}

/** RFC 9110, 12.5.4: `*` stands for every language that no other range names. */
function languageSpecificity(range: string, language: OracleLanguage): number | undefined {
  if (range === '*') return 0
  return primaryTag(range) === language ? 1 : undefined
}

function jsonSpecificity(range: string): number | undefined {
  if (range === '*/*') return 0
  if (range === 'application/*+json') return 1
  return /^(application\/json|text\/json|application\/[^/\s]+\+json)$/.test(range) ? 2 : undefined
}

function xmlSpecificity(range: string): number | undefined {
  if (range === '*/*') return 0
  return range === 'application/xml' || range === 'text/xml' ? 2 : undefined
}

/** What the header says about one offer: the most specific range decides, even if it excludes the offer with q=0. */
function bestMatch(preferences: readonly Preference[], specificityOf: SpecificityOf): Match | undefined {
  let best: Match | undefined
  preferences.forEach(({ range, quality }, position) => {
    const specificity = specificityOf(range)
    if (specificity === undefined) return
    const beats =
      best === undefined ||
      specificity > best.specificity ||
      (specificity === best.specificity && quality > best.quality)
    if (beats) best = { quality, specificity, position }
  })
  return best
}

/** The members of a header in their order, without those with a broken weight. */
function readPreferences(header: string | undefined): Preference[] {
  const preferences: Preference[] = []
  for (const member of (header ?? '').split(',')) {
    const [range = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase())
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1'
    if (range !== '' && /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(weight)) {
      preferences.push({ range, quality: Number(weight) })
    }
  }
  return preferences
}

function primaryTag(range: string): string {
  return range.split('-', 1)[0] ?? ''
}
