/**
 * Documents as compact JSON, keys in the order of the shape. A shape is compiled once into a function that only joins
 * pieces: rendering is what a night consists of.
 */

import type { Fields, Shape } from '../contract/shape.ts'
import { shortestDecimal } from './number.ts'

/** Gives a value's JSON text. Values have the type that the shape's `ValueOf` says. */
export type Encode = (value: unknown) => string

export function jsonEncoder(shape: Shape): Encode {
  switch (shape.kind) {
    case 'text':
      return (value) => jsonText(value as string)
    case 'decimal':
    case 'day':
      return (value) => `"${value as string}"`
    case 'number':
      return (value) => shortestDecimal(value as number)
    case 'flag':
      return (value) => (value === true ? 'true' : 'false')
    case 'nullable': {
      const encode = jsonEncoder(shape.of)
      return (value) => (value === null ? 'null' : encode(value))
    }
    case 'record':
      return recordEncoder(shape.fields)
    case 'list': {
      const encode = jsonEncoder(shape.of)
      return (value) => `[${(value as readonly unknown[]).map(encode).join(',')}]`
    }
    case 'keyed':
    case 'byIsin': {
      const encode = jsonEncoder(shape.of)
      return (value) => {
        const members: string[] = []
        for (const [key, member] of value as ReadonlyMap<string, unknown>) {
          members.push(`${jsonText(key)}:${encode(member)}`)
        }
        return `{${members.join(',')}}`
      }
    }
    default:
      return shape satisfies never
  }
}

function recordEncoder(fields: Fields): Encode {
  const members = Object.entries(fields).map(([name, field]) => ({
    name,
    prefix: `${JSON.stringify(name)}:`,
    encode: jsonEncoder(field.kind === 'optional' ? field.of : field),
  }))
  return (value) => {
    let json = '{'
    for (const { name, prefix, encode } of members) {
      const member = (value as Readonly<Record<string, unknown>>)[name]
      if (member !== undefined) json += (json === '{' ? '' : ',') + prefix + encode(member)
    }
    return json + '}'
  }
}

/** A JSON string: what JSON.stringify gives, without asking it where there is nothing to escape. */
export function jsonText(text: string): string {
  return mayNeedEscape.test(text) ? JSON.stringify(text) : `"${text}"`
}

// eslint-disable-next-line no-control-regex -- these are the characters that JSON escapes
const mayNeedEscape = /[\u0000-\u001f"\\\ud800-\udfff]/
