/** The interface's endpoint list and error table, and src/api/decisions.md on errors, copied by hand: not derived from src/. */

/** Source: "Endpoint list"; src/api/decisions.md for groups; src/bucket/keys.md for languages. */
export const endpointTable = [
  { number: 1, path: '/api/v1/prices-current/<isin>/', group: 'prices', hasLanguages: false },
  { number: 2, path: '/api/v1/prices-current-all/', group: 'prices', hasLanguages: false },
  {
    number: 3,
    path: '/api/v1/prices-historic/<isin>/<datefrom>/<dateto>/',
    group: 'prices',
    hasLanguages: false,
  },
  { number: 4, path: '/api/v1/performance-years/<isin>/', group: 'performance-years', hasLanguages: false },
  { number: 5, path: '/api/v1/performance-years-all/', group: 'performance-years', hasLanguages: false },
  {
    number: 6,
    path: '/api/v1/investment_structure-<type>/<isin>/',
    group: 'investment_structure',
    hasLanguages: true,
  },
  { number: 7, path: '/api/v1/figures/<isin>/', group: 'figures', hasLanguages: true },
  { number: 8, path: '/api/v1/performance-legal/<isin>/', group: 'performance-legal', hasLanguages: false },
  { number: 9, path: '/api/v1/performance-launch/<isin>/', group: 'performance-launch', hasLanguages: false },
  { number: 10, path: '/api/v1/profile/<isin>/', group: 'profile', hasLanguages: true },
  {
    number: 11,
    path: '/api/v2/asset-allocations/with-derivatives/<isin>/',
    group: 'asset-allocations',
    hasLanguages: true,
  },
  {
    number: 12,
    path: '/api/v2/asset-allocations/without-derivatives/<isin>/',
    group: 'asset-allocations',
    hasLanguages: true,
  },
  { number: 13, path: '/api/v2/emt/<isin>/', group: 'emt', hasLanguages: true },
] as const

const young =
  'Not permitted to get performance data for the fund with ISIN: <isin>, because the fund is not yet one year old'
const denied = 'It is not permitted to get data for the fund with ISIN: <isin>'
const unknown = 'There is no fund with this ISIN: <isin>'

/** Source: "Error table"; src/api/decisions.md for slugs and full titles. One line an error of an endpoint about one fund. */
export const errorTable = [
  {
    endpoints: [1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13],
    status: 400,
    slug: 'noisin',
    title: 'No ISIN provided',
    group: 'index',
  },
  { endpoints: [3], status: 400, slug: 'wrongdate', title: 'Wrong or missing date parameters' },
  {
    endpoints: [1, 3],
    status: 403,
    slug: 'noapidataforfund',
    title: 'Not permitted to get data for the fund with ISIN: <isin>',
  },
  {
    endpoints: [1],
    status: 404,
    slug: 'notfound',
    title: 'No current prices for the fund with ISIN: <isin>',
  },
  {
    endpoints: [3],
    status: 404,
    slug: 'notfound',
    title: 'No historic prices for the fund with ISIN: <isin>',
  },
  { endpoints: [4], status: 404, slug: 'nodata', title: 'No performance data (years) for the fund: <isin>' },
  { endpoints: [4, 8, 9], status: 403, slug: 'noapidataforfund', title: young },
  {
    endpoints: [6],
    status: 404,
    slug: 'nodata',
    title: 'No investment structure data found for this fund and type: <isin>, <type>',
  },
  { endpoints: [6], status: 416, slug: 'wrongtype', title: 'There is no investment structure type: <type>' },
  { endpoints: [7, 10, 11, 12, 13], status: 404, slug: 'notfound', title: unknown },
  { endpoints: [7, 10, 11, 12, 13], status: 403, slug: 'noapidataforfund', title: denied },
  { endpoints: [10, 13], status: 404, slug: 'nodata', title: 'No data found for the fund with ISIN: <isin>' },
  {
    endpoints: [8],
    status: 404,
    slug: 'nodata',
    title: 'No performance data (legal) found for this fund: <isin>',
  },
  {
    endpoints: [9],
    status: 404,
    slug: 'nodata',
    title: 'No performance data (full) found for this fund: <isin>',
  },
] as const

/** Source: "Investment structure types". */
export const structureTypes =
  `asset_structure asset_structure_derivatives asset_structure_classes business_sectors countries currencies
  currencies_derivatives terms funds_categories industrial_sectors industrial_sectors_stoxx_sector
  industrial_sectors_stoxx terms_derivatives securities segments correlation degree_of_investment
  exposure_asset_structure individual_asset_structure_1 individual_asset_structure_2 individual_asset_structure_3
  individual_asset_structure_4 individual_asset_structure_5 index_structure lease_terms precious_metals age_groups
  market_capitalization top_values_bonds top_values_certificates top_values_funds top_values
  top_values_securities`.split(/\s+/)
