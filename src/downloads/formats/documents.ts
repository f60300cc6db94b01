/** `documents.zip`: the JSON answers of the snapshot, as its tree of files. */

import { hash } from 'node:crypto'
import { createReadStream, existsSync, lstatSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { versions } from 'node:process'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { documentsName } from '../../api/routes/pages.ts'
import { wholeLines } from '../../system/whole-lines.ts'
import { fileSink, fileThere, type WrittenFile } from '../file-sink.ts'
import { openPreviousZip, zipInto, type PreviousZip } from '../zip.ts'
import type { EarlierDocuments, FormatWork, WholeFormat } from './format.ts'

export const documents: WholeFormat = {
  ...{ id: 'documents', kind: 'whole', name: 'zip', mediatype: 'application/zip', label: 'ZIP' },
  readsDatabase: false,
  pieces: () => [{ name: documentsName, row: 'documents', describe, rows: null, listedAs: documentsFrom }],
  write: async (work) => {
    const zip = await writeDocuments(work)
    return zip === null ? [] : [{ ...zip, piece: documentsName }]
  },
}

const describe = {
  en: 'All JSON answers of the API as a folder of files',
  de: 'Alle JSON-Antworten der API als Ordner mit Dateien',
}

/** Digest of the code that packs the documents: entries that other code has packed are not copied. */
export function documentsFrom(code: string): string {
  return hash('sha256', JSON.stringify([code, documentsName, versions.zlib]), 'base64url').slice(0, 22)
}

/**
 * Copies entries of documents that are the same in both snapshots from the earlier ZIP.
 * @returns null if a document is neither in the folder nor in the earlier ZIP
 */
async function writeDocuments(work: FormatWork): Promise<WrittenFile | null> {
  const { folder, root, manifest, isSparse, asOf, earlier } = work
  const previous = earlier === null ? null : openEarlier(earlier)
  if (isSparse && previous === null) return null
  const sink = fileSink(folder, documentsName)
  const zip = zipInto(sink, asOf)
  const missing: string[] = []
  const put = (key: string) => {
    const place = join(root, key)
    const isThere = !isSparse || existsSync(place)
    const isUnchanged = !isThere || isOneFile(place, earlier?.root ?? null, key)
    const packed = isUnchanged ? (previous?.entry(key) ?? null) : null
    if (packed !== null) zip.copy(key, packed)
    else if (isThere) zip.add(key, readFileSync(place))
    else missing.push(key)
  }
  try {
    const gunzip = createGunzip({ chunkSize: 1 << 18 })
    await pipeline(createReadStream(manifest), gunzip, async (unpacked: AsyncIterable<Buffer>) => {
      for await (const lines of wholeLines(unpacked)) {
        for (const [, key = ''] of lines.matchAll(jsonLine))
          if (missing.length === 0 && !key.endsWith(refusal)) put(key)
      }
    })
  } finally {
    previous?.close()
  }
  zip.end()
  const written = sink.close()
  if (missing.length === 0) return written
  rmSync(join(folder, documentsName))
  return null
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
