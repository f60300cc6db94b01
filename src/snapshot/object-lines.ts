/**
 * Manifest lines of a whole snapshot in the byte order of their keys, without holding them in memory: lines of one
 * folder come in order (fund by fund), folders do not, so each folder has a file of its own until the end.
 */

import { createHash } from 'node:crypto'
import { appendFileSync, createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { checksumsKey, manifestKey, withoutFrom, type ManifestHead } from './manifest.ts'

export interface ObjectLines {
  /** Takes lines of a folder, in order. @param folder ends with a slash: the beginning of all these keys */
  readonly add: (folder: string, lines: string) => void
  /** SHA-256 of all lines without their `from`, in hex. After it no more lines are taken. */
  readonly digest: () => Promise<string>
  /** Writes the manifest and SHA256SUMS into the snapshot's folder after that, and removes the files in between. */
  readonly write: (head: ManifestHead) => Promise<void>
}

/** Held back in memory for each folder, in characters: a line at a time would open its file a thousand times. */
const heldBack = 1 << 16

export function objectLines(root: string): ObjectLines {
  const temporary = join(root, '.lines')
  mkdirSync(temporary)
  const held = new Map<string, string>()
  const file = (folder: string) => join(temporary, folder.replaceAll('/', ','))
  const flush = (folder: string) => {
    appendFileSync(file(folder), held.get(folder) ?? '')
    held.set(folder, '')
  }
  // Folders end with a slash and none holds another: their order is that of the keys below them.
  const files = () => [...held.keys()].sort().map(file)

  async function* lines() {
    for (const path of files()) yield* wholeLines(path)
  }
  async function* checksums({ files: beside = [] }: ManifestHead) {
    for await (const some of lines())
      yield some.replace(/^\{"key":"([^"]+)","sha256":"([^"]+)".*$/gm, '$2  $1')
    for (const { key, sha256 } of beside) yield `${sha256}  ${key}\n`
  }
  async function* manifest(head: ManifestHead) {
    yield Buffer.from(`${JSON.stringify(head)}\n`)
    for (const path of files()) yield* createReadStream(path) as AsyncIterable<Buffer>
  }

  return {
    add: (folder, some) => {
      if (some === '') return
      const text = (held.get(folder) ?? '') + some
      held.set(folder, text)
      if (text.length > heldBack) flush(folder)
    },
    digest: async () => {
      for (const folder of held.keys()) flush(folder)
      const sha256 = createHash('sha256')
      for await (const some of lines()) sha256.update(withoutFrom(some))
      return sha256.digest('hex')
    },
    write: async (head) => {
      // It is digests for the most part, which do not get smaller, however long one tries.
      const gzip = createGzip({ level: constants.Z_BEST_SPEED })
      await Promise.all([
        pipeline(Readable.from(manifest(head)), gzip, createWriteStream(join(root, manifestKey))),
        pipeline(Readable.from(checksums(head)), createWriteStream(join(root, checksumsKey))),
      ])
      rmSync(temporary, { recursive: true })
    },
  }
}

/** A file of lines in pieces, none of which ends within a line. Lines are ASCII. */
async function* wholeLines(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'latin1') as AsyncIterable<string>) {
    const end = chunk.lastIndexOf('\n') + 1
    if (end > 0) yield rest + chunk.slice(0, end)
    rest = end > 0 ? chunk.slice(end) : rest + chunk
  }
}
