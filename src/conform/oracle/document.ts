/**
 * The oracle's answers as trees, and their two texts. Both are written by hand: JavaScript objects reorder keys that
 * look like integers, and XML builders take minutes for what a suite asks. Knows nothing of funds.
 */

export type Tree = string | number | boolean | null | Branch

export interface Branch {
  /** record: keys are the interface's names. keyed: keys are data (years, dates …). list: keys are positions. */
  readonly kind: 'record' | 'keyed' | 'list'
  readonly entries: readonly (readonly [key: string, value: Tree])[]
}

/** An object whose keys are names of the interface; a member that is undefined is left out. */
export function recordTree(members: Readonly<Record<string, Tree | undefined>>): Branch {
  const entries: [string, Tree][] = []
  for (const [key, value] of Object.entries(members)) if (value !== undefined) entries.push([key, value])
  return { kind: 'record', entries }
}

/** `funds.<isin>`: a map whose keys are element names in XML. */
export function fundsTree(entries: readonly (readonly [string, Tree])[]): Branch {
  return { kind: 'record', entries }
}

/** A map whose keys are data, in the order given. */
export function mapTree(entries: readonly (readonly [string, Tree])[]): Branch {
  return { kind: 'keyed', entries }
}

export function listTree(items: readonly Tree[]): Branch {
  return { kind: 'list', entries: items.map((item, index) => [String(index), item] as const) }
}

/** Shortest decimal text of a number, never an exponent: 1e-7 is 0.0000001. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) throw new Error(`${String(value)} has no numberText form`)
  const shortest = String(value)
  const parts = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(shortest)
  if (parts === null) return shortest
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  if (point >= digits.length) return sign + digits + '0'.repeat(point - digits.length)
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

export function toJson(tree: Tree): string {
  if (tree === null || typeof tree === 'string' || typeof tree === 'boolean') return JSON.stringify(tree)
  if (typeof tree === 'number') return numberText(tree)
  if (tree.kind === 'list') return `[${tree.entries.map(([, value]) => toJson(value)).join(',')}]`
  return `{${tree.entries.map(([key, value]) => `${JSON.stringify(key)}:${toJson(value)}`).join(',')}}`
}

export function toXml(tree: Branch): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('root', '', tree)}`
}

function element(name: string, attributes: string, value: Tree): string {
  const content = typeof value === 'object' && value !== null ? children(value) : xmlText(value)
  return content === '' ? `<${name}${attributes}/>` : `<${name}${attributes}>${content}</${name}>`
}

function children({ kind, entries }: Branch): string {
  return entries
    .map(([key, value]) =>
      kind === 'record' ? element(key, '', value) : element('item', ` key="${attribute(key)}"`, value),
    )
    .join('')
}

function xmlText(value: string | number | boolean | null): string {
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  return typeof value === 'number' ? numberText(value) : escape(value)
}

function attribute(key: string): string {
  return escape(key).replaceAll('"', '&quot;').replaceAll('\t', '&#x9;').replaceAll('\n', '&#xA;')
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#xD;')
}

/** The tree with U+FFFD for each character that XML 1.0 cannot hold. Only error bodies need it. */
export function withXmlCharacters(tree: Branch): Branch {
  return {
    kind: tree.kind,
    entries: tree.entries.map(
      ([key, value]) => [key, typeof value === 'string' ? legal(value) : value] as const,
    ),
  }
}

function legal(text: string): string {
  return [...text]
    .map((character) => (isXmlCharacter(character.codePointAt(0) ?? 0) ? character : '\uFFFD'))
    .join('')
}

function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || code >= 0x10000
}
