/** The code that renders, as a digest: what another version made is made again, whatever it changed. */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What no object of a snapshot depends on. All other folders count, those that are still to come among them. */
const others: readonly string[] = [
  ...['changes', 'cli', 'conform', 'demo', 'deploy', 'edge', 'import', 'night', 'publish'],
]

/**
 * SHA-256, in hex, of every file of the code and of its templates, and of the versions of the libraries it stands on. A
 * checkout and a package of the same version differ.
 * @param top the folder that has `package.json`, `templates` and the code's folder (`src`, or `dist` of a package)
 */
export function codeDigest(top: string = here.top, code: string = here.code): string {
  const sha256 = createHash('sha256')
  const folders = readdirSync(join(top, code)).filter((folder) => !others.includes(folder))
  for (const folder of [...folders.sort().map((name) => join(code, name)), 'templates']) {
    for (const file of filesIn(join(top, folder))) {
      const content = readFileSync(file)
      const name = relative(top, file).replaceAll(sep, '/')
      sha256.update(`${name} ${content.length}\n`).update(content)
    }
  }
  for (const library of librariesOf(top)) sha256.update(`${library}\n`)
  return sha256.digest('hex')
}

const here = {
  top: fileURLToPath(new URL('../..', import.meta.url)),
  code: import.meta.url.endsWith('.ts') ? 'src' : 'dist',
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

interface Package {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

/** Name and version of each library that is installed. Some of their files become pages, others count days. */
function librariesOf(top: string): readonly string[] {
  const { resolve } = createRequire(join(top, 'package.json'))
  const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Package
  const versionOf = (name: string) => {
    for (const folder of resolve.paths(name) ?? []) {
      try {
        return read(join(folder, name, 'package.json')).version
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      }
    }
    // It is wanted by what is not used here: whatever uses it says so.
    return 'not installed'
  }
  return Object.keys(read(join(top, 'package.json')).dependencies ?? {})
    .sort()
    .map((name) => `${name} ${versionOf(name)}`)
}
