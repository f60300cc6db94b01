/**
 * Documents as compact XML 1.0 in the interface's form ("Conventions for all responses", 2 to 6): a root element
 * `root`, records as elements by name, lists and keyed maps as `item` elements with a `key`, null and the empty string
 * as an empty element. A shape is compiled once into a function that only joins pieces.
 */

import type { Fields, Shape } from '../contract/shape.ts'
import { type Compiled, type Encode, joinMembers, shortestDecimal } from './json.ts'

export const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n'

export function xmlEncoder(shape: Shape): Encode {
  const content = xmlContent(shape)
  return (value) => xmlDeclaration + xmlElement('root', content(value))
}

/** An element around escaped content. */
export function xmlElement(name: string, content: string): string {
  return content === '' ? `<${name}/>` : `<${name}>${content}</${name}>`
}

/** An element of a list or a keyed map around escaped content. */
export function xmlItem(key: string, content: string): string {
  return content === '' ? `<item key="${key}"/>` : `<item key="${key}">${content}</item>`
}

export function xmlContent(shape: Shape): Encode {
  const { before, text, after } = compile(shape)
  return before === '' && after === '' ? text : (value) => before + text(value) + after
}

interface XmlCompiled extends Compiled {
  /** True if the content can be empty: then its element is an empty one. */
  readonly canBeEmpty: boolean
}

const filled = (text: Encode): XmlCompiled => ({ before: '', text, after: '', canBeEmpty: false })
const maybeEmpty = (text: Encode): XmlCompiled => ({ before: '', text, after: '', canBeEmpty: true })

function compile(shape: Shape): XmlCompiled {
  switch (shape.kind) {
    case 'text':
      return maybeEmpty((value) => xmlText(value as string))
    case 'decimal':
    case 'day':
      return filled((value) => value as string)
    case 'number':
      return filled((value) => shortestDecimal(value as number))
    case 'flag':
      return filled((value) => (value === true ? '1' : '0'))
    case 'item': {
      const { before, text, after } = compileElement('value', compile(shape.value))
      return { before: xmlElement('name', xmlText(shape.name)) + before, text, after, canBeEmpty: false }
    }
    case 'nullable': {
      const content = xmlContent(shape.of)
      return maybeEmpty((value) => (value === null ? '' : content(value)))
    }
    case 'record':
      return maybeEmpty(recordContent(shape.fields))
    case 'list': {
      const content = xmlContent(shape.of)
      return maybeEmpty((value) =>
        (value as readonly unknown[])
          .map((member, index) => xmlItem(String(index), content(member)))
          .join(''),
      )
    }
    case 'keyed': {
      const content = xmlContent(shape.of)
      return maybeEmpty(mapContent((key, member) => xmlItem(xmlAttribute(key), content(member))))
    }
    case 'byIsin': {
      const content = xmlContent(shape.of)
      return maybeEmpty(mapContent((isin, member) => xmlElement(isin, content(member))))
    }
    default:
      return shape satisfies never
  }
}

function compileElement(name: string, content: XmlCompiled): XmlCompiled {
  const { before, text, after, canBeEmpty } = content
  if (canBeEmpty) return filled((value) => xmlElement(name, before + text(value) + after))
  return { before: `<${name}>${before}`, text, after: `${after}</${name}>`, canBeEmpty: false }
}

function recordContent(fields: Fields): Encode {
  const members = Object.entries(fields).map(([name, field]) => ({
    name,
    ...compileElement(name, compile(field.kind === 'optional' ? field.of : field)),
  }))
  return joinMembers(members)
}

function mapContent(element: (key: string, member: unknown) => string): Encode {
  return (value) => {
    let xml = ''
    for (const [key, member] of value as ReadonlyMap<string, unknown>) xml += element(key, member)
    return xml
  }
}

/** Escaped element text. Source: src/core/api/decisions.md, Errors, "XML text". */
export function xmlText(text: string): string {
  return needsEscape.test(text) ? text.replace(/[&<>\r]/g, escapeCharacter) : text
}

/** An escaped attribute value: a parser would turn tab and line feed into spaces. Source: as for text. */
export function xmlAttribute(text: string): string {
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
