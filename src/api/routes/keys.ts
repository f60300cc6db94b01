/** Object keys: where the answer of a route lies in a snapshot. The contract is src/bucket/keys.md; nobody else writes a key. */

import type { DocumentFormat, Format, Language, Problem, Route, Values } from './table.ts'

/**
 * The folder that holds a route's answers: its path, filled in, without the parameters that cannot be enumerated.
 * @returns a key that ends with a slash, e.g. `api/v1/prices-historic/DE0008471400/`
 */
export function folderKey(route: Route, values: Values): string {
  return folderSegments(route)
    .map((segment) => fill(segment, values))
    .join('/')
}

/** The templates of that folder's segments; the last one is empty, after the closing slash. */
export function folderSegments(route: Route): readonly string[] {
  const isDate = (segment: string) =>
    route.parameters.some(({ kind, name }) => kind === 'date' && segment === '{' + name + '}')
  return route.path
    .slice(1)
    .split('/')
    .filter((segment) => !isDate(segment))
}

/** The key of a whole document. `language` counts only on a route with languages. */
export function documentKey(route: Route, values: Values, language: Language, format: Format): string {
  return folderKey(route, values) + documentName(route.hasLanguages ? language : null, format)
}

/** The name of a whole document in its folder. @param language null on a route without languages */
export const documentName = (language: Language | null, format: Format): string =>
  (language ? 'index.' + language + '.' : 'index.') + format

/** The key of the refusal that lies where a known fund has no answer. */
export function errorKey(route: Route, values: Values, format: DocumentFormat): string {
  return folderKey(route, values) + 'error.' + format
}

/** The key of one calendar year of a date-range route. */
export function windowKey(route: Route, values: Values, year: number | string, format: Format): string {
  return folderKey(route, values) + windowName(year, format)
}

/** Its name in the folder. */
export const windowName = (year: number | string, format: Format) => `${year}.${format}`

/** The key of the list of windows of a date-range route: JSON in every case, it is read by the edge. */
export function windowListKey(route: Route, values: Values): string {
  return folderKey(route, values) + windowListName
}

export const windowListName = 'index.json'

/** The key of an error whose text does not depend on the request. */
export function sharedErrorKey(problem: Problem, format: DocumentFormat): string {
  return `errors/${problem.group}/${problem.status}-${problem.slug}.${format}`
}

/**
 * Puts values into a template's `{name}`s: the template is cut there, so that no value is looked at again. Without a
 * regular expression: a split by one costs njs 63 kB, which it holds until the request ends.
 */
export function fill(template: string, values: Values): string {
  return template
    .split('}')
    .map((piece) => {
      const parts = piece.split('{')
      return (parts[0] as string) + (values[parts[1] as string] ?? '')
    })
    .join('')
}

export interface WindowEntry {
  readonly year: number
  /** Dates of the first and the last record, ISO 8601. */
  readonly first: string
  readonly last: string
  readonly records: number
  /** The first 32 hex digits of the SHA-256 of the window's document in each format: ranges make their ETag of them. */
  readonly json: string
  readonly xml: string
  readonly csv: string
  /**
   * Byte offsets in the window's document: of the first record of each month (of the next one if a month has none), and of the end
   * of the records, 13 in all.
   */
  readonly months: ByFormat<readonly number[]>
}

/** CSV only if the route has it. */
type ByFormat<T> = Readonly<Record<DocumentFormat, T> & Partial<Record<'csv', T>>>

/** What stands around the records of all windows of a fund: {@link seriesMarks} tells where they begin and end. */
export interface Around {
  readonly head: string
  readonly tail: string
}

/** The list of a fund's yearly windows: the renderer writes it, the edge reads it. Source: src/bucket/keys.md, endpoint 3. */
export interface WindowList {
  /** Ascending. */
  readonly windows: readonly WindowEntry[]
  readonly around: ByFormat<Around>
}
