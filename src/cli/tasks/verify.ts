/** Verifies the live slot of the bucket, for `verify` and `nightly`. */

import type { ObjectDifference } from '../../bucket/manifest/listing.ts'
import { verifyLive, type Verified, type VerifyOptions } from '../../bucket/manifest/verify.ts'
import { withBucket } from '../bucket.ts'
import type { Session } from '../command.ts'
import { countOf, formatCount } from '../format.ts'
import { type Progress, showProgress } from '../progress.ts'
import { escapeInvisible } from '../../data/model/printable.ts'
import { randomFor } from '../../system/random.ts'

export const maxSeed = 2 ** 32 - 1

/** The bodies to read: none, all, or a number of them that the seed chooses. */
export type WantedBodies = { readonly bodies: 'none' | 'all' } | Sample

interface Sample {
  readonly bodies: number
  readonly seed: number
}

/** Without a seed each call chooses other bodies. */
export const sampleOf = (bodies: number, seed = Math.floor(Math.random() * (maxSeed + 1))): Sample => ({
  bodies,
  seed,
})

export interface VerifiedBucket {
  /** The name of the bucket, for messages. */
  readonly name: string
  readonly found: Verified
  /** The kinds of differences that were found. */
  readonly kinds: ReadonlySet<ObjectDifference['what']>
}

/** @param onDifference may return a promise, to slow the verification down */
export async function verifyBucket(
  session: Session,
  wanted: WantedBodies,
  onDifference: VerifyOptions['onDifference'],
): Promise<VerifiedBucket> {
  const { settings, signal } = session
  const listing = showProgress(session, 'objects listed')
  const random = randomFor('verify', 'seed' in wanted ? wanted.seed : 0)
  const kinds = new Set<ObjectDifference['what']>()
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
      random: () => random.between(0, 1),
      onDifference: (difference) => {
        endProgress()
        kinds.add(difference.what)
        return onDifference(difference)
      },
      onListed: listing.update,
      onBody: (done, of) => {
        listing.end()
        reading ??= showProgress(session, 'bodies')
        reading.update(done, of)
      },
    }).finally(endProgress)
    return { name: store.name, found, kinds }
  })
}

const meanings: Readonly<Record<ObjectDifference['what'], string>> = {
  missing: 'is not there',
  extra: 'is in no manifest',
  size: 'has another size',
  etag: 'is not the object that was put',
  body: 'has another body',
}

export const describeDifference = ({ key, what }: ObjectDifference): string =>
  `${escapeInvisible(key)} ${meanings[what]}`

/** @throws {Error} that counts the differences, if there are any */
export function assertMatches({ name, found: { snapshot, differences }, kinds }: VerifiedBucket): void {
  if (differences === 0) return
  const differ = differences === 1 ? 'differs' : 'differ'
  // Only reading finds a body that changed while its size and ETag stayed the same.
  const repair = kinds.has('body') ? '--repair --deep' : '--repair'
  throw new Error(
    `${name}: ${countOf(differences, 'object')} ${differ} from the manifest of ${snapshot}: run \`fundpress publish ${repair}\``,
  )
}

export function describeVerified(
  { snapshot, slot, objects, downloads, bodies }: Verified,
  wanted: WantedBodies,
): string {
  const seed = 'seed' in wanted ? ` (--sample ${wanted.bodies} --seed ${wanted.seed})` : ''
  const read = bodies === 0 ? '' : `, ${formatCount(bodies)} bodies read${seed}`
  const files = downloads === null ? '' : `, ${formatCount(downloads)} downloads`
  return `${snapshot} in ${slot} matches its manifest: ${formatCount(objects)} objects${files}${read}`
}
