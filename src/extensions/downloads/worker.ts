/** A thread of the downloads: writes some formats. */

import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import { readFunds, type FormatWork, type PieceFile, type RowsWriter } from './formats/format.ts'
import { downloadFormats } from './formats/index.ts'

export interface FormatsWork extends Omit<FormatWork, 'wanted'> {
  /** The formats to write, by id, each with the names of its pieces to make. */
  readonly wanted: ReadonlyMap<string, ReadonlySet<string>>
}

export interface FormatFile extends PieceFile {
  readonly format: string
}

// An error ends the thread: the main thread gets it as the error of its request.
parentPort?.on(
  'message',
  (work: FormatsWork) => void carryOut(work).then((files) => parentPort?.postMessage(files)),
)

async function carryOut(work: FormatsWork): Promise<readonly FormatFile[]> {
  const files: FormatFile[] = []
  const writers: (RowsWriter & { readonly format: string })[] = []
  for (const format of downloadFormats) {
    const wanted = work.wanted.get(format.id)
    if (wanted === undefined) continue
    if (format.kind === 'rows') writers.push({ format: format.id, ...format.open({ ...work, wanted }) })
    else
      for (const file of await format.write({ ...work, wanted })) files.push({ ...file, format: format.id })
  }
  if (writers.length > 0) {
    const db = new Database(work.copy, { readonly: true })
    for (const fund of readFunds(db, work.funds)) for (const { add } of writers) add(fund)
    db.close()
  }
  for (const { format, close } of writers) for (const file of close()) files.push({ ...file, format })
  return files
}
