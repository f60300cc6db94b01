import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonEncoder } from '../../src/core/api/encode/json.ts'
import { dialect, schemaOf } from '../../src/extensions/describe/json-schema.ts'
import { openApi } from '../../src/extensions/describe/openapi.ts'
import { endpoints } from '../../src/core/api/endpoints/index.ts'
import { document } from './encode/documents.ts'
import { openSchemas } from '../support/json-schema.ts'
import { times } from '../support/rounds.ts'

const $id = 'https://example.org/schema.json'

it('describes any document of any shape as it is encoded', () => {
  fc.assert(
    fc.property(document, ({ shape, value }) => {
      const validate = openSchemas([{ $schema: dialect, $id, ...schemaOf(shape) }])($id)
      validate(JSON.parse(jsonEncoder(shape)(value)))
      expect(validate.errors).toBe(null)
    }),
    { numRuns: times(200) },
  )
})

it('says of each decimal with a comma that it has one, and so does the operation', () => {
  const { paths, components } = openApi({
    endpoints,
    lists: [],
    listExamples: new Map(),
    examples: new Map(),
    values: {},
    baseUrl: '',
    docsUrl: '',
    publisher: null,
  }) as Readonly<Record<'paths' | 'components', Readonly<Record<string, unknown>>>>
  const decimals = [
    ...JSON.stringify(components).matchAll(/"description":"([^"]*)","pattern":"\^-\?\[0-9\]\+\(\?:(,|\\)/g),
  ]
  expect(decimals.filter(([, , mark]) => mark === ',').length).toBeGreaterThan(5)
  for (const [, description = '', mark] of decimals)
    expect(description.includes('decimal comma')).toBe(mark === ',')
  const said = Object.entries(paths).filter(([, item]) =>
    JSON.stringify(item).includes('with a comma, such as'),
  )
  expect(said.map(([path]) => path)).toEqual(['/api/v1/prices-historic/{isin}/{datefrom}/{dateto}/'])
})

it('describes no document that lacks a member or has another one', () => {
  fc.assert(
    fc.property(document, ({ shape, value }) => {
      fc.pre(shape.kind === 'record' && Object.values(shape.fields).some(({ kind }) => kind !== 'optional'))
      const validate = openSchemas([{ $schema: dialect, $id, ...schemaOf(shape) }])($id)
      const good = JSON.parse(jsonEncoder(shape)(value))
      expect(validate({ ...good, '': 1 })).toBe(false)
      expect(validate({})).toBe(false)
    }),
    { numRuns: times(100) },
  )
})
