/** Every row of the error table, and everything that a request can get wrong. */

import { checksOf, type CheckContext } from '../check.ts'
import type { Oracle, OracleRequest } from '../oracle/oracle.ts'
import {
  fundPaths,
  missingParameters,
  outsideTheList,
  noSuchIsin,
  wrongCheckDigit,
  wrongParameters,
  wrongQueries,
} from '../requests.ts'

/** Group, status and slug: the end of the `type` in an error's body. */
export const errorAnchors = [
  'prices/#error-400-wrongdate',
  'prices/#error-403-noapidataforfund',
  'prices/#error-404-notfound',
  'performance-years/#error-403-noapidataforfund',
  'performance-years/#error-404-nodata',
  'investment_structure/#error-404-nodata',
  'investment_structure/#error-416-wrongtype',
  'performance-legal/#error-403-noapidataforfund',
  'performance-legal/#error-404-nodata',
  'performance-launch/#error-403-noapidataforfund',
  'performance-launch/#error-404-nodata',
  ...['figures', 'profile', 'asset-allocations', 'emt'].flatMap((group) => [
    `${group}/#error-403-noapidataforfund`,
    `${group}/#error-404-notfound`,
  ]),
  'profile/#error-404-nodata',
  'emt/#error-404-nodata',
  'index/#error-400-noisin',
  'index/#error-400-wrongformat',
  'index/#error-400-wronglanguage',
  'index/#error-404-noendpoint',
] as const

export type ErrorAnchor = (typeof errorAnchors)[number]

export type RequestsByRow = ReadonlyMap<string, readonly OracleRequest[]>

export function findErrors(oracle: Oracle, isins: readonly string[]): RequestsByRow {
  const [first = noSuchIsin] = isins
  const targets = [
    ...[...isins, noSuchIsin, wrongCheckDigit].flatMap((isin) => [
      ...fundPaths(isin).map(({ path }) => path),
      `/api/v1/prices-historic/${isin}/1970-01-01/1970-01-02/`,
    ]),
    ...missingParameters(first),
    ...wrongParameters(first),
    ...outsideTheList(first),
    ...wrongQueries(first),
  ]
  const rows = new Map<string, OracleRequest[]>()
  for (const target of targets) {
    const { status, body } = oracle.answer({ target, accept: 'application/json' })
    const [, row] = status < 400 ? [] : (/\/endpoints\/([^"<]+)/.exec(body) ?? [])
    if (row !== undefined) rows.set(row, [...(rows.get(row) ?? []), { target }])
  }
  return rows
}

/** The search takes a moment, and every row needs its result. */
const known = new WeakMap<Oracle, RequestsByRow>()

function errorsOf({ oracle, isins }: CheckContext): RequestsByRow {
  const found = known.get(oracle) ?? findErrors(oracle, isins)
  known.set(oracle, found)
  return found
}

const compareRow = (row: ErrorAnchor) => (context: CheckContext) => {
  const requests = context.random.sample(errorsOf(context).get(row) ?? [], 12)
  const inFormats = requests.flatMap((request) => [
    { ...request, accept: 'application/json' },
    { ...request, accept: 'application/xml', acceptLanguage: 'en' },
  ])
  return context.each(inFormats, context.compare)
}

const compareAll =
  (targetsOf: (isin: string) => string[]) =>
  ({ isins, each, compare }: CheckContext) => {
    const targets = isins.slice(0, 2).flatMap(targetsOf)
    return each(
      targets.flatMap((target) => [{ target }, { target, accept: 'text/xml', acceptLanguage: 'en' }]),
      compare,
    )
  }

export const refusalChecks = checksOf('refusals', {
  ...Object.fromEntries(errorAnchors.map((row) => [`refuses with ${row}`, compareRow(row)])),
  'answers 400 if a parameter of the path is missing': compareAll(missingParameters),
  'looks at days and types before it looks for the fund': compareAll(wrongParameters),
  'answers 404 to every path outside the list': compareAll(outsideTheList),
  'takes the first of two values, ignores unknown parameters, and refuses other values':
    compareAll(wrongQueries),
})
