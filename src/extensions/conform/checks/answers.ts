/** Every endpoint, every error, and every mistake that a request can have. */

import { type CheckContext, checksOf, exampleChecksOf, inBothFormats } from '../check.ts'
import type { Oracle } from '../oracle/oracle.ts'
import { type OracleEndpoint, oracleEndpoints } from '../oracle/route.ts'
import {
  fundPaths,
  missingParameters,
  noSuchIsin,
  outsideTheList,
  pathsOf,
  variants,
  wrongCheckDigit,
  wrongParameters,
  wrongQueries,
} from '../requests.ts'

/** Asks for each answer in every format and language, for a refusal once: refusals have checks of their own. */
const compareEndpoint =
  (endpoint: OracleEndpoint) =>
  ({ oracle, isins, compareAll }: CheckContext) => {
    const isOfAll = !endpoint.path.includes('{isin}')
    const paths = isOfAll ? pathsOf(endpoint, '') : isins.flatMap((isin) => pathsOf(endpoint, isin))
    const requests = paths.flatMap((path, at) => {
      if (oracle.answer(path).status === 200) return variants(path)
      return [{ target: `${path.target}?format=${at % 2 === 0 ? 'json' : 'xml'}` }]
    })
    return compareAll(requests)
  }

export const answerChecks = [
  ...checksOf('answers', {
    ...Object.fromEntries(
      oracleEndpoints.map((endpoint) => [
        `answers ${endpoint.path} for every fund, format and language`,
        compareEndpoint(endpoint),
      ]),
    ),
    'takes an ISIN in either case, and shows it in upper case': ({ isins, compareAll }) =>
      compareAll(isins.slice(0, 3).flatMap((isin) => fundPaths(isin.toLowerCase()))),
  }),
  ...exampleChecksOf('answers', {
    'gives the same answer to the same question again': async ({ ask, same, target }) => {
      const first = await ask({ target })
      const again = await ask({ target })
      same({ target }, 'ETag', again.headers.get('etag'), first.headers.get('etag'))
      same({ target }, 'the same body twice:', again.body.equals(first.body), true)
    },
  }),
]

/** Targets by their refusal: group, status and slug, the end of the `type` in the error's body. */
export function targetsByError(
  oracle: Oracle,
  isins: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const [first = noSuchIsin] = isins
  const targets = [
    ...[...isins, noSuchIsin, wrongCheckDigit].flatMap((isin) =>
      oracleEndpoints.flatMap((endpoint) => pathsOf(endpoint, isin)).map(({ target }) => target),
    ),
    ...missingParameters(first),
    ...wrongParameters(first),
    ...outsideTheList(first),
    ...wrongQueries(first),
  ]
  const errorOf = (target: string) => {
    const { status, body } = oracle.answer({ target, accept: 'application/json' })
    return status < 400 ? '' : (/\/endpoints\/([^"<]+)/.exec(body)?.[1] ?? '')
  }
  const found = Map.groupBy(targets, errorOf)
  found.delete('')
  return found
}

const compareTargets =
  (targetsOf: (isin: string) => string[]) =>
  ({ isins, compareAll }: CheckContext) =>
    compareAll(inBothFormats(isins.slice(0, 2).flatMap(targetsOf)))

export const refusalChecks = checksOf('refusals', {
  'refuses with each error that the data has a case of': ({ oracle, isins, random, compareAll }) => {
    const targets = [...targetsByError(oracle, isins).values()].flatMap((some) => random.draw(some, 12))
    return compareAll(
      targets.flatMap((target) => [
        { target, accept: 'application/json' },
        { target, accept: 'application/xml', acceptLanguage: 'en' },
      ]),
    )
  },
  'answers 400 if a parameter of the path is missing': compareTargets(missingParameters),
  'looks at days and types before it looks for the fund': compareTargets(wrongParameters),
  'answers 404 to every path outside the list': compareTargets(outsideTheList),
  'takes the first of two values, ignores unknown parameters, and refuses other values':
    compareTargets(wrongQueries),
})
