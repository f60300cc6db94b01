/** JSON Schemas (2020-12) from the shapes of documents: what the JSON form of a value looks like. */

import type { Decimal, Fields, Numeric, Shape, Text } from '../contract/shape.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Source: JSON Schema 2020-12, its meta-schema's `$id`. */
export const dialect = 'https://json-schema.org/draft/2020-12/schema'

/**
 * @param xml whether to add OpenAPI's `xml` hints: attributes and keyed maps are beyond them, descriptions tell
 */
export function schemaOf(shape: Shape, { xml = false } = {}): JsonSchema {
  switch (shape.kind) {
    case 'text':
      return { type: 'string', description: shape.description.en, ...formOf(shape) }
    case 'decimal':
      return { type: 'string', description: shape.description.en, pattern: decimalPattern(shape) }
    case 'day':
      return { type: 'string', description: shape.description.en, format: 'date', pattern: dayPattern }
    case 'number':
      return {
        type: shape.whole ? 'integer' : 'number',
        description: shape.description.en,
        ...boundsOf(shape),
      }
    case 'flag':
      return { type: 'boolean', description: shape.description.en }
    case 'item':
      return recordSchema({ name: { const: shape.name, type: 'string' }, value: schemaOf(shape.value) }, [])
    case 'nullable':
      return nullable(schemaOf(shape.of, { xml }))
    case 'record':
      return recordSchema(members(shape.fields, xml), optionalNames(shape.fields))
    case 'list':
      return listSchema(schemaOf(shape.of, { xml }), xml)
    case 'keyed':
      return keyedSchema(schemaOf(shape.of, { xml }), shape.key.en, xml)
    case 'byIsin':
      return mapByIsin(schemaOf(shape.of, { xml }))
    default:
      return shape satisfies never
  }
}

const listSchema = (items: JsonSchema, xml: boolean): JsonSchema =>
  xml
    ? { type: 'array', items: { ...items, xml: { name: 'item' } }, xml: { wrapped: true } }
    : { type: 'array', items }

const keyedSchema = (of: JsonSchema, key: string, xml: boolean): JsonSchema => ({
  type: 'object',
  description: `A map. Its keys: ${key}.${xml ? ' In XML an `item` each, with the key as its attribute `key`.' : ''}`,
  additionalProperties: of,
})

/** A map by ISIN of what the schema says. */
export const mapByIsin = (of: JsonSchema): JsonSchema => ({
  type: 'object',
  description: 'A map by ISIN.',
  propertyNames: { pattern: isinPattern },
  additionalProperties: of,
})

/** An object that has these members, all but the optional ones, and no other. */
export const recordSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
})

export const isinPattern = '^[A-Z]{2}[A-Z0-9]{9}[0-9]$'
export const dayPattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'

const decimalPattern = ({ mark }: Decimal) => `^-?[0-9]+(?:${mark === '.' ? '\\.' : ','}[0-9]+)?$`

function formOf({ form }: Text): JsonSchema {
  if (form === undefined) return {}
  return form.kind === 'pattern' ? { pattern: form.pattern } : { enum: form.values }
}

function boundsOf({ whole }: Numeric): JsonSchema {
  const minimum = whole?.from ?? null
  const maximum = whole?.to ?? null
  return { ...(minimum === null ? {} : { minimum }), ...(maximum === null ? {} : { maximum }) }
}

/** Adds null to a schema, and to its list of allowed values if it has one. */
function nullable(schema: JsonSchema): JsonSchema {
  const values = schema['enum']
  if (typeof schema['type'] !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const named = Array.isArray(values) ? { enum: [...(values as readonly unknown[]), null] } : {}
  return { ...schema, type: [schema['type'], 'null'], ...named }
}

const members = (fields: Fields, xml: boolean): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      schemaOf(field.kind === 'optional' ? field.of : field, { xml }),
    ]),
  )

const optionalNames = (fields: Fields) =>
  Object.keys(fields).filter((name) => fields[name]?.kind === 'optional')
