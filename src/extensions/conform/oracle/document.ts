/**
 * The oracle's documents as JSON, XML and CSV. Encoded by hand: JavaScript objects reorder keys that look like integers, and
 * XML builders take minutes for a suite. Knows nothing of funds.
 */

/** Keys of an object are names of the interface, keys of a map are data (years, dates …), keys of a list positions. */
export type Tree = string | number | boolean | null | Branch | Tree[] | ReadonlyMap<string, Tree>

/** Undefined members are left out. */
export interface Branch {
  readonly [name: string]: Tree | undefined
}

/** The shortest decimal text, without exponent: 1e-7 is 0.0000001. */
export const numberText = (value: number) => plainDecimals.format(value)

const plainDecimals = new Intl.NumberFormat('en', {
  useGrouping: false,
  maximumFractionDigits: 100,
  signDisplay: 'negative',
})

export function toJson(tree: Tree): string {
  if (typeof tree === 'number') return numberText(tree)
  if (typeof tree !== 'object' || tree === null) return JSON.stringify(tree)
  if (Array.isArray(tree)) return `[${tree.map(toJson).join(',')}]`
  const members = entriesOf(tree).map(([key, value]) => `${JSON.stringify(key)}:${toJson(value)}`)
  return `{${members.join(',')}}`
}

/** Names of the columns first. No cell holds a comma, a quotation mark or a line ending. */
export type Table = readonly (readonly string[])[]

export const toCsv = (table: Table): string => table.map((cells) => `${cells.join(',')}\r\n`).join('')

export const toXml = (tree: Tree): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${element('root', '', tree)}`

function element(name: string, attributes: string, value: Tree): string {
  const content = typeof value === 'object' && value !== null ? children(value) : xmlText(value)
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`
}

function children(tree: Tree & object): string {
  const isObject = !Array.isArray(tree) && !(tree instanceof Map)
  const elements = entriesOf(tree).map(([key, value]) =>
    isObject ? element(key, '', value) : element('item', ` key="${attribute(key)}"`, value),
  )
  return elements.join('')
}

function entriesOf(tree: Tree & object): [key: string, value: Tree][] {
  const entries = tree instanceof Map ? [...(tree as ReadonlyMap<string, Tree>)] : Object.entries(tree)
  return entries.filter((entry): entry is [string, Tree] => entry[1] !== undefined)
}

function xmlText(value: string | number | boolean | null): string {
  if (typeof value === 'string') return escape(value)
  return value === null ? '' : numberText(Number(value))
}

const attribute = (key: string): string =>
  escape(key).replaceAll('"', '&quot;').replaceAll('\t', '&#x9;').replaceAll('\n', '&#xA;')

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('\r', '&#xD;')

/** Replaces each character that XML 1.0 cannot hold by U+FFFD. */
export const withXmlCharacters = (text: string): string =>
  text.replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
