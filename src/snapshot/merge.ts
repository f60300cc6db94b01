/** `fundpress merge`: shards that were built on several machines become the snapshot that one would have built. */

import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildSnapshot, type BuildOptions, type BuildSummary } from './build.ts'
import { checkShards, lackedBy } from './check-shards.ts'
import { codeDigest } from './code-digest.ts'
import { allPageMakers } from './load-page-makers.ts'
import { freshnessDigest } from './settings-digest.ts'
import { readShard, type ShardHead } from './shard.ts'
import type { Since } from './since.ts'

/** Dates and addresses are those of the shards. */
export interface MergeOptions extends Omit<
  BuildOptions,
  'asOf' | 'docsUrl' | 'baseUrl' | 'only' | 'part' | 'since'
> {
  /** The folders of all shards, in any order. They stay as they are. */
  readonly shards: readonly string[]
  /** What day the shards have to be as of, ISO 8601; any, unless given. */
  readonly asOf?: string
  /** Asked where the shards are sparse: the manifest of the snapshot that they go on from, if it can be had. */
  readonly findSince?: (snapshot: string) => Promise<Since | null>
}

/**
 * @throws {Error} if the shards do not belong together, or not to the database
 */
export async function mergeShards({
  shards: folders,
  findSince,
  ...options
}: MergeOptions): Promise<BuildSummary> {
  const code = options.code ?? codeDigest()
  const own = folders.find((folder) => placeOf(folder) === placeOf(options.out))
  if (own !== undefined) throw new Error(`${own} is one of the shards: choose another --out`)
  const shards = checkShards(folders.map(readShard), code)
  const { head } = shards[0] ?? neverEmpty()
  assertFits(options, head)
  const { asOf, docsUrl, baseUrl } = head
  const since = lackedBy(shards)
  return buildSnapshot({
    ...options,
    asOf,
    docsUrl,
    baseUrl,
    code,
    pages: head.hasPages ? (options.pages ?? allPageMakers) : null,
    only: [],
    part: { kind: 'shards', shards },
    since: since === null ? null : ((await findSince?.(since)) ?? null),
  })
}

/** @throws {Error} if the shards are of another day, or their pages of other settings */
function assertFits(
  options: Pick<MergeOptions, 'asOf' | 'freshness' | 'downloads'>,
  { asOf, hasPages, hasDownloads, freshness }: ShardHead,
): void {
  if (options.asOf !== undefined && options.asOf !== asOf)
    throw new Error(
      `the shards are as of ${asOf}, the night is of ${options.asOf}: give both the same --as-of`,
    )
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
