/**
 * The floor of a build: writes the files of a finished tree anew in one thread, with as little as that takes. Each is made of
 * what is in memory (JSON is stringified from parsed values, other text is encoded, binary files are as they are), hashed with
 * SHA-256 and MD5, and written into a folder of its own tree.
 *
 *     node test/bench/floor.ts <tree> <new folder>
 *
 * Prints the files, their bytes and the CPU seconds of that as JSON; reading and parsing do not count.
 */

import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contentTypeOf, isText } from '../../src/core/api/routes/content-types.ts'

const [tree = '', out = ''] = process.argv.slice(2)
const total = { files: 0, bytes: 0, cpuSeconds: 0 }

function writeFolder(folder: string): void {
  const entries = readdirSync(join(tree, folder), { withFileTypes: true })
  const makers = entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name, make: makerOf(name, readFileSync(join(tree, folder, name))) }))
  const before = process.cpuUsage()
  mkdirSync(join(out, folder))
  for (const { name, make } of makers) {
    const content = make()
    hash('sha256', content, 'hex')
    hash('md5', content, 'hex')
    writeFileSync(join(out, folder, name), content)
    total.files++
    total.bytes += content.length
  }
  const { user, system } = process.cpuUsage(before)
  total.cpuSeconds += (user + system) / 1e6
  for (const entry of entries) if (entry.isDirectory()) writeFolder(join(folder, entry.name))
}

function makerOf(name: string, bytes: Buffer): () => Buffer {
  if (!isText(contentTypeOf(name))) return () => bytes
  const text = bytes.toString()
  if (!name.endsWith('.json')) return () => Buffer.from(text)
  const value: unknown = JSON.parse(text)
  return () => Buffer.from(JSON.stringify(value))
}

writeFolder('')
process.stdout.write(JSON.stringify(total))
