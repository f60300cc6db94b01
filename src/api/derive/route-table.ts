/** The route table, made from the registry: what the edge knows of the API. */

import type { Endpoint, FundEndpoint, PathParameter } from '../contract/endpoint.ts'
import { generalErrors, type ErrorRow } from '../contract/errors.ts'
import type { Parameter, Problem, Route, RouteTable } from '../routes/table.ts'

/** What a snapshot has beside the API: names of its top folder. */
export const pages: readonly string[] = [
  'docs',
  'funds',
  'downloads',
  'status',
  'changes',
  'schemas',
  'openapi.json',
]

/**
 * @param docsUrl absolute address of the documentation, without a closing slash
 * @throws {Error} for a declaration that contradicts itself (a parameter that the path lacks, a date without a series)
 */
export function routeTable(endpoints: readonly Endpoint[], docsUrl: string): RouteTable {
  const problems: Problem[] = []
  const position = (group: string, row: ErrorRow): number => {
    const { status, slug, title } = row
    const problem: Problem = { group: row.group ?? group, status, slug, title }
    const text = JSON.stringify(problem)
    const known = problems.findIndex((other) => JSON.stringify(other) === text)
    return known >= 0 ? known : problems.push(problem) - 1
  }
  const general = {
    wrongMethod: position('index', generalErrors.wrongMethod),
    noEndpoint: position('index', generalErrors.noEndpoint),
    wrongFormat: position('index', generalErrors.wrongFormat),
    wrongLanguage: position('index', generalErrors.wrongLanguage),
  }
  const routes = endpoints.map((endpoint) => routeOf(endpoint, position))
  return { docsUrl, routes, pages, problems, general }
}

type Position = (group: string, row: ErrorRow) => number

/** One endpoint's route; `position` says where in the table a problem stands. */
function routeOf(endpoint: Endpoint, position: Position): Route {
  const { id, path } = endpoint
  if (endpoint.scope === 'all') return { id, path, hasLanguages: endpoint.of.hasLanguages, parameters: [] }
  const parameters = Object.entries(endpoint.parameters).map(([name, parameter]) => {
    if (!path.includes(`{${name}}`)) throw new Error(`endpoint ${id}: its path has no {${name}}`)
    return parameterOf(endpoint, name, parameter, position)
  })
  const isRange = parameters.some(({ kind }) => kind === 'date')
  if (isRange !== (endpoint.series !== undefined))
    throw new Error(`endpoint ${id}: dates and a series go together`)
  return { id, path, hasLanguages: endpoint.hasLanguages, parameters, ...seriesOf(endpoint) }
}

function parameterOf(
  endpoint: FundEndpoint,
  name: string,
  parameter: PathParameter,
  position: Position,
): Parameter {
  const problem = (error: string): number => {
    const row = endpoint.errors[error]
    if (row === undefined) throw new Error(`endpoint ${endpoint.id}: no error ${error}`)
    return position(endpoint.group.id, row)
  }
  switch (parameter.kind) {
    case 'isin':
      return { kind: 'isin', name, missing: problem(parameter.missing), unknown: problem(parameter.unknown) }
    case 'choice':
      return { kind: 'choice', name, choices: parameter.choices, invalid: problem(parameter.invalid) }
    case 'date':
      return { kind: 'date', name, invalid: problem(parameter.invalid) }
    default:
      return parameter satisfies never
  }
}

function seriesOf({ series, body }: FundEndpoint): Pick<Route, 'series'> {
  if (series === undefined) return {}
  const names = Object.keys(body.fields)
  return { series: { ...series, next: names[names.indexOf(series.list) + 1] ?? '' } }
}
