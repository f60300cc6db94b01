/** Requests worth asking, as lists: every answer that a database has, and every row of the error table. */
import { structureTypes } from './facts.ts'
import type { OracleRequest } from './oracle.ts'

export const unknownIsin = 'LU000NOSUCH8'
export const wrongCheckDigit = 'DE0008471401'

/** Paths of the single-fund endpoints, the historic one left out: endpoint, path, whether it has languages. */
export function fundPaths(isin: string): readonly { path: string; hasLanguages: boolean }[] {
  const plain = ['prices-current', 'performance-years', 'performance-legal', 'performance-launch']
  const structures = [...structureTypes.keys()].map((type) => `v1/investment_structure-${type}`)
  const withLanguages = [
    ...structures,
    'v1/figures',
    'v1/profile',
    'v2/asset-allocations/with-derivatives',
    'v2/asset-allocations/without-derivatives',
    'v2/emt',
  ]
  return [
    ...plain.map((name) => ({ path: `/api/v1/${name}/${isin}/`, hasLanguages: false })),
    ...withLanguages.map((name) => ({ path: `/api/${name}/${isin}/`, hasLanguages: true })),
  ]
}

/** Every way to ask for a path's formats and languages: by query, by header, and not at all. */
export function variants(path: string, hasLanguages: boolean): OracleRequest[] {
  const languages = hasLanguages ? ['de', 'en'] : [undefined]
  const requests: OracleRequest[] = [{ target: path }]
  for (const format of ['json', 'xml']) {
    for (const language of languages) {
      const query = language === undefined ? `?format=${format}` : `?format=${format}&language=${language}`
      requests.push({ target: path + query })
      requests.push({ target: path, accept: `application/${format}`, acceptLanguage: language })
    }
  }
  return requests
}

/** All answers about these funds, and about funds that do not exist. */
export function fundRequests(isins: readonly string[]): OracleRequest[] {
  const [first = unknownIsin] = isins
  return [...isins, first.toLowerCase(), unknownIsin, wrongCheckDigit].flatMap((isin) => [
    ...fundPaths(isin).flatMap(({ path, hasLanguages }) => variants(path, hasLanguages)),
    ...variants(`/api/v1/prices-historic/${isin}/0001-01-01/9999-12-31/`, false),
    ...variants(`/api/v1/prices-historic/${isin}/2024-01-01/2024-12-31/`, false),
    ...variants(`/api/v1/prices-historic/${isin}/1970-01-01/1970-01-01/`, false),
  ])
}

export function allFundsRequests(): OracleRequest[] {
  return ['prices-current-all', 'performance-years-all'].flatMap((name) =>
    variants(`/api/v1/${name}/`, false),
  )
}

/** Refusals that come before any fund is looked at, and redirects. */
export function refusalRequests(isin: string): OracleRequest[] {
  const targets = [
    ...missingParameters(isin),
    ...wrongParameters(isin),
    ...outsideTheList(isin),
    ...withoutSlash(isin),
    ...wrongQueries(isin),
  ]
  return targets.flatMap((target) => [{ target }, { target, accept: 'text/xml', acceptLanguage: 'en' }])
}

/** Methods that are not answered, wherever they are sent. */
export function wrongMethodRequests(isin: string): OracleRequest[] {
  const targets = [
    `/api/v1/figures/${isin}/?language=fr`,
    `/api/v1/figures/${isin}`,
    '/nothing/?format=xml',
    '/',
  ]
  return ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].flatMap((method) =>
    targets.map((target) => ({ method, target, accept: 'application/json' })),
  )
}

function missingParameters(isin: string): string[] {
  return [
    ...fundPaths('').map(({ path }) => path.slice(0, -1)),
    ...fundPaths('').map(({ path }) => path),
    '/api/v1/prices-historic/',
    '/api/v1/prices-historic//',
    '/api/v1/prices-historic//2024-01-01/2024-02-01/',
    '/api/v1/prices-historic//nonsense/',
    `/api/v1/prices-historic/${isin}/`,
    `/api/v1/prices-historic/${isin}//`,
    `/api/v1/prices-historic/${isin}/2024-01-01/`,
    `/api/v1/prices-historic/${isin}//2024-01-01/`,
    `/api/v1/prices-historic/${isin}/2024-01-01//`,
    `/api/v1/prices-historic/${unknownIsin}/`,
    '/api/v1/figures/?format=yaml&language=fr',
  ]
}

function wrongParameters(isin: string): string[] {
  const dates = [
    '2023-02-29',
    '2024-02-30',
    '1900-02-29',
    '2024-13-01',
    '2024-00-10',
    '2024-01-00',
    '2024-04-31',
    '2024-1-1',
    '20240101',
    '01.02.2024',
    '2024-01-01T00:00:00',
    '+2024-01-01',
    '-2024-01-01',
    '2024-01-01%20',
    '%32024-01-01',
    '2024%2D01%2D01',
    '2024-01-0१',
    '2024-01-01%0A',
    '2000-02-29',
    '9999-12-31',
  ]
  const types = [
    '',
    'shoes',
    'Countries',
    'countries%20',
    'c%6funtries',
    'toString',
    '__proto__',
    'a%2Fb',
    '%00',
    '%zz',
    '%C3%A4%C3',
    '<&>"',
  ]
  return [
    ...dates.map((date) => `/api/v1/prices-historic/${isin}/${date}/2024-06-01/`),
    ...dates.map((date) => `/api/v1/prices-historic/${isin}/2000-01-01/${date}/`),
    `/api/v1/prices-historic/${unknownIsin}/2024-02-30/2024-03-01/?format=yaml`,
    `/api/v1/prices-historic/${isin}/2024-06-01/2024-05-31/`,
    ...types.map((type) => `/api/v1/investment_structure-${type}/${isin}/`),
    '/api/v1/investment_structure-shoes/',
    '/api/v1/investment_structure-shoes//?format=yaml&language=fr',
    `/api/v1/figures/${isin.slice(0, 11)}/`,
    `/api/v1/figures/${isin}%00/`,
    `/api/v1/figures/%20${isin}/`,
    `/api/v1/figures/..%2f${isin}/`,
    `/api/v1/figures/${isin.slice(0, 5)}%${isin.charCodeAt(5).toString(16)}${isin.slice(6)}/`,
    // Letters whose upper case is an S or an I: no ISIN holds them. A fund without those letters is simply found.
    `/api/v1/figures/${isin.replace('S', '%C5%BF').replace('I', '%C4%B1')}/`,
    '/api/v1/prices-current/../',
    '/api/v1/figures/constructor/',
    '/api/v1/profile/%C3%A4%F0%9F%98%80/',
  ]
}

function outsideTheList(isin: string): string[] {
  return [
    '/',
    '/api/',
    '/api/v1/',
    '/api/v2/',
    '/api/v2/asset-allocations/',
    '/favicon.ico',
    '/manifest.ndjson.gz',
    '/SHA256SUMS',
    '/api/v1/emt/',
    '/api/v2/figures/',
    '/API/v1/figures/',
    '/api/v1/Figures/',
    '/api/v1/investment_structure/',
    '/api/v1',
    '/api',
    '/api/v2/asset-allocations',
    '/errors/index/400-noisin.json',
    '/errors/index/400-noisin.json/',
    '/api/v1/constructor/',
    '/api/v1/__proto__/',
    '//',
    '/%2F/',
    '/%zz/%41%00%0D%C3%A4/?format=xml',
    '/nothing/?format=yaml&language=fr',
    `/api/v2/asset-allocations/${isin}/`,
    `/api/v1/figures/${isin}//`,
    `/api/v1/figures/${isin}/more/`,
    `//api/v1/figures/${isin}/`,
    `/api/v1//figures/${isin}/`,
    `/api/v1/./figures/${isin}/`,
    `/api/v1/figures/${isin}/../`,
    `/api/v1/prices-current-all/${isin}/`,
    `/api/v1/prices-historic/${isin}/2024-01-01/2024-02-01/x/`,
    `/api/v1/prices-historic/${isin}/2024.json`,
    '/api/v1/prices-current-all//',
    `/api/v1/figures/${isin}/index.de.json`,
    `/api/v1/figures/${isin}/index.de.json/`,
  ]
}

function withoutSlash(isin: string): string[] {
  return [
    ...fundPaths(isin).map(({ path }) => `${path.slice(0, -1)}?format=xml&x=%20+`),
    '/api/v1/prices-current-all',
    '/api/v1/performance-years-all?x',
    '/api/v1/prices-historic',
    `/api/v1/prices-historic/${isin}/2024-01-01`,
    `/api/v1/prices-historic/${isin}/2024-01-01/nonsense?format=yaml`,
    '/api/v1/investment_structure-shoes',
    `/api/v1/figures/${unknownIsin}`,
    '/api/v1/figures/%zz?a=/b',
  ]
}

function wrongQueries(isin: string): string[] {
  const withLanguages = `/api/v1/figures/${isin}/`
  const plain = `/api/v1/prices-current/${isin}/`
  const queries = [
    'format=yaml',
    'format=',
    'format',
    'format=JSON',
    'format=+xml',
    'format=%78ml',
    'format=%zz%C3%A4',
    'format=json&format=xml',
    'format=yaml&format=xml',
    'language=fr',
    'language=',
    'language=DE',
    'language=en-GB',
    'language=e%6e',
    'language=en&language=fr',
    'language=fr&language=en',
    'format=yaml&language=fr',
    'language=fr&format=xml',
    'page=2&x',
    '&&format=xml&&',
    'format=xml&',
    '',
    'Format=yaml',
    'format=a=b',
    'language=<%26>"',
  ]
  const paths = [withLanguages, plain, `/api/v1/figures/${unknownIsin}/`]
  return paths.flatMap((path) => queries.map((query) => `${path}?${query}`))
}
