/** The route table for the edge, made from the registry. */

import type { Endpoint } from '../contract/endpoint.ts'
import { generalErrors, generalGroup, type ErrorRow } from '../contract/errors.ts'
import type { Parameter, Problem, Route, RouteTable } from '../routes/table.ts'

/** Names in a snapshot's top folder that the edge serves. Other files there are for the publisher. */
export const pages: readonly string[] = (
  'docs funds compare downloads status changes schemas not-found openapi.json ' +
  'index.html de.html robots.txt sitemap.xml llms.txt security.txt signing-key.txt'
).split(' ')

export function routeOf({ routes }: RouteTable, { id }: { readonly id: string }): Route {
  const route = routes.find((candidate) => candidate.id === id)
  if (route === undefined) throw new Error(`endpoint ${id} has no route`)
  return route
}

/** The structure types of a route; of other routes one that is ''. */
export function typesOf({ parameters }: Route): readonly string[] {
  const choice = parameters.find((parameter) => parameter.kind === 'choice')
  return choice?.kind === 'choice' ? choice.choices : ['']
}

/** @param docsUrl absolute, without a closing slash @throws {Error} for a declaration that contradicts itself */
export function routeTable(endpoints: readonly Endpoint[], docsUrl: string): RouteTable {
  const problems: Problem[] = []
  const position = (of: string, { group = of, status, slug, title }: ErrorRow): number => {
    const problem: Problem = { group, status, slug, title }
    const text = JSON.stringify(problem)
    const known = problems.findIndex((other) => JSON.stringify(other) === text)
    return known >= 0 ? known : problems.push(problem) - 1
  }
  const general = Object.fromEntries(
    Object.entries(generalErrors).map(([name, row]) => [name, position(generalGroup.id, row)]),
  ) as RouteTable['general']
  const routes = endpoints.map((endpoint) => declaredRoute(endpoint, position))
  return { docsUrl, routes, pages, problems, general }
}

/** @param position of a problem in the table */
function declaredRoute(endpoint: Endpoint, position: (group: string, row: ErrorRow) => number): Route {
  const { id, path } = endpoint
  const own = endpoint.scope === 'all' ? endpoint.of : endpoint
  const withCsv = own.csv === undefined ? {} : { hasCsv: true }
  if (endpoint.scope === 'all')
    return { id, path, hasLanguages: own.hasLanguages, ...withCsv, parameters: [] }
  const problem = (error: string): number => {
    const row = endpoint.errors[error]
    if (row === undefined) throw new Error(`endpoint ${id}: no error ${error}`)
    return position(endpoint.group.id, row)
  }
  const parameters = Object.entries(endpoint.parameters).map(([name, parameter]): Parameter => {
    if (!path.includes(`{${name}}`)) throw new Error(`endpoint ${id}: its path has no {${name}}`)
    const { kind } = parameter
    if (kind === 'isin')
      return { kind, name, missing: problem(parameter.missing), unknown: problem(parameter.unknown) }
    const invalid = problem(parameter.invalid)
    return kind === 'choice' ? { kind, name, choices: parameter.choices, invalid } : { kind, name, invalid }
  })
  const isRange = parameters.some(({ kind }) => kind === 'date')
  if (isRange !== (endpoint.series !== undefined))
    throw new Error(`endpoint ${id}: dates and a series go together`)
  const { hasLanguages, series, body } = endpoint
  if (series === undefined) return { id, path, hasLanguages, ...withCsv, parameters }
  const names = Object.keys(body.fields)
  const next = names[names.indexOf(series.list) + 1] ?? ''
  return { id, path, hasLanguages, ...withCsv, parameters, series: { ...series, next } }
}
