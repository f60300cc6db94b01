/** XML documents as a conforming parser understands them: libxml2 brings them into one form, which is simple to read. */
import { spawnSync } from 'node:child_process'
import { unescapeXml } from './s3/wire.ts'

/** A document's values by their place, such as `/prices/0/date`; an `item` is named by its key. */
export type Leaves = readonly (readonly [place: string, text: string])[]

/** Whether xmllint is installed. CI has to have it. */
export const hasXmllint = process.env.CI === 'true' || spawnSync('xmllint', ['--version']).error === undefined

/** The values of each file, in the order of the files; throws where one of them is not well-formed. */
export function readXml(cwd: string, files: readonly string[]): Leaves[] {
  const options = { cwd, encoding: 'utf8', maxBuffer: 1 << 30 } as const
  const { error, status, stdout, stderr } = spawnSync('xmllint', ['--c14n', ...files], options)
  if (error !== undefined || status !== 0) throw new Error(stderr, { cause: error })
  // Canonical XML escapes `<` wherever it is not markup: no value can hold this.
  const documents = stdout.split(/(?<=<\/root>)(?=\s*<root>|\s*$)/).filter((text) => text.trim() !== '')
  return documents.map(leavesOf)
}

/** Canonical XML 1.0: every element has both tags, attributes have quotation marks, there are no other entities. */
function leavesOf(canonical: string): Leaves {
  const leaves: (readonly [string, string])[] = []
  const path: string[] = []
  let text = ''
  let hasChildren = false
  for (const [, close, name = '', attribute, content] of canonical.matchAll(token)) {
    if (content !== undefined) {
      text += unescapeXml(content)
    } else if (close === '') {
      path.push(attribute === undefined ? name : unescapeXml(attribute))
      text = ''
      hasChildren = false
    } else {
      if (!hasChildren) leaves.push([`/${path.slice(1).join('/')}`, text])
      path.pop()
      hasChildren = true
    }
  }
  return leaves
}

const token = /<(\/?)(\w+)(?: key="([^"]*)")?>|([^<]+)/g
