/** The files of documents and pages: written, linked from the previous snapshot, or left out of a sparse one. */

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

/** What happens to unchanged files. `nothing`: there are none. `folder`: they are linked from there. `sparse`: they are left out. */
export type Reuse =
  { readonly kind: 'folder'; readonly folder: string } | { readonly kind: 'nothing' | 'sparse' }

export type DocumentFiles = ReturnType<typeof documentFiles>

/** A document or a page; a window comes in pieces, as {@link windowPieces} gives them. */
export interface Written {
  readonly key: string
  readonly content: Page['content'] | readonly string[]
}

/** Makes the lines of documents, and their bytes, which are good until the next document. */
export function lineMaker() {
  /** One buffer for all documents: it grows to the largest. */
  let buffer = Buffer.allocUnsafeSlow(1 << 20)
  /** @returns where each piece ends: piece by piece, since V8 first makes a flat text of each, slowly of a large one */
  const encode = (pieces: readonly string[]): readonly number[] => {
    // Three bytes at most for each UTF-16 unit.
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
      ...{ key, sha256, bytes: encoded.length, type: contentTypeOf(key), from },
      ...months,
    }
    return { line, encoded }
  }
}

/** @param root the snapshot's folder */
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
    /**
     * Writes a document or a page. A sparse snapshot leaves it out if the previous one has the same bytes.
     * @param previous its line of the previous manifest, if there is one
     */
    put: (document: Written, from: string, previous?: ParsedLine): RenderedLine => {
      const { line, encoded } = makeLine(document, from)
      if (reuse.kind !== 'sparse' || !isOfSameBytes(line, previous)) writeNew(placeOf(line.key), encoded)
      return line
    },
    /** Reuses documents of the previous snapshot, all or none. @returns false if one is missing, or does not have its size */
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

/** An object that belongs to no single fund, and whether it is reused. */
export type SharedObject = ReturnType<typeof putShared>

/** Reuses a document or a page that was made from the same, or writes it. */
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

/** Whether a publish that finds the previous object skips it. */
export const isOfSameBytes = (line: RenderedLine, previous: ParsedLine | undefined): boolean =>
  previous?.sha256 === line.sha256 && previous.bytes === line.bytes && previous.type === line.type

/** `wx`: a file that exists could be a hard link to the previous snapshot's. */
function writeNew(path: string, content: Uint8Array): void {
  const file = openSync(path, 'wx')
  try {
    for (let done = 0; done < content.length;) done += writeSync(file, content, done, content.length - done)
  } finally {
    closeSync(file)
  }
}

/** Errors of a file system without hard links, from another one, or with no more links to this file. */
const unlinkable = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']

/** Puts a file under a second name: a link, or a copy. @returns false if there is no file of this size */
export function linkOrCopy(file: string, place: string, bytes: number): boolean {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  if (stats?.isFile() !== true || stats.size !== bytes) return false
  try {
    linkSync(file, place)
  } catch (error) {
    if (!unlinkable.includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    copyFileSync(file, place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
  }
  return true
}
