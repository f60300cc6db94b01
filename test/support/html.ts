/** HTML as a parser that is not ours (libxml2) understands it. */
import { spawnSync } from 'node:child_process'
import { unescapeXml } from './s3/wire.ts'

export type HtmlDocument = ReturnType<typeof readHtml>

/**
 * @returns what the parser complains about (elements that are newer than it do not count), and the elements in the order
 * of their start tags, each with all text within
 */
export function readHtml(text: string) {
  const options = { input: text, encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const { error, stdout, stderr } = spawnSync('xmllint', ['--html', '--xmlout', '--noblanks', '-'], options)
  if (error !== undefined) throw error
  const errors = stderr
    .split('\n')
    .filter((line) => line.includes('parser error') && !/ Tag [a-z]+ invalid$/.test(line))
  return { errors, elements: elementsOf(stdout) }
}

/** Of XML as libxml2 writes it. */
function elementsOf(xml: string) {
  const elements: { name: string; attributes: Readonly<Record<string, string>>; text: string }[] = []
  const open: typeof elements = []
  for (const [, close, name = '', list = '', empty, text] of xml.matchAll(token)) {
    if (text !== undefined) for (const element of open) element.text += unescapeXml(text)
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

function attributesOf(list: string) {
  const pairs = [...list.matchAll(/([\w:-]+)="([^"]*)"/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unescapeXml(value)] as const))
}
