/** The code that renders, as a digest: documents that another version made are made again, whatever it changed. */

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Beside each other in a checkout and in the package: all that a document, or whether rows are good, depends on. */
const folders = ['contract', 'derive', 'encode', 'endpoints', 'routes', 'snapshot', 'source'] as const

/** SHA-256 of every file of these folders, in hex. A checkout and a package of the same version differ. */
export function codeDigest(): string {
  const src = fileURLToPath(new URL('..', import.meta.url))
  const sha256 = createHash('sha256')
  for (const folder of folders) {
    const files = readdirSync(join(src, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
    for (const file of files.sort()) {
      const content = readFileSync(file)
      sha256.update(`${file.slice(src.length).replaceAll(sep, '/')} ${content.length}\n`).update(content)
    }
  }
  return sha256.digest('hex')
}
