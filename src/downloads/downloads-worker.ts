/** A worker thread that writes a part of the downloads: all of it in order, since it has nothing else to do. */

import { parentPort, workerData } from 'node:worker_threads'
import Database from 'better-sqlite3'
import type { FundDatabase } from '../source/open.ts'
import { writeDocuments } from './documents-zip.ts'
import { writeEmt } from './emt-csv.ts'
import type { WrittenFile } from './file-sink.ts'
import { writeFundFiles } from './fund-files.ts'
import type { FundScope } from './scope.ts'
import { writeDatabase } from './write-database.ts'
import { writeTables } from './write-tables.ts'

export interface Work {
  readonly part: 'tables' | 'database' | 'documents'
  /** The snapshot's folder, with its documents. */
  readonly root: string
  /** Of the downloads. */
  readonly folder: string
  /** A copy of the fund database, which nobody writes to. */
  readonly copy: string
  readonly asOf: string
  readonly scopes: readonly FundScope[]
}

const work = workerData as Work
parentPort?.postMessage(carryOut(work))

function carryOut({ part, root, folder, copy, asOf, scopes }: Work): readonly WrittenFile[] {
  switch (part) {
    case 'tables':
      return reading(copy, (db) => [...writeTables(db, scopes, folder), writeEmt(db, scopes, folder)])
    case 'database':
      return [
        writeDatabase(copy, scopes, asOf, folder),
        ...reading(copy, (db) => writeFundFiles(db, scopes, folder)),
      ]
    case 'documents':
      return [writeDocuments(root, asOf, folder)]
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
