/** `fundpress merge`: makes a snapshot from shards. */

import { join } from 'node:path'
import { Argument } from 'commander'
import type { BuildSummary } from '../../build/build.ts'
import { manifestKey, readHeadOf } from '../../build/manifest.ts'
import type { MergeOptions } from '../../build/merge.ts'
import type { Since } from '../../build/options.ts'
import { OutdatedShards } from '../../build/shard.ts'
import { mergeOptions, overrideOf } from '../from-settings.ts'
import { defineCommand, type Session } from '../command.ts'
import { withLive } from '../live.ts'
import { bucketSettings, option, overrideOptions } from '../options.ts'
import { showBuild, withProgress, withSince, type FindSince } from './build.ts'

export default defineCommand({
  description:
    'Merges what `fundpress build --shard 1/8` to `8/8` made from the same database. The snapshot, with its id, is ' +
    'the same as that of a build without shards. Dates and addresses come from the shards. Documents about all funds ' +
    'and pages are rendered here. Files are linked, or copied from another disk. The shards stay and may be removed ' +
    'afterwards.\n\n' +
    'If the shards are sparse (build --shard with --since), pass the same --since: then documents.zip is complete. ' +
    'Without it, or if that ZIP is missing, documents.zip is left out.\n\n' +
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
    const work = withLive(session, since, (live) =>
      mergeSince(session, since, { ...options, live }, session.stderr.tell),
    )
    await showBuild(session, work)
  },
})

/**
 * @param word what the shards continue from; null if they hold all files @param onWarning why documents.zip is left out
 * @param isStrict whether sparse shards must continue from what `word` holds now @throws {OutdatedShards} if they do not
 */
export function mergeSince(
  session: Session,
  word: string | null,
  options: Omit<MergeOptions, 'findSince' | 'onProgress'>,
  onWarning: (warning: string) => void,
  isStrict = false,
): Promise<BuildSummary> {
  const merge = (more: Pick<MergeOptions, 'findSince'>) =>
    withProgress(session, async (onProgress) => {
      // Imported here because it loads all of a build, which must not happen before threads start (see `buildFrom`).
      const { mergeShards } = await import('../../build/merge.ts')
      return mergeShards({ ...options, ...more, startThread: session.startThread, onProgress })
    })
  if (word === null) return merge({})
  const leftOut = (reason: string) => {
    if (options.downloads !== null) onWarning(`${reason}: documents.zip is left out`)
  }
  const onOutdated = (reason: string) => {
    if (isStrict) throw new OutdatedShards(reason)
    leftOut(reason)
  }
  const work = (find: FindSince) =>
    merge({ findSince: (snapshot) => findManifest(word, snapshot, find, onOutdated) })
  // The publish that was stopped in a torn slot can be that of these shards. The next one sees to it that it has every file.
  return withSince(
    session,
    word,
    (what, reason) => (what === 'snapshot' ? onOutdated : leftOut)(reason),
    work,
    true,
  )
}

/** The manifest of the snapshot that the shards continue from, and of no other. */
async function findManifest(
  word: string,
  snapshot: string,
  find: FindSince,
  onOutdated: (reason: string) => void,
): Promise<Since | null> {
  const found = await find()
  if (found === null) return null
  const path = found.kind === 'folder' ? join(found.path, manifestKey) : found.path
  const head = await readHeadOf(path)
  if (head?.snapshot === snapshot) return found.kind === 'folder' ? { kind: 'manifest', path } : found
  const holds = head === null ? 'holds no snapshot' : `is ${head.snapshot}`
  onOutdated(`the shards continue from ${snapshot}, but ${word} ${holds}`)
  return null
}
