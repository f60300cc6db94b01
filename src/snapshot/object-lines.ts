/**
 * Manifest lines of a whole snapshot in the byte order of their keys, without holding them in memory. They come in runs
 * (an endpoint's documents fund by fund, the pages of a folder), each in order and each in a file of its own until the
 * end. Runs whose keys do not interleave follow one another as they are; those that do are merged.
 */

import { createHash } from 'node:crypto'
import { appendFileSync, closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compressLines, writeGzip, type CompressedLines } from './gzip-lines.ts'
import { checksumsKey, manifestKey, withoutFrom, type ManifestHead } from './manifest.ts'
import { keyAt, mergedLines, wholeLines } from './merged-lines.ts'

export interface ObjectLines {
  /**
   * Takes lines of a run, in the order of their keys.
   * @throws {Error} if they are not in order
   */
  readonly add: (run: string, lines: string) => void
  /**
   * Writes SHA256SUMS, but for what the manifest's first line names, and compresses the lines meanwhile. After it no more
   * lines are taken.
   * @returns SHA-256 of all lines without their `from`, in hex
   * @throws {Error} if two lines have the same key
   */
  readonly digest: () => Promise<string>
  /** Writes the manifest and the rest of SHA256SUMS after that, and removes the files in between. */
  readonly write: (head: ManifestHead) => Promise<void>
}

interface Run {
  readonly file: string
  readonly first: string
  last: string
  held: string
}

/** Held back in memory for each run, in characters: a line at a time would open its file a thousand times. */
const heldBack = 1 << 16

export function objectLines(root: string): ObjectLines {
  const temporary = join(root, '.lines')
  mkdirSync(temporary)
  const runs = new Map<string, Run>()
  const flush = (run: Run) => {
    appendFileSync(run.file, run.held)
    run.held = ''
  }
  async function* lines() {
    for (const group of interleaving([...runs.values()])) {
      const files = group.map(({ file }) => file)
      yield* files.length === 1 ? wholeLines(files[0] ?? '') : mergedLines(files)
    }
  }
  let compressed: CompressedLines | null = null

  return {
    add: (name, some) => {
      if (some === '') return
      const first = keyAt(some, 0)
      const run = runs.get(name) ?? { file: join(temporary, `${runs.size}`), first, last: '', held: '' }
      if (first <= run.last) throw new Error(`manifest: ${first} comes after ${run.last}`)
      runs.set(name, run)
      run.last = keyAt(some, some.lastIndexOf('\n', some.length - 2) + 1)
      run.held += some
      if (run.held.length > heldBack) flush(run)
    },
    digest: async () => {
      for (const run of runs.values()) flush(run)
      const sha256 = createHash('sha256')
      const sums = openSync(join(root, checksumsKey), 'wx')
      async function* digested() {
        for await (const some of lines()) {
          sha256.update(withoutFrom(some))
          appendFileSync(sums, checksums(some))
          yield some
        }
      }
      try {
        compressed = await compressLines(digested(), join(temporary, 'compressed'))
      } finally {
        closeSync(sums)
      }
      return sha256.digest('hex')
    },
    write: async (head) => {
      if (compressed === null) throw new Error('the manifest is written before its lines are digested')
      await writeGzip(join(root, manifestKey), `${JSON.stringify(head)}\n`, compressed)
      const { files = [] } = head
      appendFileSync(join(root, checksumsKey), files.map(({ key, sha256 }) => `${sha256}  ${key}\n`).join(''))
      rmSync(temporary, { recursive: true })
    },
  }
}

/** Lines of the manifest as lines of SHA256SUMS. */
const checksums = (lines: string) => lines.replace(/^\{"key":"([^"]+)","sha256":"([^"]+)".*$/gm, '$2  $1')

/** Runs in the order of their keys, those together whose keys lie between each other's. */
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
