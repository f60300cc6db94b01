/** Lines of manifests as text: read, parsed and added up. Keys are ASCII: their order as text is that of their bytes. */

import { createReadStream } from 'node:fs'
import { manifestLine, type RenderedLine } from './manifest.ts'

/** An object's line, parsed. */
export interface ParsedLine extends RenderedLine {
  /** The key's part after its last slash. */
  readonly name: string
}

/** As `manifestLine` writes them. A name has no slash: it could lead out of the folder. Earlier versions wrote no `from`. */
const everyLine =
  /^\{"key":"((?:[\w.-]+\/)*)([\w.-]+)","sha256":"([0-9a-f]{64})","bytes":(\d+),"type":"([^"\\]+)"(?:,"from":"([\w-]*)")?\}$/gm

/** @returns null if the text holds anything but lines of objects */
export function parseLines(text: string): ParsedLine[] | null {
  const found: ParsedLine[] = []
  let length = 0
  for (const match of text.matchAll(everyLine)) {
    const [line, folder = '', name = '', sha256 = '', bytes = '', type = '', from = ''] = match
    found.push({ key: folder + name, name, sha256, bytes: Number(bytes), type, from })
    length += line.length + 1
  }
  return length === text.length && !found.some(({ key }) => key.includes('../')) ? found : null
}

/**
 * @param folder ends with a slash
 * @returns the lines in the order of their names; none at all if the text holds anything but lines of this folder
 */
export function parseFolder(text: string, folder: string): ParsedLine[] {
  const found = parseLines(text) ?? []
  const isInFolder = ({ key, name }: ParsedLine, index: number) =>
    key === folder + name && name > (found[index - 1]?.name ?? '')
  return found.every(isInFolder) ? found : []
}

/**
 * The previous manifest, read along with the funds: unpacked into a file, with a position in it for each folder, so that memory
 * does not grow with the number of objects.
 */
export interface PreviousManifest {
  /**
   * The lines whose keys begin with a prefix, each with its line feed.
   * @param folder where to look for them, with a slash at the end; within a folder, prefixes have to ascend
   * @param prefix begins with the folder
   */
  readonly linesOf: (folder: string, prefix: string) => string
  /** The line of one object, or undefined. */
  readonly line: (key: string) => ParsedLine | undefined
  /** Any number of times. */
  readonly close: () => void
}

/** An object that belongs to no single fund. */
export interface SharedObject {
  readonly line: RenderedLine
  readonly isReused: boolean
}

/** The lines of one kind of documents, or of pages, of one fund. */
export interface FundLines {
  /** Null if they are those of the previous manifest. */
  readonly text: string | null
  readonly objects: number
  readonly bytes: number
  /** How many of the objects are unchanged. */
  readonly reused: number
}

export const noLines: FundLines = { text: '', objects: 0, bytes: 0, reused: 0 }

/** @param lines in the order of keys @param reused how many of them are unchanged */
export function linesOf(lines: readonly RenderedLine[], reused: number): FundLines {
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  // If all are unchanged, the main thread takes them from the previous manifest: no thread has to send them.
  const isPrevious = reused > 0 && reused === lines.length
  return { text: isPrevious ? null : lines.map(manifestLine).join(''), objects: lines.length, bytes, reused }
}

/** Cuts a text that comes in chunks behind its last line feeds. */
async function* inWholeLines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf('\n') + 1
    if (end > 0) yield rest + chunk.slice(0, end)
    rest = end > 0 ? chunk.slice(end) : rest + chunk
  }
}

/** A file of lines, in pieces of whole lines. */
export const wholeLines = (path: string): AsyncGenerator<string> =>
  inWholeLines(createReadStream(path, 'latin1') as AsyncIterable<string>)

/** The object lines of a manifest that is being unpacked, in pieces of whole lines. */
export async function* objectPieces(unpacked: AsyncIterable<Buffer>): AsyncGenerator<string> {
  async function* texts() {
    for await (const chunk of unpacked) yield chunk.toString('latin1')
  }
  let isFirst = true
  for await (const piece of inWholeLines(texts())) {
    // The first line is about the snapshot.
    const lines = isFirst ? piece.slice(piece.indexOf('\n') + 1) : piece
    if (lines !== '') yield lines
    isFirst = false
  }
}

const keyStart = '{"key":"'

/** The key of the line that starts there; '' for the manifest's first line, which has none, and at the end. */
export function keyAt(text: string, start: number): string {
  if (!text.startsWith(keyStart, start)) return ''
  const from = start + keyStart.length
  return text.slice(from, text.indexOf('"', from))
}
