/** A worker thread that writes parts of the downloads, one after the other. */

import { parentPort } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { FundDatabase } from '../source/open.ts'
import { plainDialect } from './csv.ts'
import { writeDocuments, type EarlierDocuments } from './documents-zip.ts'
import { writeEmt } from './emt-csv.ts'
import type { WrittenFile } from './file-sink.ts'
import { writeFundFiles } from './fund-files.ts'
import { pieceOf } from './pieces.ts'
import type { FundScope } from './scope.ts'
import { writeDatabase } from './write-database.ts'
import { writeTables } from './write-tables.ts'

export interface Work {
  readonly part: 'tables' | 'database' | 'documents' | 'funds'
  /** The snapshot's folder, with its documents. */
  readonly root: string
  /** Of the downloads. */
  readonly folder: string
  /** A copy of the fund database, which nobody writes to. */
  readonly copy: string
  readonly asOf: string
  readonly scopes: readonly FundScope[]
  /** Whether texts in plain CSV stay as they are. */
  readonly isRawCsv: boolean
  /** Names of the pieces that are to be made; the others stand. */
  readonly wanted: ReadonlySet<string>
  /** Its manifest. */
  readonly manifest: string
  /** Whether it lacks documents. */
  readonly isSparse: boolean
  readonly earlier: EarlierDocuments | null
}

// What fails ends the thread, and is told to whoever waits.
parentPort?.on('message', (work: Work) => void carryOut(work).then((files) => parentPort?.postMessage(files)))

async function carryOut(work: Work): Promise<readonly WrittenFile[]> {
  const { part, folder, copy, asOf, scopes, wanted, isRawCsv } = work
  switch (part) {
    case 'tables':
      return reading(copy, (db) => [
        ...writeTables(db, scopes, folder, wanted, plainDialect(isRawCsv)),
        ...(wanted.has(pieceOf.emt) ? [writeEmt(db, scopes, folder, plainDialect(isRawCsv))] : []),
      ])
    case 'database':
      return [writeDatabase(copy, scopes, asOf, folder)]
    case 'funds':
      return reading(copy, (db) => writeFundFiles(db, scopes, folder, wanted))
    case 'documents': {
      const zip = await writeDocuments(work)
      return zip === null ? [] : [zip]
    }
    default:
      return part satisfies never
  }
}

function reading<T>(copy: string, read: (db: FundDatabase) => T): T {
  const db = new Database(copy, { readonly: true })
  try {
    return read(db)
  } finally {
    db.close()
  }
}
