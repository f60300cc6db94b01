/** `fundpress build --merge`: makes the snapshot that one machine would have built from the shards of several. */

import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { buildSnapshot, type BuildSummary } from './build.ts'
import { codeDigest } from './code-digest.ts'
import { onlyHook, readHooks } from './hooks.ts'
import { deriveDigest, freshnessDigest, publisherDigest, type BuildOptions } from './options.ts'
import { checkShards, lackedBy, readShard, type ShardHead } from './shard.ts'

/** The shards determine dates and addresses. */
export interface MergeOptions extends Omit<
  BuildOptions,
  'asOf' | 'docsUrl' | 'baseUrl' | 'hasPages' | 'only' | 'part' | 'since'
> {
  /** The folders of all shards, in any order. A merge does not change them. */
  readonly shards: readonly string[]
  /** ISO 8601; the shards must have this date. Any date, unless given. */
  readonly asOf?: string
  /** Throws if the snapshot that sparse shards continue from is gone. */
  readonly assertThere?: (snapshot: string) => Promise<void>
}

/** @throws {Error} if the shards do not belong together, or not to the database, or were built with other settings */
export async function mergeShards({
  shards: folders,
  assertThere,
  ...options
}: MergeOptions): Promise<BuildSummary> {
  const code = options.code ?? codeDigest()
  const clash = folders.find((folder) => placeOf(folder) === placeOf(options.out))
  if (clash !== undefined) throw new Error(`${clash} is one of the shards: choose another --out`)
  const { shards, head } = checkShards(folders.map(readShard), code)
  const { asOf, docsUrl, baseUrl, hasPages, hasDownloads } = head
  if (options.asOf !== undefined && options.asOf !== asOf)
    throw new Error(
      `the shards are as of ${asOf}, the merge is of ${options.asOf}: give both the same --as-of`,
    )
  refuseOtherPages(head, options)
  const lead = hasDownloads ? 'lead' : 'lead not'
  if (hasPages && hasDownloads !== (await makesDownloads(options)))
    throw new Error(`pages of the shards ${lead} to downloads: merge them with the same settings`)
  const since = lackedBy(shards)
  if (since !== null) await assertThere?.(since)
  return buildSnapshot({
    ...options,
    asOf,
    docsUrl,
    baseUrl,
    code,
    hasPages,
    only: [],
    part: { kind: 'shards', shards },
  })
}

/** Whether the options ask for downloads, and an extension makes them. */
const makesDownloads = async ({
  extensions,
  downloads = null,
}: Pick<MergeOptions, 'extensions' | 'downloads'>): Promise<boolean> =>
  downloads !== null && onlyHook(await readHooks(extensions), 'beside') !== undefined

function refuseOtherPages(
  { freshness, publisher, derive }: Pick<ShardHead, 'freshness' | 'publisher' | 'derive'>,
  options: Pick<MergeOptions, 'freshness' | 'publisher' | 'derive'>,
): void {
  const digests = [
    ['were made with other freshness settings', freshness, freshnessDigest(options)],
    ['name another publisher (site, licence)', publisher, publisherDigest(options)],
    ['were made with another setting derive', derive, deriveDigest(options)],
  ] as const
  for (const [what, theirs, own] of digests)
    if (theirs !== null && theirs !== own)
      throw new Error(`pages of the shards ${what}: merge them with the same`)
}

/** The path without symbolic links; a folder that does not exist yet has none. */
const placeOf = (folder: string) => (existsSync(folder) ? realpathSync(folder) : resolve(folder))
