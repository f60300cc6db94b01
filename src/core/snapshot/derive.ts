/**
 * Deriving: a step before the build, for figures that NAVs and corporate actions give, and for addresses of funds that have none. The
 * build reads a copy of the database that has them.
 */

import { join } from 'node:path'
import { fundPagesBelow, withDerived } from '../data/derive/copy.ts'
import { nothingDerived } from '../data/derive/modes.ts'
import type { FundDatabase } from '../data/read/open.ts'
import type { BuildOptions } from './options.ts'
import type { RenderPool } from './render-pool.ts'

/** @param db in the read transaction of the pool @param folder for the copy, which is gone afterwards */
export const deriveFigures = <T>(
  {
    derive = nothingDerived,
    baseUrl,
    hasPages = true,
  }: Pick<BuildOptions, 'derive' | 'baseUrl' | 'hasPages'>,
  db: FundDatabase,
  { pool, folder }: { readonly pool: RenderPool; readonly folder: string },
  build: (db: FundDatabase) => Promise<T>,
): Promise<T> =>
  withDerived(
    db,
    { derive, fundPages: fundPagesBelow(baseUrl, hasPages) },
    () => join(folder, '.derived.sqlite'),
    async (derived, isCopy) => {
      if (isCopy) await pool.read(derived)
      return build(derived)
    },
  )
