/** HTML as a parser that is not ours (libxml2) understands it. */
import { spawnSync } from 'node:child_process'

export interface HtmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** All text within. */
  readonly text: string
}

export interface HtmlDocument {
  /** What the parser complains about; elements that are newer than it do not count. */
  readonly errors: readonly string[]
  /** In the order of their start tags. */
  readonly elements: readonly HtmlElement[]
}

export function readHtml(text: string): HtmlDocument {
  const options = { input: text, encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const { error, stdout, stderr } = spawnSync('xmllint', ['--html', '--xmlout', '--noblanks', '-'], options)
  if (error !== undefined) throw error
  const errors = stderr
    .split('\n')
    .filter((line) => line.includes('parser error') && !/ Tag [a-z]+ invalid$/.test(line))
  return { errors, elements: elementsOf(stdout) }
}

interface Open {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  text: string
}

/** Of XML as libxml2 writes it. */
function elementsOf(xml: string): HtmlElement[] {
  const elements: Open[] = []
  const open: Open[] = []
  for (const [, close, name = '', list = '', empty, text] of xml.matchAll(token)) {
    if (text !== undefined) for (const element of open) element.text += unescape(text)
    else if (close === '/') open.pop()
    else {
      const element = { name, attributes: attributesOf(list), text: '' }
      elements.push(element)
      if (empty === '') open.push(element)
    }
  }
  return elements
}

const token = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|<[?!][^>]*>|([^<]+)/g

const attributesOf = (list: string) =>
  Object.fromEntries(
    [...list.matchAll(/([\w:-]+)="([^"]*)"/g)].map(
      ([, name, value = '']) => [name ?? '', unescape(value)] as const,
    ),
  )

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

const unescape = (text: string) =>
  text.replace(
    /&(?:#x([0-9A-Fa-f]+)|#(\d+)|(\w+));/g,
    (
      whole: string,
      hex: string | undefined,
      decimal: string | undefined,
      name: string | undefined,
    ): string => {
      if (hex !== undefined) return String.fromCodePoint(parseInt(hex, 16))
      return decimal === undefined ? (entities[name ?? ''] ?? whole) : String.fromCodePoint(Number(decimal))
    },
  )
