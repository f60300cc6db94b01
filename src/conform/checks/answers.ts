/** Every row of the endpoint list, and of the error table, and everything that a request can get wrong. */

import { type CheckContext, checksOf, exampleChecksOf, inBothFormats } from '../check.ts'
import type { Oracle } from '../oracle/oracle.ts'
import {
  allFundsPaths,
  fundPaths,
  historicPaths,
  missingParameters,
  noSuchIsin,
  outsideTheList,
  variants,
  words,
  wrongCheckDigit,
  wrongParameters,
  wrongQueries,
} from '../requests.ts'

export const answeredRows: readonly (readonly [row: string, paths: RegExp])[] = [
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
      answeredRows.map(([row, paths]) => [
        `answers endpoint ${row} for every fund, format and language`,
        compareEndpoint(paths),
      ]),
    ),
    'takes an ISIN in either case, and shows it in upper case': ({ isins, compareAll }) =>
      compareAll(isins.slice(0, 3).flatMap((isin) => fundPaths(isin.toLowerCase()))),
  }),
  ...exampleChecksOf('answers', {
    'gives the same answer to the same question again': async ({ ask, same, target }) => {
      const [first, again] = [await ask({ target }), await ask({ target })]
      same({ target }, 'ETag', again.headers.get('etag'), first.headers.get('etag'))
      same({ target }, 'the same body twice:', again.body.equals(first.body), true)
    },
  }),
]

/** Group, status and slug: the end of the `type` in an error's body. */
export const errorAnchors = words(`
  prices/#error-400-wrongdate prices/#error-403-noapidataforfund prices/#error-404-notfound
  performance-years/#error-403-noapidataforfund performance-years/#error-404-nodata
  investment_structure/#error-404-nodata investment_structure/#error-416-wrongtype
  performance-legal/#error-403-noapidataforfund performance-legal/#error-404-nodata
  performance-launch/#error-403-noapidataforfund performance-launch/#error-404-nodata
  figures/#error-403-noapidataforfund figures/#error-404-notfound
  profile/#error-403-noapidataforfund profile/#error-404-notfound profile/#error-404-nodata
  asset-allocations/#error-403-noapidataforfund asset-allocations/#error-404-notfound
  emt/#error-403-noapidataforfund emt/#error-404-notfound emt/#error-404-nodata
  index/#error-400-noisin index/#error-400-wrongformat index/#error-400-wronglanguage index/#error-404-noendpoint`)

type TargetsByAnchor = ReadonlyMap<string | undefined, readonly string[]>

/** The search takes a moment, and every row needs its result. */
const known = new WeakMap<Oracle, TargetsByAnchor>()

function refusedTargets({ oracle, isins, isin: first }: CheckContext): TargetsByAnchor {
  const targets = [
    ...[...isins, noSuchIsin, wrongCheckDigit].flatMap((isin) => [
      ...fundPaths(isin).map(({ target }) => target),
      `/api/v1/prices-historic/${isin}/1970-01-01/1970-01-02/`,
    ]),
    ...missingParameters(first),
    ...wrongParameters(first),
    ...outsideTheList(first),
    ...wrongQueries(first),
  ]
  const anchorOf = (target: string) => {
    const { status, body } = oracle.answer({ target, accept: 'application/json' })
    return status < 400 ? undefined : /\/endpoints\/([^"<]+)/.exec(body)?.[1]
  }
  const found = known.get(oracle) ?? Map.groupBy(targets, anchorOf)
  known.set(oracle, found)
  return found
}

const compareRow = (anchor: string) => (context: CheckContext) => {
  const targets = context.random.draw(refusedTargets(context).get(anchor) ?? [], 12)
  const requests = targets.flatMap((target) => [
    { target, accept: 'application/json' },
    { target, accept: 'application/xml', acceptLanguage: 'en' },
  ])
  return context.compareAll(requests)
}

const compareTargets =
  (targetsOf: (isin: string) => string[]) =>
  ({ isins, compareAll }: CheckContext) =>
    compareAll(inBothFormats(isins.slice(0, 2).flatMap(targetsOf)))

export const refusalChecks = checksOf('refusals', {
  ...Object.fromEntries(errorAnchors.map((anchor) => [`refuses with ${anchor}`, compareRow(anchor)])),
  'answers 400 if a parameter of the path is missing': compareTargets(missingParameters),
  'looks at days and types before it looks for the fund': compareTargets(wrongParameters),
  'answers 404 to every path outside the list': compareTargets(outsideTheList),
  'takes the first of two values, ignores unknown parameters, and refuses other values':
    compareTargets(wrongQueries),
})
