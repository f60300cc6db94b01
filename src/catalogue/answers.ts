/**
 * What the API answers about a fund. The pages show just that: it is the endpoints that know what is refused, and what a
 * page would show of it is neither in its text nor in its drawings.
 */

import { isRefusal, type FundEndpoint, type RowsOf } from '../contract/endpoint.ts'
import type { FundPageSource } from '../contract/page.ts'
import type { Group } from '../contract/rows.ts'
import { endpoints } from '../endpoints/index.ts'
import { languages, type Route } from '../routes/table.ts'

export interface Answer {
  readonly endpoint: FundEndpoint
  readonly route: Route
  /** The structure type, or ''. */
  readonly type: string
}

/** The answers about one fund that are no refusals, in the order of the registry and of the structure types. */
export function answersOf(source: FundPageSource): readonly Answer[] {
  return endpoints.flatMap((endpoint) => {
    if (endpoint.scope === 'all') return []
    const route = source.table.routes.find(({ id }) => id === endpoint.id)
    if (route === undefined) throw new Error(`endpoint ${endpoint.id} has no route`)
    const rows = rowsOf(endpoint, source)
    return typesOf(route)
      .filter((type) => !isRefusal(ask(endpoint, rows, source.day, type)))
      .map((type): Answer => ({ endpoint, route, type }))
  })
}

export const hasAnswer = (answers: readonly Answer[], id: string) =>
  answers.some(({ endpoint }) => endpoint.id === id)

const ask = (endpoint: FundEndpoint, rows: RowsOf<Group>, asOf: string, type: string) =>
  endpoint.build(rows, { asOf, language: languages[0], type }) as object

/**
 * Whether there is an answer depends on which rows there are, and not on what they are: of the prices the newest is
 * enough, of structure items all count, because of their types, and of the other groups the first row.
 */
function rowsOf({ reads }: FundEndpoint, source: FundPageSource): RowsOf<Group> {
  const some = (name: Group): readonly unknown[] => {
    if (name === 'prices') return [source.newestPrice()].filter((price) => price !== null)
    const rows = source.rows(name)
    return name === 'structureItems' ? rows : rows.slice(0, 1)
  }
  return {
    fund: source.fund,
    ...Object.fromEntries(reads.map((name) => [name, some(name)])),
  } as unknown as RowsOf<Group>
}

function typesOf({ parameters }: Route): readonly string[] {
  const choice = parameters.find((parameter) => parameter.kind === 'choice')
  return choice?.kind === 'choice' ? choice.choices : ['']
}
