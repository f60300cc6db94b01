/** `documents.zip`: the JSON answers of the snapshot, as its tree of files. */

import { hash } from 'node:crypto'
import { closeSync, existsSync, fstatSync, lstatSync, openSync, readSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { versions } from 'node:process'
import { documentsName } from '../routes/pages.ts'
import { fileSink, fileThere, type FileSink, type WrittenFile } from './file-sink.ts'
import { listedAnswers } from './listed-answers.ts'
import { openPreviousZip, type PreviousZip } from './previous-zip.ts'
import { zipInto } from './zip.ts'

/** An earlier snapshot with documents that this one has, too. */
export interface EarlierDocuments {
  /** The snapshot's folder; null where this one is sparse: what it lists and does not have is as it was. */
  readonly root: string | null
  /** Its ZIP, and what that should have, in hex. */
  readonly zip: string
  readonly sha256: string
}

/** Digest of what packs them: bytes of another one are not copied. */
export const documentsFrom = (code: string): string =>
  hash('sha256', JSON.stringify([code, documentsName, versions.zlib]), 'base64url').slice(0, 22)

export interface DocumentsOptions {
  /** The snapshot's folder. */
  readonly root: string
  /** Its manifest. */
  readonly manifest: string
  /** Whether it lacks documents. */
  readonly isSparse: boolean
  /** ISO 8601 */
  readonly asOf: string
  /** Of the downloads. */
  readonly folder: string
  /** Entries of documents that are one and the same in both snapshots are copied from its ZIP. */
  readonly earlier: EarlierDocuments | null
}

/** @returns null if a document is neither in the folder nor in the earlier ZIP: then there is no new one */
export async function writeDocuments(options: DocumentsOptions): Promise<WrittenFile | null> {
  const { root, manifest, isSparse, asOf, folder, earlier } = options
  const previous = earlier === null ? null : openEarlier(earlier)
  if (isSparse && previous === null) return null
  const sink = fileSink(folder, documentsName)
  const zip = zipInto(sink, asOf)
  const read = fileReader()
  try {
    for await (const keys of listedAnswers(manifest)) {
      for (const key of keys) {
        const place = join(root, key)
        const isThere = !isSparse || existsSync(place)
        const stands = !isThere || isOneFile(place, earlier?.root ?? null, key)
        const packed = stands ? (previous?.entry(key) ?? null) : null
        if (packed !== null) zip.copy(key, packed)
        else if (isThere) zip.add(key, read(place))
        else return discard(sink, folder)
      }
    }
  } finally {
    previous?.close()
  }
  zip.end()
  return sink.close()
}

function discard(sink: FileSink, folder: string): null {
  sink.close()
  rmSync(join(folder, documentsName))
  return null
}

/** @returns what reads a whole file; its bytes are good until the next one is read: each in an own buffer is much garbage */
function fileReader(): (place: string) => Buffer {
  let space = Buffer.allocUnsafeSlow(1 << 18)
  return (place) => {
    const file = openSync(place, 'r')
    try {
      const { size } = fstatSync(file)
      if (size > space.length) space = Buffer.allocUnsafeSlow(2 * size)
      let bytes = 0
      while (bytes < size) {
        const read = readSync(file, space, bytes, size - bytes, bytes)
        if (read === 0) throw new Error(`${place} ends too early`)
        bytes += read
      }
      return space.subarray(0, size)
    } finally {
      closeSync(file)
    }
  }
}

/** @returns null if it is not as its checksum says: what is copied of it would be damaged, too */
function openEarlier({ zip, sha256 }: EarlierDocuments): PreviousZip | null {
  if (!existsSync(zip)) return null
  return fileThere(dirname(zip), basename(zip)).sha256 === sha256 ? openPreviousZip(zip) : null
}

/** Whether a document is that of the earlier folder: those that stand are links. */
function isOneFile(place: string, root: string | null, key: string): boolean {
  if (root === null) return false
  const stats = lstatSync(place, { bigint: true })
  const others = lstatSync(join(root, key), { bigint: true, throwIfNoEntry: false })
  return others?.ino === stats.ino && others.dev === stats.dev
}
