/** `fundpress verify`: whether the live slot holds what its manifest says. */

import { Command } from 'commander'
import type { Verified, VerifyOptions } from '../../publish/verify-slot.ts'
import type { Difference } from '../../publish/verify.ts'
import { escapeInvisible } from '../../source/printable.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { UsageError } from '../failure.ts'
import { withJsonList, type JsonList } from '../json-list.ts'
import { examples, optionalWholeOption, withSettings } from '../options.ts'
import { showProgress, type Progress } from '../progress.ts'
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

async function verify(session: Session, flags: Flags): Promise<void> {
  const { deep = false, sample, json = false } = flags
  const { isQuiet, stdout } = session
  if (sample !== undefined && !deep) throw new UsageError('--sample goes with --deep')
  const bodiesWanted = deep ? (sample ?? 'all') : 'none'
  const seen = new Set<Difference['what']>()
  const watched =
    <T>(tell: (difference: Difference) => T) =>
    (difference: Difference): T => {
      seen.add(difference.what)
      return tell(difference)
    }
  const { name, found } = json
    ? await withJsonList(async (list: JsonList<Difference>) => {
        const verified = await verifyBucket(session, bodiesWanted, watched(list.add))
        const { slot, snapshot, objects, bodies } = verified.found
        await list.write(stdout, { before: { slot, snapshot, objects, bodies }, name: 'differences' })
        return verified
      })
    : await verifyBucket(
        session,
        bodiesWanted,
        watched(({ key, what }) => {
          stdout.write(`${escapeInvisible(key)} ${meanings[what]}\n`)
        }),
      )
  const { snapshot, slot, objects, bodies, differences } = found
  if (differences > 0) {
    const count = differences === 1 ? '1 object differs' : `${formatCount(differences)} objects differ`
    // A body that rotted under its old size and ETag is found by reading it only.
    const repair = seen.has('body') ? '--repair --deep' : '--repair'
    throw new Error(`${name}: ${count} from the manifest of ${snapshot}: \`fundpress publish ${repair}\``)
  }
  const read = bodies === 0 ? '' : `, ${formatCount(bodies)} bodies read`
  if (!json && !isQuiet)
    stdout.write(`${snapshot} in ${slot} is whole: ${formatCount(objects)} objects${read}\n`)
}

interface VerifiedBucket {
  /** The bucket's, for messages. */
  readonly name: string
  readonly found: Verified
}

/** @param onDifference a promise that it returns is waited for */
async function verifyBucket(
  session: Session,
  bodies: VerifyOptions['bodies'],
  onDifference: VerifyOptions['onDifference'],
): Promise<VerifiedBucket> {
  const { settings, signal } = session
  const { verifyLive } = await import('../../publish/verify-slot.ts')
  const listing = showProgress(session, 'objects listed')
  let reading: Progress | undefined
  const endProgress = () => {
    listing.end()
    reading?.end()
  }
  return withBucket(session, async (store) => {
    const found = await verifyLive(store, {
      bodies,
      concurrency: settings.bucket.concurrency,
      signal,
      random: Math.random,
      onDifference: (difference) => {
        endProgress()
        return onDifference(difference)
      },
      onListed: listing.update,
      onBody: (done, of) => {
        listing.end()
        reading ??= showProgress(session, 'bodies')
        reading.update(done, of)
      },
    }).finally(endProgress)
    return { name: store.name, found }
  })
}
