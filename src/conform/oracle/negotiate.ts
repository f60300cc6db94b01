/**
 * Which format and language a request's headers ask for, as decisions.md says it and RFC 9110 weighs it. The query
 * comes before this and is not looked at here.
 */
export type Format = 'json' | 'xml'
export type Language = 'de' | 'en'

interface Preference {
  readonly range: string
  readonly quality: number
}

interface Match {
  readonly quality: number
  readonly specificity: number
  readonly position: number
}

/** The best format of an Accept header; JSON where nothing in it is acceptable or readable. */
export function acceptedFormat(header: string | undefined): Format {
  const preferences = readPreferences(header)
  const json = bestMatch(preferences, jsonSpecificity)
  const xml = bestMatch(preferences, xmlSpecificity)
  if (xml === undefined || xml.quality === 0) return 'json'
  if (json === undefined || json.quality === 0) return 'xml'
  if (xml.quality !== json.quality) return xml.quality > json.quality ? 'xml' : 'json'
  if (xml.specificity !== json.specificity) return xml.specificity > json.specificity ? 'xml' : 'json'
  return xml.position < json.position ? 'xml' : 'json'
}

/** The best language of an Accept-Language header; German where nothing in it is acceptable or readable. */
export function acceptedLanguage(header: string | undefined): Language {
  const preferences = readPreferences(header)
  const german = bestMatch(preferences, (range) => languageSpecificity(range, 'de'))
  const english = bestMatch(preferences, (range) => languageSpecificity(range, 'en'))
  if (english === undefined || english.quality === 0) return 'de'
  if (german === undefined || german.quality === 0) return 'en'
  if (english.quality !== german.quality) return english.quality > german.quality ? 'en' : 'de'
  if (english.specificity !== german.specificity)
    return english.specificity > german.specificity ? 'en' : 'de'
  return english.position < german.position ? 'en' : 'de'
}

/** RFC 9110, 12.5.4: `*` stands for every language that no other range names. */
function languageSpecificity(range: string, language: Language): number | undefined {
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

/** What the header says about one format: its most specific range decides, even where that excludes it with q=0. */
function bestMatch(
  preferences: readonly Preference[],
  specificityOf: (range: string) => number | undefined,
): Match | undefined {
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

/** The readable members of a header in their order; one with a broken weight is left out. */
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
