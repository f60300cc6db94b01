/** Files of manifest lines, each in the order of its keys, as one. Keys are ASCII: their order as text is that of bytes. */

import { createReadStream } from 'node:fs'

/**
 * @returns pieces of whole lines
 * @throws {Error} if two lines have the same key
 */
export async function* mergedLines(files: readonly string[]): AsyncGenerator<string> {
  const open = (await Promise.all(files.map(openCursor))).filter(({ key }) => key !== '')
  let piece = ''
  let last = ''
  while (open.length > 0) {
    const next = open.reduce((one, other) => (other.key < one.key ? other : one))
    if (next.key <= last) throw new Error(`manifest: two objects have the key ${next.key}`)
    last = next.key
    piece += next.line
    await next.advance()
    if (next.key === '') open.splice(open.indexOf(next), 1)
    if (piece.length > pieceLength) {
      yield piece
      piece = ''
    }
  }
  if (piece !== '') yield piece
}

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

/** A place in a file of lines. */
interface Cursor {
  /** '' at the end. */
  key: string
  line: string
  readonly advance: () => Promise<void>
}

async function openCursor(file: string): Promise<Cursor> {
  const pieces = wholeLines(file)
  let text = ''
  let next = 0
  const cursor: Cursor = {
    key: '',
    line: '',
    advance: async () => {
      if (next === text.length) {
        const piece = await pieces.next()
        text = piece.done === true ? '' : piece.value
        next = 0
      }
      const end = text.indexOf('\n', next) + 1
      cursor.key = keyAt(text, next)
      cursor.line = text.slice(next, end)
      next = end
    },
  }
  await cursor.advance()
  return cursor
}

const keyStart = '{"key":"'

/** The key of the line that starts there; '' of the manifest's first line, which has none, and of no line. */
export function keyAt(text: string, start: number): string {
  if (!text.startsWith(keyStart, start)) return ''
  const from = start + keyStart.length
  return text.slice(from, text.indexOf('"', from))
}
