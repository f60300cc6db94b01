import fc from 'fast-check'
import { expect, it } from 'vitest'
import { routeTable } from '../../../src/api/derive/route-table.ts'
import { securityNumbers } from '../../../src/demo/isin.ts'
import { endpoints } from '../../../src/api/endpoints/index.ts'
import {
  documentKey,
  errorKey,
  sharedErrorKey,
  windowKey,
  windowListKey,
} from '../../../src/api/routes/keys.ts'
import { parseKey } from '../../../src/api/routes/parse-key.ts'
import { formats, languages, type Route } from '../../../src/api/routes/table.ts'

const table = routeTable(endpoints, 'https://docs.example.org')
const format = fc.constantFrom(...formats)
const language = fc.constantFrom(...languages)
const isin = fc
  .tuple(fc.nat(100_000), fc.nat(1_000_000), fc.constantFrom('DE' as const, 'LU' as const, 'AT' as const))
  .map(([seed, number, country]) => securityNumbers(seed, number, country).isin)

const valuesOf = (route: Route) =>
  fc.record(
    Object.fromEntries(
      route.parameters.flatMap((parameter) => {
        if (parameter.kind === 'date') return []
        return [[parameter.name, parameter.kind === 'isin' ? isin : fc.constantFrom(...parameter.choices)]]
      }),
    ),
  )

it.each(table.routes.map((route) => [route.id, route] as const))(
  'parseKey reads every key of %s',
  (_, route) => {
    const values = valuesOf(route)
    fc.assert(
      fc.property(
        values,
        language,
        format,
        fc.integer({ min: 1900, max: 2100 }),
        (given, lang, form, year) => {
          if (route.parameters.length > 0) {
            const refusal = { kind: 'refusal', route, values: given, format: form }
            expect(parseKey(table, errorKey(route, given, form))).toEqual(refusal)
          }
          if (route.series === undefined) {
            expect(parseKey(table, documentKey(route, given, lang, form))).toEqual({
              kind: 'document',
              route,
              values: given,
              language: route.hasLanguages ? lang : null,
              format: form,
            })
            return
          }
          const window = { kind: 'window', route, values: given, year: String(year), format: form }
          expect(parseKey(table, windowKey(route, given, year, form))).toEqual(window)
          const list = { kind: 'windowList', route, values: given }
          expect(parseKey(table, windowListKey(route, given))).toEqual(list)
        },
      ),
    )
  },
)

it('parseKey reads the keys of all shared errors', () => {
  for (const problem of table.problems) {
    const { group, status, slug } = problem
    for (const form of formats) {
      const meaning = { kind: 'sharedError', group, status, slug, format: form }
      expect(parseKey(table, sharedErrorKey(problem, form))).toEqual(meaning)
    }
  }
})

const unknownKeys = `manifest.ndjson.gz SHA256SUMS / api/v1/prices-current/DE0008471400/
  api/v1/prices-current/DE0008471401/index.json api/v1/prices-current/DE0008471400/index.de.json
  api/v1/prices-current/DE0008471400/2025.json api/v1/prices-historic/DE0008471400/index.xml
  api/v1/figures/DE0008471400/index.json api/v1/figures/DE0008471400/index.fr.json
  api/v1/figures/DE0008471400/error.de.json api/v1/investment_structure-/DE0008471400/index.de.json
  api/v1/nothing/DE0008471400/index.json errors/index/4040-noendpoint.json docs/ docs-old/index.html`

it.each(['', ...unknownKeys.split(/\s+/)])('parseKey does not know %j', (key) => {
  expect(parseKey(table, key)).toEqual({ kind: 'unknown' })
})

it('parseKey knows a structure type of another version', () => {
  const key = 'api/v1/investment_structure-planets/DE0008471400/index.de.json'
  expect(parseKey(table, key)).toMatchObject({
    kind: 'document',
    values: { type: 'planets', isin: 'DE0008471400' },
  })
})

it.each([
  ['docs/index.html', null, 'docs/index.html'],
  ['docs/v1/endpoints/prices/index.html', null, 'docs/v1/endpoints/prices/index.html'],
  ['openapi.json', null, 'openapi.json'],
  ['funds/index.html', null, 'funds/index.html'],
  ['funds/DE0008471400/index.html', 'DE0008471400', 'funds/index.html'],
  ['funds/DE0008471401/index.html', null, 'funds/DE0008471401/index.html'],
  ['funds/DE0008471400.html', null, 'funds/DE0008471400.html'],
])('parseKey knows the page %s, and the fund that it is about', (key, isin, name) => {
  expect(parseKey(table, key)).toEqual({ kind: 'page', isin, name })
})
