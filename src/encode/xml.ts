/**
 * Documents as compact XML 1.0 in the interface's form ("Conventions for all responses", 2 to 6): a root element
 * `root`, records as elements by name, lists and keyed maps as `item` elements with a `key`, null and the empty string
 * as an empty element. A shape is compiled once into a function that only joins pieces.
 */

import type { Fields, Shape } from '../contract/shape.ts'
import type { Encode } from './json.ts'
import { shortestDecimal } from './number.ts'

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

/** Gives a value's whole XML document. */
export function xmlEncoder(shape: Shape): Encode {
  const content = xmlContent(shape)
  return (value) => xmlDeclaration + xmlElement('root', content(value))
}

/** An element around content that is already escaped. */
export function xmlElement(name: string, content: string): string {
  return content === '' ? `<${name}/>` : `<${name}>${content}</${name}>`
}

/** An element of a list or a keyed map around content that is already escaped. */
export function xmlItem(key: string, content: string): string {
  return content === '' ? `<item key="${key}"/>` : `<item key="${key}">${content}</item>`
}

/** Gives what stands inside a value's element. */
export function xmlContent(shape: Shape): Encode {
  switch (shape.kind) {
    case 'text':
      return (value) => xmlText(value as string)
    case 'decimal':
    case 'day':
      return (value) => value as string
    case 'number':
      return (value) => shortestDecimal(value as number)
    case 'flag':
      return (value) => (value === true ? '1' : '0')
    case 'nullable': {
      const content = xmlContent(shape.of)
      return (value) => (value === null ? '' : content(value))
    }
    case 'record':
      return recordContent(shape.fields)
    case 'list': {
      const content = xmlContent(shape.of)
      return (value) =>
        (value as readonly unknown[]).map((member, index) => xmlItem(String(index), content(member))).join('')
    }
    case 'keyed': {
      const content = xmlContent(shape.of)
      return mapContent((key, member) => xmlItem(xmlAttribute(key), content(member)))
    }
    case 'byIsin': {
      const content = xmlContent(shape.of)
      return mapContent((isin, member) => xmlElement(isin, content(member)))
    }
    default:
      return shape satisfies never
  }
}

function recordContent(fields: Fields): Encode {
  const members = Object.entries(fields).map(([name, field]) => ({
    name,
    content: xmlContent(field.kind === 'optional' ? field.of : field),
  }))
  return (value) => {
    let xml = ''
    for (const { name, content } of members) {
      const member = (value as Readonly<Record<string, unknown>>)[name]
      if (member !== undefined) xml += xmlElement(name, content(member))
    }
    return xml
  }
}

function mapContent(element: (key: string, member: unknown) => string): Encode {
  return (value) => {
    let xml = ''
    for (const [key, member] of value as ReadonlyMap<string, unknown>) xml += element(key, member)
    return xml
  }
}

/** Escaped element text. Source: decisions.md, Errors, "XML text". */
export function xmlText(text: string): string {
  return needsEscape.test(text) ? text.replace(/[&<>\r]/g, escapeCharacter) : text
}

/** An escaped attribute value: a parser would turn tab and line feed into spaces. Source: as for text. */
function xmlAttribute(text: string): string {
  return needsEscape.test(text) ? text.replace(/[&<>"\t\n\r]/g, escapeCharacter) : text
}

const needsEscape = /[&<>"\t\n\r]/

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}

const escapeCharacter = (character: string) => escapes[character] ?? character
