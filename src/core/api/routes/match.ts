/** Matches a request's path with the route table. Pure; see table.ts for limits of this code. */

import type { Parameter, Route, RouteTable, Values } from './table.ts'

/**
 * - `route`: the path has all segments of the route. Values are percent-decoded and unchecked.
 * - `incomplete`: the path is the beginning of a route and ends before the parameter `missing`.
 * - `none`: no endpoint.
 */
export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly values: Values }
  | {
      readonly kind: 'incomplete'
      readonly route: Route
      readonly values: Values
      readonly missing: Parameter
    }
  | { readonly kind: 'none' }

const none: Match = { kind: 'none' }

/** A file system takes names of 255 bytes. Paths are measured as they were sent. */
export const maxSegmentBytes = 255

/** A store takes keys of 1,024 bytes: the rest is for the bucket's prefix, the slot, and a file name. */
const maxPathBytes = 900

/** True if no file and no object can have such a path. */
export const isTooLong = (path: string) =>
  path.length > maxPathBytes || path.split('/').some((segment) => segment.length > maxSegmentBytes)

/** @param path raw; its closing slash makes no difference @returns the first complete match, else incomplete one */
export function matchPath(table: RouteTable, path: string): Match {
  const closed = path.slice(-1) === '/' ? path.slice(0, -1) : path
  const segments = closed.split('/')
  // No route is that deep: spares the decoding of absurd paths.
  if (segments[0] !== '' || segments.length > 16) return none
  const decoded = segments.map(percentDecode)
  let incomplete: Match = none
  for (let index = 0; index < table.routes.length; index++) {
    const match = matchRoute(table.routes[index] as Route, decoded)
    if (match.kind === 'route') return match
    if (incomplete.kind === 'none') incomplete = match
  }
  return incomplete
}

function matchRoute(route: Route, segments: readonly string[]): Match {
  // Both start with the empty text before the first slash.
  const templates = route.path.slice(0, -1).split('/')
  const values = matchSegments(templates, segments)
  if (!values) return none
  const next = templates[segments.length]
  if (!next) return { kind: 'route', route, values }
  // A segment such as `investment_structure-{type}` is a name: without it the path is another one.
  const missing = route.parameters.filter(({ name }) => next === '{' + name + '}')[0]
  return missing ? { kind: 'incomplete', route, values, missing } : none
}

/** @returns the values of the templates `name`, `{value}` and `name-{value}`, or null if a segment does not match */
export function matchSegments(templates: readonly string[], segments: readonly string[]): Values | null {
  const values: Record<string, string> = {}
  if (segments.length > templates.length) return null
  for (let index = 0; index < segments.length; index++) {
    const template = templates[index] as string
    const segment = segments[index] as string
    const brace = template.indexOf('{')
    if (brace < 0 ? segment !== template : segment.slice(0, brace) !== template.slice(0, brace)) return null
    if (brace >= 0) values[template.slice(brace + 1, -1)] = segment.slice(brace)
  }
  return values
}

/** Percent-decodes UTF-8. Text with an invalid escape stays as it is. */
export function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (_) {
    return text
  }
}
