/** Ajv for JSON Schema 2020-12, strict: an unknown keyword or format is an error. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

export type Schema = Readonly<Record<string, unknown>>

/** @returns a validator by the schemas' `$id` */
export function openSchemas(schemas: readonly Schema[]): (id: string) => ValidateFunction {
  // A text that may be null has `type: ['string', 'null']`.
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true })
  ajv.addFormat('date', (text) => {
    const time = Date.parse(`${text}T00:00:00Z`)
    return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === text
  })
  ajv.addFormat('uri', (text) => URL.canParse(text))
  for (const schema of schemas) ajv.addSchema(schema)
  return (id) => {
    const validate = ajv.getSchema(id)
    if (validate === undefined) throw new Error(`no schema ${id}`)
    return validate
  }
}
