/** The registry is what `src/core/api/interface.md` says. That document is written by hand, and not derived from the code. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { structureTypes as declaredTypes } from '../../src/core/api/contract/structure-types.ts'
import { endpoints } from '../../src/core/api/endpoints/index.ts'
import { structureNames } from '../../src/extensions/conform/oracle/facts.ts'

const documentation = readFileSync(new URL('../../src/core/api/interface.md', import.meta.url), 'utf8')

/** The cells of the first table below a heading, without its head. */
function tableOf(heading: string): readonly string[][] {
  const [, section = ''] = documentation.split(`\n## ${heading}\n`)
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? []
  const rows = table.trimEnd().split('\n').slice(2)
  return rows.map((row) => row.slice(2, -2).split(' | '))
}

const inTemplate = (text: string) => text.replaceAll(/`?<(\w+)>`?/g, '{$1}')

const documented = tableOf('Endpoints').map(([number = '', path = '']) => ({
  number: parseInt(number),
  path: inTemplate(path.slice(1, -1)),
  hasLanguages: number.endsWith('●'),
}))

/** `7, 10 to 13` */
const numbersOf = (text: string) =>
  text.split(', ').flatMap((part) => {
    const [first = NaN, last = first] = part.split(' to ').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })

it('has the endpoints of the interface, in its order', () => {
  expect(documented).toHaveLength(13)
  const declared = endpoints.map((endpoint, index) => {
    const { hasLanguages } = endpoint.scope === 'all' ? endpoint.of : endpoint
    return { number: index + 1, path: endpoint.path, hasLanguages }
  })
  expect(declared).toEqual(documented)
  expect(endpoints.map(({ group }) => group.id)).toEqual(
    ['prices', 'prices', 'prices', 'performance-years', 'performance-years'].concat(
      ['investment_structure', 'figures', 'performance-legal', 'performance-launch', 'profile'],
      ['asset-allocations', 'asset-allocations', 'emt'],
    ),
  )
})

const withIsin = documented.filter(({ path }) => path.includes('{isin}'))
describe.each(withIsin)('endpoint $number', ({ number, path }) => {
  it('has just the errors of the error table', () => {
    const endpoint = endpoints.find((candidate) => candidate.path === path)
    if (endpoint?.scope !== 'fund') throw new Error(`no endpoint about one fund at ${path}`)
    const own = endpoint.group.id
    const declared = Object.values(endpoint.errors).map(({ group = own, status, slug, title }) =>
      [group, `${status} \`${slug}\``, title].join(' | '),
    )
    const expected = tableOf('Errors')
      .filter(([who = '']) => who === 'all with an ISIN' || numbersOf(who).includes(number))
      .map(([, group = '', what, title = '']) =>
        [group === '`index`' ? 'index' : own, what, inTemplate(title)].join(' | '),
      )
    expect(declared.sort()).toEqual(expected.sort())
  })
})

const types = `
asset_structure | Asset allocation
asset_structure_derivatives | Asset allocation including derivatives
asset_structure_classes | Breakdown by asset classes
business_sectors | Breakdown by business sectors
countries | Breakdown by countries
currencies | Breakdown by currencies
currencies_derivatives | Breakdown by currencies including derivatives
terms | Breakdown by duration
funds_categories | Breakdown by fund categories
industrial_sectors | Breakdown by industries
industrial_sectors_stoxx_sector | Breakdown by industries, sector classification
industrial_sectors_stoxx | Breakdown by industries, supersector classification
terms_derivatives | Breakdown by runtimes including derivatives
securities | Breakdown by securities
segments | Breakdown by segments
correlation | Correlations
degree_of_investment | Degree of investment
exposure_asset_structure | Exposure / asset structure
individual_asset_structure_1 | Individual asset classes type 1
individual_asset_structure_2 | Individual asset classes type 2
individual_asset_structure_3 | Individual asset classes type 3
individual_asset_structure_4 | Individual asset classes type 4
individual_asset_structure_5 | Individual asset classes type 5
index_structure | Investment structure according to indices
lease_terms | Investment structure according to lease terms
precious_metals | Investment structure according to precious metals
age_groups | Investment structure by age group
market_capitalization | Market cap
top_values_bonds | Top bond paper
top_values_certificates | Top certificates
top_values_funds | Top funds
top_values | Top securities
top_values_securities | Top shares`
  .trim()
  .split('\n')

it('has the structure types of the interface, in its order, by the English names that it gives', () => {
  expect([...structureNames].map(([type, names]) => `${type} | ${names.en}`)).toEqual(types)
  expect(declaredTypes).toEqual([...structureNames.keys()])
})
