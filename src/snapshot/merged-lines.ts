/** Files of manifest lines, each in the order of its keys, as one. Keys are ASCII: their order as text is that of bytes. */

import { createReadStream } from 'node:fs'

/**
 * @returns pieces of whole lines
 * @throws {Error} if two lines have the same key
 */
export async function* mergedLines(files: readonly string[]): AsyncGenerator<string> {
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

/** A file of lines in pieces, none of which ends within a line. Lines are ASCII. */
export async function* wholeLines(path: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(path, 'latin1') as AsyncIterable<string>) {
    const end = chunk.lastIndexOf('\n') + 1
    if (end > 0) yield rest + chunk.slice(0, end)
    rest = end > 0 ? chunk.slice(end) : rest + chunk
  }
}

/** The object lines of a manifest that is being unpacked, in pieces of whole lines. */
export async function* objectPieces(unpacked: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let rest = ''
  let isFirst = true
  for await (const chunk of unpacked) {
    const text = rest + chunk.toString('latin1')
    const end = text.lastIndexOf('\n') + 1
    // The first line is about the snapshot.
    const start = isFirst && end > 0 ? text.indexOf('\n') + 1 : 0
    if (end > 0) isFirst = false
    if (end > start) yield text.slice(start, end)
    rest = text.slice(end)
  }
}

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

const keyStart = '{"key":"'

/** The key of the line that starts there; '' of the manifest's first line, which has none, and of no line. */
export function keyAt(text: string, start: number): string {
  if (!text.startsWith(keyStart, start)) return ''
  const from = start + keyStart.length
  return text.slice(from, text.indexOf('"', from))
}
