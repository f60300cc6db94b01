/** The route table in few bytes: the source of CloudFront's function may have 10,240 bytes, the table included. */

import type { Parameter, Route, RouteTable } from '../../api/routes/table.ts'

export type PackedTable = ReturnType<typeof packTable>

/**
 * A table that says where an answer lies, and whether there is one, but not which refusal it is. Its problems and series are empty:
 * the Lambda refuses requests and joins ranges.
 */
export function unpackTable({ paths, choices, dates, pages }: PackedTable): RouteTable {
  const routes = paths.split(' ').map((packed) => {
    // `parts.length` is 1 without a mark.
    const parts = packed.split('*')
    const path = '/api/' + parts[0] + '/'
    // eslint-disable-next-line regexp/no-super-linear-move -- Paths of our own, and few bytes.
    const names = path.match(/[^{]+(?=\})/g) || []
    const parameters = names.map((name): Parameter => {
      const texts = choices[name]
      if (texts) return { kind: 'choice', name, choices: texts.split(' '), invalid: 0 }
      if (dates.indexOf(name) < 0) return { kind: 'isin', name, missing: 0, unknown: 0 }
      return { kind: 'date', name, invalid: 0 }
    })
    const isRange = parameters.some(({ kind }) => kind === 'date')
    return {
      path,
      hasLanguages: parts.length === 2,
      hasCsv: parts.length > 2,
      parameters,
      series: isRange ? {} : undefined,
    }
  })
  return { routes: routes as unknown as Route[], pages, problems: [], general: {} } as unknown as RouteTable
}

/**
 * @returns `paths`: those of routes between `/api/` and the last slash, with spaces between them; one with languages ends with `*`, one with CSV
 * with `**`.
 * `choices`: by the names of their parameters, with spaces between them. `dates`: names. All other parameters are ISINs
 * @throws {Error} if two routes use a name for different things, or one has languages and CSV
 */
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
  const paths = routes.map(({ path, hasLanguages, hasCsv = false }) => {
    const [, inner] = /^\/api\/([^ *]+)\/$/.exec(path) ?? []
    if (inner === undefined) throw new Error(`CloudFront's function cannot hold the path ${path}`)
    if (hasLanguages && hasCsv)
      throw new Error(`CloudFront's function cannot hold ${path} with languages and CSV`)
    return inner + (hasLanguages ? '*' : hasCsv ? '**' : '')
  })
  return { paths: paths.join(' '), choices, dates: [...dates], pages }
}
