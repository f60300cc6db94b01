/** XML documents as a conforming parser understands them: libxml2 brings them into one form, which is simple to read. */
import { spawnSync } from 'node:child_process'
import { unescapeXml } from './s3/wire.ts'

/** A document's values by their place, such as `/prices/0/date`; an `item` is named by its key. */
export type Leaves = readonly (readonly [place: string, text: string])[]

/** The values of each file, in the order of the files; throws where one of them is not well-formed. */
export function readXml(cwd: string, files: readonly string[]): Leaves[] {
  const options = { cwd, encoding: 'utf8', maxBuffer: 1 << 30 } as const
  const { error, status, stdout, stderr } = spawnSync('xmllint', ['--c14n', ...files], options)
  if (error !== undefined || status !== 0) throw new Error(stderr, { cause: error })
  // Canonical XML escapes `<` wherever it is not markup: no value can hold this.
  const documents = stdout.split(/(?<=<\/root>)(?=\s*<root>|\s*$)/).filter((text) => text.trim() !== '')
  return documents.map(leavesOf)
}

const leavesOf = (canonical: string): Leaves =>
  elementsOf(canonical)
    .filter(({ isLeaf }) => isLeaf)
    .map(({ place, text }) => [place || '/', text])

/** The elements of XML as libxml2 writes it, in the order of their start tags, each with all text within. */
export function elementsOf(xml: string) {
  const elements: Element[] = []
  const open: Element[] = []
  for (const [, close, name = '', list = '', empty, text] of xml.matchAll(token)) {
    if (text !== undefined) for (const element of open) element.text += unescapeXml(text)
    else if (close === '/') open.pop()
    else if (name !== '') {
      const attributes = attributesOf(list)
      const parent = open.at(-1)
      if (parent !== undefined) parent.isLeaf = false
      const place = parent === undefined ? '' : `${parent.place}/${attributes['key'] ?? name}`
      const element = { name, attributes, place, isLeaf: true, text: '' }
      elements.push(element)
      if (empty === '') open.push(element)
    }
  }
  return elements
}

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  /** Below the root; an `item` is named by its key. */
  readonly place: string
  isLeaf: boolean
  text: string
}

const token = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|<[?!][^>]*>|([^<]+)/g

function attributesOf(list: string): Element['attributes'] {
  const pairs = [...list.matchAll(/([\w:-]+)="([^"]*)"/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unescapeXml(value)] as const))
}
