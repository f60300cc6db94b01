/** HTML as a parser that is not ours (libxml2) understands it. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { elementsOf } from './read-xml.ts'

export type HtmlDocument = ReturnType<typeof readHtml>

/**
 * @returns what the parser complains about (elements that are newer than it do not count), and the elements in the order
 * of their start tags, each with all text within
 */
export function readHtml(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'fundpress-html-'))
  const file = join(folder, 'page.html')
  writeFileSync(file, text)
  // Its reader of streams complains about an entity that begins at the end of its first 4,000 bytes.
  const args = ['--html', '--memory', '--xmlout', '--noblanks', file]
  const { error, stdout, stderr } = spawnSync('xmllint', args, { encoding: 'utf8', maxBuffer: 1 << 28 })
  rmSync(folder, { recursive: true })
  if (error !== undefined) throw error
  const errors = stderr
    .split('\n')
    .filter((line) => line.includes('parser error') && !/ Tag [a-z]+ invalid$/.test(line))
  return { errors, elements: elementsOf(stdout) }
}
