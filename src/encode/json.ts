/**
 * Documents as compact JSON, keys in the order of the shape. A shape is compiled once into constant text around what
 * changes, so that rendering, which is what a night consists of, is joining few pieces.
 */

import type { Fields, Shape } from '../contract/shape.ts'
import { shortestDecimal } from './number.ts'

/** Gives a value's text. Values have the type that the shape's `ValueOf` says. */
export type Encode = (value: unknown) => string

export function jsonEncoder(shape: Shape): Encode {
  const { before, text, after } = compile(shape)
  return before === '' && after === '' ? text : (value) => before + text(value) + after
}

/** What is the same for all values of a shape, around what is not. */
interface Compiled {
  readonly before: string
  readonly text: Encode
  readonly after: string
}

const asItIs = (value: unknown) => value as string
const bare = (text: Encode): Compiled => ({ before: '', text, after: '' })

function compile(shape: Shape): Compiled {
  switch (shape.kind) {
    case 'text':
      return bare((value) => jsonText(value as string))
    case 'decimal':
    case 'day':
      return { before: '"', text: asItIs, after: '"' }
    case 'number':
      return bare((value) => shortestDecimal(value as number))
    case 'flag':
      return bare((value) => (value === true ? 'true' : 'false'))
    case 'item': {
      const { before, text, after } = compile(shape.value)
      return { before: `{"name":${jsonText(shape.name)},"value":${before}`, text, after: `${after}}` }
    }
    case 'nullable': {
      const encode = jsonEncoder(shape.of)
      return bare((value) => (value === null ? 'null' : encode(value)))
    }
    case 'record':
      return compileRecord(shape.fields)
    case 'list': {
      const encode = jsonEncoder(shape.of)
      return { before: '[', text: (value) => (value as readonly unknown[]).map(encode).join(','), after: ']' }
    }
    case 'keyed':
    case 'byIsin': {
      const encode = jsonEncoder(shape.of)
      const members = (value: unknown) =>
        Array.from(
          value as ReadonlyMap<string, unknown>,
          ([key, member]) => `${jsonText(key)}:${encode(member)}`,
        )
      return { before: '{', text: (value) => members(value).join(','), after: '}' }
    }
    default:
      return shape satisfies never
  }
}

function compileRecord(fields: Fields): Compiled {
  const members = Object.entries(fields).map(([name, field], index) => {
    const { before, text, after } = compile(field.kind === 'optional' ? field.of : field)
    return { name, before: `${index === 0 ? '' : ','}${JSON.stringify(name)}:${before}`, text, after }
  })
  const startsWithOptional = Object.values(fields)[0]?.kind === 'optional'
  const text = (value: unknown) => {
    let json = ''
    for (const { name, before, text, after } of members) {
      const member = (value as Readonly<Record<string, unknown>>)[name]
      if (member !== undefined) json += before + text(member) + after
    }
    // The comma of a field whose predecessors were all left out.
    return startsWithOptional && json.startsWith(',') ? json.slice(1) : json
  }
  return { before: '{', text, after: '}' }
}

/** A JSON string: what JSON.stringify gives, without asking it where there is nothing to escape. */
export function jsonText(text: string): string {
  return mayNeedEscape.test(text) ? JSON.stringify(text) : `"${text}"`
}

const mayNeedEscape = /[\u0000-\u001f"\\\ud800-\udfff]/
