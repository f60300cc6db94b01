/** `fundpress verify`: whether the live slot holds what its manifest says. */

import { Command } from 'commander'
import { randomFor } from '../../demo/random.ts'
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
  readonly seed?: number
  readonly json?: boolean
}

export function verifyCommand(start: Start): Command {
  return withSettings(new Command('verify'), ...bucketFlags, 'bucket.concurrency')
    .summary('compare the live slot with its manifest')
    .description(
      'Compares a listing of the live slot with its manifest, and one of its downloads with their checksums: every ' +
        'object there, with its size and ETag. Names each object that differs. Exit code 1 if any does: `fundpress publish --repair` puts it right.',
    )
    .option('--deep', 'Read all bodies too, those of downloads included, and compare their SHA-256')
    .addOption(optionalWholeOption('--sample <number>', 'Read so many bodies, chosen at random', [1, 1e8]))
    .addOption(
      optionalWholeOption('--seed <number>', 'Read those that a sample with this seed has read', [
        0,
        maxSeed,
      ]),
    )
    .option('--json', 'Print { slot, snapshot, objects, downloads, bodies, seed, differences } as JSON')
    .addHelpText(
      'after',
      examples(
        ['verify --bucket fund-data --region eu-central-1', 'By listing: a request a thousand objects'],
        ['verify --bucket fund-data --sample 1000', 'And a thousand bodies'],
        ['verify --bucket fund-data --sample 1000 --seed 42', 'And the same thousand each time'],
      ),
    )
    .action(start(verify))
}

const maxSeed = 2 ** 32 - 1

const meanings: Readonly<Record<Difference['what'], string>> = {
  missing: 'is not there',
  extra: 'is in no manifest',
  size: 'has another size',
  etag: 'is not the object that was put',
  body: 'has another body',
}

export const describeDifference = ({ key, what }: Difference): string =>
  `${escapeInvisible(key)} ${meanings[what]}`

async function verify(session: Session, flags: Flags): Promise<void> {
  const { json = false } = flags
  const { isQuiet, stdout } = session
  const wanted = bodiesOf(flags)
  const seed = 'seed' in wanted ? { seed: wanted.seed } : {}
  const seen = new Set<Difference['what']>()
  const watched =
    <T>(tell: (difference: Difference) => T) =>
    (difference: Difference): T => {
      seen.add(difference.what)
      return tell(difference)
    }
  const { name, found } = json
    ? await withJsonList(async (list: JsonList<Difference>) => {
        const verified = await verifyBucket(session, wanted, watched(list.add))
        const { slot, snapshot, objects, downloads, bodies } = verified.found
        const files = downloads === null ? {} : { downloads }
        await list.write(stdout, {
          before: { slot, snapshot, objects, ...files, bodies, ...seed },
          name: 'differences',
        })
        return verified
      })
    : await verifyBucket(
        session,
        wanted,
        watched(({ key, what }) => {
          stdout.write(`${describeDifference({ key, what })}\n`)
        }),
      )
  assertWhole(name, found, seen)
  if (!json && !isQuiet) stdout.write(`${describeWhole(found, wanted)}\n`)
}

/** @param seen what kinds of differences there are @throws {Error} that says how to put them right, if there are any */
export function assertWhole(
  name: string,
  { snapshot, differences }: Verified,
  seen: ReadonlySet<Difference['what']>,
): void {
  if (differences === 0) return
  const count = differences === 1 ? '1 object differs' : `${formatCount(differences)} objects differ`
  // A body that rotted under its old size and ETag is found by reading it only.
  const repair = seen.has('body') ? '--repair --deep' : '--repair'
  throw new Error(`${name}: ${count} from the manifest of ${snapshot}: \`fundpress publish ${repair}\``)
}

export function describeWhole(
  { snapshot, slot, objects, downloads, bodies }: Verified,
  wanted: WantedBodies,
): string {
  const seed = 'seed' in wanted ? ` (--sample ${wanted.bodies} --seed ${wanted.seed})` : ''
  const read = bodies === 0 ? '' : `, ${formatCount(bodies)} bodies read${seed}`
  const files = downloads === null ? '' : `, ${formatCount(downloads)} downloads`
  return `${snapshot} in ${slot} is whole: ${formatCount(objects)} objects${files}${read}`
}

/** Which bodies to read: none, all, or so many, chosen by the seed. */
export type WantedBodies =
  { readonly bodies: 'none' | 'all' } | { readonly bodies: number; readonly seed: number }

/** So many, chosen anew each time unless there is a seed. */
export const sampleOf = (bodies: number, seed = Math.floor(Math.random() * (maxSeed + 1))): WantedBodies => ({
  bodies,
  seed,
})

function bodiesOf({ deep = false, sample, seed }: Flags): WantedBodies {
  if (sample !== undefined) return sampleOf(sample, seed)
  if (seed !== undefined) throw new UsageError('--seed goes with --sample')
  return { bodies: deep ? 'all' : 'none' }
}

interface VerifiedBucket {
  /** The bucket's, for messages. */
  readonly name: string
  readonly found: Verified
}

/** @param onDifference a promise that it returns is waited for */
export async function verifyBucket(
  session: Session,
  wanted: WantedBodies,
  onDifference: VerifyOptions['onDifference'],
): Promise<VerifiedBucket> {
  const { settings, signal } = session
  const { verifyLive } = await import('../../publish/verify-slot.ts')
  const listing = showProgress(session, 'objects listed')
  const random = randomFor('verify', 'seed' in wanted ? wanted.seed : 0)
  let reading: Progress | undefined
  const endProgress = () => {
    listing.end()
    reading?.end()
  }
  return withBucket(session, async (store) => {
    const found = await verifyLive(store, {
      bodies: wanted.bodies,
      concurrency: settings.bucket.concurrency,
      signal,
      random: () => random.uniform(),
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
