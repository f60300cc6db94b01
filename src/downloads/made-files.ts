/**
 * `downloads.ndjson`: a line a file of the downloads that can stand, with a digest of what it was made of. It lies beside
 * the manifest, for the build that goes on from this snapshot: nobody publishes it.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EarlierDocuments } from './documents-zip.ts'
import type { WrittenFile } from './file-sink.ts'

export const madeFilesKey = 'downloads.ndjson'

export interface MadeFile extends WrittenFile {
  /** Of its piece. */
  readonly from: string
}

interface Head {
  /** Version of this format. */
  readonly format: number
  /** The files lie in `downloads/<as-of>/`. */
  readonly asOf: string
}

const format = 1

export function writeMadeFiles(root: string, asOf: string, files: readonly MadeFile[]): void {
  const head: Head = { format, asOf }
  const lines = [head, ...files].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(join(root, madeFilesKey), lines.join(''), { flag: 'wx' })
}

/** A snapshot's folder, and how to get files from there. */
export interface EarlierDownloads {
  readonly root: string
  /** Puts a file of this size into a place where there is none. @returns false if it is not there as it should be */
  readonly takeOver: (file: string, place: string, bytes: number) => boolean
}

export interface StandingFiles {
  /** Takes all files of a piece over. @returns null if none was made of just this, or not all of it is there */
  readonly take: (from: string) => readonly WrittenFile[] | null
  /** The documents, if they were packed by this very code: their entries can be copied. */
  readonly documents: (from: string) => EarlierDocuments | null
}

export const nothingStands: StandingFiles = { take: () => null, documents: () => null }

/**
 * @param folder of the new downloads
 * @returns what stands; nothing where the earlier snapshot has no downloads, or those of another version
 */
export function standingFiles({ root, takeOver }: EarlierDownloads, folder: string): StandingFiles {
  const { asOf, files } = readMadeFiles(root)
  const pieces = Map.groupBy(files, ({ from }) => from)
  const placeOf = ({ path }: MadeFile) => join(root, 'downloads', asOf, path)
  return {
    take: (from) => {
      const taken: MadeFile[] = []
      for (const file of pieces.get(from) ?? []) {
        const place = join(folder, file.path)
        mkdirSync(dirname(place), { recursive: true })
        if (!takeOver(placeOf(file), place, file.bytes)) {
          for (const { path } of taken) rmSync(join(folder, path))
          return null
        }
        taken.push(file)
      }
      return taken.length === 0 ? null : taken
    },
    documents: (from) => {
      const [file] = pieces.get(from) ?? []
      return file === undefined ? null : { root, zip: placeOf(file), sha256: file.sha256 }
    },
  }
}

function readMadeFiles(root: string): { readonly asOf: string; readonly files: readonly MadeFile[] } {
  const none = { asOf: '', files: [] }
  try {
    const [head, ...files] = readFileSync(join(root, madeFilesKey), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    const { format: found, asOf } = head as Head
    const listed = files as readonly MadeFile[]
    return found === format && listed.every(isInFolder) ? { asOf, files: listed } : none
  } catch {
    // Whatever it is: everything is made anew.
    return none
  }
}

/** At most one folder deep, and never out of it. */
const isInFolder = ({ path }: MadeFile) => /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/.test(path)
