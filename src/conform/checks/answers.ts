/** Every row of the interface's endpoint list, for every fund, format and language. */

import { type CheckContext, checksOf, exampleChecksOf } from '../check.ts'
import { allFundsPaths, fundPaths, historicPaths, variants } from '../requests.ts'

const rows: readonly (readonly [row: string, paths: RegExp])[] = [
  ['1 current prices', /^\/api\/v1\/prices-current\//],
  ['2 current prices of all funds', /^\/api\/v1\/prices-current-all\//],
  ['3 historic prices', /^\/api\/v1\/prices-historic\//],
  ['4 performance by year', /^\/api\/v1\/performance-years\//],
  ['5 performance by year of all funds', /^\/api\/v1\/performance-years-all\//],
  ['6 the 33 types of investment structure', /^\/api\/v1\/investment_structure-/],
  ['7 key figures', /^\/api\/v1\/figures\//],
  ['8 legal performance', /^\/api\/v1\/performance-legal\//],
  ['9 performance since launch', /^\/api\/v1\/performance-launch\//],
  ['10 the profile', /^\/api\/v1\/profile\//],
  ['11 asset allocations with derivatives', /^\/api\/v2\/asset-allocations\/with-derivatives\//],
  ['12 asset allocations without derivatives', /^\/api\/v2\/asset-allocations\/without-derivatives\//],
  ['13 EMT data', /^\/api\/v2\/emt\//],
]

/** Each answer in every format and language. A refusal is asked for once, since error rows have checks of their own. */
const compareEndpoint =
  (wanted: RegExp) =>
  ({ oracle, isins, compareAll }: CheckContext) => {
    const all = [...allFundsPaths, ...isins.flatMap((isin) => [...fundPaths(isin), ...historicPaths(isin)])]
    const requests = all
      .filter(({ target }) => wanted.test(target))
      .flatMap((path, at) => {
        if (oracle.answer(path).status === 200) return variants(path)
        return [{ target: `${path.target}?format=${at % 2 === 0 ? 'json' : 'xml'}` }]
      })
    return compareAll(requests)
  }

export const answerChecks = [
  ...checksOf('answers', {
    ...Object.fromEntries(
      rows.map(([row, paths]) => [
        `answers endpoint ${row} for every fund, format and language`,
        compareEndpoint(paths),
      ]),
    ),
    'takes an ISIN in either case, and shows it in upper case': ({ isins, compareAll }) =>
      compareAll(isins.slice(0, 3).flatMap((isin) => fundPaths(isin.toLowerCase()))),
  }),
  ...exampleChecksOf('answers', {
    'gives the same answer to the same question again': async ({ ask, same }, { target }) => {
      const [first, again] = [await ask({ target }), await ask({ target })]
      same({ target }, 'ETag', again.headers.get('etag'), first.headers.get('etag'))
      same({ target }, 'the same body twice:', again.body.equals(first.body), true)
    },
  }),
]
