/** The route table in few bytes, for CloudFront's function: read by edge/adapters/cloudfront-table.ts. */

import type { RouteTable } from '../routes/table.ts'

/** @returns the options' `table` @throws {Error} if two routes use a name for different things */
export function packTable({ routes, pages }: RouteTable) {
  const choices: Record<string, string> = {}
  const dates = new Set<string>()
  const kinds = new Map<string, string>()
  for (const parameter of routes.flatMap(({ parameters }) => parameters)) {
    const { kind, name } = parameter
    const what = kind === 'choice' ? JSON.stringify(parameter.choices) : kind
    if ((kinds.get(name) ?? what) !== what)
      throw new Error(`CloudFront's function cannot tell the parameters {${name}} of two endpoints apart`)
    kinds.set(name, what)
    if (kind === 'choice') choices[name] = parameter.choices.join(' ')
    if (kind === 'date') dates.add(name)
  }
  const paths = routes.map(({ path, hasLanguages }) => {
    const [, inner] = /^\/api\/([^ *]+)\/$/.exec(path) ?? []
    if (inner === undefined) throw new Error(`CloudFront's function cannot hold the path ${path}`)
    return inner + (hasLanguages ? '*' : '')
  })
  return { paths: paths.join(' '), choices, dates: [...dates], pages }
}
