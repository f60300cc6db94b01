/** XML as S3 speaks it: elements and text, no attributes that matter. Writes answers, reads the bodies of requests. */

export interface XmlElement {
  readonly name: string
  readonly text: string
  readonly children: readonly XmlElement[]
}

const namespace = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** A whole document; `content` is XML already. */
export const xmlDocument = (root: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${namespace}">${content}</${root}>`

export const element = (name: string, text: string | number | boolean): string =>
  `<${name}>${escapeXml(String(text))}</${name}>`

export function escapeXml(text: string): string {
  // S3 writes them as references, though XML 1.0 knows none of them.
  return text.replaceAll(
    /[&<>"\x00-\x1f]/g,
    (char) => named[char] ?? `&#x${char.charCodeAt(0).toString(16)};`,
  )
}

const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const unnamed: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** @returns the root element, or undefined if the text is not well formed */
export function parseXml(source: string): XmlElement | undefined {
  const open: { name: string; text: string; children: XmlElement[] }[] = [
    { name: '', text: '', children: [] },
  ]
  let end = 0
  for (const match of source.matchAll(/<\?[^>]*\?>|<(\/?)([\w:.-]+)([^<>]*?)(\/?)>|([^<>]+)/gy)) {
    end = match.index + match[0].length
    const [, closing, name, , empty, text] = match
    const current = open.at(-1)
    if (current === undefined) return undefined
    if (text !== undefined) current.text += unescapeXml(text)
    else if (name === undefined) continue
    else if (closing === '/') {
      if (current.name !== name || open.length < 2) return undefined
      open.pop()
      open.at(-1)?.children.push(current)
    } else if (empty === '/') current.children.push({ name, text: '', children: [] })
    else open.push({ name, text: '', children: [] })
  }
  const [root] = open
  if (end !== source.length || open.length !== 1 || root?.children.length !== 1) return undefined
  return root.children[0]
}

export const childText = (parent: XmlElement, name: string): string | undefined =>
  parent.children.find((child) => child.name === name)?.text

function unescapeXml(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return unnamed[name] ?? whole
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16))
    },
  )
}
