/** The schema of each kind of JSON document that the API gives: `schemas/<id>.json`. */

import type { AllFundsEndpoint, Endpoint, FundEndpoint } from '../contract/endpoint.ts'
import { dialect, mapByIsin, recordSchema, schemaOf, type JsonSchema } from './json-schema.ts'

export interface DocumentSchema {
  /** The endpoint's id, or `error` or `window-list`. */
  readonly id: string
  /** Relative to the snapshot. */
  readonly key: string
  readonly schema: JsonSchema
}

export const errorSchemaId = 'error'
export const windowListSchemaId = 'window-list'

/** @param baseUrl where the schemas are published, without a closing slash: their `$id`s begin with it */
export function documentSchemas(endpoints: readonly Endpoint[], baseUrl: string): readonly DocumentSchema[] {
  const document = (id: string, title: string, schema: JsonSchema): DocumentSchema => ({
    id,
    key: schemaKey(id),
    schema: { $schema: dialect, $id: `${baseUrl}/${schemaKey(id)}`, title, ...schema },
  })
  return [
    ...endpoints.map((endpoint) => document(endpoint.id, endpoint.summary.en, answerSchema(endpoint))),
    document(errorSchemaId, 'An error: the answer where there is none', errorSchema),
    document(windowListSchemaId, 'The yearly windows that a fund has historic prices in', windowListSchema),
  ]
}

export const schemaKey = (id: string) => `schemas/${id}.json`

function answerSchema(endpoint: Endpoint): JsonSchema {
  return endpoint.scope === 'fund'
    ? schemaOf(endpoint.body)
    : allFundsSchema(endpoint, ({ id }) => ({ $ref: `${id}.json` }))
}

/** @param reference to the schema of the endpoint whose bodies it holds */
export const allFundsSchema = (
  { of }: AllFundsEndpoint,
  reference: (of: FundEndpoint) => JsonSchema,
): JsonSchema => recordSchema({ funds: mapByIsin(reference(of)) })

/** Source: the interface, "Error body". */
export const errorSchema: JsonSchema = recordSchema({
  title: { type: 'string', description: 'What is wrong, for people' },
  type: {
    type: 'string',
    format: 'uri',
    description: 'Address of this documentation of the error: stable, for programs to compare',
  },
  status: { type: 'integer', description: 'The HTTP status', minimum: 400, maximum: 599 },
})

const sha256Start = { type: 'string', pattern: '^[0-9a-f]{32}$' }
const day = { type: 'string', format: 'date' }

/** Source: routes/keys.ts. */
const windowListSchema: JsonSchema = recordSchema({
  windows: {
    type: 'array',
    items: recordSchema({
      year: { type: 'integer', description: 'Calendar year: the window is the file of that name' },
      first: { ...day, description: 'Date of its first record' },
      last: { ...day, description: 'Date of its last record' },
      records: { type: 'integer', minimum: 1, description: 'How many records it has' },
      json: { ...sha256Start, description: 'First half of the SHA-256 of its JSON file' },
      xml: { ...sha256Start, description: 'First half of the SHA-256 of its XML file' },
    }),
  },
})
