/** The list of a fund's yearly windows, which only an edge reads. Source: src/core/bucket/keys.md, "Window list". */
import type { Schema } from './json-schema.ts'

const record = (properties: Schema) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const byFormat = (of: Schema) => record({ json: of, xml: of, csv: of })
const day = { type: 'string', format: 'date' }
const sha256Start = { type: 'string', pattern: '^[0-9a-f]{32}$' }
const text = { type: 'string' }
const offset = { type: 'integer', minimum: 0 }

export const windowListSchema = (id: string): Schema => ({
  $id: id,
  ...record({
    windows: {
      type: 'array',
      items: record({
        year: { type: 'integer' },
        first: day,
        last: day,
        records: { type: 'integer', minimum: 1 },
        json: sha256Start,
        xml: sha256Start,
        csv: sha256Start,
        months: byFormat({ type: 'array', minItems: 13, maxItems: 13, items: offset }),
      }),
    },
    around: byFormat(record({ head: text, tail: text })),
  }),
})
