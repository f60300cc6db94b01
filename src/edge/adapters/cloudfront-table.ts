/** The route table as CloudFront's function holds it: its source may have 10,240 bytes, the table included. */

import type { Parameter, Route, RouteTable } from '../../routes/table.ts'

/** Written by deploy/pack-table.ts. */
export interface PackedTable {
  /** Paths of routes between `/api/` and the last slash, with spaces between them; one with languages ends with `*`. */
  readonly paths: string
  /** Choices by the names of their parameters, with spaces between them; names of dates. All others are ISINs. */
  readonly choices: Readonly<Record<string, string>>
  readonly dates: readonly string[]
  readonly pages: readonly string[]
}

/**
 * A table that says where an answer lies, and whether there is one, but not which refusal it is: of what the refusals
 * need, and of the series that others put together, it has hollow things only.
 */
export function unpackTable({ paths, choices, dates, pages }: PackedTable): RouteTable {
  const routes = paths.split(' ').map((packed) => {
    const path = '/api/' + packed.replace('*', '') + '/'
    // eslint-disable-next-line regexp/no-super-linear-move -- Paths of our own, and few bytes.
    const names = path.match(/[^{]+(?=\})/g) || []
    const parameters = names.map((name): Parameter => {
      const texts = choices[name]
      if (texts) return { kind: 'choice', name, choices: texts.split(' '), invalid: 0 }
      if (dates.indexOf(name) < 0) return { kind: 'isin', name, missing: 0, unknown: 0 }
      return { kind: 'date', name, invalid: 0 }
    })
    const isRange = parameters.some(({ kind }) => kind === 'date')
    return { path, hasLanguages: packed.slice(-1) === '*', parameters, series: isRange ? {} : undefined }
  })
  return { routes: routes as unknown as Route[], pages, problems: [], general: {} } as unknown as RouteTable
}
