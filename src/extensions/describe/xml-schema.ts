/** XML Schemas (XSD 1.0) of the documents of endpoints, and of errors: `schemas/<id>.xsd`. Source of the forms: `encode/xml.ts`. */

import { create } from 'xmlbuilder2'
import type { Endpoint } from '../../core/api/contract/endpoint.ts'
import {
  byIsin,
  descriptionOf,
  type Fields,
  record,
  type Shape,
  text,
} from '../../core/api/contract/shape.ts'
import { errorBody } from './json-schema.ts'

/** An element of the schema, as xmlbuilder2 takes it. */
type Node = Readonly<Record<string, unknown>>

/** One schema for each endpoint, since the root of every document is `root`. @returns the shape of its body by the key */
export const xmlBodies = (endpoints: readonly Endpoint[]): ReadonlyMap<string, Shape> =>
  new Map([
    ...endpoints.map((endpoint) => [xmlSchemaKey(endpoint.id), bodyOf(endpoint)] as const),
    [xmlSchemaKey('error'), errorBody],
  ])

const xmlSchemaKey = (id: string) => `schemas/${id}.xsd`

const bodyOf = (endpoint: Endpoint): Shape =>
  endpoint.scope === 'fund' ? endpoint.body : record({ funds: byIsin(endpoint.of.body) })

export function xmlSchemaOf(body: Shape): string {
  const schema = {
    '@xmlns:xs': 'http://www.w3.org/2001/XMLSchema',
    'xs:element': { '@name': 'root', ...typeOf(body) },
  }
  return `${create({ version: '1.0', encoding: 'UTF-8' }, { 'xs:schema': schema }).end({ prettyPrint: true })}\n`
}

/** The type of an element: of its text, or of the elements in it. */
function typeOf(shape: Shape): Node {
  const base = baseOf(shape)
  if (base === null) return { 'xs:complexType': contentOf(shape) }
  const hasForm = shape.kind === 'nullable' || Object.keys(facetsOf(shape)).length > 0
  return hasForm ? { 'xs:simpleType': simpleType(shape, base) } : { '@type': base }
}

function simpleType(shape: Shape, base: string): Node {
  if (shape.kind !== 'nullable') return restriction(base, facetsOf(shape))
  const inner = simpleType(shape.of, baseOf(shape.of) ?? base)
  return { 'xs:union': { 'xs:simpleType': [inner, restriction('xs:string', { 'xs:length': valued(0) })] } }
}

const restriction = (base: string, facets: Node): Node => ({ 'xs:restriction': { '@base': base, ...facets } })
const valued = (value: string | number): Node => ({ '@value': value })

/** The built-in type of a text; null for what has elements. */
function baseOf(shape: Shape): string | null {
  switch (shape.kind) {
    case 'text':
      return 'xs:string'
    case 'decimal':
      return shape.mark === '.' ? 'xs:decimal' : 'xs:string'
    case 'day':
      return 'xs:date'
    case 'number':
      return shape.whole === undefined ? 'xs:decimal' : 'xs:integer'
    case 'flag':
      return 'xs:boolean'
    case 'nullable':
      return baseOf(shape.of) === null ? null : 'xs:string'
    default:
      return null
  }
}

function facetsOf(shape: Shape): Node {
  if (shape.kind === 'decimal' && shape.mark === ',') return { 'xs:pattern': valued('-?[0-9]+(,[0-9]+)?') }
  if (shape.kind === 'flag') return { 'xs:pattern': valued('[01]') }
  if (shape.kind === 'number') {
    const { minimum, maximum } = shape.whole ?? {}
    return {
      ...(minimum !== undefined && { 'xs:minInclusive': valued(minimum) }),
      ...(maximum !== undefined && { 'xs:maxInclusive': valued(maximum) }),
    }
  }
  const form = shape.kind === 'text' ? shape.form : undefined
  if (form === undefined) return {}
  if ('enum' in form) return { 'xs:enumeration': form.enum.map(valued) }
  // A pattern of XML Schema always matches a whole text.
  return { 'xs:pattern': valued(form.pattern.replace(/^\^|\$$/g, '')) }
}

/** The elements in an element. */
function contentOf(shape: Shape): { readonly 'xs:sequence': Node } {
  switch (shape.kind) {
    case 'record':
      return sequence(elementsOf(shape.fields))
    case 'item':
      return sequence(elementsOf({ name: text(shape.name), value: shape.value }))
    case 'nullable':
      // Null is an empty element.
      return sequence({ '@minOccurs': 0, ...contentOf(shape.of)['xs:sequence'] })
    case 'list':
      return itemsOf(shape.of, 'xs:nonNegativeInteger')
    case 'keyed':
      return itemsOf(shape.of, 'xs:string')
    case 'byIsin':
      // The name of each element is an ISIN, which a schema cannot declare.
      return sequence({ 'xs:any': { ...anyNumber, '@processContents': 'skip' } })
    default:
      throw new Error(`a shape ${shape.kind} has no elements`)
  }
}

const sequence = (of: Node) => ({ 'xs:sequence': of })
const anyNumber = { '@minOccurs': 0, '@maxOccurs': 'unbounded' }

const elementsOf = (fields: Fields): Node => ({
  'xs:element': Object.entries(fields).map(([name, field]) => {
    const described = descriptionOf(field)
    return {
      '@name': name,
      ...(field.kind === 'optional' && { '@minOccurs': 0 }),
      ...(described && { 'xs:annotation': { 'xs:documentation': described.en } }),
      ...typeOf(field.kind === 'optional' ? field.of : field),
    }
  }),
})

/** Only a type with a name can have attributes, so texts are of their built-in type. @param key type of the attribute */
function itemsOf(of: Shape, key: string) {
  const attribute = { 'xs:attribute': { '@name': 'key', '@type': key, '@use': 'required' } }
  const base = baseOf(of)
  const type =
    base === null
      ? { ...contentOf(of), ...attribute }
      : { 'xs:simpleContent': { 'xs:extension': { '@base': base, ...attribute } } }
  return sequence({ 'xs:element': { '@name': 'item', ...anyNumber, 'xs:complexType': type } })
}
