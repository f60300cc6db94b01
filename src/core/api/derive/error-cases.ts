/** Each error that an endpoint can have, with its document and a request for it. */

import type { Endpoint, FundEndpoint, PathParameter } from '../contract/endpoint.ts'
import { generalErrors, generalGroup, type ErrorRow } from '../contract/errors.ts'
import type { Texts } from '../contract/shape.ts'
import { fill } from '../routes/keys.ts'
import type { Problem, Values } from '../routes/table.ts'

export interface ErrorCase {
  readonly problem: Problem
  readonly when: Texts
  /** Values in the title of the example. */
  readonly values: Values
  /** Path and query of a GET request that has this answer in any snapshot; null if there is none. */
  readonly target: string | null
}

/** An ISIN of the right form with the right check digit, of a country that will never exist. */
export const unassignedIsin = 'XX0000000002'

const wrongType = 'planets'
const wrongDay = '2023-02-30'

/** The errors of the declaration, then those of every endpoint. */
export function errorCases(endpoint: Endpoint): readonly ErrorCase[] {
  const path = rightPath(endpoint)
  const format = generalCase('wrongFormat', { format: 'pdf' }, `${path}?format=pdf`)
  const language = generalCase('wrongLanguage', { language: 'fr' }, `${path}?language=fr`)
  if (endpoint.scope === 'all') return [format]
  const own = Object.entries(endpoint.errors).map(([name, row]): ErrorCase => ({
    ...errorOf(endpoint.group.id, row),
    values: { isin: unassignedIsin, type: wrongOr(endpoint, name) },
    target: targetOf(endpoint, name),
  }))
  return endpoint.hasLanguages ? [...own, format, language] : [...own, format]
}

/** The only error of a list: there is no such file. */
export const noFile = generalCase('noEndpoint', { path: '/api/v1/weather/' }, '/api/v1/weather/')

export const strayErrorCases: readonly ErrorCase[] = [
  noFile,
  generalCase('wrongMethod', { method: 'POST' }, null),
]

function generalCase(name: keyof typeof generalErrors, values: Values, target: string | null): ErrorCase {
  return { ...errorOf(generalGroup.id, generalErrors[name]), values, target }
}

function errorOf(group: string, { group: own = group, status, slug, title, when }: ErrorRow) {
  return { problem: { group: own, status, slug, title }, when }
}

/** The request that runs into an error of a parameter; an unknown fund's error is the one that its ISIN names. */
function targetOf(endpoint: FundEndpoint, error: string): string | null {
  for (const [name, parameter] of Object.entries(endpoint.parameters)) {
    if (parameter.kind === 'isin') {
      if (parameter.missing === error) return rightPath(endpoint).split(unassignedIsin)[0] ?? null
      if (parameter.unknown === error) return rightPath(endpoint)
    } else if (parameter.invalid === error) {
      return pathOf(endpoint, { [name]: parameter.kind === 'date' ? wrongDay : wrongType })
    }
  }
  return null
}

/** Path with valid values, of a fund that does not exist. */
export const rightPath = (endpoint: Endpoint): string => pathOf(endpoint, {})

function pathOf(endpoint: Endpoint, wrong: Values): string {
  const parameters = endpoint.scope === 'all' ? {} : endpoint.parameters
  const right = Object.entries(parameters).map(([name, parameter]) => [name, rightValue(parameter)] as const)
  return fill(endpoint.path, { ...Object.fromEntries(right), ...wrong })
}

function rightValue(parameter: PathParameter): string {
  if (parameter.kind === 'choice') return parameter.choices[0] ?? ''
  return parameter.kind === 'isin' ? unassignedIsin : '2023-01-02'
}

/** The choice in an error's title: an invalid one if that is the error. */
function wrongOr(endpoint: FundEndpoint, error: string): string {
  const choice = Object.values(endpoint.parameters).find(({ kind }) => kind === 'choice')
  if (choice?.kind !== 'choice') return ''
  return choice.invalid === error ? wrongType : rightValue(choice)
}
