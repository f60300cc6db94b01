/** The schemas of the lists, as a build publishes them. */
import { expect } from 'vitest'
import { documentSchemas } from '../../src/extensions/describe/json-schema.ts'
import { openSchemas } from './json-schema.ts'

const base = 'https://api.example.org'
let open: ReturnType<typeof openSchemas> | undefined

/** @param id of the list in src/core/api/contract/lists.ts */
export function expectList(id: string, document: unknown): void {
  open ??= openSchemas(documentSchemas([], base).map(({ schema }) => schema))
  const validate = open(`${base}/schemas/${id}.json`)
  validate(document)
  expect({ id, errors: validate.errors }).toEqual({ id, errors: null })
}
