/** An endpoint that only this test registers: all that is derived from the registry must know it. */
import { expect, it } from 'vitest'
import { allFunds, endpoint, fail } from '../../src/core/api/contract/endpoint.ts'
import { noIsin } from '../../src/core/api/contract/errors.ts'
import { fundOfPrices, fundWithoutStatus } from '../../src/core/api/contract/fund.ts'
import { siteParts } from '../../src/core/api/contract/page.ts'
import { number, record, text } from '../../src/core/api/contract/shape.ts'
import { documentSchemas } from '../../src/extensions/describe/json-schema.ts'
import { openApi } from '../../src/extensions/describe/openapi.ts'
import { routeTable } from '../../src/core/api/derive/route-table.ts'
import { endpoints } from '../../src/core/api/endpoints/index.ts'
import { documentKey } from '../../src/core/api/routes/keys.ts'
import { matchPath } from '../../src/core/api/routes/match.ts'
import { docsPages } from '../../src/extensions/describe/pages.ts'

const carbon = endpoint({
  id: 'carbon-footprint',
  group: {
    id: 'carbon',
    title: { en: 'Carbon footprint', de: 'CO2-Fußabdruck' },
    lead: { en: 'Tonnes of carbon dioxide.', de: 'Tonnen Kohlendioxid.' },
  },
  path: '/api/v3/carbon-{scope}/{isin}/',
  name: { en: 'Carbon', de: 'CO2' },
  summary: { en: 'Carbon footprint of one fund', de: 'CO2-Fußabdruck eines Fonds' },
  hasLanguages: false,
  parameters: {
    scope: {
      kind: 'choice',
      choices: ['direct', 'indirect'],
      invalid: 'wrongscope',
      nameOf: (scope, language) => `${scope} ${language}`,
    },
    isin: { kind: 'isin', missing: 'noisin', unknown: 'nodata' },
  },
  errors: {
    noisin: noIsin,
    wrongscope: {
      status: 416,
      slug: 'wrongscope',
      title: 'There is no scope {scope}',
      when: { en: 'The scope is none of the two.', de: 'Der Bereich ist keiner der beiden.' },
    },
    nodata: {
      status: 404,
      slug: 'nodata',
      title: 'No footprint of {isin}',
      when: { en: 'Nobody has measured it.', de: 'Niemand hat ihn gemessen.' },
    },
  },
  reads: [],
  body: record({ fund: fundOfPrices, tonnes: number('Tonnes per year', 'Tonnen im Jahr') }),
  build: ({ fund }) =>
    fund.dataPermitted === 0 ? fail('nodata') : { fund: fundWithoutStatus(fund), tonnes: 12.5 },
})
const carbonAll = allFunds(carbon, {
  id: 'carbon-footprint-all',
  path: '/api/v3/carbon-all/',
  summary: { en: 'Carbon footprint of all funds', de: 'CO2-Fußabdruck aller Fonds' },
})

const registry = [...endpoints, carbon, carbonAll]
const baseUrl = 'https://api.example.org'
const docsUrl = 'https://docs.example.org'
const asOf = '2026-11-19'
const table = routeTable(registry, docsUrl)

it('is found by the routes, with its key and its errors', () => {
  const found = matchPath(table, '/api/v3/carbon-direct/DE0008471400/')
  if (found.kind !== 'route') throw new Error('no route')
  expect(documentKey(found.route, found.values, 'en', 'xml')).toBe(
    'api/v3/carbon-direct/DE0008471400/index.xml',
  )
  expect(matchPath(table, '/api/v3/carbon-all/')).toMatchObject({ route: { id: 'carbon-footprint-all' } })
  expect(table.problems).toContainEqual({
    group: 'carbon',
    status: 416,
    slug: 'wrongscope',
    title: 'There is no scope {scope}',
  })
})

it('has a JSON Schema, and so has the document over all funds', () => {
  const schemas = new Map(documentSchemas(registry, baseUrl).map(({ key, schema }) => [key, schema]))
  expect(schemas.get('schemas/carbon-footprint.json')).toMatchObject({
    title: 'Carbon footprint of one fund',
    properties: { tonnes: { type: 'number', description: 'Tonnes per year' } },
  })
  expect(JSON.stringify(schemas.get('schemas/carbon-footprint-all.json'))).toContain('carbon-footprint.json')
})

it('is an operation of the OpenAPI description', () => {
  const common = { baseUrl, docsUrl, publisher: null }
  const without = { lists: [], listExamples: new Map(), examples: new Map(), values: {} }
  const source = { endpoints: registry, ...common, ...without }
  const described = openApi(source)
  expect(described['tags']).toContainEqual({
    name: 'carbon',
    description: 'Carbon footprint',
    externalDocs: { url: `${docsUrl}/v1/endpoints/carbon/` },
  })
  expect(described['paths']).toMatchObject({
    '/api/v3/carbon-{scope}/{isin}/': {
      get: {
        operationId: 'carbon-footprint',
        responses: { 416: { description: 'There is no scope {scope}' } },
      },
    },
    '/api/v3/carbon-all/': { get: { tags: ['carbon'] } },
  })
})

it('is documented in English and German', () => {
  const source = {
    table,
    baseUrl,
    parts: siteParts,
    publisher: null,
    caching: null,
    asOf,
    funds: [],
    history: () => ({ navs: [], actions: [] }),
    mergers: [],
    exampleIsin: null,
  }
  const pages = [...docsPages({ ...source, exampleAnswer: () => null, listExamples: new Map() }, registry)]
  const content = new Map(pages.map((page) => [page.key, String(page.content)]))
  for (const [key, words] of [
    ['docs/v1/endpoints/carbon/index.html', 'Tonnes of carbon dioxide.|Tonnes per year|direct en'],
    ['docs/v1/endpoints/carbon/index.html', 'Nobody has measured it.'],
    ['docs/de/v1/endpoints/carbon/index.html', 'Tonnen Kohlendioxid.|Tonnen im Jahr|indirect de'],
    ['docs/de/v1/endpoints/carbon/index.html', 'Niemand hat ihn gemessen.'],
    ['docs/index.html', 'v1/endpoints/carbon/index.html#carbon-footprint-all'],
    ['openapi.json', '/api/v3/carbon-all/'],
  ] as const)
    for (const text of words.split('|')) expect(content.get(key)).toContain(text)
})

it('is refused if a date has no series, an error that it names is not declared, or its path lacks a parameter', () => {
  const tableWith = (more: object) => routeTable([{ ...carbon, ...more }], docsUrl)
  const date = { kind: 'date', invalid: 'wrongscope', meaning: text('Day', 'Tag').description }
  expect(() => tableWith({ path: '/api/v3/{date}/{scope}/{isin}/', parameters: { date } })).toThrow(
    'go together',
  )
  expect(() => tableWith({ path: '/api/v3/carbon/' })).toThrow('its path has no {scope}')
  expect(() => tableWith({ errors: {} })).toThrow('no error wrongscope')
})
