/** Verifies the live or the staged slot by its manifest. */

import type { ObjectDifference } from '../../bucket/manifest/listing.ts'
import { verifyLive, type Verified, type VerifyOptions } from '../../bucket/manifest/verify.ts'
import { escapeInvisible } from '../../data/model/printable.ts'
import { randomFor } from '../../system/random.ts'
import type { Session } from '../command.ts'
import { countOf, formatCount } from '../format.ts'
import { trustedKeys, withBucket } from '../from-settings.ts'
import { type Progress, showProgress } from '../progress.ts'

export const maxSeed = 2 ** 32 - 1

/** A number of bodies is a sample that the seed chooses. */
type WantedBodies = { readonly bodies: 'none' | 'all' } | ReturnType<typeof sampleOf>

/** Without a seed each call chooses other bodies. */
export function sampleOf(bodies: number, seed = Math.floor(Math.random() * (maxSeed + 1))) {
  return { bodies, seed }
}

/** @param onDifference may return a promise, to slow the verification down */
export async function verifyBucket(
  session: Session,
  wanted: WantedBodies,
  onDifference: VerifyOptions['onDifference'],
  options: Partial<Pick<VerifyOptions, 'keep' | 'isStaged' | 'isListing'>> = {},
) {
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
      keep: session.settings.downloads.keep,
      signedBy: trustedKeys(session),
      ...options,
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
  unsigned: 'has no signature, though there is a key',
  signature: 'is no signature by signing.key, or by one of signing.publicKeys',
  facts: 'names another snapshot, day, price or count than what was built or signed',
  withdrawn: 'holds what may no longer be given out',
}

export const describeDifference = ({ key, what }: ObjectDifference): string =>
  `${escapeInvisible(key)} ${meanings[what]}`

/** Sums up differences of one kind that are not listed: `and 628 more, each of which is not there`. */
export const describeMore = (what: ObjectDifference['what'], count: number): string =>
  `and ${formatCount(count)} more, ${count === 1 ? 'which' : 'each of which'} ${meanings[what]}`

export class Mismatch extends Error {
  override readonly name = 'Mismatch'
}

export function assertMatches({ name, found, kinds }: Awaited<ReturnType<typeof verifyBucket>>): void {
  const { snapshot, differences } = found
  if (differences === 0) return
  const differ = differences === 1 ? 'differs' : 'differ'
  const isUnsigned = kinds.has('unsigned') || kinds.has('signature')
  const first = isUnsigned ? 'build the snapshot again with the setting signing.key, then ' : ''
  // Only reading finds a changed body with the same size and ETag.
  const repair = kinds.has('body') ? '--repair --deep' : '--repair'
  throw new Mismatch(
    `${name}: ${countOf(differences, 'object')} ${differ} from the manifest of ${snapshot}: ${first}run \`fundpress publish ${repair}\``,
  )
}

export function describeVerified(
  { snapshot, slot, objects, downloads, bodies, earlierDays }: Verified,
  wanted: WantedBodies,
): string {
  const seed = 'seed' in wanted ? ` (--sample ${wanted.bodies} --seed ${wanted.seed})` : ''
  const read = bodies === 0 ? '' : `, ${formatCount(bodies)} bodies read${seed}`
  const files = downloads === null ? '' : `, ${formatCount(downloads)} downloads`
  const days = earlierDays === 0 ? '' : `, downloads of ${countOf(earlierDays, 'earlier day')}`
  return `${snapshot} in ${slot} matches its manifest: ${formatCount(objects)} objects${files}${read}${days}`
}
