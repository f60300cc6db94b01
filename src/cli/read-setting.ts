/** Reading one setting's value: from JSON, or from text as the environment and the flags give it. */

import type { Setting, ValueSchema } from './setting.ts'

/**
 * @param value what the config file says
 * @param folder where a relative path starts
 * @returns the value in the program's form, or undefined if it is not what the setting expects
 */
export function readValue(setting: Setting<unknown>, value: unknown, folder: string): unknown {
  if (!accepts(setting.schema, value)) return undefined
  return typeof value === 'string' && setting.tidy !== undefined ? setting.tidy(value, folder) : value
}

/** The same for text: a flag's argument or an environment variable. Relative paths start at the working directory. */
export function readText(setting: Setting<unknown>, text: string): unknown {
  return readValue(setting, fromText(setting.schema, text), '')
}

function accepts(schema: ValueSchema, value: unknown): boolean {
  switch (schema.type) {
    case 'string':
      return typeof value === 'string' && new RegExp(schema.pattern, 'u').test(value)
    case 'integer':
    case 'number':
      return (
        typeof value === 'number' &&
        (schema.type === 'number' || Number.isInteger(value)) &&
        value >= schema.minimum &&
        value <= schema.maximum
      )
    case 'boolean':
      return typeof value === 'boolean'
    case 'array':
      return (
        Array.isArray(value) &&
        value.length >= schema.minItems &&
        value.every((item) => accepts(schema.items, item))
      )
  }
}

function fromText(schema: ValueSchema, text: string): unknown {
  switch (schema.type) {
    case 'string':
      return text
    case 'integer':
      return /^[0-9]+$/.test(text) ? Number(text) : text
    case 'number':
      return /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
    case 'array':
      return text.split(',')
  }
}
