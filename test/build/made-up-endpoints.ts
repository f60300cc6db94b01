/** A registry with two more endpoints: one about a fund, and the same over all funds. Threads import this file as it is. */
import { allFunds, endpoint } from '../../src/core/api/contract/endpoint.ts'
import { noIsin } from '../../src/core/api/contract/errors.ts'
import { number, record } from '../../src/core/api/contract/shape.ts'
import { endpoints as ownEndpoints } from '../../src/core/api/endpoints/index.ts'

const carbon = endpoint({
  id: 'carbon-footprint',
  group: {
    id: 'carbon',
    title: { en: 'Carbon footprint', de: 'CO2-Fußabdruck' },
    lead: { en: 'Tonnes of carbon dioxide.', de: 'Tonnen Kohlendioxid.' },
  },
  path: '/api/v3/carbon/{isin}/',
  name: { en: 'Carbon', de: 'CO2' },
  summary: { en: 'Carbon footprint of one fund', de: 'CO2-Fußabdruck eines Fonds' },
  hasLanguages: false,
  parameters: { isin: { kind: 'isin', missing: 'noisin', unknown: 'noisin' } },
  errors: { noisin: noIsin },
  reads: [],
  body: record({ tonnes: number('Tonnes per year', 'Tonnen im Jahr') }),
  build: () => ({ tonnes: 12.5 }),
})
const carbonAll = allFunds(carbon, {
  id: 'carbon-footprint-all',
  path: '/api/v3/carbon-all/',
  summary: { en: 'Carbon footprint of all funds', de: 'CO2-Fußabdruck aller Fonds' },
})

export const endpoints = [...ownEndpoints, carbon, carbonAll]
