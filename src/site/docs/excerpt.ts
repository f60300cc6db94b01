/**
 * A JSON or XML document as a tree that keeps every number and text as it is written, so that an excerpt shows the same
 * digits: parsed, cut down, and printed for reading.
 */

import type { Shape } from '../../api/contract/shape.ts'
import { html, type HtmlContent, type Html } from '../layout/html.ts'

export interface Excerpt {
  /** A bracket of JSON, or a tag of XML. */
  readonly open: string
  readonly close: string
  readonly members: readonly Member[]
  /** The number of members cut off at the end. */
  readonly hidden: number
}

interface Member {
  /** With its quotation marks; '' in lists and in XML. */
  readonly name: string
  readonly value: Excerpt | string
}

/** @param text a JSON document that is an object or a list @throws {Error} if it ends too early */
export function parseJson(text: string): Excerpt {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? []
  let position = 0
  const next = (): string => {
    const token = tokens[position++]
    if (token === undefined) throw new Error('JSON that ends too early')
    return token
  }
  const valueFrom = (token: string): Excerpt | string =>
    token === '[' || token === '{' ? treeFrom(token, token === '[' ? ']' : '}') : token
  const treeFrom = (open: string, close: string): Excerpt => {
    const members: Member[] = []
    for (let token = next(); token !== close; token = next()) {
      if (token === ',') continue
      // A name, and the colon after it.
      const name = open === '{' ? token : ''
      if (open === '{') next()
      members.push({ name, value: valueFrom(open === '{' ? next() : token) })
    }
    return { open, close, members, hidden: 0 }
  }
  const root = valueFrom(next())
  if (typeof root === 'string') throw new Error(`JSON that is no document: ${root}`)
  return root
}

/** @param text a document of encode/xml.ts: no comments, no CDATA @returns its root element */
export function parseXml(text: string): Excerpt {
  const stack: { open: string; members: Member[] }[] = [{ open: '', members: [] }]
  const add = (value: Excerpt | string) => stack.at(-1)?.members.push({ name: '', value })
  for (const token of text.match(/<[^<>]*>|[^<]+/g) ?? []) {
    if (token.startsWith('<?') || (stack.length === 1 && !token.startsWith('<'))) continue
    if (!token.startsWith('<')) add(token)
    else if (token.startsWith('</')) {
      const element = stack.pop()
      if (element !== undefined) add({ ...element, close: token, hidden: 0 })
    } else if (token.endsWith('/>')) add({ open: token, close: '', members: [], hidden: 0 })
    else stack.push({ open: token, members: [] })
  }
  const root = stack[0]?.members[0]?.value
  if (root === undefined || typeof root === 'string') throw new Error('XML without a root element')
  return root
}

/** An excerpt shows this many items of a list, and entries of a map whose keys are data. */
const shown = { items: 2, entries: 3 }

/** Cuts long lists and maps after their first members. */
export function abridged(tree: Excerpt, shape: Shape): Excerpt {
  switch (shape.kind) {
    case 'nullable':
      return abridged(tree, shape.of)
    case 'list':
      return cut(tree, shown.items, () => shape.of)
    case 'keyed':
    case 'byIsin':
      return cut(tree, shown.entries, () => shape.of)
    case 'record':
      return cut(tree, Infinity, (name) => {
        const field = shape.fields[JSON.parse(name) as string]
        return field?.kind === 'optional' ? field.of : field
      })
    default:
      return tree
  }
}

function cut(tree: Excerpt, most: number, shapeOf: (name: string) => Shape | undefined): Excerpt {
  const members = tree.members.slice(0, most).map(({ name, value }) => {
    const shape = shapeOf(name)
    return { name, value: typeof value === 'string' || shape === undefined ? value : abridged(value, shape) }
  })
  return { ...tree, members, hidden: tree.members.length - members.length }
}

/** Cuts lists and maps in XML: their members are elements `item`. */
export function abridgedXml(tree: Excerpt): Excerpt {
  const items = tree.members.filter(
    ({ value }) => typeof value !== 'string' && value.open.startsWith('<item '),
  )
  const left = items.length > shown.items ? items.slice(0, shown.items) : tree.members
  const members = left.map(({ name, value }) => ({
    name,
    value: typeof value === 'string' ? value : abridgedXml(value),
  }))
  return { ...tree, members, hidden: tree.members.length - members.length }
}

const isXml = ({ open }: Excerpt) => open.startsWith('<')

/** The tree as a compact document, without its hidden members. */
export function compact(value: Excerpt | string): string {
  if (typeof value === 'string') return value
  const members = value.members.map((member) => (member.name && `${member.name}:`) + compact(member.value))
  return value.open + members.join(isXml(value) ? '' : ',') + value.close
}

export const xmlDocument = (tree: Excerpt) => `<?xml version="1.0" encoding="UTF-8"?>\n${compact(tree)}`

/** The number of characters that fit on one line. */
const lineLength = { json: 64, xml: 72 }

function fitsLine(tree: Excerpt): boolean {
  const isFlat = tree.members.every(({ value }) => typeof value === 'string')
  const { length } = compact(tree)
  return (
    tree.hidden === 0 &&
    (isXml(tree) ? isFlat || length <= lineLength.xml : isFlat && length <= lineLength.json)
  )
}

/** Indented and coloured; a line says how many members are hidden. @param more for example `n => '… 5 more'` */
export function listing(tree: Excerpt, more: (hidden: number) => string, indent = ''): Html {
  const { open, close, hidden } = tree
  const isShort = fitsLine(tree)
  const deeper = isShort ? '' : `${indent}  `
  const bracket = (text: string) => (isXml(tree) && text !== '' ? html`<span class="k">${text}</span>` : text)
  const printed = (value: Excerpt | string): HtmlContent => {
    if (typeof value !== 'string') return listing(value, more, deeper)
    return isXml(tree) ? value : html`<span class="${value.startsWith('"') ? 's' : 'n'}">${value}</span>`
  }
  const members: HtmlContent[] = tree.members.map(({ name, value }) =>
    name === '' ? printed(value) : html`<span class="k">${name}</span>: ${printed(value)}`,
  )
  if (hidden > 0)
    members.push(html`<span class="c">${isXml(tree) ? `<!-- ${more(hidden)} -->` : more(hidden)}</span>`)
  if (members.length === 0) return html`${bracket(open)}${bracket(close)}`
  const [gap, separator] = isXml(tree) ? ['', ''] : [' ', ',']
  const blank = isShort ? gap : `\n${deeper}`
  const joined = members.map((member, index) => [index === 0 ? blank : separator + blank, member])
  return html`${bracket(open)}${joined}${isShort ? gap : `\n${indent}`}${bracket(close)}`
}
