/** A thread of the downloads: writes some formats. */

import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import {
  readFunds,
  type DownloadFormat,
  type PieceFile,
  type RowsFormat,
  type FormatSource,
  type FormatTarget,
  type WholeFormat,
} from './formats/format.ts'
import { loadFormats } from './formats/index.ts'

export interface FormatsWork extends Omit<FormatTarget, 'wanted'>, FormatSource {
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
  const formats = (await loadFormats(work.module)).filter(({ id }) => work.wanted.has(id))
  const targetOf = ({ id }: DownloadFormat): FormatTarget => ({
    ...work,
    wanted: work.wanted.get(id) ?? new Set(),
  })
  const isOfRows = (format: DownloadFormat): format is RowsFormat => format.kind === 'rows'
  const isWhole = (format: DownloadFormat): format is WholeFormat => format.kind === 'whole'
  const files = writeRows(work, formats.filter(isOfRows), targetOf)
  for (const format of formats.filter(isWhole)) {
    const written = await format.write(targetOf(format), work)
    files.push(...written.map((file) => ({ ...file, format: format.id })))
  }
  return files
}

function writeRows(
  { copy, scopes }: FormatSource,
  formats: readonly RowsFormat[],
  targetOf: (format: DownloadFormat) => FormatTarget,
): FormatFile[] {
  if (formats.length === 0) return []
  const writers = formats.map((format) => ({ format: format.id, writer: format.open(targetOf(format)) }))
  const db = new Database(copy, { readonly: true })
  try {
    for (const fund of readFunds(db, scopes)) for (const { writer } of writers) writer.add(fund)
  } finally {
    db.close()
  }
  return writers.flatMap(({ format, writer }) => writer.close().map((file) => ({ ...file, format })))
}
