/** Documents as compact JSON, keys in the order of the shape. Shapes are compiled once, for fast rendering. */

import type { Fields, Shape } from '../contract/shape.ts'

/** Writes a value, which has the type `ValueOf` of the shape. */
export type Encode = (value: unknown) => string

export function jsonEncoder(shape: Shape): Encode {
  const { before, text, after } = compile(shape)
  return before === '' && after === '' ? text : (value) => before + text(value) + after
}

/** Text around every value of a shape, and the encoder of the rest. */
export interface Compiled {
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
  const text = joinMembers(members)
  if (Object.values(fields)[0]?.kind !== 'optional') return { before: '{', text, after: '}' }
  // Removes the comma of a field whose predecessors were all left out.
  return { before: '{', text: (value) => text(value).replace(/^,/, ''), after: '}' }
}

export const joinMembers =
  (members: readonly (Compiled & { readonly name: string })[]): Encode =>
  (value) => {
    let joined = ''
    for (const { name, before, text, after } of members) {
      const member = (value as Readonly<Record<string, unknown>>)[name]
      if (member === undefined) continue
      // One after the other: `before + text + after` would make another text, millions of times.
      joined += before
      joined += text(member)
      joined += after
    }
    return joined
  }

/** Same as JSON.stringify, but faster if there is nothing to escape. */
export function jsonText(text: string): string {
  return mayNeedEscape.test(text) ? JSON.stringify(text) : `"${text}"`
}

const mayNeedEscape = /[\u0000-\u001f"\\\ud800-\udfff]/

/**
 * The shortest decimal digits that name this double, never an exponent. Source: src/core/api/decisions.md, Values. @throws
 * {RangeError} for NaN and the infinities
 */
export function shortestDecimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError(`${value} cannot be published as a number`)
  const digits = String(value)
  return digits.includes('e') ? withoutExponent(digits) : digits
}

function withoutExponent(scientific: string): string {
  const [mantissa = '', exponent = '0'] = scientific.split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.')
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits.padEnd(point, '0')
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}
