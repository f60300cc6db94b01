/** `fundpress merge`: makes a snapshot out of shards. */

import { Command } from 'commander'
import { examples, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'
import { describe, mergeOptions, tellFindings, watched } from './build.ts'

interface Flags {
  readonly json?: boolean
}

export function mergeCommand(start: Start): Command {
  return withSettings(new Command('merge'), 'db', 'out', 'jobs', 'downloads')
    .summary('make a snapshot out of the shards of several machines')
    .description(
      'Brings together what `fundpress build --shard 1/8` to `8/8` made of the same database: the snapshot is the one ' +
        'that a build without shards makes, its id, too. Dates and addresses are those of the shards. Documents over ' +
        'all funds, and pages, are rendered here. Files are linked, or copied from another disk; the shards stay, and may ' +
        'be removed afterwards.',
    )
    .argument('<shard...>', 'The folders of all shards, in any order')
    .option('--json', 'Print the summary as JSON')
    .addHelpText(
      'after',
      examples(
        ['merge part-1 part-2 --db funds.sqlite --out out', 'Two halves'],
        ['merge parts/* --db funds.sqlite --out out --json', 'What the machines of a matrix have made'],
      ),
    )
    .action((shards: readonly string[], { json }: Flags, command: Command) =>
      start(merge)({ shards, json: json === true }, command),
    )
}

interface Merged {
  readonly shards: readonly string[]
  readonly json: boolean
}

async function merge(session: Session, { shards, json }: Merged): Promise<void> {
  const { settings, isQuiet, stdout } = session
  const options = await mergeOptions(session)
  const merging = watched(session, async (onProgress) => {
    const { mergeShards } = await import('../../snapshot/merge.ts')
    return mergeShards({ ...options, shards, onProgress })
  })
  const summary = await tellFindings(session, merging)
  if (json) stdout.write(`${JSON.stringify(summary)}\n`)
  else if (!isQuiet) stdout.write(describe(summary, settings.out))
}
