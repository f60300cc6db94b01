/**
 * What nginx answers by itself, without njs: a stored document that a plain request asks for. When a deployment is made, the core
 * decides what nginx looks up: maps lead from the forms of a request to a variant of the answer, and from there to its file and its
 * headers. Where they lead nowhere, edge.js answers. Both give the same answer: test/edge/deploy/nginx-fast-path.test.ts.
 */

import { fill } from '../../api/routes/keys.ts'
import { formatsOf, languages } from '../../api/routes/table.ts'
import type { Format, Language, Route, RouteTable } from '../../api/routes/table.ts'
import { documentHeaders, type EdgeSettings } from '../core/answer.ts'
import { varyByCoding, worthCompressing } from '../core/finish.ts'
import { preferredLanguage, wantedFormat } from '../core/representation.ts'
import { resolve } from '../core/resolve.ts'
import { tagEnding } from './objects.ts'

/** An `Accept` for each format. */
const acceptOf: Readonly<Record<Format, string>> = {
  json: 'application/json',
  xml: 'application/xml',
  csv: 'text/csv',
}
const allFormats = Object.keys(acceptOf) as Format[]

/**
 * Types that decide about a header that begins with one of them: no range is preferred to one that is exact, first, and without a
 * weight. So a second line of that header makes no difference, which nginx 1.22 does not see.
 */
const decidingTypes = ['text/html', 'application/json', 'text/json', 'application/xml', 'text/xml']
/** Headers that are known as a whole. Empty: not sent. */
const wholeAccepts = ['', '*/*', 'text/csv']
const wholeLanguages = ['', '*']

/** One of the answers that routes of a kind have. */
interface Variant {
  /** How the maps name it. */
  readonly name: string
  readonly key: string
  readonly format: Format
  /** {@link path} stands for the path. */
  readonly headers: Readonly<Record<string, string>>
}

/** The variable of the path, as nginx writes it before other text. */
const path = '$' + '{fundpress_path}'

/** A line of a map: a text or a regular expression, and a value. */
type Entry = readonly [from: string, to: string]

/**
 * @param folder of the snapshot
 * @returns parts of a configuration: `maps` for `http {}`; `root`, `types` and `headers` for the location that sends the files
 * @throws {Error} if a text cannot be written there
 */
export function fastPath(table: RouteTable, settings: EdgeSettings, folder: string) {
  const texts = Object.entries({ 'edge.cacheControl': settings.cacheControl, out: folder })
  texts.forEach(([setting, text]) => {
    if (text.includes('$'))
      throw new Error(`${setting} has a $, which nginx takes for the beginning of a variable`)
  })
  const kinds = kindsOf(table.routes)
  const answers = kinds.flatMap(([route], kind) => answersOf(table, settings, route, kind))
  const variants = [
    ...new Map(answers.flatMap(({ variants }) => variants).map((one) => [one.name, one])).values(),
  ]
  const addresses = kinds.map((routes, kind): Entry => [addressesOf(routes), String(kind)])
  const headers = headerLines(variants)
  const types = new Map(variants.map(({ format, headers }) => [format, headers['Content-Type'] ?? '']))
  return {
    maps: [
      map('$request_uri', '$fundpress_kind', addresses),
      map('$http_accept', '$fundpress_accept', acceptEntries()),
      map('$http_accept_language', '$fundpress_language', languageEntries()),
      map(
        '$fundpress_kind$fundpress_query',
        '$fundpress_variant',
        answers.map(({ asked, name }) => [asked, name]),
      ),
      map(form, '$fundpress_form', formEntries),
      map('$fundpress_form $fundpress_variant', '$fundpress_file', variants.flatMap(fileEntries)),
      map('$sent_http_etag', '$fundpress_length', lengthEntries),
      ...headers.map((header) => header.map),
    ].join('\n'),
    root: quoted(folder),
    types: [...types].map(([extension, type]) => `${quoted(type)} ${extension};`).join('\n'),
    headers: headers.map(({ line }) => line).join('\n'),
  }
}

/** Routes whose answers are negotiated alike. A date range is no stored document. */
const kindsOf = (routes: readonly Route[]) =>
  Object.values(
    Object.groupBy(
      routes.filter(({ series }) => series === undefined),
      (route) => [...formatsOf(route), route.hasLanguages].join(' '),
    ),
  ) as [Route, ...Route[]][]

/** What the routes' addresses look like. nginx finds no file for an ISIN that there is not. */
function addressesOf(routes: readonly [Route, ...Route[]]): string {
  const paths = routes.map((route) =>
    fill(
      route.path,
      valuesOf(route, '[A-Z]{2}[A-Z0-9]{9}[0-9]', (choices) => `(?:${choices.join('|')})`),
    ),
  )
  const queries = queriesOf(routes[0]).map((query) => query.replace('?', '[?]'))
  return `~^(?<fundpress_path>${paths.join('|')})(?<fundpress_query>${queries.join('|')})$`
}

const valuesOf = ({ parameters }: Route, isin: string, choice: (choices: readonly string[]) => string) =>
  Object.fromEntries(parameters.map((one) => [one.name, one.kind === 'choice' ? choice(one.choices) : isin]))

/** The queries that choose a format, or a language, or both. */
function queriesOf(route: Route): string[] {
  const ofFormat = formatsOf(route).map((format) => `format=${format}`)
  const ofLanguage = route.hasLanguages ? languages.map((language) => `language=${language}`) : []
  const both = ofFormat.flatMap((one) =>
    ofLanguage.flatMap((other) => [`${one}&${other}`, `${other}&${one}`]),
  )
  return ['', ...[...ofFormat, ...ofLanguage, ...both].map((query) => `?${query}`)]
}

/** What a route answers to each of its queries: the variant's name, in which variables stand for what headers choose, and all variants. */
function answersOf(table: RouteTable, settings: EdgeSettings, route: Route, kind: number) {
  const example = fill(
    route.path,
    valuesOf(route, 'DE0008471400', ([first = '']) => first),
  )
  return queriesOf(route).map((query) => {
    const find = (accept: string, acceptLanguage: string) => {
      const found = resolve(table, {
        method: 'GET',
        path: example,
        query: query.slice(1),
        accept,
        acceptLanguage,
      })
      if (found.kind !== 'document') throw new Error(`${example}${query} is no document`)
      return found
    }
    const { vary, format, language } = find('', '').wanted
    const nameOf = (chosenFormat: string, chosenLanguage: string) =>
      [
        kind,
        vary.includes('Accept') ? chosenFormat : `=${format}`,
        vary.includes('Accept-Language') ? chosenLanguage : `=${language ?? ''}`,
      ].join(' ')
    const variantOf = (chosenFormat: Format, chosenLanguage: Language): Variant => {
      const { key, wanted } = find(acceptOf[chosenFormat], chosenLanguage)
      const headers = documentHeaders(settings, path, wanted)
      return { name: nameOf(chosenFormat, chosenLanguage), key, format: wanted.format, headers }
    }
    return {
      asked: `${kind}${query}`,
      name: nameOf('$fundpress_accept', '$fundpress_language'),
      variants: allFormats.flatMap((one) => languages.map((other) => variantOf(one, other))),
    }
  })
}

function acceptEntries(): Entry[] {
  const formatOf = (accept: string) =>
    wantedFormat({ accept, acceptLanguage: undefined }, {}, allFormats).format
  return [
    ...wholeAccepts.map((accept): Entry => [accept, formatOf(accept)]),
    ...decidingTypes.map((type): Entry => [`~*^${type}(?:,|$)`, formatOf(type)]),
  ]
}

const languageEntries = (): Entry[] => [
  ...wholeLanguages.map((header): Entry => [header, preferredLanguage(header)]),
  // As with types, the first range decides. Its region makes no difference.
  ...languages.map((language): Entry => [`~*^${language}(?:-[a-z0-9]+)*(?:,|$)`, language]),
]

/** edge.js answers what is no GET, and all conditions but plain entity tags. */
const form =
  '$request_method $http_if_match $http_if_unmodified_since $http_if_modified_since $http_if_none_match'
const formEntries: readonly Entry[] = [
  ['GET    ', 'none'],
  ['~^GET    (?:W/)?"[^",]*"(?:, *(?:W/)?"[^",]*")*$', 'tags'],
]

/** nginx compares tags with its own ETag: that is another one if it has an ending. */
const fileEntries = ({ name, key }: Variant): Entry[] => {
  const file = `${path}${key.slice(key.lastIndexOf('/') + 1)}`
  const withTags: Entry[] = tagEnding(key) === '' ? [[`tags ${name}`, file]] : []
  return [[`none ${name}`, file], ...withTags]
}

/**
 * Whether a file may be compressed: the second number of nginx's ETag is its length, and a 304 has no other sign of it. The line for
 * `Vary` comes before that for `ETag`, which needs the tag.
 */
const lengthEntries: readonly Entry[] = [
  [`~^(?<fundpress_tag>"[0-9a-f]+-(?:${hexFrom(worthCompressing)}))"$`, 'long'],
  ['~^(?<fundpress_tag>.*)"$', 'short'],
]

/** A pattern of the hexadecimal numbers from `least` on. */
function hexFrom(least: number): string {
  const digits = [...least.toString(16)]
  const higher = digits.flatMap((digit, at) => {
    const above = '0123456789abcdef'.slice(parseInt(digit, 16) + 1)
    return above === ''
      ? []
      : [`${digits.slice(0, at).join('')}[${above}][0-9a-f]{${digits.length - at - 1}}`]
  })
  return [digits.join(''), ...higher, `[0-9a-f]{${digits.length + 1},}`].join('|')
}

/** For each header of the answers the line that sends it, and a map of its values if it has several. */
function headerLines(variants: readonly Variant[]) {
  const names = new Set(variants.flatMap(({ headers }) => Object.keys(headers)))
  names.delete('Content-Type')
  return [...names, 'ETag'].map((header) => {
    const variable = `$fundpress_${header.toLowerCase().replaceAll('-', '_')}`
    const { from, entries } = headerValues(header, variants)
    const [[, first] = ['', '']] = entries
    return entries.every(([, value]) => value === first)
      ? { line: `add_header ${header} ${quoted(first)};`, map: '' }
      : { line: `add_header ${header} ${variable};`, map: map(from, variable, entries) }
  })
}

/** The values of a header by variant, as a map has them. An empty value is not sent. */
function headerValues(header: string, variants: readonly Variant[]): { from: string; entries: Entry[] } {
  const by = (prefix: string, of: (variant: Variant) => string) =>
    variants.map((variant): Entry => [prefix + variant.name, of(variant)])
  const valueOf = ({ headers }: Variant) => headers[header] ?? ''
  const endedTag = (ending: string) => (ending === '' ? '$sent_http_etag' : `\${fundpress_tag}${ending}"`)
  if (header === 'ETag')
    return { from: '$fundpress_variant', entries: by('', ({ key }) => endedTag(tagEnding(key))) }
  if (header === 'Vary') {
    const long = by('long ', (variant) => varyByCoding(valueOf(variant)))
    return { from: '$fundpress_length $fundpress_variant', entries: [...long, ...by('short ', valueOf)] }
  }
  // A 304 describes no content.
  if (header.startsWith('Content-'))
    return { from: '$status $fundpress_variant', entries: by('200 ', valueOf) }
  return { from: '$fundpress_variant', entries: by('', valueOf) }
}

const map = (from: string, to: string, entries: readonly Entry[]): string =>
  [
    `map ${quoted(from)} ${to} {`,
    ...entries.map((entry) => `    ${entry.map(quoted).join(' ')};`),
    '}\n',
  ].join('\n')

const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`
