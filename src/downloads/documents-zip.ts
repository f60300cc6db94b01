/** `documents.zip`: the JSON answers of the snapshot, as its tree of files. */

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileSink, type WrittenFile } from './file-sink.ts'
import { zipInto } from './zip.ts'

/**
 * Answers only: refusals name funds that nothing is given out of.
 * @param root the snapshot's folder, with all its files
 * @param folder of the downloads
 */
export function writeDocuments(root: string, asOf: string, folder: string): WrittenFile {
  const sink = fileSink(folder, 'documents.zip')
  const zip = zipInto(sink, asOf)
  for (const key of answersBelow(root, 'api')) zip.add(key, readFileSync(join(root, key)))
  zip.end()
  return sink.close()
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
