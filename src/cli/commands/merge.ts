/** `fundpress merge`: makes a snapshot from shards. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { Argument } from 'commander'
import { fetchSlotManifest, isSlotWord } from '../../bucket/manifest/sources.ts'
import { withFolder } from '../../bucket/store/files.ts'
import type { BuildSummary } from '../../build/build.ts'
import { manifestKey, readHeadOf } from '../../build/manifest.ts'
import type { MergeOptions } from '../../build/merge.ts'
import { OutdatedShards } from '../../build/shard.ts'
import { mergeOptions, overrideOf, withBucket } from '../from-settings.ts'
import { defineCommand, type Session } from '../command.ts'
import { withLive } from '../live.ts'
import { bucketSettings, option, overrideOptions } from '../options.ts'
import { showBuild, withProgress } from './build.ts'

export default defineCommand({
  description:
    'Merges what `fundpress build --shard 1/8` to `8/8` made from the same database. The snapshot, with its id, is ' +
    'the same as that of a build without shards. Dates and addresses come from the shards. Documents about all funds ' +
    'and pages are rendered here. Files are linked, or copied from another disk. The shards stay and may be removed ' +
    'afterwards.\n\n' +
    'If the shards are sparse (build --shard with --since), pass the same --since: the merge stops if it holds another ' +
    'snapshot meanwhile.\n\n' +
    'Guards that look at the new prices of all funds together are asked here (exit code 3): no shard has all of them.',
  arguments: [new Argument('<shard...>', 'The folders of all shards, in any order')],
  settings: ['db', 'out', 'jobs', 'downloads.enabled', 'rawCsv', ...bucketSettings],
  options: [
    option('--since <snapshot>', 'The snapshot that sparse shards continue from: their own --since'),
    ...overrideOptions('such as unchanged-prices,many-warnings'),
  ],
  json: 'Print the summary as JSON',
  examples: [
    ['merge part-1 part-2 --db funds.sqlite --out out', 'Two halves'],
    ['merge parts/* --db funds.sqlite --out out --json', 'The shards of a matrix of machines'],
    [
      'merge parts/* --db funds.sqlite --since other --bucket fund-data',
      'Shards of builds with --since other',
    ],
  ],
  run: async (session, { since = null, ...flags }, shards: readonly string[]) => {
    const override = overrideOf(session, flags)
    const options = { ...(await mergeOptions(session)), shards, override }
    const work = withLive(session, since, (live) => mergeSince(session, since, { ...options, live }))
    await showBuild(session, work)
  },
})

/** @param word what sparse shards continue from; null: nobody asks @throws {OutdatedShards} if it holds another snapshot now */
export function mergeSince(
  session: Session,
  word: string | null,
  options: Omit<MergeOptions, 'assertThere' | 'onProgress'>,
): Promise<BuildSummary> {
  const assertThere = async (snapshot: string) => {
    const there = word === null ? snapshot : await snapshotIn(session, word)
    if (there !== snapshot)
      throw new OutdatedShards(`the shards continue from ${snapshot}, but ${word ?? ''} is ${there}`)
  }
  return withProgress(session, async (onProgress) => {
    // Imported here because it loads all of a build, which must not happen before threads start (see `buildFrom`).
    const { mergeShards } = await import('../../build/merge.ts')
    return mergeShards({ ...options, assertThere, startThread: session.startThread, onProgress })
  })
}

/** @throws {OutdatedShards} if there is no snapshot */
async function snapshotIn(session: Session, word: string): Promise<string> {
  if (!isSlotWord(word)) {
    const file = statSync(word, { throwIfNoEntry: false })?.isFile() === true ? word : join(word, manifestKey)
    const head = await readHeadOf(file)
    if (head === null) throw new OutdatedShards(`${word} holds no snapshot`)
    return head.snapshot
  }
  const found = await withFolder((folder) =>
    withBucket(session, (store) => fetchSlotManifest(store, word, folder)),
  )
  if (found.kind === 'none') throw new OutdatedShards(found.reason)
  // The publish that was stopped in a torn slot can be that of these shards. The next one sees to it that it has every file.
  return found.manifest.head.snapshot
}
