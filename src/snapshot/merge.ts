/** `fundpress merge`: shards that were built on several machines become the snapshot that one would have built. */

import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildSnapshot, type BuildOptions, type BuildSummary } from './build.ts'
import { checkShards } from './check-shards.ts'
import { codeDigest } from './code-digest.ts'
import { allPageMakers } from './load-page-makers.ts'
import { freshnessDigest } from './settings-digest.ts'
import { readShard } from './shard.ts'

/** Dates and addresses are those of the shards. */
export interface MergeOptions extends Omit<
  BuildOptions,
  'asOf' | 'docsUrl' | 'baseUrl' | 'only' | 'part' | 'since'
> {
  /** The folders of all shards, in any order. They stay as they are. */
  readonly shards: readonly string[]
}

/**
 * @throws {Error} if the shards do not belong together, or not to the database
 */
export async function mergeShards({ shards: folders, ...options }: MergeOptions): Promise<BuildSummary> {
  const code = options.code ?? codeDigest()
  const own = folders.find((folder) => placeOf(folder) === placeOf(options.out))
  if (own !== undefined) throw new Error(`${own} is one of the shards: choose another --out`)
  const shards = checkShards(folders.map(readShard), code)
  const { asOf, docsUrl, baseUrl, hasPages, hasDownloads, freshness } = shards[0]?.head ?? neverEmpty()
  if (freshness !== null && freshness !== freshnessDigest(options)) {
    throw new Error(
      'pages of the shards mark late prices by other freshness settings: merge them with the same',
    )
  }
  if (hasPages && hasDownloads !== ((options.downloads ?? null) !== null)) {
    throw new Error(
      `pages of the shards lead ${hasDownloads ? '' : 'not '}to downloads: merge them with the same settings`,
    )
  }
  const pages = hasPages ? (options.pages ?? allPageMakers) : null
  return buildSnapshot({
    ...options,
    asOf,
    docsUrl,
    baseUrl,
    code,
    pages,
    only: [],
    part: { kind: 'shards', shards },
  })
}

const neverEmpty = (): never => {
  throw new Error('there are no shards to merge')
}

function placeOf(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    // There is nothing yet.
    return resolve(folder)
  }
}
