/** The rows of the error table, each with the requests to which a database gives that answer. */

import type { Oracle, OracleRequest } from './oracle/oracle.ts'
import { fundPaths, missingParameters, outsideTheList, wrongCheckDigit } from './requests.ts'
import { unknownIsin, wrongParameters, wrongQueries } from './requests.ts'

/** Group, status and slug: the end of the `type` in an error's body. */
export const errorRows = [
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

export type ErrorRow = (typeof errorRows)[number]

export type RequestsByRow = ReadonlyMap<string, readonly OracleRequest[]>

export function findErrors(oracle: Oracle, isins: readonly string[]): RequestsByRow {
  const [first = unknownIsin] = isins
  const targets = [
    ...[...isins, unknownIsin, wrongCheckDigit].flatMap((isin) => [
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
