/** Rows of the error table that several endpoints share. Titles and slugs: decisions.md, Errors. */

import type { ErrorRow } from './endpoint.ts'

export const noIsin: ErrorRow = { group: 'index', status: 400, slug: 'noisin', title: 'No ISIN provided' }

/** Endpoints 7, 10, 11, 12, 13. */
export const unknownIsin: ErrorRow = {
  status: 404,
  slug: 'notfound',
  title: 'There is no fund with this ISIN: {isin}',
}

/** Endpoints 7, 10, 11, 12, 13. */
export const dataDenied: ErrorRow = {
  status: 403,
  slug: 'noapidataforfund',
  title: 'It is not permitted to get data for the fund with ISIN: {isin}',
}

/** Endpoints 10, 13. */
export const noData: ErrorRow = {
  status: 404,
  slug: 'nodata',
  title: 'No data found for the fund with ISIN: {isin}',
}

/** Endpoints 1, 2, 3. */
export const pricesDenied: ErrorRow = {
  status: 403,
  slug: 'noapidataforfund',
  title: 'Not permitted to get data for the fund with ISIN: {isin}',
}

/** Endpoints 4, 5, 8, 9. */
export const tooYoung: ErrorRow = {
  status: 403,
  slug: 'noapidataforfund',
  title:
    'Not permitted to get performance data for the fund with ISIN: {isin}, because the fund is not yet one year old',
}

/** Errors that belong to no endpoint: their group is `index`. */
export const generalErrors = {
  wrongMethod: { group: 'index', status: 405, slug: 'wrongmethod', title: 'Method not allowed: {method}' },
  noEndpoint: { group: 'index', status: 404, slug: 'noendpoint', title: 'There is no such endpoint: {path}' },
  wrongFormat: { group: 'index', status: 400, slug: 'wrongformat', title: 'Unsupported format: {format}' },
  wrongLanguage: {
    group: 'index',
    status: 400,
    slug: 'wronglanguage',
    title: 'Unsupported language: {language}',
  },
} as const
