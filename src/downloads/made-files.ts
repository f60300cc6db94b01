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
  /** The id of the snapshot whose documents were packed. */
  readonly snapshot: string
}

const format = 2

export function writeMadeFiles(root: string, said: Omit<Head, 'format'>, files: readonly MadeFile[]): void {
  const head: Head = { format, ...said }
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
 * The ZIP that lies beside a manifest, for a snapshot that goes on from that alone.
 * @param root the manifest's folder @param snapshot that it is of @param from as `documentsFrom` gives it
 * @returns null where there is none, or one of another snapshot or packed by other code
 */
export function documentsBeside(root: string, snapshot: string, from: string): EarlierDocuments | null {
  const list = readMadeFiles(root)
  const file = list.files.find((one) => one.from === from)
  if (file === undefined || list.snapshot !== snapshot) return null
  return { root: null, zip: placeOf(root, list.asOf, file), sha256: file.sha256 }
}

/**
 * @param folder of the new downloads
 * @returns what stands; nothing where the earlier snapshot has no downloads, or those of another version
 */
export function standingFiles({ root, takeOver }: EarlierDownloads, folder: string): StandingFiles {
  const { asOf, files } = readMadeFiles(root)
  const pieces = Map.groupBy(files, ({ from }) => from)
  return {
    take: (from) => {
      const taken: MadeFile[] = []
      for (const file of pieces.get(from) ?? []) {
        const place = join(folder, file.path)
        mkdirSync(dirname(place), { recursive: true })
        if (!takeOver(placeOf(root, asOf, file), place, file.bytes)) {
          for (const { path } of taken) rmSync(join(folder, path))
          return null
        }
        taken.push(file)
      }
      return taken.length === 0 ? null : taken
    },
    documents: (from) => {
      const [file] = pieces.get(from) ?? []
      return file === undefined ? null : { root, zip: placeOf(root, asOf, file), sha256: file.sha256 }
    },
  }
}

const placeOf = (root: string, asOf: string, { path }: MadeFile) => join(root, 'downloads', asOf, path)

interface MadeFiles extends Omit<Head, 'format'> {
  readonly files: readonly MadeFile[]
}

function readMadeFiles(root: string): MadeFiles {
  const none = { asOf: '', snapshot: '', files: [] }
  try {
    const [head, ...files] = readFileSync(join(root, madeFilesKey), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    const { format: found, asOf, snapshot } = head as Head
    const listed = files as readonly MadeFile[]
    return found === format && listed.every(isInFolder) ? { asOf, snapshot, files: listed } : none
  } catch {
    // Whatever it is: everything is made anew.
    return none
  }
}

/** At most one folder deep, and never out of it. */
const isInFolder = ({ path }: MadeFile) => /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/.test(path)
