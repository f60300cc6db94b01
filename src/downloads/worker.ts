/** A thread of the downloads: writes some formats. */

import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { readFunds, type FormatWork, type PieceFile } from './formats/format.ts'
import { loadFormats } from './formats/index.ts'

export interface FormatsWork extends Omit<FormatWork, 'wanted'> {
  /** The address of the registry of formats. */
  readonly module: string
  /** The formats to write, by id, each with the names of its pieces to make. */
  readonly wanted: ReadonlyMap<string, ReadonlySet<string>>
}

/** A file, and the id of its format. */
export interface FormatFile extends PieceFile {
  readonly format: string
}

// An error ends the thread: the main thread gets it as the error of its request.
parentPort?.on(
  'message',
  (work: FormatsWork) => void carryOut(work).then((files) => parentPort?.postMessage(files)),
)

async function carryOut(work: FormatsWork): Promise<readonly FormatFile[]> {
  const formats = (await loadFormats(work.module)).flatMap((format) => {
    const wanted = work.wanted.get(format.id)
    return wanted === undefined ? [] : [{ format, work: { ...work, wanted } }]
  })
  const writers = formats.flatMap(({ format, work: own }) =>
    format.kind === 'rows' ? [{ format: format.id, ...format.open(own) }] : [],
  )
  if (writers.length > 0) {
    const db = new Database(work.copy, { readonly: true })
    for (const fund of readFunds(db, work.scopes)) for (const { add } of writers) add(fund)
    db.close()
  }
  const files = writers.flatMap(({ format, close }) => close().map((file) => ({ ...file, format })))
  for (const { format, work: own } of formats) {
    const written = format.kind === 'whole' ? await format.write(own) : []
    files.push(...written.map((file) => ({ ...file, format: format.id })))
  }
  return files
}
