/**
 * Manifest lines of a whole snapshot in the byte order of their keys, without holding them in memory. Lines come in
 * runs (an endpoint's documents fund by fund, the pages of a folder), each in order and in a file of its own. Runs with
 * interleaving keys are merged; the others are concatenated.
 */

import { createHash } from 'node:crypto'
import { appendFileSync, createReadStream, createWriteStream, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { answeredBy, keyParser } from '../api/routes/parse-key.ts'
import type { RouteTable } from '../api/routes/table.ts'
import { wholeLines } from '../system/whole-lines.ts'
import {
  checksumsKey,
  keyAt,
  type ManifestHead,
  manifestKey,
  type ManifestLine,
  withoutFrom,
} from './manifest.ts'

interface Run {
  readonly file: string
  readonly first: string
  last: string
  held: string
}

/** Characters of a run in memory: to append each line on its own would open the file a thousand times. */
const heldBack = 1 << 16

export function objectLines(root: string, table: RouteTable) {
  const temporary = join(root, '.lines')
  const merged = join(temporary, 'merged')
  mkdirSync(temporary)
  const runs = new Map<string, Run>()
  const flush = (run: Run) => {
    appendFileSync(run.file, run.held)
    run.held = ''
  }
  return {
    /** @param some lines of a run, in the order of their keys @throws {Error} if they are not in order */
    add: (name: string, some: string): void => {
      if (some === '') return
      const first = keyAt(some, 0)
      const run = runs.get(name) ?? { file: join(temporary, `${runs.size}`), first, last: '', held: '' }
      if (first <= run.last) throw new Error(`manifest: ${first} comes after ${run.last}`)
      runs.set(name, run)
      run.last = keyAt(some, some.lastIndexOf('\n', some.length - 2) + 1)
      run.held += some
      if (run.held.length > heldBack) flush(run)
    },
    /**
     * Merges the lines, and writes SHA256SUMS without the files of the manifest's first line. No line can be added
     * afterwards.
     * @returns SHA-256 of all lines without `from`, in hex, and the number of documents by endpoint
     */
    digest: async () => {
      const documents: Record<string, number> = {}
      for (const run of runs.values()) flush(run)
      const sha256 = createHash('sha256')
      const meaningOf = keyParser(table)
      for (const group of interleaving([...runs.values()])) {
        for await (const some of mergedLines(group)) {
          sha256.update(withoutFrom(some))
          for (const [, key = ''] of some.matchAll(keys)) {
            const endpoint = answeredBy(meaningOf(key))
            if (endpoint !== null) documents[endpoint] = (documents[endpoint] ?? 0) + 1
          }
          appendFileSync(join(root, checksumsKey), checksums(some))
          appendFileSync(merged, some)
        }
      }
      return { sha256: sha256.digest('hex'), documents }
    },
    /** Writes the rest of SHA256SUMS: the files of the manifest's first line. */
    list: (files: readonly ManifestLine[]): void => {
      const lines = files.map(({ key, sha256 }) => `${sha256}  ${key}\n`)
      appendFileSync(join(root, checksumsKey), lines.join(''))
    },
    /** Writes the manifest, and removes the temporary files. */
    write: async (head: ManifestHead): Promise<void> => {
      async function* parts() {
        yield `${JSON.stringify(head)}\n`
        if (existsSync(merged)) yield* createReadStream(merged) as AsyncIterable<Buffer>
      }
      // Digests are most of the text, and more effort does not make them smaller.
      const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 1 << 18 })
      await pipeline(parts, gzip, createWriteStream(join(root, manifestKey), { flags: 'wx' }))
      rmSync(temporary, { recursive: true })
    },
  }
}

const keys = /^\{"key":"([^"]+)"/gm

const checksums = (lines: string) => lines.replace(/^\{"key":"([^"]+)","sha256":"([^"]+)".*$/gm, '$2  $1')

/** Sorts runs by key, and groups those whose keys interleave. */
function interleaving(runs: readonly Run[]): Run[][] {
  const groups: Run[][] = []
  let end = ''
  for (const run of runs.toSorted((one, other) => (one.first < other.first ? -1 : 1))) {
    const group = groups.at(-1)
    if (group === undefined || run.first > end) groups.push([run])
    else group.push(run)
    if (run.last > end) end = run.last
  }
  return groups
}

/** Merges runs, in pieces of whole lines. @throws {Error} if two lines have the same key */
async function* mergedLines(runs: readonly Run[]): AsyncGenerator<string> {
  const [only, another] = runs
  if (only !== undefined && another === undefined) {
    yield* wholeLines(createReadStream(only.file))
    return
  }
  const open = new Map(runs.map(({ file }) => [linesIn(file), { key: '', line: '' }]))
  const advance = async (lines: ReturnType<typeof linesIn>) => {
    const { done, value } = await lines.next()
    if (done === true) open.delete(lines)
    else open.set(lines, value)
  }
  await Promise.all([...open.keys()].map(advance))
  let piece = ''
  let last = ''
  while (open.size > 0) {
    const [lines, { key, line }] = [...open].reduce((one, other) => (other[1].key < one[1].key ? other : one))
    if (key <= last) throw new Error(`manifest: two objects have the key ${key}`)
    last = key
    piece += line
    await advance(lines)
    if (piece.length > heldBack || open.size === 0) {
      yield piece
      piece = ''
    }
  }
}

async function* linesIn(file: string) {
  for await (const piece of wholeLines(createReadStream(file))) {
    for (let next = 0; next < piece.length;) {
      const end = piece.indexOf('\n', next) + 1
      yield { key: keyAt(piece, next), line: piece.slice(next, end) }
      next = end
    }
  }
}
