/**
 * Manifest lines of a whole snapshot in the byte order of their keys, without holding them in memory: lines of one
 * folder come in order (fund by fund), folders do not, so each folder has a file of its own until the end.
 */

import { createHash } from 'node:crypto'
import { appendFileSync, createReadStream, createWriteStream, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { checksumsKey, manifestKey, type ManifestHead, type ManifestLine } from './manifest.ts'

export interface ObjectLines {
  /** Takes lines of a folder, in order. @param folder ends with a slash: the beginning of all these keys */
  readonly add: (folder: string, lines: string) => void
  /** SHA-256 of all lines, in hex. */
  readonly digest: () => Promise<string>
  /** Writes the manifest and SHA256SUMS into the snapshot's folder and removes the files in between. */
  readonly write: (head: ManifestHead) => Promise<void>
}

export function objectLines(root: string): ObjectLines {
  const temporary = join(root, '.lines')
  mkdirSync(temporary)
  const folders = new Set<string>()
  const file = (folder: string) => join(temporary, folder.replaceAll('/', ','))
  // Folders end with a slash and none holds another: their order is that of the keys below them.
  const files = () => [...folders].sort().map(file).filter(existsSync)

  async function* bytes() {
    for (const path of files()) yield* createReadStream(path) as AsyncIterable<Buffer>
  }
  async function* checksums() {
    for (const path of files()) {
      for await (const line of createInterface({ input: createReadStream(path) })) {
        const { key, sha256 } = JSON.parse(line) as ManifestLine
        yield `${sha256}  ${key}\n`
      }
    }
  }
  async function* manifest(head: ManifestHead) {
    yield Buffer.from(`${JSON.stringify(head)}\n`)
    yield* bytes()
  }

  return {
    add: (folder, lines) => {
      if (lines === '') return
      folders.add(folder)
      appendFileSync(file(folder), lines)
    },
    digest: async () => {
      const sha256 = createHash('sha256')
      for await (const chunk of bytes()) sha256.update(chunk)
      return sha256.digest('hex')
    },
    write: async (head) => {
      await pipeline(Readable.from(checksums()), createWriteStream(join(root, checksumsKey)))
      await pipeline(Readable.from(manifest(head)), createGzip(), createWriteStream(join(root, manifestKey)))
      rmSync(temporary, { recursive: true })
    },
  }
}
