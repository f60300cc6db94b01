/**
 * Manifest lines of a whole snapshot in the byte order of their keys, without holding them in memory. They come in runs
 * (an endpoint's documents fund by fund, the pages of a folder), each in order and each in a file of its own until the
 * end. Runs whose keys do not interleave follow one another as they are; those that do are merged.
 */

import { createHash } from 'node:crypto'
import { appendFileSync, createReadStream, createWriteStream, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'
import { checksumsKey, manifestKey, withoutFrom, type ManifestHead } from './manifest.ts'
import { keyAt, wholeLines } from './lines.ts'

export interface ObjectLines {
  /**
   * Takes lines of a run, in the order of their keys.
   * @throws {Error} if they are not in order
   */
  readonly add: (run: string, lines: string) => void
  /**
   * Merges the lines, and writes SHA256SUMS without the files of the manifest's first line. No line can be added afterwards.
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
  let merged: string | null = null

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
      const sums = join(root, checksumsKey)
      merged = join(temporary, 'merged')
      for await (const some of lines()) {
        sha256.update(withoutFrom(some))
        appendFileSync(sums, checksums(some))
        appendFileSync(merged, some)
      }
      return sha256.digest('hex')
    },
    write: async (head) => {
      if (merged === null) throw new Error('the manifest is written before its lines are digested')
      const file = merged
      async function* parts() {
        yield `${JSON.stringify(head)}\n`
        if (existsSync(file)) yield* createReadStream(file) as AsyncIterable<Buffer>
      }
      // Most of it is digests: they do not get smaller with more effort.
      const gzip = createGzip({ level: constants.Z_BEST_SPEED, chunkSize: 1 << 18 })
      await pipeline(parts, gzip, createWriteStream(join(root, manifestKey), { flags: 'wx' }))
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

/**
 * Files of lines, each in the order of its keys, as one.
 * @returns pieces of whole lines
 * @throws {Error} if two lines have the same key
 */
async function* mergedLines(files: readonly string[]): AsyncGenerator<string> {
  let open = (await Promise.all(files.map(openCursor))).filter(({ key }) => key !== '')
  let piece = ''
  let last = ''
  while (open.length > 0) {
    const next = open.reduce((one, other) => (other.key < one.key ? other : one))
    const others = open.filter((cursor) => cursor !== next).map(({ key }) => key)
    const end = others.reduce((one, other) => (other < one ? other : one), afterAllKeys)
    // Keys of one file mostly follow one another: the others need not be looked at for each line.
    do {
      if (next.key <= last) throw new Error(`manifest: two objects have the key ${next.key}`)
      last = next.key
      piece += next.line
      if (!next.advance()) await next.read()
    } while (next.key !== '' && next.key < end && piece.length <= pieceLength)
    open = open.filter(({ key }) => key !== '')
    if (piece.length > pieceLength) {
      yield piece
      piece = ''
    }
  }
  if (piece !== '') yield piece
}

/** Keys are ASCII. */
const afterAllKeys = '\u{7f}'

/** In characters. */
const pieceLength = 1 << 16

/** A place in a file of lines. */
interface Cursor {
  /** '' at the end. */
  key: string
  line: string
  /** Goes to the next line. @returns false if that has to be read first */
  readonly advance: () => boolean
  /** Reads on, and goes to the next line. */
  readonly read: () => Promise<void>
}

async function openCursor(file: string): Promise<Cursor> {
  const pieces = wholeLines(file)
  let text = ''
  let next = 0
  const take = () => {
    const end = text.indexOf('\n', next) + 1
    cursor.key = keyAt(text, next)
    cursor.line = text.slice(next, end)
    next = end
  }
  const cursor: Cursor = {
    key: '',
    line: '',
    advance: () => {
      if (next === text.length) return false
      take()
      return true
    },
    read: async () => {
      const piece = await pieces.next()
      text = piece.done === true ? '' : piece.value
      next = 0
      take()
    },
  }
  await cursor.read()
  return cursor
}
