/** Files of documents and pages: written, linked from the previous snapshot, or left out of a sparse one. */

import { hash } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Page } from '../api/contract/page.ts'
import { contentTypeOf } from '../api/routes/content-types.ts'
import type { ParsedLine, RenderedLine } from './manifest.ts'
import type { PreviousManifest } from './previous-manifest.ts'
import { systemCode } from '../system/message.ts'

/** How unchanged files are reused. `folder`: linked from there. `sparse`: left out. `nothing`: no file is unchanged. */
export type Reuse =
  { readonly kind: 'folder'; readonly folder: string } | { readonly kind: 'nothing' | 'sparse' }

export type DocumentFiles = ReturnType<typeof documentFiles>

/** A document or a page; a window comes in pieces, as {@link windowPieces} gives them. */
export interface Written {
  readonly key: string
  readonly content: Page['content'] | readonly string[]
}

/** Makes the lines of documents, and their bytes, which are valid until the next document. */
export function lineMaker() {
  /** One buffer for all documents: it grows to the largest. */
  let buffer = Buffer.allocUnsafeSlow(1 << 20)
  /** Writes piece by piece, since V8 first flattens each text, slowly if it is large. @returns the end of each piece */
  const encode = (pieces: readonly string[]): readonly number[] => {
    // A UTF-16 unit takes three bytes at most.
    const most = 3 * pieces.reduce((characters, { length }) => characters + length, 0)
    if (most > buffer.length) buffer = Buffer.allocUnsafeSlow(most)
    let end = 0
    return pieces.map((piece) => (end += buffer.write(piece, end)))
  }
  return ({ key, content }: Written, from: string) => {
    const isBinary = content instanceof Uint8Array
    const ends = isBinary ? [] : encode(typeof content === 'string' ? [content] : content)
    const encoded = isBinary ? content : buffer.subarray(0, ends.at(-1))
    const sha256 = hash('sha256', encoded, 'hex')
    const months = ends.length > 1 ? { months: ends.slice(0, -1) } : {}
    const line: RenderedLine = {
      key,
      sha256,
      bytes: encoded.length,
      type: contentTypeOf(key),
      from,
      ...months,
    }
    return { line, encoded }
  }
}

export function documentFiles(root: string, reuse: Reuse) {
  const makeLine = lineMaker()
  let lastFolder = ''
  const placeOf = (key: string) => {
    const place = join(root, key)
    const folder = dirname(place)
    if (folder !== lastFolder) mkdirSync(folder, { recursive: true })
    lastFolder = folder
    return place
  }
  return {
    /** Writes a document or a page. A sparse snapshot leaves it out if the previous one has the same bytes. */
    put: (document: Written, from: string, previous?: ParsedLine): RenderedLine => {
      const { line, encoded } = makeLine(document, from)
      if (reuse.kind !== 'sparse' || !isOfSameBytes(line, previous)) writeNew(placeOf(line.key), encoded)
      return line
    },
    /** Reuses documents, all or none. @returns false if a file is missing or has another size */
    reuse: (lines: readonly ParsedLine[]): boolean => {
      if (reuse.kind !== 'folder') return true
      const taken: string[] = []
      for (const { key, bytes } of lines) {
        const place = placeOf(key)
        if (!linkOrCopy(join(reuse.folder, key), place, bytes)) {
          for (const path of taken) rmSync(path)
          return false
        }
        taken.push(place)
      }
      return true
    },
  }
}

export type SharedObject = ReturnType<typeof putShared>

export function putShared(
  page: Page,
  from: string,
  previous: PreviousManifest,
  files: DocumentFiles,
): { readonly line: RenderedLine; readonly isReused: boolean } {
  const line = previous.line(page.key)
  if (line?.from === from && files.reuse([line])) return { line, isReused: true }
  return { line: files.put(page, from, line), isReused: false }
}

/** True if a publish skips the object, because the bucket has the previous one. */
export const isOfSameBytes = (line: RenderedLine, previous: ParsedLine | undefined): boolean =>
  previous?.sha256 === line.sha256 && previous.bytes === line.bytes && previous.type === line.type

/** Creates a file. `wx`: a file that exists could be a hard link to the previous snapshot's. */
function writeNew(path: string, content: Uint8Array): void {
  const file = openSync(path, 'wx')
  try {
    for (let done = 0; done < content.length;) done += writeSync(file, content, done, content.length - done)
  } finally {
    closeSync(file)
  }
}

/** Errors of a file system without hard links, of a link to another one, and of too many links to a file. */
const unlinkable = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']

/** Links a file under a second name, or copies it. @returns false if there is no file of this size */
export function linkOrCopy(file: string, place: string, bytes: number): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true || stats.size !== bytes) return false
  try {
    linkSync(file, place)
  } catch (error) {
    if (!unlinkable.includes(systemCode(error))) throw error
    copyFileSync(file, place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  }
  return true
}
