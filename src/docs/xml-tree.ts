/** A compact XML document of ours as a tree, its texts as they are written; cut down and printed for reading. */

import { html, type Html, type Part } from '../pages/html.ts'

export interface XmlTree {
  /** The start tag without its brackets: `item key="0"`. */
  readonly tag: string
  readonly children: readonly (XmlTree | string)[]
  /** How many items were cut off its end. */
  readonly hidden: number
}

/** @param text a document as encode/xml.ts writes it: no comments, no CDATA @returns its root element */
export function parseXmlTree(text: string): XmlTree {
  const tokens = text.match(/<[^<>]*>|[^<]+/g) ?? []
  const stack: { tag: string; children: (XmlTree | string)[] }[] = [{ tag: '', children: [] }]
  for (const token of tokens) {
    const parent = stack.at(-1)
    if (parent === undefined) break
    if (token.startsWith('<?') || (stack.length === 1 && !token.startsWith('<'))) continue
    if (!token.startsWith('<')) parent.children.push(token)
    else if (token.startsWith('</')) {
      stack.pop()
      stack.at(-1)?.children.push({ ...parent, hidden: 0 })
    } else if (token.endsWith('/>')) {
      parent.children.push({ tag: token.slice(1, -2), children: [], hidden: 0 })
    } else stack.push({ tag: token.slice(1, -1), children: [] })
  }
  const root = stack[0]?.children[0]
  if (root === undefined || typeof root === 'string') throw new Error('XML without a root element')
  return root
}

/** Items of lists and of maps that an excerpt shows. */
const shownItems = 2

/** Elements that hold many items without those beyond the first. */
export function abridgedXml(tree: XmlTree): XmlTree {
  const isItem = (child: XmlTree | string) => typeof child !== 'string' && child.tag.startsWith('item ')
  const items = tree.children.filter(isItem)
  const children = items.length > shownItems ? items.slice(0, shownItems) : tree.children
  return {
    tag: tree.tag,
    children: children.map((child) => (typeof child === 'string' ? child : abridgedXml(child))),
    hidden: tree.children.length - children.length,
  }
}

export const xmlDocument = (tree: XmlTree) => `<?xml version="1.0" encoding="UTF-8"?>\n${compactXml(tree)}`

function compactXml({ tag, children }: XmlTree): string {
  if (children.length === 0) return `<${tag}/>`
  const content = children.map((child) => (typeof child === 'string' ? child : compactXml(child))).join('')
  return `<${tag}>${content}</${nameOf(tag)}>`
}

const nameOf = (tag: string) => tag.split(' ')[0] ?? tag

const lineLength = 72

/** Indented and coloured; a comment says how many items are hidden. */
export function xmlListing(tree: XmlTree, more: (hidden: number) => string, indent = ''): Html {
  if (tree.children.length === 0) return html`<span class="k">${`<${tree.tag}/>`}</span>`
  const isShort =
    tree.hidden === 0 &&
    (tree.children.every((child) => typeof child === 'string') || compactXml(tree).length <= lineLength)
  const deeper = isShort ? '' : `${indent}  `
  const blank = isShort ? '' : `\n${deeper}`
  const members: Part[] = tree.children.map((child) =>
    typeof child === 'string' ? child : html`${blank}${xmlListing(child, more, deeper)}`,
  )
  if (tree.hidden > 0) members.push(html`${blank}<span class="c">${`<!-- ${more(tree.hidden)} -->`}</span>`)
  const [start, end] = [`<${tree.tag}>`, `</${nameOf(tree.tag)}>`]
  const last = isShort ? '' : `\n${indent}`
  return html`<span class="k">${start}</span>${members}${last}<span class="k">${end}</span>`
}
