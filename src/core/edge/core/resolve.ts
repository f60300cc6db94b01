/**
 * Resolves a request, without I/O. This part of the edge runs in every runtime, CloudFront Functions included: no Node, no
 * web globals, no dependencies, no classes, ES5 library calls only.
 */

import { documentKey, windowListKey } from '../../api/routes/keys.ts'
import { isTooLong, matchPath, percentDecode, type Match } from '../../api/routes/match.ts'
import { matchPage, pageKey, type PageMatch } from '../../api/routes/pages.ts'
import { formats, formatsOf, languages, type Language } from '../../api/routes/table.ts'
import type { Parameter, Problem, Route, RouteTable, Values } from '../../api/routes/table.ts'
import { isDay, isIsinInEitherCase } from '../../api/routes/values.ts'
import {
  withLanguage,
  isUnsupported,
  parseQuery,
  forRefusal,
  wantedFormat,
  wantedPage,
} from './representation.ts'
import type { Chosen, Preferences, Query, RefusalRepresentation, Representation } from './representation.ts'

export interface EdgeRequest extends Preferences {
  readonly method: string
  readonly path: string
  /** As the client sent it, without the question mark; empty if there is none. */
  readonly query: string
}

/** Reads a request header. @param name in lower case */
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

export interface Refused {
  readonly problem: Problem
  readonly values: Values
  /** For a browser, if the snapshot has it. */
  readonly page?: BrowserPage | undefined
}

export interface BrowserPage extends Pick<Representation, 'vary'> {
  readonly key: string
  readonly language: Language
}

export type RangeResolution = Extract<Resolution, { kind: 'range' }>

export type Resolution =
  | { readonly kind: 'preflight' }
  | { readonly kind: 'redirect'; readonly location: string }
  | ({ readonly kind: 'refusal'; readonly wanted: RefusalRepresentation } & Refused)
  | {
      readonly kind: 'page'
      readonly key: string
      /** Set if the page depends on the client. */
      readonly chosen?: BrowserPage
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

export interface Stored {
  readonly route: Route
  readonly values: Values
  readonly wanted: Representation
  /** The answer if the store has neither; null if the object must exist (all funds). */
  readonly unknown: Refused | null
}

/** Order of checks: method, path and type, parameters, unknown ISIN. Source: src/core/api/decisions.md, Errors. */
export function resolve(table: RouteTable, request: EdgeRequest): Resolution {
  const { method, path } = request
  if (method === 'OPTIONS') return { kind: 'preflight' }
  const asked = parseQuery(request.query)
  const match: Match = isTooLong(path) ? { kind: 'none' } : matchPath(table, path)
  const offers = match.kind === 'none' ? formats : formatsOf(match.route)
  const plain = wantedFormat(request, asked, offers)
  const ofRefusal = forRefusal(plain)
  const refuse = (problem: number, values: Values): Resolution => ({
    kind: 'refusal',
    wanted: ofRefusal,
    problem: table.problems[problem] as Problem,
    values,
  })
  if (method !== 'GET' && method !== 'HEAD') return refuse(table.general.wrongMethod, { method })
  if (match.kind === 'none') return resolvePage(table, request, asked)
  if (path.slice(-1) !== '/') return redirect(request, path + '/')

  const wrong = wrongParameter(match)
  if (wrong !== null) return refuse(wrong, match.values)
  const { route, values } = match
  const { format, language } = asked
  if (isUnsupported(offers, format)) return refuse(table.general.wrongFormat, { format })
  if (route.hasLanguages && isUnsupported(languages, language))
    return refuse(table.general.wrongLanguage, { language })
  const wanted = route.hasLanguages ? withLanguage(request, asked, plain) : plain
  return locate(table, route, values, wanted, refuse)
}

function resolvePage(table: RouteTable, request: EdgeRequest, asked: Query): Resolution {
  const { path } = request
  const page: PageMatch = isTooLong(path) ? { kind: 'none' } : matchPage(table, path)
  if (page.kind === 'moved') return redirect(request, page.to)
  const wanted = forRefusal(wantedFormat(request, asked, formats))
  const { format, language, vary } = wantedPage(request, asked)
  const inFolder = (folder: string): BrowserPage | undefined =>
    format === 'html' && language ? { key: pageKey(folder, language), language, vary } : undefined
  const missing: Refused = {
    problem: table.problems[table.general.noEndpoint] as Problem,
    values: { path: percentDecode(path) },
    page: inFolder('not-found/'),
  }
  if (page.kind === 'page') return { kind: 'page', key: page.key, wanted, missing }
  if (path === '/') {
    const start = withLanguage<Chosen>(request, asked, { format: 'html', language: null, vary: [] })
    const chosen = { key: pageKey('', start.language), language: start.language, vary: start.vary }
    return { kind: 'page', key: chosen.key, chosen, wanted, missing }
  }
  return Object.assign({ kind: 'refusal' as const, wanted }, missing)
}

const redirect = ({ query }: EdgeRequest, path: string): Resolution => ({
  kind: 'redirect',
  location: path + (query && (path.indexOf('?') < 0 ? '?' : '&') + query),
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

/** True for a day that is not before the path's first one: a range must not end before it starts. */
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
  const stored: Stored = { route, values, wanted, unknown }
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
