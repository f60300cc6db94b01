/** `documents.zip`: the JSON answers of the snapshot, as its tree of files. */

import { hash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { versions } from 'node:process'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { documentsName } from '../../api/routes/pages.ts'
import { fileSink, fileThere, type FileSink, type WrittenFile } from '../file-sink.ts'
import { openPreviousZip, zipInto, type PreviousZip } from '../zip.ts'
import type { EarlierDocuments, FormatSource, WholeFormat } from './format.ts'

export const documents: WholeFormat = {
  ...{ id: 'documents', kind: 'whole', name: 'zip', mediatype: 'application/zip', section: 'plain' },
  readsDatabase: false,
  pieces: () => [
    {
      name: documentsName,
      describe: {
        en: 'The JSON answers of the API, as a tree of files',
        de: 'Alle JSON-Antworten der API als Ordner mit Dateien',
      },
      rows: null,
      listedAs: documentsFrom,
    },
  ],
  write: async ({ folder }, source) => {
    const zip = await writeDocuments(folder, source)
    return zip === null ? [] : [{ ...zip, piece: documentsName }]
  },
}

/** Digest of the code that packs the documents: entries that other code has packed are not copied. */
export function documentsFrom(code: string): string {
  return hash('sha256', JSON.stringify([code, documentsName, versions.zlib]), 'base64url').slice(0, 22)
}

/**
 * Copies entries of documents that are the same in both snapshots from the earlier ZIP.
 * @returns null if a document is neither in the folder nor in the earlier ZIP
 */
async function writeDocuments(
  folder: string,
  { root, manifest, isSparse, asOf, earlier }: FormatSource,
): Promise<WrittenFile | null> {
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
        const isUnchanged = !isThere || isOneFile(place, earlier?.root ?? null, key)
        const packed = isUnchanged ? (previous?.entry(key) ?? null) : null
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

/** @returns a function that reads a whole file. Its bytes are valid until the next call, to spare a buffer for each file. */
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

/** @returns null if the ZIP does not have its digest: entries copied from it would be damaged, too */
function openEarlier({ zip, sha256 }: EarlierDocuments): PreviousZip | null {
  if (!existsSync(zip)) return null
  return fileThere(dirname(zip), basename(zip)).sha256 === sha256 ? openPreviousZip(zip) : null
}

/** Whether a document is the file of the earlier folder: unchanged documents are hard links. */
function isOneFile(place: string, root: string | null, key: string): boolean {
  if (root === null) return false
  const stats = lstatSync(place, { bigint: true })
  const others = lstatSync(join(root, key), { bigint: true, throwIfNoEntry: false })
  return others?.ino === stats.ino && others.dev === stats.dev
}

/** As a manifest's line begins. */
const jsonLine = /^\{"key":"(api\/[^"]+\.json)"/gm
/** The name of a refusal, which is no answer: it names a fund that may not be in a file. */
const refusal = '/error.json'

/**
 * The keys of the JSON answers that a manifest lists, whatever files a sparse snapshot has.
 * @param manifest gzipped
 * @returns all keys in the order of their bytes, many at a time
 * @throws {Error} if it cannot be read
 */
async function* listedAnswers(manifest: string): AsyncGenerator<readonly string[]> {
  const unzipped = createGunzip({ chunkSize: 1 << 18 })
  // Pipeline passes errors of the file on to the reader.
  const piped = pipeline(createReadStream(manifest), unzipped)
  piped.catch(() => undefined)
  try {
    let rest = ''
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      // Keys are ASCII.
      const text = rest + chunk.toString('latin1')
      const end = text.lastIndexOf('\n') + 1
      const keys = [...text.slice(0, end).matchAll(jsonLine)].map(([, key = '']) => key)
      yield keys.filter((key) => !key.endsWith(refusal))
      rest = text.slice(end)
    }
    await piped
  } finally {
    // Nothing stays open if the reader stops early.
    unzipped.destroy()
  }
}
