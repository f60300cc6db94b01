/** Object keys of a snapshot. The contract is src/core/bucket/keys.md; no other code writes a key. */

import type { DocumentFormat, Format, Language, Problem, Route, Values } from './table.ts'

/** The folder with a route's answers, without parameters that cannot be enumerated. @returns ends with a slash */
export function folderKey(route: Route, values: Values): string {
  return fill(folderSegments(route).join('/'), values)
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

/** The key of the refusal for a known fund without an answer. */
export function errorKey(route: Route, values: Values, format: DocumentFormat): string {
  return folderKey(route, values) + 'error.' + format
}

export function windowKey(route: Route, values: Values, year: number | string, format: Format): string {
  return `${folderKey(route, values)}${year}.${format}`
}

export function windowListKey(route: Route, values: Values): string {
  return folderKey(route, values) + 'index.json'
}

/** The key of an error whose text does not depend on the request. */
export function sharedErrorKey(problem: Problem, format: DocumentFormat): string {
  return `errors/${problem.group}/${problem.status}-${problem.slug}.${format}`
}

/**
 * Replaces a template's `{name}`s. A value may hold braces, so each piece is read once. Without a regular expression: a
 * split by one costs njs 63 kB, which it holds until the request ends.
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
   * Byte offsets in the window's document, 13 in all: of the first record of each month (of the next record if a month
   * has none), and of the end of the records.
   */
  readonly months: ByFormat<readonly number[]>
}

/** CSV only if the route has it. */
type ByFormat<T> = Readonly<Record<DocumentFormat, T> & Partial<Record<'csv', T>>>

/** Text around the records of all windows of a fund: {@link seriesMarks} separates both. */
export interface Around {
  readonly head: string
  readonly tail: string
}

/** The list of a fund's yearly windows, for the edge. Source: src/core/bucket/keys.md, endpoint 3. */
export interface WindowList {
  /** Ascending. */
  readonly windows: readonly WindowEntry[]
  readonly around: ByFormat<Around>
}
