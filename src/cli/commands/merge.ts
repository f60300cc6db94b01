/** `fundpress merge`: makes a snapshot from shards. */

import { Argument, Option } from 'commander'
import { defineCommand } from '../command.ts'
import { bucketSettings, jsonOption } from '../options.ts'
import { mergeOptions } from '../tasks/build-options.ts'
import { mergeSince } from '../tasks/build.ts'
import { showBuild } from './build.ts'

interface Flags {
  readonly since?: string
  readonly json?: boolean
}

export default defineCommand<Flags, [shards: readonly string[]]>({
  description:
    'Merges what `fundpress build --shard 1/8` to `8/8` made from the same database. The snapshot, with its id, is ' +
    'the same as that of a build without shards. Dates and addresses come from the shards. Documents about all funds ' +
    'and pages are rendered here. Files are linked, or copied from another disk. The shards stay and may be removed ' +
    'afterwards.\n\n' +
    'If the shards are sparse (build --shard with --since), pass the same --since: then documents.zip is complete. ' +
    'Without it, or if that ZIP is missing, documents.zip is left out.',
  arguments: [new Argument('<shard...>', 'The folders of all shards, in any order')],
  settings: ['db', 'out', 'jobs', 'downloads', 'rawCsv', ...bucketSettings],
  options: [
    new Option('--since <snapshot>', 'The snapshot that sparse shards continue from: their own --since'),
    jsonOption(),
  ],
  examples: [
    ['merge part-1 part-2 --db funds.sqlite --out out', 'Two halves'],
    ['merge parts/* --db funds.sqlite --out out --json', 'The shards of a matrix of machines'],
    [
      'merge parts/* --db funds.sqlite --since other --bucket fund-data',
      'Shards that were built with --since other',
    ],
  ],
  run: async (session, { since = null, json }, shards) => {
    const options = { ...(await mergeOptions(session)), shards }
    await showBuild(session, json, mergeSince(session, since, options, session.stderr.tell))
  },
})
