/** The representation that a client wants: by query, by header, by default. Source: src/core/api/decisions.md, Requests. */

import { maxSegmentBytes, percentDecode } from '../../api/routes/match.ts'
import {
  formats,
  languages,
  type DocumentFormat,
  type Format,
  type Language,
} from '../../api/routes/table.ts'
import { formatSpecificity, languageSpecificity, preferred, type Accepted } from './negotiate.ts'

/** `vary`: the request headers that decided. */
export interface Chosen {
  readonly format: Accepted
  readonly language: Language | null
  readonly vary: readonly string[]
}

export interface Representation extends Chosen {
  readonly format: Format
  readonly offers: readonly Format[]
}

export interface RefusalRepresentation extends Representation {
  readonly format: DocumentFormat
  readonly language: null
}

export interface Preferences {
  readonly accept: string | undefined
  readonly acceptLanguage: string | undefined
}

export interface Query {
  readonly format?: string
  readonly language?: string
}

export const preferredFormat = (accept: string | undefined, offers: readonly Format[]): Accepted | null =>
  preferred(accept, (offers as readonly Accepted[]).concat('html'), formatSpecificity)

export const preferredLanguage = (acceptLanguage: string | undefined): Language =>
  preferred(acceptLanguage, languages, languageSpecificity) || languages[0]

/** The representation without a language. A browser, which prefers HTML, gets JSON. */
export function wantedFormat(
  { accept }: Preferences,
  query: Query,
  offers: readonly Format[],
): Representation {
  const given = oneOf(offers, query.format)
  const accepted = given || preferredFormat(accept, offers)
  const format = !accepted || accepted === 'html' ? formats[0] : accepted
  return { format, offers, language: null, vary: given ? [] : ['Accept'] }
}

export const forRefusal = ({ format, vary }: Representation): RefusalRepresentation => ({
  format: format === 'csv' ? formats[0] : format,
  offers: formats,
  language: null,
  vary: vary.filter((header) => header !== 'Accept-Language'),
})

export function withLanguage<T extends Chosen>(
  { acceptLanguage }: Preferences,
  query: Query,
  plain: T,
): T & { readonly language: Language } {
  const given = oneOf(languages, query.language)
  const language = given || preferredLanguage(acceptLanguage)
  return Object.assign({}, plain, {
    language,
    vary: given ? plain.vary : plain.vary.concat('Accept-Language'),
  })
}

/** The representation where there may be no document: a page for browsers, in their language, else a refusal. */
export function wantedPage(preferences: Preferences, query: Query): Chosen {
  const given = oneOf(formats, query.format)
  const format = given || preferredFormat(preferences.accept, formats) || formats[0]
  const chosen: Chosen = { format, language: null, vary: given ? [] : ['Accept'] }
  return format === 'html' ? withLanguage(preferences, query, chosen) : chosen
}

export const isUnsupported = (known: readonly string[], value: string | undefined): value is string =>
  value !== undefined && known.indexOf(value) < 0

/** The first value of each parameter. Names are not decoded: `%66ormat` is another parameter. */
export function parseQuery(query: string): Query {
  const values: Record<string, string> = {}
  query.split('&').forEach((pair) => {
    const equals = pair.indexOf('=')
    const name = equals < 0 ? pair : pair.slice(0, equals)
    if ((name === 'format' || name === 'language') && values[name] === undefined)
      values[name] = equals < 0 ? '' : decodeValue(pair.slice(equals + 1))
  })
  return values
}

/** Source: application/x-www-form-urlencoded. A long value cannot be a known one, and stays as it is. */
const decodeValue = (value: string) =>
  value.length > maxSegmentBytes ? value : percentDecode(value.split('+').join(' '))

const oneOf = <T extends string>(known: readonly T[], value: string | undefined): T | undefined =>
  known.filter((candidate) => candidate === value)[0]
