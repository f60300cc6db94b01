import fc from 'fast-check'
import { expect, it } from 'vitest'
import { routeTable } from '../../../src/core/api/derive/route-table.ts'
import { securityNumbers } from '../../../src/extensions/demo/funds.ts'
import { endpoints } from '../../../src/core/api/endpoints/index.ts'
import * as keys from '../../../src/core/api/routes/keys.ts'
import { parseKey } from '../../../src/core/api/routes/parse-key.ts'
import { formats, languages, type Route } from '../../../src/core/api/routes/table.ts'

const table = routeTable(endpoints, 'https://docs.example.org')
const languageAndFormat = fc.tuple(fc.constantFrom(...languages), fc.constantFrom(...formats))
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

const years = fc.integer({ min: 1900, max: 2100 })

it.each(table.routes)('parseKey reads every key of $id', (route) => {
  fc.assert(
    fc.property(valuesOf(route), languageAndFormat, years, (values, [lang, form], year) => {
      const expectMeaning = (key: string, meaning: object) =>
        expect(parseKey(table, key)).toEqual({ route, values, ...meaning })
      if (route.parameters.length > 0)
        expectMeaning(keys.errorKey(route, values, form), { kind: 'refusal', format: form })
      const csv = { kind: route.series === undefined ? 'document' : 'window', format: 'csv' }
      const csvKey =
        route.series === undefined
          ? keys.documentKey(route, values, lang, 'csv')
          : keys.windowKey(route, values, year, 'csv')
      if (route.hasCsv) expect(parseKey(table, csvKey)).toMatchObject({ route, values, ...csv })
      else expect(parseKey(table, csvKey)).toEqual({ kind: 'unknown' })
      if (route.series === undefined) {
        const language = route.hasLanguages ? lang : null
        const meaning = { kind: 'document', language, format: form }
        expectMeaning(keys.documentKey(route, values, lang, form), meaning)
      } else {
        const window = { kind: 'window', year: String(year), format: form }
        expectMeaning(keys.windowKey(route, values, year, form), window)
        expectMeaning(keys.windowListKey(route, values), { kind: 'windowList' })
      }
    }),
  )
})

it('parseKey reads the keys of all shared errors', () => {
  for (const problem of table.problems) {
    const { group, status, slug } = problem
    for (const form of formats) {
      const meaning = { kind: 'sharedError', group, status, slug, format: form }
      expect(parseKey(table, keys.sharedErrorKey(problem, form))).toEqual(meaning)
    }
  }
})

const unknownKeys = `manifest.ndjson.gz SHA256SUMS / api/v1/prices-current/DE0008471400/
  api/v1/prices-current/DE0008471401/index.json api/v1/prices-current/DE0008471400/index.de.json
  api/v1/prices-current/DE0008471400/2025.json api/v1/prices-historic/DE0008471400/index.xml
  api/v1/prices-historic/DE0008471400/index.csv api/v1/prices-current/DE0008471400/error.csv
  errors/prices/400-wrongdate.csv
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
  ['docs/index.html', null],
  ['docs/v1/endpoints/prices/index.html', null],
  ['openapi.json', null],
  ['funds/index.html', null],
  ['funds/DE0008471400/index.html', 'DE0008471400'],
  ['funds/DE0008471401/index.html', null],
  ['funds/DE0008471400.html', null],
])('parseKey knows the page %s, and the fund that it is about', (key, isin) => {
  expect(parseKey(table, key)).toEqual({ kind: 'page', isin })
})
