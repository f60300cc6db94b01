/** JSON documents with their numbers digit for digit. */
import type { Leaves } from './read-xml.ts'

/** The values of a document by their place, as the interface writes them in XML: true as 1, null as nothing. */
export function readJson(json: string): Leaves {
  const leaves: (readonly [string, string])[] = []
  const add = (place: string, value: unknown): void => {
    const children = value instanceof Digits || typeof value !== 'object' ? [] : Object.entries(value ?? {})
    if (children.length === 0) leaves.push([place, textOf(value)])
    for (const [key, child] of children) add(place === '/' ? `/${key}` : `${place}/${key}`, child)
  }
  add(
    '/',
    parse(json, (_, value, { source }) => (typeof value === 'number' ? new Digits(source ?? '') : value)),
  )
  return leaves
}

/** A number as it stands in the text. */
class Digits {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The third argument is newer than the types. */
type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown
const parse = JSON.parse as (json: string, reviver: Reviver) => unknown

function textOf(value: unknown): string {
  if (value instanceof Digits) return value.text
  if (typeof value === 'string') return value
  return value === true ? '1' : value === false ? '0' : ''
}
