/** Meaning of an object's key: the reverse of keys.ts. Pure; see table.ts. */

import { folderSegments } from './keys.ts'
import { matchSegments } from './match.ts'
import { formatsOf } from './table.ts'
import type { Format, Language, Parameter, Problem, Route, RouteTable, Values } from './table.ts'
import { isIsin } from './values.ts'

/** `unknown`: a key that no route and no error of this version has. */
export type KeyMeaning =
  /** `language` is null on a route without languages. */
  | (OfRoute<'document'> & { readonly language: Language | null; readonly format: Format })
  | (OfRoute<'refusal'> & { readonly format: Format })
  | (OfRoute<'window'> & { readonly year: string; readonly format: Format })
  | OfRoute<'windowList'>
  | (Omit<Problem, 'title'> & { readonly kind: 'sharedError'; readonly format: Format })
  /** `isin` is null for a page or a file that is about no single fund. */
  | { readonly kind: 'page'; readonly isin: string | null }
  | { readonly kind: 'unknown' }

interface OfRoute<K extends string> {
  readonly kind: K
  readonly route: Route
  readonly values: Values
}

const unknown: KeyMeaning = { kind: 'unknown' }

/** @param key relative to a snapshot @returns any text as structure type, since versions may differ in them */
export const parseKey = (table: RouteTable, key: string): KeyMeaning => keyParser(table)(key)

/** Parses many keys: those of a folder that follow one another are matched with the routes once. */
export function keyParser(table: RouteTable): (key: string) => KeyMeaning {
  let last: string | undefined
  let routes: readonly Matched[] = []
  return (key) => {
    const shared = /^errors\/([^/]+)\/([0-9]{3})-([^/.]+)\.(json|xml)$/.exec(key)
    if (shared !== null) {
      const [, group = '', status, slug = '', format] = shared
      return { kind: 'sharedError', group, status: Number(status), slug, format: format as Format }
    }
    const start = key.lastIndexOf('/') + 1
    const folder = key.slice(0, start)
    if (folder !== last) routes = routesOf(table, folder)
    last = folder
    for (const { route, values } of routes) {
      const meaning = meaningOf(route, values, key.slice(start))
      if (meaning.kind !== 'unknown') return meaning
    }
    return pageOf(table, key.split('/'))
  }
}

interface Matched {
  readonly route: Route
  readonly values: Values
}

function routesOf({ routes }: RouteTable, folder: string): readonly Matched[] {
  const segments = folder.split('/')
  return routes.flatMap((route) => {
    const values = matchFolder(route, segments)
    return values === null ? [] : [{ route, values }]
  })
}

/** The id of the route that the key has an answer of; null for refusals, errors, pages and unknown keys. */
export const answeredBy = (meaning: KeyMeaning): string | null =>
  'route' in meaning && meaning.kind !== 'refusal' ? meaning.route.id : null

/** A fund's pages lie in a folder of its ISIN, below that of their kind: `funds/<isin>/index.html`. */
function pageOf(table: RouteTable, segments: readonly string[]): KeyMeaning {
  if (table.pages.indexOf(segments[0] as string) < 0 || segments[segments.length - 1] === '') return unknown
  const isin = segments.length > 2 && isIsin(segments[1] as string) ? (segments[1] as string) : null
  return { kind: 'page', isin }
}

/** The last segment is '', after the closing slash, as in the template. */
function matchFolder(route: Route, segments: readonly string[]): Values | null {
  const templates = folderSegments(route)
  if (templates.length !== segments.length) return null
  const values = matchSegments(templates.slice(0, -1), segments.slice(0, -1))
  const isWrong = ({ kind, name }: Parameter) => {
    const value = values?.[name]
    return value === '' || (kind === 'isin' && !isIsin(value ?? ''))
  }
  return route.parameters.some(isWrong) ? null : values
}

function meaningOf(route: Route, values: Values, name: string): KeyMeaning {
  const match = /^(index|error|[0-9]{4})(?:\.(de|en))?\.(json|xml|csv)$/.exec(name)
  if (match === null) return unknown
  const [, stem = '', language] = match
  const format = match[3] as Format
  if (formatsOf(stem === 'error' ? {} : route).indexOf(format) < 0) return unknown
  // Refusals are in English, windows and lists in no language.
  if (stem !== 'index' && language !== undefined) return unknown
  if (stem === 'error') return { kind: 'refusal', route, values, format }
  if (route.series !== undefined) {
    if (stem !== 'index') return { kind: 'window', route, values, year: stem, format }
    return language === undefined && format === 'json' ? { kind: 'windowList', route, values } : unknown
  }
  if (stem !== 'index' || route.hasLanguages !== (language !== undefined)) return unknown
  return { kind: 'document', route, values, language: (language ?? null) as Language | null, format }
}
