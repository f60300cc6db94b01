/** `documents.zip`: the JSON answers of the snapshot, as its tree of files. */

import { hash } from 'node:crypto'
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { versions } from 'node:process'
import { fileSink, fileThere, type WrittenFile } from './file-sink.ts'
import { openPreviousZip, type PreviousZip } from './previous-zip.ts'
import { zipInto } from './zip.ts'

export const documentsName = 'documents.zip'

/** An earlier snapshot with documents that this one has, too. */
export interface EarlierDocuments {
  /** The snapshot's folder. */
  readonly root: string
  /** Its ZIP, and what that should have, in hex. */
  readonly zip: string
  readonly sha256: string
}

/** Digest of what packs them: bytes of another one are not copied. */
export const documentsFrom = (code: string): string =>
  hash('sha256', JSON.stringify([code, documentsName, versions.zlib]), 'base64url').slice(0, 22)

/**
 * Answers only: refusals name funds that nothing is given out of.
 * @param root the snapshot's folder, with all its files
 * @param folder of the downloads
 * @param earlier entries of files that are one and the same in both snapshots are copied from its ZIP
 */
export function writeDocuments(
  root: string,
  asOf: string,
  folder: string,
  earlier: EarlierDocuments | null,
): WrittenFile {
  const sink = fileSink(folder, documentsName)
  const zip = zipInto(sink, asOf)
  const previous = earlier === null ? null : openEarlier(earlier)
  try {
    for (const key of answersBelow(root, 'api')) {
      const place = join(root, key)
      const isSame = earlier !== null && previous !== null && isOneFile(place, join(earlier.root, key))
      const packed = isSame ? previous.entry(key) : null
      if (packed === null) zip.add(key, readFileSync(place))
      else zip.copy(key, packed)
    }
  } finally {
    previous?.close()
  }
  zip.end()
  return sink.close()
}

/** @returns null if it is not as its checksum says: what is copied of it would be damaged, too */
function openEarlier({ zip, sha256 }: EarlierDocuments): PreviousZip | null {
  if (!existsSync(zip)) return null
  return fileThere(dirname(zip), basename(zip)).sha256 === sha256 ? openPreviousZip(zip) : null
}

/** Whether two names lead to one file: documents that stand are links. */
function isOneFile(one: string, other: string): boolean {
  const stats = lstatSync(one, { bigint: true })
  const others = lstatSync(other, { bigint: true, throwIfNoEntry: false })
  return others?.ino === stats.ino && others.dev === stats.dev
}

/** Keys in the order of their bytes, a folder at a time. */
function* answersBelow(root: string, folder: string): Generator<string> {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).map((entry) => ({
    isFolder: entry.isDirectory(),
    name: entry.name,
    // As its keys go on.
    order: entry.isDirectory() ? `${entry.name}/` : entry.name,
  }))
  for (const { isFolder, name } of entries.sort((one, other) => (one.order < other.order ? -1 : 1))) {
    if (isFolder) yield* answersBelow(root, `${folder}/${name}`)
    else if (name.endsWith('.json') && name !== 'error.json') yield `${folder}/${name}`
  }
}
