/** JSON Schemas (2020-12) of shapes, and of each kind of document: `schemas/<id>.json`. */

import type { Endpoint } from '../../core/api/contract/endpoint.ts'
import { lists } from '../../core/api/contract/lists.ts'
import { memberText } from './members.ts'
import { type Fields, record, type Shape, text, wholeNumber } from '../../core/api/contract/shape.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Source: JSON Schema 2020-12, its meta-schema's `$id`. */
export const dialect = 'https://json-schema.org/draft/2020-12/schema'

/** @param name of the field that has this shape; '' for a document */
export function schemaOf(shape: Shape, name = ''): JsonSchema {
  switch (shape.kind) {
    case 'text':
      return { type: 'string', description: shape.description.en, ...shape.form }
    case 'decimal': {
      const { description, mark } = shape
      const pattern = `^-?[0-9]+(?:${mark === '.' ? '\\.' : ','}[0-9]+)?$`
      return { type: 'string', description: description.en + (mark === '.' ? '' : commaNote), pattern }
    }
    case 'day':
      return { type: 'string', description: shape.description.en, format: 'date', pattern: dayPattern }
    case 'number': {
      const type = shape.whole ? 'integer' : 'number'
      return { type, description: shape.description.en, ...shape.whole }
    }
    case 'flag':
      return { type: 'boolean', description: shape.description.en }
    case 'item':
      return {
        ...recordSchema({
          name: {
            const: shape.name,
            type: 'string',
            description: 'Display name, the same in every response',
          },
          value: schemaOf(shape.value),
        }),
        description: `${shape.value.description.en}: its display name and its value`,
      }
    case 'nullable':
      return nullable(schemaOf(shape.of, name))
    case 'record':
      return fieldsSchema(shape.fields, name)
    case 'list':
      return { type: 'array', items: schemaOf(shape.of, name) }
    case 'keyed':
      return keyedSchema(schemaOf(shape.of, name), shape.key.en)
    case 'byIsin':
      return mapByIsin(schemaOf(shape.of, name))
    default:
      return shape satisfies never
  }
}

const keyedSchema = (of: JsonSchema, key: string): JsonSchema => ({
  type: 'object',
  description: `A map. Its keys: ${key}.`,
  additionalProperties: of,
})

/** @param parent name of the field around them */
function fieldsSchema(members: Fields, parent: string): JsonSchema {
  const fields = Object.entries(members)
  const optional = fields.filter(([, { kind }]) => kind === 'optional').map(([name]) => name)
  const properties = fields.map(([name, field]) => {
    const schema = schemaOf(field.kind === 'optional' ? field.of : field, name)
    const text = 'description' in schema ? null : memberText(parent, name)
    return [name, text === null ? schema : { description: text.en, ...schema }] as const
  })
  return recordSchema(Object.fromEntries(properties), optional)
}

const mapByIsin = (of: JsonSchema): JsonSchema => ({
  type: 'object',
  description: 'A map by ISIN.',
  propertyNames: { pattern: '^[A-Z]{2}[A-Z0-9]{9}[0-9]$' },
  additionalProperties: of,
})

/** An object with these members, required unless optional, and no other. */
const recordSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

/** A parser of numbers would take `2402,03` for 2402. */
const commaNote = ' (decimal comma: `2402,03`; CSV has a point)'

export const dayPattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'

/** Adds null to a schema, and to its list of allowed values. */
function nullable(schema: JsonSchema): JsonSchema {
  const values = schema['enum']
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const named = Array.isArray(values) ? { enum: [...(values as readonly unknown[]), null] } : {}
  return { ...schema, type: [schema['type'], 'null'], ...named }
}

/** The schemas of endpoints, lists and `error`. @param baseUrl begins each `$id`; no closing slash */
export function documentSchemas(endpoints: readonly Endpoint[], baseUrl: string) {
  const document = (id: string, title: string, schema: JsonSchema) => {
    const key = schemaKey(id)
    return { key, schema: { $schema: dialect, $id: `${baseUrl}/${key}`, title, ...schema } }
  }
  const fileOf = (id: string) => `${id}.json`
  return [
    ...endpoints.map((endpoint) =>
      document(endpoint.id, endpoint.summary.en, answerSchema(endpoint, fileOf)),
    ),
    ...lists.flatMap(({ id, title, body }) =>
      body === null ? [] : [document(id, title.en, schemaOf(body))],
    ),
    document('error', 'An error', errorSchema),
  ]
}

export const schemaKey = (id: string) => `schemas/${id}.json`

/** @param reference to the schema of an endpoint, for documents over all funds */
export function answerSchema(endpoint: Endpoint, reference: (id: string) => string): JsonSchema {
  if (endpoint.scope === 'fund') return schemaOf(endpoint.body)
  return recordSchema({ funds: mapByIsin({ $ref: reference(endpoint.of.id) }) })
}

/** Source: the interface, "Error body". */
export const errorBody = record({
  title: text('What is wrong, for people'),
  type: text('URL of the documentation of the error: stable, for programs to compare'),
  status: wholeNumber('The HTTP status', 'The HTTP status', { minimum: 400, maximum: 599 }),
})

export const errorSchema: JsonSchema = recordSchema({
  title: schemaOf(errorBody.fields.title),
  type: { ...schemaOf(errorBody.fields.type), format: 'uri' },
  status: schemaOf(errorBody.fields.status),
})
