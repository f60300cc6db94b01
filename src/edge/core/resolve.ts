/**
 * Finds what answers a request, without I/O. This part of the edge runs in every runtime, CloudFront Functions included: no Node, no
 * web globals, no dependencies, no classes, ES5 library calls only.
 */

import { documentKey, errorKey, windowListKey } from '../../api/routes/keys.ts'
import { isTooLong, matchPath, maxSegmentBytes, percentDecode, type Match } from '../../api/routes/match.ts'
import { matchPage } from '../../api/routes/pages.ts'
import {
  formats,
  formatsOf,
  languages,
  type DocumentFormat,
  type Format,
  type Language,
} from '../../api/routes/table.ts'
import type { Parameter, Problem, Route, RouteTable, Values } from '../../api/routes/table.ts'
import { isDay, isIsinInEitherCase } from '../../api/routes/values.ts'
import { formatSpecificity, languageSpecificity, preferred, type Accepted } from './negotiate.ts'

export interface EdgeRequest {
  readonly method: string
  /** Percent-encoded, as the client sent it. */
  readonly path: string
  /** As the client sent it, without the question mark; empty if there is none. */
  readonly query: string
  readonly accept: string | undefined
  readonly acceptLanguage: string | undefined
}

/** A header of a request. @param name in lower case */
export type Header = (name: string) => string | undefined

/** @param target path and query, as the client sent them */
export function requestOf(method: string, target: string, header: Header): EdgeRequest {
  const question = target.indexOf('?')
  return {
    method,
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? '' : target.slice(question + 1),
    accept: header('accept'),
    acceptLanguage: header('accept-language'),
  }
}

/** The representation that the client wants, and the request headers that decided it. */
export interface Representation {
  readonly format: Format
  /** The formats that the answer is there in. */
  readonly offers: readonly Format[]
  /** Null for an endpoint without languages. */
  readonly language: Language | null
  readonly vary: readonly string[]
}

export interface RefusalRepresentation extends Representation {
  readonly format: DocumentFormat
  readonly language: null
}

/** A refusal with the values for its text. */
export interface Refused {
  readonly problem: Problem
  readonly values: Values
}

/** A date range. */
export type RangeResolution = Extract<Resolution, { kind: 'range' }>

export type Resolution =
  | { readonly kind: 'preflight' }
  | { readonly kind: 'redirect'; readonly location: string }
  | ({ readonly kind: 'refusal'; readonly wanted: RefusalRepresentation } & Refused)
  | {
      readonly kind: 'page'
      readonly key: string
      readonly wanted: RefusalRepresentation
      readonly missing: Refused
    }
  | ({ readonly kind: 'document'; readonly key: string } & Stored)
  | ({
      readonly kind: 'range'
      readonly listKey: string
      readonly from: string
      readonly to: string
    } & Stored)

/** What stored answers have in common. */
export interface Stored {
  readonly route: Route
  readonly values: Values
  readonly wanted: Representation
  /** The key of the fund's refusal, if it has one. */
  readonly errorKey: string
  /** The answer if the store has neither; null if the object must exist (all funds). */
  readonly unknown: Refused | null
}

/** Order of checks: method, path and type, parameters, unknown ISIN. Source: src/api/decisions.md, Errors. */
export function resolve(table: RouteTable, request: EdgeRequest): Resolution {
  const { method, path } = request
  if (method === 'OPTIONS') return { kind: 'preflight' }
  const asked = parseQuery(request.query)
  const match: Match = isTooLong(path) ? { kind: 'none' } : matchPath(table, path)
  const offers = match.kind === 'none' ? formats : formatsOf(match.route)
  const plain = wantedFormat(request, asked, offers)
  const ofRefusal = refusalOf(plain)
  const refuse = (problem: number, values: Values): Resolution => ({
    kind: 'refusal',
    wanted: ofRefusal,
    problem: table.problems[problem] as Problem,
    values,
  })
  if (method !== 'GET' && method !== 'HEAD') return refuse(table.general.wrongMethod, { method })
  if (isTooLong(path)) return refuse(table.general.noEndpoint, { path: percentDecode(path) })
  if (match.kind === 'none') return resolvePage(table, request, ofRefusal)
  if (path.slice(-1) !== '/') return withClosingSlash(request)

  const wrong = wrongParameter(match)
  if (wrong !== null) return refuse(wrong, match.values)
  const { route, values } = match
  const { format, language } = asked
  if (isUnsupported(offers, format)) return refuse(table.general.wrongFormat, { format })
  if (route.hasLanguages && isUnsupported(languages, language))
    return refuse(table.general.wrongLanguage, { language })
  const wanted = route.hasLanguages ? inLanguage(request, asked, plain) : plain
  return locate(table, route, values, wanted, refuse)
}

/** The query's parameters. */
interface Query {
  readonly format?: string
  readonly language?: string
}

/** The representation without a language. A browser, which prefers HTML, gets JSON. */
function wantedFormat({ accept }: EdgeRequest, query: Query, offers: readonly Format[]): Representation {
  const given = oneOf(offers, query.format)
  const accepted =
    given || preferred(accept, (offers as readonly Accepted[]).concat('html'), formatSpecificity)
  const format = !accepted || accepted === 'html' ? formats[0] : accepted
  return { format, offers, language: null, vary: given ? [] : ['Accept'] }
}

/** The representation of a refusal: it has no language, and is JSON where CSV was asked for. */
export const refusalOf = ({ format, vary }: Representation): RefusalRepresentation => ({
  format: format === 'csv' ? formats[0] : format,
  offers: formats,
  language: null,
  vary: vary.filter((header) => header !== 'Accept-Language'),
})

function inLanguage(
  { acceptLanguage }: EdgeRequest,
  query: Query,
  { format, offers, vary }: Representation,
): Representation {
  const given = oneOf(languages, query.language)
  const language = given || preferred(acceptLanguage, languages, languageSpecificity) || languages[0]
  return { format, offers, language, vary: given ? vary : vary.concat('Accept-Language') }
}

const isUnsupported = (known: readonly string[], value: string | undefined): value is string =>
  value !== undefined && known.indexOf(value) < 0

function resolvePage(table: RouteTable, request: EdgeRequest, wanted: RefusalRepresentation): Resolution {
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

type Found = Exclude<Match, { kind: 'none' }>

/** The first problem of the path's parameters, types first. The form of an ISIN is checked later. */
function wrongParameter(match: Found): number | null {
  const { parameters } = match.route
  const problems = parameters
    .filter(({ kind }) => kind === 'choice')
    .concat(parameters)
    .map((parameter) => problemOf(parameter, match))
  return problems.filter((problem) => problem !== null)[0] ?? null
}

function problemOf(parameter: Parameter, match: Found): number | null {
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

/** Whether it is a day, and not before the path's first one: a range must not end before it starts. */
function isRightDate(value: string, parameter: Parameter, { route, values }: Found): boolean {
  if (!isDay(value)) return false
  const first = route.parameters.filter(({ kind }) => kind === 'date')[0] as Parameter
  return first.name === parameter.name || (values[first.name] as string) <= value
}

function locate(
  table: RouteTable,
  route: Route,
  asked: Values,
  wanted: Representation,
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
    errorKey: errorKey(route, values, refusalOf(wanted).format),
    unknown,
  }
  if (route.series !== undefined) {
    const days = route.parameters
      .filter(({ kind }) => kind === 'date')
      .map(({ name }) => values[name] as string)
    const listKey = windowListKey(route, values)
    // No destructuring of arrays: in ES5 it takes many bytes, and CloudFront limits them.
    const range = { kind: 'range' as const, listKey, from: days[0] as string, to: days[1] as string }
    return Object.assign(range, stored)
  }
  const key = documentKey(route, values, wanted.language || languages[0], wanted.format)
  return Object.assign({ kind: 'document' as const, key }, stored)
}

/** The first value of each parameter. Names are not decoded: `%66ormat` is another parameter. */
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

/** Source: application/x-www-form-urlencoded. A long value cannot be a known one, and stays as the client sent it. */
const decodeValue = (value: string) =>
  value.length > maxSegmentBytes ? value : percentDecode(value.split('+').join(' '))

const oneOf = <T extends string>(known: readonly T[], value: string | undefined): T | undefined =>
  known.filter((candidate) => candidate === value)[0]
