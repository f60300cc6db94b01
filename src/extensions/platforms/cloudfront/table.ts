/** The route table in few bytes: the source of CloudFront's function may have 10,240 bytes, the table included. */

import type { Route, RouteTable } from '../../../core/api/routes/table.ts'

export type PackedTable = ReturnType<typeof packTable>

export interface PackedRoute extends Pick<Route, 'hasLanguages' | 'hasCsv'> {
  /** Matches the whole path. An ISIN has the right form, but perhaps a wrong check digit; other values are any plain text. */
  readonly pattern: RegExp
  readonly isRange: boolean
}

/** @returns the places of answers; the Lambda finds out whether there is one, or which refusal */
export const unpackRoutes = ({ paths }: PackedTable): readonly PackedRoute[] =>
  paths.split(' ').map((packed) => {
    const parts = packed.split(':')
    const has = (mark: string) => (parts[1] as string).indexOf(mark) >= 0
    const path = (parts[0] as string).replace('@', isinPattern).split('?').join('[\\w-]+')
    return {
      pattern: RegExp('^/api/' + path + '/$'),
      hasLanguages: has('l'),
      hasCsv: has('c'),
      isRange: has('r'),
    }
  })

const isinPattern = '[A-Za-z]{2}[A-Za-z0-9]{9}\\d'

/**
 * @returns `paths`: those of routes between `/api/` and the last slash, with `@` for an ISIN and `?` for another value; then a colon,
 * `l` if it has languages, `c` if it has CSV, `r` if it is a date range. Spaces are between them
 * @throws {Error} for a path without such a form
 */
export function packTable({ routes, pages }: RouteTable) {
  const paths = routes.map(({ path, parameters, hasLanguages, hasCsv, series }) => {
    const [, inner] = /^\/api\/([\w{}/-]+)\/$/.exec(path) ?? []
    if (inner === undefined) throw new Error(`CloudFront's function cannot hold the path ${path}`)
    const short = parameters.reduce(
      (text, { kind, name }) => text.replace(`{${name}}`, kind === 'isin' ? '@' : '?'),
      inner,
    )
    const marks = [hasLanguages && 'l', hasCsv === true && 'c', series !== undefined && 'r']
    return `${short}:${marks.filter(Boolean).join('')}`
  })
  return { paths: paths.join(' '), pages }
}
