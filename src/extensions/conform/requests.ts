/** Lists of requests: every answer that a database has, and every mistake that a request can have. */

import { structureNames } from './oracle/facts.ts'
import type { Oracle, OracleRequest } from './oracle/oracle.ts'
import { type OracleEndpoint, oracleEndpoints } from './oracle/route.ts'

export const noSuchIsin = 'LU000NOSUCH8'
export const wrongCheckDigit = 'DE0008471401'

export const words = (text: string): string[] => text.trim().split(/\s+/)

interface Path {
  /** Without a query. */
  readonly target: string
  readonly hasLanguages: boolean
  readonly hasCsv: boolean
}

/** A request with the answer 200. */
export interface AnsweredRequest extends Path {
  /** `a range that is cut and joined` */
  readonly kind: string
}

/** The whole history, exactly one window, and a day without prices. */
const someRanges = words('0001-01-01/9999-12-31 2024-01-01/2024-12-31 1970-01-01/1970-01-01')

/** Paths of an endpoint for a fund: with every type, or with some ranges. */
export function pathsOf({ path, hasLanguages, table }: OracleEndpoint, isin: string): Path[] {
  const ofFund = path.replace('{isin}', isin)
  const targets = path.includes('{type}')
    ? [...structureNames.keys()].map((type) => ofFund.replace('{type}', type))
    : path.includes('{datefrom}')
      ? someRanges.map((range) => ofFund.replace('{datefrom}/{dateto}', range))
      : [ofFund]
  return targets.map((target) => ({ target, hasLanguages, hasCsv: table !== undefined }))
}

const isOfOneFund = ({ path }: OracleEndpoint) => path.includes('{isin}')
const isRange = ({ path }: OracleEndpoint) => path.includes('{datefrom}')

/** Paths of the endpoints of one fund, without ranges. */
export const fundPaths = (isin: string): Path[] =>
  oracleEndpoints
    .filter((endpoint) => isOfOneFund(endpoint) && !isRange(endpoint))
    .flatMap((endpoint) => pathsOf(endpoint, isin))

/** A path without a query, and with every format and language in the query. */
export function variants({ target, hasLanguages, hasCsv }: Path): OracleRequest[] {
  const languages = hasLanguages ? ['&language=de', '&language=en'] : ['']
  const queries = ['json', 'xml', ...(hasCsv ? ['csv'] : [])].flatMap((format) =>
    languages.map((language) => `?format=${format}${language}`),
  )
  return ['', ...queries].map((query) => ({ target: target + query }))
}

/** Paths that end before a parameter, or have an empty one. */
export const missingParameters = (isin: string): string[] => [
  ...fundPaths('').flatMap(({ target }) => [target.slice(0, -1), target]),
  ...words(`/api/v1/prices-historic/ /api/v1/prices-historic// /api/v1/prices-historic//2024-01-01/2024-02-01/
      /api/v1/prices-historic//nonsense/ /api/v1/prices-historic/${isin}/
      /api/v1/prices-historic/${isin}// /api/v1/prices-historic/${isin}/2024-01-01/
      /api/v1/prices-historic/${isin}//2024-01-01/ /api/v1/prices-historic/${isin}/2024-01-01//
      /api/v1/prices-historic/${noSuchIsin}/ /api/v1/figures/?format=yaml&language=fr`),
]

export function wrongParameters(isin: string): string[] {
  const dates =
    words(`2023-02-29 2024-02-30 1900-02-29 2024-13-01 2024-00-10 2024-01-00 2024-04-31 2024-1-1 20240101
      01.02.2024 2024-01-01T00:00:00 +2024-01-01 -2024-01-01 2024-01-01%20 %32024-01-01 2024%2D01%2D01
      2024-01-0१ 2024-01-01%0A 2000-02-29 9999-12-31`)
  const types = [
    '',
    ...words(`shoes Countries countries%20 c%6funtries toString __proto__ a%2Fb %00 %zz %C3%A4%C3 <&>"`),
  ]
  return [
    ...dates.map((date) => `/api/v1/prices-historic/${isin}/${date}/2024-06-01/`),
    ...dates.map((date) => `/api/v1/prices-historic/${isin}/2000-01-01/${date}/`),
    ...types.map((type) => `/api/v1/investment_structure-${type}/${isin}/`),
    ...words(`/api/v1/prices-historic/${isin}/2000-01-01/2024-12-32/
      /api/v1/prices-historic/${noSuchIsin}/2024-02-30/2024-03-01/?format=yaml
      /api/v1/prices-historic/${isin}/2024-06-01/2024-05-31/ /api/v1/investment_structure-shoes/
      /api/v1/investment_structure-shoes//?format=yaml&language=fr /api/v1/figures/${isin.slice(0, 11)}/
      /api/v1/figures/${isin}%00/ /api/v1/figures/%20${isin}/ /api/v1/figures/..%2f${isin}/
      /api/v1/figures/${isin.slice(0, 5)}%${isin.charCodeAt(5).toString(16)}${isin.slice(6)}/
      /api/v1/prices-current/../ /api/v1/figures/constructor/ /api/v1/profile/%C3%A4%F0%9F%98%80/`),
    // The upper case of these letters is S and I, but no ISIN contains them. A fund without S and I is found.
    `/api/v1/figures/${isin.replace('S', '%C5%BF').replace('I', '%C4%B1')}/`,
  ]
}

export const outsideTheList = (isin: string): string[] =>
  words(`/ /api/ /api/v1/ /api/v2/ /api/v2/asset-allocations/ /favicon.ico /manifest.ndjson.gz /SHA256SUMS
      /api/v1/emt/ /api/v2/figures/ /API/v1/figures/ /api/v1/Figures/ /api/v1/investment_structure/
      /api/v1 /api /api/v2/asset-allocations /errors/index/400-noisin.json
      /errors/index/400-noisin.json/ /api/v1/constructor/ /api/v1/__proto__/ // /%2F/
      /%zz/%41%00%0D%C3%A4/?format=xml /nothing/?format=yaml&language=fr
      /api/v2/asset-allocations/${isin}/ /api/v1/figures/${isin}// /api/v1/figures/${isin}/more/
      //api/v1/figures/${isin}/ /api/v1//figures/${isin}/ /api/v1/./figures/${isin}/
      /api/v1/figures/${isin}/../ /api/v1/prices-current-all/${isin}/
      /api/v1/prices-historic/${isin}/2024-01-01/2024-02-01/x/ /api/v1/prices-historic/${isin}/2024.json
      /api/v1/prices-current-all// /api/v1/figures/${isin}/index.de.json
      /api/v1/figures/${isin}/index.de.json/`)

export const withoutSlash = (isin: string): string[] => [
  ...fundPaths(isin).map(({ target }) => `${target.slice(0, -1)}?format=xml&x=%20+`),
  ...words(`/api/v1/prices-current-all /api/v1/performance-years-all?x /api/v1/prices-historic
      /api/v1/prices-historic/${isin}/2024-01-01
      /api/v1/prices-historic/${isin}/2024-01-01/nonsense?format=yaml /api/v1/investment_structure-shoes
      /api/v1/figures/${noSuchIsin} /api/v1/figures/%zz?a=/b`),
]

/** Unsupported formats and languages, and unusual notations of a query. */
export function wrongQueries(isin: string): string[] {
  const queries = [
    ...words(`format=yaml format= format format=JSON format=+xml format=%78ml format=%zz%C3%A4
      format=json&format=xml format=yaml&format=xml language=fr language= language=DE language=en-GB
      language=e%6e language=en&language=fr language=fr&language=en format=yaml&language=fr
      language=fr&format=xml page=2&x &&format=xml&& format=xml& format=csv format=CSV
      format=csv&language=fr %66ormat=xml&l%61nguage=fr format=%C3%A4+%2B`),
    '',
    ...words(`Format=yaml format=a=b language=<%26>"`),
    // The longest value that is decoded, and a longer one.
    ...[42, 43].map((count) => `format=+${'%C3%A4'.repeat(count)}`),
  ]
  const paths = words(
    `/api/v1/figures/${isin}/ /api/v1/prices-current/${isin}/ /api/v1/figures/${noSuchIsin}/
      /api/v1/prices-current/${noSuchIsin}/ /api/v1/prices-historic/${isin}/ /api/v1/performance-years-all/`,
  )
  return paths.flatMap((path) => queries.map((query) => `${path}?${query}`))
}

/** One request with an answer of each kind. */
export function findExamples(oracle: Oracle, isins: readonly string[]): AnsweredRequest[] {
  const isFound = ({ target }: Path): boolean => oracle.answer({ target }).status === 200
  const examples = oracleEndpoints
    .filter((endpoint) => !isRange(endpoint))
    .flatMap((endpoint) => {
      if (!isOfOneFund(endpoint)) return pathsOf(endpoint, '').map((path) => ({ kind: 'all funds', ...path }))
      const found = isins.flatMap((isin) => pathsOf(endpoint, isin)).find(isFound)
      const kind = endpoint.hasLanguages ? 'an answer with languages' : 'a stored answer'
      return found === undefined ? [] : [{ kind, ...found }]
    })
  return [...examples, ...rangeExamples(oracle, isins)]
}

/** Ranges of the fund with the longest history: exactly one window, parts of several, the whole history, no price. */
function rangeExamples(oracle: Oracle, isins: readonly string[]): AnsweredRequest[] {
  const range = (isin: string, from: string, to: string) => `/api/v1/prices-historic/${isin}/${from}/${to}/`
  const yearOf = (day: string) => Number(day.slice(0, 4))
  const [longest] = isins
    .flatMap((isin) => ({ isin, ...(oracle.priceDays(isin) ?? { first: '', last: '' }) }))
    .filter(({ isin, last }) => oracle.answer({ target: range(isin, last, last) }).status === 200)
    .sort((a, b) => yearOf(b.last) - yearOf(b.first) - yearOf(a.last) + yearOf(a.first))
  if (longest === undefined) return []
  const { isin, first, last } = longest
  const year = yearOf(last)
  const kinds = {
    'a range that is one window': range(isin, `${year}-01-01`, `${year}-12-31`),
    'a range that is cut and joined': range(isin, `${year - 2}-11-07`, `${year}-02-10`),
    'the whole history': range(isin, first, last),
    'a range without a price': range(isin, '1970-01-01', '1970-01-02'),
  }
  return Object.entries(kinds).map(([kind, target]) => ({ kind, target, hasLanguages: false, hasCsv: true }))
}
