/**
 * A JSON document as a tree that keeps every number and text as it is written, so that an excerpt of it shows the very
 * digits; cut down by the shape of the document, and printed for reading.
 */

import type { Shape } from '../contract/shape.ts'
import { html, type Html, type Part } from '../pages/html.ts'

export type JsonTree =
  | { readonly kind: 'leaf'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly JsonTree[]; readonly hidden: number }
  | { readonly kind: 'map'; readonly entries: readonly JsonEntry[]; readonly hidden: number }

/** The name with its quotation marks. */
type JsonEntry = readonly [name: string, value: JsonTree]

/** @param text a JSON document @throws {Error} where it is none that can be read to its end */
export function parseJsonTree(text: string): JsonTree {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g) ?? []
  let position = 0
  const next = (): string => {
    const token = tokens[position++]
    if (token === undefined) throw new Error('JSON that ends too early')
    return token
  }
  const value = (): JsonTree => {
    const token = next()
    if (token === '[') return { kind: 'list', items: members(']', value), hidden: 0 }
    if (token === '{') return { kind: 'map', entries: members('}', entry), hidden: 0 }
    return { kind: 'leaf', text: token }
  }
  const entry = (): JsonEntry => {
    const name = next()
    next()
    return [name, value()]
  }
  const members = <T>(end: string, read: () => T): T[] => {
    const found: T[] = []
    if (tokens[position] === end) position++
    else
      do found.push(read())
      while (next() !== end)
    return found
  }
  return value()
}

/** How many members of a list, and of a map whose keys are data, an excerpt shows. */
const shown = { items: 2, entries: 3 }

/** Long lists and maps without what is beyond their first members. */
export function abridged(tree: JsonTree, shape: Shape): JsonTree {
  switch (shape.kind) {
    case 'nullable':
      return abridged(tree, shape.of)
    case 'list': {
      if (tree.kind !== 'list') return tree
      const items = tree.items.slice(0, shown.items).map((item) => abridged(item, shape.of))
      return { kind: 'list', items, hidden: tree.items.length - items.length }
    }
    case 'keyed':
    case 'byIsin': {
      if (tree.kind !== 'map') return tree
      const entries = tree.entries
        .slice(0, shown.entries)
        .map(([name, value]) => [name, abridged(value, shape.of)] as const)
      return { kind: 'map', entries, hidden: tree.entries.length - entries.length }
    }
    case 'record': {
      if (tree.kind !== 'map') return tree
      const entries = tree.entries.map(([name, value]) => {
        const field = shape.fields[JSON.parse(name) as string]
        const of = field?.kind === 'optional' ? field.of : field
        return [name, of === undefined ? value : abridged(value, of)] as const
      })
      return { ...tree, entries }
    }
    default:
      return tree
  }
}

/** The tree as compact JSON, without what is hidden. */
export function compactJson(tree: JsonTree): string {
  if (tree.kind === 'leaf') return tree.text
  if (tree.kind === 'list') return `[${tree.items.map(compactJson).join(',')}]`
  return `{${tree.entries.map(([name, value]) => `${name}:${compactJson(value)}`).join(',')}}`
}

/** Characters that a list or an object may have to stand on one line. */
const lineLength = 64

/** Indented and coloured; a line says how many members are hidden. @param more for example `n => '… 5 more'` */
export function jsonListing(tree: JsonTree, more: (hidden: number) => string, indent = ''): Html {
  if (tree.kind === 'leaf') return html`<span class="${toneOf(tree.text)}">${tree.text}</span>`
  const [open, close] = tree.kind === 'list' ? ['[', ']'] : ['{', '}']
  const isShort = tree.hidden === 0 && compactJson(tree).length <= lineLength && isFlat(tree)
  const deeper = isShort ? '' : `${indent}  `
  const members: Part[] =
    tree.kind === 'list'
      ? tree.items.map((item) => jsonListing(item, more, deeper))
      : tree.entries.map(
          ([name, value]) => html`<span class="k">${name}</span>: ${jsonListing(value, more, deeper)}`,
        )
  if (tree.hidden > 0) members.push(html`<span class="c">${more(tree.hidden)}</span>`)
  if (members.length === 0) return html`${open + close}`
  const blank = isShort ? ' ' : `\n${deeper}`
  const [first, ...rest] = members
  const joined: Part[] = [first, ...rest.flatMap((member) => [`,${blank}`, member])]
  return html`${open}${blank}${joined}${isShort ? ' ' : `\n${indent}`}${close}`
}

const isFlat = (tree: JsonTree) =>
  tree.kind === 'list'
    ? tree.items.every(({ kind }) => kind === 'leaf')
    : tree.kind === 'map' && tree.entries.every(([, { kind }]) => kind === 'leaf')

const toneOf = (text: string) => (text.startsWith('"') ? 's' : 'n')
