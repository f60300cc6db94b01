/**
 * Deriving again: a step before the build, for figures of prices that were derived from other corporate actions than there are. The
 * build reads a copy of the database that has them as an import would make them now.
 */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { copyDerived } from '../data/derive/copy.ts'
import { outdatedFunds } from '../data/derive/derived.ts'
import type { FundDatabase } from '../data/read/open.ts'
import type { RenderPool } from './render-pool.ts'

/** @param db in the read transaction of the pool @param folder for the copy, which is gone afterwards */
export async function deriveFigures<T>(
  db: FundDatabase,
  { pool, folder }: { readonly pool: RenderPool; readonly folder: string },
  build: (db: FundDatabase) => Promise<T>,
): Promise<T> {
  // Almost all nights end here: an import derives again what it changes.
  if (outdatedFunds(db).length === 0) return build(db)
  const file = join(folder, '.derived.sqlite')
  const copy = await copyDerived(file, db)
  try {
    await pool.read(copy)
    return await build(copy)
  } finally {
    copy.close()
    rmSync(file, { force: true })
  }
}
