/** `fundpress merge`: makes a snapshot out of shards. */

import { join } from 'node:path'
import { Command } from 'commander'
import type { BuildSummary } from '../../snapshot/build.ts'
import type { MergeOptions } from '../../snapshot/merge.ts'
import type { Since } from '../../snapshot/since.ts'
import { bucketFlags } from '../bucket.ts'
import { examples, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'
import { withSince, type FindSince } from '../since.ts'
import { describe, mergeOptions, tellFindings, watched } from './build.ts'

interface Flags {
  readonly since?: string
  readonly json?: boolean
}

export function mergeCommand(start: Start): Command {
  return withSettings(new Command('merge'), 'db', 'out', 'jobs', 'downloads', 'rawCsv', ...bucketFlags)
    .summary('make a snapshot out of the shards of several machines')
    .description(
      'Brings together what `fundpress build --shard 1/8` to `8/8` made of the same database: the snapshot is the one ' +
        'that a build without shards makes, its id, too. Dates and addresses are those of the shards. Documents over ' +
        'all funds, and pages, are rendered here. Files are linked, or copied from another disk; the shards stay, and may ' +
        'be removed afterwards.\n\n' +
        'Of sparse shards (build --shard with --since) the merge takes the same --since: then its documents.zip is ' +
        'whole, as that of a build. Without it, or where that ZIP is not to be had, it is left out.',
    )
    .argument('<shard...>', 'The folders of all shards, in any order')
    .option('--since <snapshot>', 'What sparse shards go on from: their own --since')
    .option('--json', 'Print the summary as JSON')
    .addHelpText(
      'after',
      examples(
        ['merge part-1 part-2 --db funds.sqlite --out out', 'Two halves'],
        ['merge parts/* --db funds.sqlite --out out --json', 'What the machines of a matrix have made'],
        [
          'merge parts/* --db funds.sqlite --since other --bucket fund-data',
          'What they have made since a slot of the bucket',
        ],
      ),
    )
    .action((shards: readonly string[], flags: Flags, command: Command) =>
      start(merge)({ shards, ...flags }, command),
    )
}

interface Merged extends Flags {
  readonly shards: readonly string[]
}

async function merge(session: Session, { shards, since, json = false }: Merged): Promise<void> {
  const { settings, isQuiet, stdout } = session
  const options = { ...(await mergeOptions(session)), shards }
  const onWarning = (warning: string) => {
    session.stderr.tell(warning)
  }
  const summary = await tellFindings(session, mergeSince(session, since ?? null, options, onWarning))
  if (json) stdout.data(`${JSON.stringify(summary)}\n`)
  else if (!isQuiet) stdout.write(describe(summary, settings.out))
}

/**
 * Merges shards that go on from a folder, a manifest or a slot; null where they have all their files.
 * @param onWarning told why documents.zip has to be left out
 */
export function mergeSince(
  session: Session,
  word: string | null,
  options: Omit<MergeOptions, 'findSince' | 'onProgress'>,
  onWarning: (warning: string) => void,
): Promise<BuildSummary> {
  const merging = (more: Pick<MergeOptions, 'findSince'>) =>
    watched(session, async (onProgress) => {
      const { mergeShards } = await import('../../snapshot/merge.ts')
      return mergeShards({ ...options, ...more, onProgress })
    })
  if (word === null) return merging({})
  const leftOut = (reason: string) => {
    if (options.downloads !== null) onWarning(`${reason}: documents.zip is left out`)
  }
  return withSince(
    session,
    word,
    (_, reason) => {
      leftOut(reason)
    },
    (find) => merging({ findSince: (snapshot) => findManifest(word, snapshot, find, leftOut) }),
  )
}

/** The manifest of just the snapshot that the shards go on from. */
async function findManifest(
  word: string,
  snapshot: string,
  find: FindSince,
  leftOut: (reason: string) => void,
): Promise<Since | null> {
  const { manifestKey, readHeadOf } = await import('../../snapshot/manifest.ts')
  const found = await find()
  if (found === null) return null
  const path = found.kind === 'folder' ? join(found.path, manifestKey) : found.path
  const head = await readHeadOf(path)
  if (head?.snapshot === snapshot) return found.kind === 'folder' ? { kind: 'manifest', path } : found
  const holds = head === null ? 'holds no snapshot' : `is ${head.snapshot}`
  leftOut(`the shards go on from ${snapshot}, but ${word} ${holds}`)
  return null
}
