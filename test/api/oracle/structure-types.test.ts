/** The one thing that oracle and product share, held to the interface's own table. */
import { expect, it } from 'vitest'
import { structureNames } from '../../../src/conform/oracle/facts.ts'

it('knows the 33 structure types of the interface by the English names that it gives', () => {
  expect([...structureNames].map(([type, names]) => `${type} | ${names.en}`)).toEqual(interfaceTable)
})

const interfaceTable = [
  'asset_structure | Asset allocation',
  'asset_structure_derivatives | Asset allocation including derivatives',
  'asset_structure_classes | Breakdown by asset classes',
  'business_sectors | Breakdown by business sectors',
  'countries | Breakdown by countries',
  'currencies | Breakdown by currencies',
  'currencies_derivatives | Breakdown by currencies including derivatives',
  'terms | Breakdown by duration',
  'funds_categories | Breakdown by fund categories',
  'industrial_sectors | Breakdown by industries',
  'industrial_sectors_stoxx_sector | Breakdown by industries, sector classification',
  'industrial_sectors_stoxx | Breakdown by industries, supersector classification',
  'terms_derivatives | Breakdown by runtimes including derivatives',
  'securities | Breakdown by securities',
  'segments | Breakdown by segments',
  'correlation | Correlations',
  'degree_of_investment | Degree of investment',
  'exposure_asset_structure | Exposure / asset structure',
  'individual_asset_structure_1 | Individual asset classes type 1',
  'individual_asset_structure_2 | Individual asset classes type 2',
  'individual_asset_structure_3 | Individual asset classes type 3',
  'individual_asset_structure_4 | Individual asset classes type 4',
  'individual_asset_structure_5 | Individual asset classes type 5',
  'index_structure | Investment structure according to indices',
  'lease_terms | Investment structure according to lease terms',
  'precious_metals | Investment structure according to precious metals',
  'age_groups | Investment structure by age group',
  'market_capitalization | Market cap',
  'top_values_bonds | Top bond paper',
  'top_values_certificates | Top certificates',
  'top_values_funds | Top funds',
  'top_values | Top securities',
  'top_values_securities | Top shares',
]
