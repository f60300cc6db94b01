/** `fundpress diff`: what changed between two snapshots. */

import { Command } from 'commander'
import type { Source } from '../../publish/diff-source.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { describeDiff } from '../describe-diff.ts'
import { examples, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'

interface Flags {
  readonly json?: boolean
}

export function diffCommand(start: Start): Command {
  return withSettings(new Command('diff'), ...bucketFlags)
    .summary('show what changed between two snapshots')
    .description(
      'Shows what changed from snapshot A to snapshot B, by fund and endpoint. Each is a folder, a manifest ' +
        '(manifest.ndjson.gz), or a slot of the bucket: live, other, blue or green. Exit code 0 also when they differ.',
    )
    .argument('<A>', 'The snapshot before')
    .argument('<B>', 'The snapshot after')
    .option('--json', 'Print { from, to, funds, documents, groups } as JSON')
    .addHelpText(
      'after',
      examples(
        ['diff out-yesterday out', 'Two folders'],
        ['diff live out --bucket fund-data', 'What a publish of out would change for readers'],
        ['diff other live --bucket fund-data --json', 'What the last publish changed, for machines'],
      ),
    )
    .action((before: string, after: string, { json }: Flags, command: Command) =>
      start(diff)({ before, after, json: json === true }, command),
    )
}

interface Compared {
  readonly before: string
  readonly after: string
  readonly json: boolean
}

async function diff(session: Session, { before, after, json }: Compared): Promise<void> {
  const { settings, isQuiet, stdout, stderr } = session
  const { diffManifests } = await import('../../publish/diff.ts')
  const { isSlotWord, openPath, openSlot } = await import('../../publish/diff-source.ts')
  const { withFolder } = await import('../../publish/status.ts')
  const { routeTable } = await import('../../derive/route-table.ts')
  const { endpoints } = await import('../../endpoints/index.ts')

  await withFolder(async (folder) => {
    const open = (word: string): Promise<Source> =>
      isSlotWord(word) ? withBucket(session, (store) => openSlot(store, word, folder)) : openPath(word)
    const [from, to] = [await open(before), await open(after)]
    const table = routeTable(endpoints, settings.docsUrl)
    const found = await diffManifests(from.manifest, to.manifest, table)
    for (const { warning } of [from, to]) if (warning !== null) stderr.tell(warning)
    if (json) stdout.data(`${JSON.stringify(found)}\n`)
    else if (!isQuiet) stdout.write(describeDiff(found, [from.name, to.name], stdout.paint))
  })
}
