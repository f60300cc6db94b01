/** HTML as a parser that is not ours (libxml2) understands it. */
import { spawnSync } from 'node:child_process'
import { elementsOf } from './read-xml.ts'

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
