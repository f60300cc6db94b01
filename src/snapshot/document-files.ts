/** The files of a snapshot's documents and pages: written, taken over from the previous snapshot, or left out of a sparse one. */

import { hash } from 'node:crypto'
import { closeSync, constants, copyFileSync, linkSync, lstatSync, mkdirSync } from 'node:fs'
import { openSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contentTypeOf } from '../routes/content-types.ts'
import type { RenderedLine } from './manifest.ts'
import type { StandingLine } from './standing-lines.ts'

/** A file's content: a document or a page. */
export interface Content {
  readonly key: string
  readonly content: string | Uint8Array
}

/** Where what did not change is to be had: `linked` from a folder, or not at all, which makes a `sparse` snapshot. */
export type Reuse = { readonly kind: 'linked'; readonly folder: string } | { readonly kind: 'sparse' }

export interface DocumentFiles {
  /**
   * Writes a document. A sparse snapshot leaves out one that stands with the same bytes already.
   * @param standing its line of the previous manifest, if there is one
   */
  readonly put: (document: Content, from: string, standing?: StandingLine) => RenderedLine
  /**
   * Takes documents over from the previous snapshot, all or none.
   * @returns false if one of them is not there as it is listed
   */
  readonly keep: (lines: readonly StandingLine[]) => boolean
}

/** @param root the snapshot's folder @param reuse null for a snapshot that takes nothing over */
export function documentFiles(root: string, reuse: Reuse | null): DocumentFiles {
  /** One buffer for all documents: it grows to the largest. */
  let buffer = Buffer.allocUnsafeSlow(1 << 20)
  const encode = (content: string | Uint8Array) => {
    if (typeof content !== 'string') return content
    // Three bytes at most for each UTF-16 unit.
    if (content.length * 3 > buffer.length) buffer = Buffer.allocUnsafeSlow(content.length * 3)
    return buffer.subarray(0, buffer.write(content))
  }
  let lastFolder = ''
  const placeOf = (key: string) => {
    const place = join(root, key)
    const folder = dirname(place)
    if (folder !== lastFolder) mkdirSync(folder, { recursive: true })
    lastFolder = folder
    return place
  }
  return {
    put: ({ key, content }, from, standing) => {
      const encoded = encode(content)
      const sha256 = hash('sha256', encoded, 'hex')
      const line = { key, sha256, bytes: encoded.length, type: contentTypeOf(key), from }
      if (reuse?.kind !== 'sparse' || !isOfSameBytes(line, standing)) writeNew(placeOf(key), encoded)
      return line
    },
    keep: (lines) => {
      if (reuse?.kind !== 'linked') return true
      const taken: string[] = []
      for (const { key, bytes } of lines) {
        const place = placeOf(key)
        if (!takeOver(join(reuse.folder, key), place, bytes)) {
          for (const path of taken) rmSync(path)
          return false
        }
        taken.push(place)
      }
      return true
    },
  }
}

/** Whether a publish that finds the standing object leaves it. */
export const isOfSameBytes = (line: RenderedLine, standing: StandingLine | undefined): boolean =>
  standing?.sha256 === line.sha256 && standing.bytes === line.bytes && standing.type === line.type

/** Never into a file that is there: it could be the previous snapshot's, under a second name. */
function writeNew(path: string, content: Uint8Array): void {
  const file = openSync(path, 'wx')
  try {
    for (let done = 0; done < content.length;) done += writeSync(file, content, done, content.length - done)
  } finally {
    closeSync(file)
  }
}

/** What a file system says that has no hard links, or none from there, or no more of this file. */
const unlinkable = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES']

/** Puts a file under a second name: a link, or a copy. @returns false if there is no file of this size */
export function takeOver(file: string, place: string, bytes: number): boolean {
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
