/** Lines of manifests as text. Keys are ASCII: their order as text is that of their bytes. */

import { manifestLine, type RenderedLine } from './manifest.ts'

/** An object's line, parsed. */
export interface ParsedLine extends RenderedLine {
  /** The key's part after its last slash. */
  readonly name: string
}

export const byKey = (one: { readonly key: string }, other: { readonly key: string }) =>
  one.key < other.key ? -1 : 1

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
export function linesByName(text: string, folder: string): ReadonlyMap<string, ParsedLine> {
  const found = parseLines(text) ?? []
  const isInFolder = ({ key, name }: ParsedLine, index: number) =>
    key === folder + name && name > (found[index - 1]?.name ?? '')
  return new Map(found.every(isInFolder) ? found.map((line) => [line.name, line]) : [])
}

/**
 * The lines of one kind of documents, or of pages, of one fund. If all are unchanged, `text` is null, and the main thread
 * takes them from the previous manifest: no thread has to send them.
 * @param lines in the order of keys @param reused how many of them are unchanged
 */
export function linesOf(lines: readonly RenderedLine[], reused: number) {
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  const isPrevious = reused > 0 && reused === lines.length
  return { text: isPrevious ? null : lines.map(manifestLine).join(''), objects: lines.length, bytes, reused }
}

const keyStart = '{"key":"'

/** The key of the line that starts there; '' for the manifest's first line, which has none, and at the end. */
export function keyAt(text: string, start: number): string {
  if (!text.startsWith(keyStart, start)) return ''
  const from = start + keyStart.length
  return text.slice(from, text.indexOf('"', from))
}
