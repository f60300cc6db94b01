/** `fundpress verify`: whether the live slot holds what its manifest says. */

import { Command } from 'commander'
import type { Difference } from '../../publish/verify.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { UsageError } from '../failure.ts'
import { examples, optionalWholeOption, withSettings } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Session, Start } from '../session.ts'
import { formatCount } from '../summary.ts'

interface Flags {
  readonly deep?: boolean
  readonly sample?: number
  readonly json?: boolean
}

export function verifyCommand(start: Start): Command {
  return withSettings(new Command('verify'), ...bucketFlags, 'bucket.concurrency')
    .summary('compare the live slot with its manifest')
    .description(
      'Compares a listing of the live slot with its manifest: every object there, with its size and ETag. Names each ' +
        'object that differs. Exit code 1 if any does: `fundpress publish --repair` puts it right.',
    )
    .option('--deep', 'Read the bodies too, and compare their SHA-256')
    .addOption(
      optionalWholeOption('--sample <number>', 'With --deep: read so many, chosen at random', [1, 1e8]),
    )
    .option('--json', 'Print { slot, snapshot, objects, bodies, differences } as JSON')
    .addHelpText(
      'after',
      examples(
        ['verify --bucket fund-data --region eu-central-1', 'By listing: a request a thousand objects'],
        ['verify --bucket fund-data --deep --sample 1000', 'And a thousand bodies'],
      ),
    )
    .action(start(verify))
}

const meanings: Readonly<Record<Difference['what'], string>> = {
  missing: 'is not there',
  extra: 'is in no manifest',
  size: 'has another size',
  etag: 'is not the object that was put',
  body: 'has another body',
}

async function verify(session: Session, { deep = false, sample, json = false }: Flags): Promise<void> {
  const { settings, signal, isQuiet, stdout } = session
  if (sample !== undefined && !deep) throw new UsageError('--sample goes with --deep')
  const list: Difference[] = []
  const progress = showProgress(session, 'bodies')
  const { name, found } = await withBucket(session, async (store) => {
    const { verifyLive } = await import('../../publish/verify-slot.ts')
    const found = await verifyLive(store, {
      bodies: deep ? (sample ?? 'all') : 'none',
      concurrency: settings.bucket.concurrency,
      signal,
      random: Math.random,
      onDifference: (difference) => {
        if (json) list.push(difference)
        else {
          progress.end()
          stdout.write(`${difference.key} ${meanings[difference.what]}\n`)
        }
      },
      onBody: progress.update,
    }).finally(progress.end)
    return { name: store.name, found }
  })
  const { snapshot, slot, objects, bodies, differences } = found
  if (json) stdout.write(`${JSON.stringify({ ...found, differences: list })}\n`)
  if (differences > 0) {
    const count = differences === 1 ? '1 object differs' : `${formatCount(differences)} objects differ`
    throw new Error(`${name}: ${count} from the manifest of ${snapshot}: \`fundpress publish --repair\``)
  }
  const read = bodies === 0 ? '' : `, ${formatCount(bodies)} bodies read`
  if (!json && !isQuiet)
    stdout.write(`${snapshot} in ${slot} is whole: ${formatCount(objects)} objects${read}\n`)
}
