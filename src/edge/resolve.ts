/**
 * From a request to what answers it: pure, no I/O. This is the part of the edge that has to run in every runtime,
 * CloudFront Functions included: no Node, no web globals, no dependencies, no classes, ES5 library calls only.
 */

import { documentKey, errorKey, windowListKey } from '../routes/keys.ts'
import { isTooLong, matchPath, maxSegmentBytes, percentDecode, type Match } from '../routes/match.ts'
import { matchPage } from '../routes/pages.ts'
import {
  formats,
  languages,
  type Format,
  type Language,
  type Parameter,
  type Problem,
  type Route,
  type RouteTable,
  type Values,
} from '../routes/table.ts'
import { isDay, isIsinInEitherCase } from '../routes/values.ts'
import { formatSpecificity, languageSpecificity, preferred } from './negotiate.ts'

export interface EdgeRequest {
  readonly method: string
  /** As it was sent: still percent-encoded. */
  readonly path: string
  /** As it was sent, without the question mark; empty if there is none. */
  readonly query: string
  readonly accept: string | undefined
  readonly acceptLanguage: string | undefined
}

/** The representation that was asked for, and the request headers that this was read from. */
export interface Wanted {
  readonly format: Format
  /** Null on an endpoint without languages, and for refusals: they are English. */
  readonly language: Language | null
  readonly vary: readonly string[]
}

/** A refusal with what its text is filled with. */
export interface Refused {
  readonly problem: Problem
  readonly values: Values
}

export type Resolution =
  | { readonly kind: 'preflight' }
  | { readonly kind: 'redirect'; readonly location: string }
  | ({ readonly kind: 'refusal'; readonly wanted: Wanted } & Refused)
  | { readonly kind: 'page'; readonly key: string; readonly wanted: Wanted; readonly missing: Refused }
  | ({ readonly kind: 'document'; readonly key: string } & Stored)
  | ({
      readonly kind: 'range'
      readonly listKey: string
      readonly from: string
      readonly to: string
    } & Stored)

/** What is common to answers that lie in the store. */
export interface Stored {
  readonly route: Route
  readonly values: Values
  readonly wanted: Wanted
  /** Where the fund's refusal lies, if it has one. */
  readonly errorKey: string
  /** The answer if the store has neither; null where the object has to be there (all funds). */
  readonly unknown: Refused | null
}

/** Order of checks: method, path and type, parameters, unknown ISIN. Source: decisions.md, Errors. */
export function resolve(table: RouteTable, request: EdgeRequest): Resolution {
  const { method, path } = request
  if (method === 'OPTIONS') return { kind: 'preflight' }
  const asked = parseQuery(request.query)
  const ofRefusal = wantedFormat(request, asked)
  const refuse = (problem: number, values: Values): Resolution => ({
    kind: 'refusal',
    wanted: ofRefusal,
    problem: table.problems[problem] as Problem,
    values,
  })
  if (method !== 'GET' && method !== 'HEAD') return refuse(table.general.wrongMethod, { method })
  if (isTooLong(path)) return refuse(table.general.noEndpoint, { path: percentDecode(path) })
  const match = matchPath(table, path)
  if (match.kind === 'none') return resolvePage(table, request, ofRefusal)
  if (path.slice(-1) !== '/') return withClosingSlash(request)

  const wrong = wrongParameter(match)
  if (wrong !== null) return refuse(wrong, match.values)
  const { route, values } = match
  const { format, language } = asked
  if (isUnsupported(formats, format)) return refuse(table.general.wrongFormat, { format })
  if (route.hasLanguages && isUnsupported(languages, language))
    return refuse(table.general.wrongLanguage, { language })
  const wanted = route.hasLanguages ? inLanguage(request, asked, ofRefusal) : ofRefusal
  return locate(table, route, values, wanted, refuse)
}

/** Of the query, as it was sent. */
interface Query {
  readonly format?: string
  readonly language?: string
}

/** What was asked for without a language, as refusals have none. */
function wantedFormat({ accept }: EdgeRequest, query: Query): Wanted {
  const format = oneOf(formats, query.format)
  return format
    ? { format, language: null, vary: [] }
    : {
        format: preferred(accept, formats, formatSpecificity) || formats[0],
        language: null,
        vary: ['Accept'],
      }
}

function inLanguage({ acceptLanguage }: EdgeRequest, query: Query, { format, vary }: Wanted): Wanted {
  const language = oneOf(languages, query.language)
  return language
    ? { format, language, vary }
    : {
        format,
        language: preferred(acceptLanguage, languages, languageSpecificity) || languages[0],
        vary: vary.concat('Accept-Language'),
      }
}

const isUnsupported = (known: readonly string[], value: string | undefined): value is string =>
  value !== undefined && known.indexOf(value) < 0

function resolvePage(table: RouteTable, request: EdgeRequest, wanted: Wanted): Resolution {
  const page = matchPage(table, request.path)
  if (page.kind === 'open') return withClosingSlash(request)
  const missing = {
    problem: table.problems[table.general.noEndpoint] as Problem,
    values: { path: percentDecode(request.path) },
  }
  if (page.kind === 'page') return { kind: 'page', key: page.key, wanted, missing }
  return Object.assign({ kind: 'refusal' as const, wanted }, missing)
}

const withClosingSlash = ({ path, query }: EdgeRequest): Resolution => ({
  kind: 'redirect',
  location: path + '/' + (query && '?' + query),
})

/** The first problem of the path's parameters, types before all others; an ISIN's form is not looked at yet. */
function wrongParameter(match: Exclude<Match, { kind: 'none' }>): number | null {
  const { parameters } = match.route
  const problems = parameters
    .filter(({ kind }) => kind === 'choice')
    .concat(parameters)
    .map((parameter) => problemOf(parameter, match))
  return problems.filter((problem) => problem !== null)[0] ?? null
}

function problemOf(parameter: Parameter, match: Exclude<Match, { kind: 'none' }>): number | null {
  const value = match.values[parameter.name]
  const isMissing = value === '' || (match.kind === 'incomplete' && match.missing.name === parameter.name)
  switch (parameter.kind) {
    case 'choice':
      return value !== undefined && parameter.choices.indexOf(value) < 0 ? parameter.invalid : null
    case 'isin':
      return isMissing ? parameter.missing : null
    default:
      return isMissing || (value !== undefined && !isRightDate(value, parameter, match))
        ? parameter.invalid
        : null
  }
}

/** Whether it is a day, and none before the path's first one: a range that ends before it starts is wrong too. */
function isRightDate(
  value: string,
  parameter: Parameter,
  { route, values }: Exclude<Match, { kind: 'none' }>,
): boolean {
  if (!isDay(value)) return false
  const first = route.parameters.filter(({ kind }) => kind === 'date')[0] as Parameter
  return first.name === parameter.name || (values[first.name] as string) <= value
}

function locate(
  table: RouteTable,
  route: Route,
  asked: Values,
  wanted: Wanted,
  refuse: (problem: number, values: Values) => Resolution,
): Resolution {
  const isin = route.parameters.filter(({ kind }) => kind === 'isin')[0]
  const values: Record<string, string> = Object.assign({}, asked)
  let unknown: Refused | null = null
  if (isin !== undefined && isin.kind === 'isin') {
    const askedIsin = asked[isin.name] as string
    values[isin.name] = askedIsin.toUpperCase()
    if (!isIsinInEitherCase(askedIsin)) return refuse(isin.unknown, values)
    unknown = { problem: table.problems[isin.unknown] as Problem, values }
  }
  const stored: Stored = {
    route,
    values,
    wanted,
    errorKey: errorKey(route, values, wanted.format),
    unknown,
  }
  if (route.series !== undefined) {
    const days = route.parameters
      .filter(({ kind }) => kind === 'date')
      .map(({ name }) => values[name] as string)
    const listKey = windowListKey(route, values)
    // Not taken apart: what an array is taken apart with is long in ES5, and one CDN counts bytes.
    return Object.assign(
      { kind: 'range' as const, listKey, from: days[0] as string, to: days[1] as string },
      stored,
    )
  }
  const key = documentKey(route, values, wanted.language || languages[0], wanted.format)
  return Object.assign({ kind: 'document' as const, key }, stored)
}

/**
 * The first value of each parameter. Only names as they are written count (`%66ormat` is another parameter): nothing is
 * decoded that is not asked for.
 */
function parseQuery(query: string): Query {
  const values: Record<string, string> = {}
  query.split('&').forEach((pair) => {
    const equals = pair.indexOf('=')
    const name = equals < 0 ? pair : pair.slice(0, equals)
    if ((name === 'format' || name === 'language') && values[name] === undefined)
      values[name] = equals < 0 ? '' : decodeValue(pair.slice(equals + 1))
  })
  return values
}

/** Source: application/x-www-form-urlencoded. A long value is none that is known, and stands as it was sent. */
const decodeValue = (value: string) =>
  value.length > maxSegmentBytes ? value : percentDecode(value.split('+').join(' '))

function oneOf<T extends string>(known: readonly T[], value: string | undefined): T | undefined {
  return known.filter((candidate) => candidate === value)[0]
}
