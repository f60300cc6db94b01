/**
 * `downloads.ndjson`: the files of the downloads that a later build can reuse, each with a digest of what it was made from.
 * The list is beside the manifest; no publish uploads it.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isDay } from '../api/routes/values.ts'
import type { WrittenFile } from './file-sink.ts'
import type { EarlierFiles } from './parts.ts'

export const madeFilesKey = 'downloads.ndjson'

interface MadeFile extends WrittenFile {
  readonly from: string
}

const format = 3

export function writeMadeFiles(root: string, asOf: string, files: readonly MadeFile[]): void {
  // The files lie in `downloads/<as-of>/`.
  const lines = [{ format, asOf }, ...files].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(join(root, madeFilesKey), lines.join(''), { flag: 'wx' })
}

/** A snapshot's folder, and how to get files from there. */
export interface EarlierSnapshot {
  readonly root: string
  /** Puts a file of this size into a place where there is none. @returns false if there is no such file */
  readonly reuse: (file: string, place: string, bytes: number) => boolean
}

/**
 * @param folder of the new downloads
 * @returns a function that reuses all files of a piece by its digest; it returns null if none was made from the same, or not
 * all of them are there
 */
export function reuseFiles(
  earlier: EarlierSnapshot | null,
  folder: string,
): (from: string) => readonly WrittenFile[] | null {
  if (earlier === null) return () => null
  const { root, reuse } = earlier
  const { asOf, files } = readMadeFiles(root)
  const pieces = Map.groupBy(files, ({ from }) => from)
  return (from) => {
    const taken: MadeFile[] = []
    for (const file of pieces.get(from) ?? []) {
      const place = join(folder, file.path)
      mkdirSync(dirname(place), { recursive: true })
      if (!reuse(placeOf(root, asOf, file), place, file.bytes)) {
        for (const { path } of taken) rmSync(join(folder, path))
        return null
      }
      taken.push(file)
    }
    return taken.length === 0 ? null : taken
  }
}

const placeOf = (root: string, asOf: string, { path }: MadeFile) => join(root, 'downloads', asOf, path)

function readMadeFiles(root: string) {
  const none = { asOf: '', files: new Array<MadeFile>() }
  try {
    const [head, ...files] = readFileSync(join(root, madeFilesKey), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    const { format: found, asOf } = head as { readonly format: unknown; readonly asOf: string }
    const listed = files as MadeFile[]
    const isSound = found === format && isDay(asOf) && listed.every(isPossible)
    return isSound ? { asOf, files: listed } : none
  } catch {
    // A list that cannot be read is no error: the build makes all files anew.
    return none
  }
}

/**
 * The files that have parts to copy, by their path.
 * @param earlier the snapshot with them, or null
 */
export function earlierParts(earlier: EarlierSnapshot | null): EarlierFiles {
  if (earlier === null) return new Map()
  const { asOf, files } = readMadeFiles(earlier.root)
  return new Map(
    files.flatMap((file) => {
      const { path, bytes, sha256, parts = [] } = file
      return parts.length === 0
        ? []
        : [[path, { place: placeOf(earlier.root, asOf, file), bytes, sha256, parts }]]
    }),
  )
}

/** At most one folder deep, and never out of it; parts are never out of the file. */
const isPossible = ({ path, bytes, parts = [] }: MadeFile) =>
  /^(?:[\w-][\w.-]*\/)?[\w-][\w.-]*$/.test(path) &&
  parts.every((part) => part.at >= 0 && part.bytes >= 0 && part.at + part.bytes <= bytes)
