/**
 * Publishes a packed package to npm: `publish.mjs <file.tgz> <dist-tag>`. If npm has this very file already, it is done: the
 * release was stopped later, and runs again.
 */

import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fail, parseJson } from './tags.mjs'

const [, , file = '', distTag = ''] = process.argv
const tarball = resolve(file)
const manifest = execFileSync('tar', ['-xzOf', tarball, 'package/package.json'], { encoding: 'utf8' })
const { name, version } = /** @type {{ name: string, version: string }} */ (parseJson(manifest))
const id = `${name}@${version}`
const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`

try {
  const published = findPublished()
  if (published === null) publish()
  else if (published === integrity) process.stdout.write(`npm has ${id} already, and it is this file\n`)
  else
    throw new Error(
      `npm has another ${id} (${published}, this one is ${integrity}). A published version never changes: re-run only the failed jobs of its own run, or release a new version`,
    )
} catch (error) {
  fail(error)
}

/** @typedef {{ error?: { code: string, summary: string } }} Answer of a command with --json that fails */

/** @returns {string | null} the integrity of this version on npm */
function findPublished() {
  const { status, stdout, stderr } = spawnSync('npm', ['view', id, 'dist.integrity', '--json'], {
    encoding: 'utf8',
  })
  if (status === 0) return /** @type {string} */ (parseJson(stdout))
  const { error } = /** @type {Answer} */ (stdout === '' ? {} : parseJson(stdout))
  if (error?.code === 'E404') return null
  throw new Error(`npm cannot tell whether it has ${id}: ${error?.summary ?? stderr}`)
}

function publish() {
  const { status } = spawnSync('npm', ['publish', tarball, '--tag', distTag, '--ignore-scripts'], {
    stdio: 'inherit',
  })
  if (status === 0) return
  throw new Error(
    `npm did not take ${id}. Before the first release the package and its trusted publisher have to be there: .github/CONTRIBUTING.md, "Before the first release"`,
  )
}
