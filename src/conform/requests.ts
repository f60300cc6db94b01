/** Requests worth asking, as lists: every answer that a database has, and all that is asked for wrongly. */
import { structureTypes } from './oracle/facts.ts'
import type { OracleRequest } from './oracle/oracle.ts'

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

/** A path without a query, and with each format and language named in it. */
export function variants(path: string, hasLanguages: boolean): OracleRequest[] {
  const languages = hasLanguages ? ['&language=de', '&language=en'] : ['']
  const queries = ['json', 'xml'].flatMap((format) =>
    languages.map((language) => `?format=${format}${language}`),
  )
  return ['', ...queries].map((query) => ({ target: path + query }))
}

export const allFundsPaths = ['/api/v1/prices-current-all/', '/api/v1/performance-years-all/']

/** Of endpoint 3: everything there is, one window as it lies there, and a day without prices. */
export function historicPaths(isin: string): readonly { path: string; hasLanguages: boolean }[] {
  return ['0001-01-01/9999-12-31', '2024-01-01/2024-12-31', '1970-01-01/1970-01-01'].map((range) => ({
    path: `/api/v1/prices-historic/${isin}/${range}/`,
    hasLanguages: false,
  }))
}

/** Paths that end before a parameter, or have nothing at its place. */
export function missingParameters(isin: string): string[] {
  return [
    ...fundPaths('').flatMap(({ path }) => [path.slice(0, -1), path]),
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

/** Days, types and ISINs that are none. */
export function wrongParameters(isin: string): string[] {
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
    `/api/v1/prices-historic/${isin}/2000-01-01/2024-12-32/`,
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

/** Paths that are no endpoint's. */
export function outsideTheList(isin: string): string[] {
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

/** Paths that lack only their closing slash. */
export function withoutSlash(isin: string): string[] {
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

/** Formats and languages that there are not, and queries at the edge of their notation. */
export function wrongQueries(isin: string): string[] {
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
