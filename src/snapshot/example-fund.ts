/** The documents of the fund that the documentation takes its examples from. */

import { hash } from 'node:crypto'
import { contentTypeOf } from '../routes/content-types.ts'
import type { FundDatabase } from '../source/open.ts'
import type { DocumentFiles } from './document-files.ts'
import type { Plan } from './plans.ts'
import { fundRenderer, type FundSettings } from './render-fund.ts'

/**
 * The fund's documents as they stand in the snapshot, by key, in byte order. They are rendered anew: a sparse snapshot
 * need not have their files.
 */
export function exampleDocuments(
  isin: string,
  db: FundDatabase,
  plans: readonly Plan[],
  settings: FundSettings,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const files: DocumentFiles = {
    put: ({ key, content }, from) => {
      found.set(key, String(content))
      const [sha256, bytes] = [hash('sha256', content, 'hex'), Buffer.byteLength(content)]
      return { key, sha256, bytes, type: contentTypeOf(key), from }
    },
    keep: () => true,
  }
  fundRenderer(db, plans, [], files, settings).render(isin, [], null)
  return found
}
