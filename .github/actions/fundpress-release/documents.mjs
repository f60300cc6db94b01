/** Before the package is made: links of its documents to files that it lacks lead into the repository. It changes the checkout. */

import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { absoluteLinks } from './links.mjs'
import { parseJson } from './tags.mjs'

const { files } = /** @type {{ files: readonly string[] }} */ (
  parseJson(readFileSync('package.json', 'utf8'))
)
/** Files and folders. */
const packed = new Set(files.flatMap((entry) => globSync([entry, `${entry}/**`])))

// Guides are a part of the program: their links lead to published pages.
const isDocument = (/** @type {string} */ path) => path.endsWith('.md') && !path.startsWith('templates/docs/')
for (const document of [...packed].filter(isDocument))
  writeFileSync(
    document,
    absoluteLinks(readFileSync(document, 'utf8'), document, (path) => packed.has(path.replace(/\/$/, ''))),
  )
