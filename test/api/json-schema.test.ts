import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonEncoder } from '../../src/api/encode/json.ts'
import { dialect, schemaOf } from '../../src/api/derive/json-schema.ts'
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
