/** Digest of the code that renders: a build makes anew whatever another version has made. */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemCode } from '../system/message.ts'

/** Folders that no file of a snapshot depends on. A folder that is added later counts. */
const others: readonly string[] = ['core/bucket', 'core/cli', 'core/edge', 'make']

let own: string | undefined

/** The digest of the code that this process runs. Read once: a file that changes later is not what was loaded. */
export const codeDigest = (): string => (own ??= digestOfCode(here.top, here.code))

/**
 * SHA-256, in hex, of the code and the templates (without READMEs) and of the libraries' versions.
 * @param top the folder that has `package.json` @param code `src`, or `dist` of a package
 */
export function digestOfCode(top: string, code: string): string {
  const sha256 = createHash('sha256')
  for (const file of [code, 'templates'].flatMap((folder) => filesIn(join(top, folder)))) {
    const name = relative(top, file).replaceAll(sep, '/')
    // Guides are Markdown that pages are made of; other Markdown is for people who work on the code.
    const isNote = name.endsWith('.md') && !name.startsWith('templates/docs/')
    if (isNote || others.some((other) => name.startsWith(`${code}/${other}/`))) continue
    const content = readFileSync(file)
    sha256.update(`${name} ${content.length}\n`).update(content)
  }
  for (const library of librariesOf(top)) sha256.update(`${library}\n`)
  return sha256.digest('hex')
}

const here = {
  top: fileURLToPath(new URL('../../..', import.meta.url)),
  code: import.meta.url.endsWith('.ts') ? 'src' : 'dist',
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

/** Name and version of each installed library. Some become pages, others count days. */
function librariesOf(top: string): readonly string[] {
  const { resolve } = createRequire(join(top, 'package.json'))
  const read = (file: string) =>
    JSON.parse(readFileSync(file, 'utf8')) as { version: string; dependencies?: Record<string, string> }
  const versionOf = (name: string) => {
    for (const folder of resolve.paths(name) ?? []) {
      try {
        return read(join(folder, name, 'package.json')).version
      } catch (error) {
        if (systemCode(error) !== 'ENOENT') throw error
      }
    }
    // An optional library: the feature that needs it reports that it is missing.
    return 'not installed'
  }
  return Object.keys(read(join(top, 'package.json')).dependencies ?? {})
    .sort()
    .map((name) => `${name} ${versionOf(name)}`)
}
