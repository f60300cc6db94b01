/** Before the package is made: links of its documents to files that it lacks lead into the repository. It changes the checkout. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { absoluteLinks } from './links.mjs'
import { parseJson } from './tags.mjs'

const { files } = /** @type {{ files: readonly string[] }} */ (
  parseJson(readFileSync('package.json', 'utf8'))
)
/** @param {string} path */
const isPacked = (path) => files.some((entry) => path === entry || path.startsWith(`${entry}/`))

const templates = readdirSync('templates', { recursive: true, encoding: 'utf8' })
const documents = templates.filter((name) => name.endsWith('.md')).map((name) => `templates/${name}`)
for (const document of ['README.md', ...documents])
  writeFileSync(document, absoluteLinks(readFileSync(document, 'utf8'), document, isPacked))
