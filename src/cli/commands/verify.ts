/** `fundpress verify`: whether the live slot matches its manifest. `nightly` verifies the same way. */

import type { ObjectDifference } from '../../bucket/manifest/listing.ts'
import { verifyLive, type Verified, type VerifyOptions } from '../../bucket/manifest/verify.ts'
import { escapeInvisible } from '../../data/model/printable.ts'
import { randomFor } from '../../system/random.ts'
import { withBucket } from '../from-settings.ts'
import { defineCommand, printList, type Session } from '../command.ts'
import { UsageError } from '../failure.ts'
import { countOf, formatCount } from '../format.ts'
import { bucketSettings, option, wholeOption } from '../options.ts'
import { tellFailure } from '../monitoring/notices.ts'
import { type Progress, showProgress } from '../progress.ts'

const maxSeed = 2 ** 32 - 1

export default defineCommand({
  description:
    'Compares a listing of the live slot with its manifest, and one of its downloads with their checksums: whether ' +
    'every object exists with its size and ETag, and whether downloads of earlier days hold anything that may no longer be ' +
    'given out. It names each object that differs. The exit code is 1 if any does: ' +
    '`fundpress publish --repair` repairs it. Then the targets of `notify` are told, too.',
  settings: bucketSettings,
  options: [
    option('--staged', 'Verify the staged snapshot instead of the live one'),
    option('--deep', 'Read all bodies, too, those of downloads included, and compare their SHA-256'),
    wholeOption('--sample <number>', 'Read this number of bodies, chosen at random', [1, 1e8]),
    wholeOption('--seed <number>', 'Read the bodies that a sample with this seed has read', [0, maxSeed]),
  ],
  json: 'Print { slot, snapshot, objects, downloads, bodies, seed, differences } as JSON',
  examples: [
    ['verify --bucket fund-data --region eu-central-1', 'By listing: one request per thousand objects'],
    ['verify --bucket fund-data --sample 1000', 'And a thousand bodies'],
    ['verify --bucket fund-data --sample 1000 --seed 42', 'And the same thousand each time'],
  ],
  run: async (session, { deep = false, staged: isStaged = false, sample, seed }) => {
    if (sample === undefined && seed !== undefined) throw new UsageError('--seed goes with --sample')
    const all = { bodies: deep ? 'all' : 'none' } as const
    const wanted = sample === undefined ? all : sampleOf(sample, seed)
    const find = (add: VerifyOptions['onDifference']) => verifyBucket(session, wanted, add, { isStaged })
    const { isJson, isQuiet, stdout } = session
    try {
      const verified = await printList(session, find, {
        name: 'differences',
        fields: ({ found: { slot, snapshot, objects, downloads, bodies } }) => {
          const files = downloads === null ? {} : { downloads }
          const chosenBy = 'seed' in wanted ? { seed: wanted.seed } : {}
          return { before: { slot, snapshot, objects, ...files, bodies, ...chosenBy } }
        },
        line: (difference: ObjectDifference) => `${describeDifference(difference)}\n`,
      })
      assertMatches(verified)
      if (!isJson && !isQuiet) stdout.write(`${describeVerified(verified.found, wanted)}\n`)
    } catch (error) {
      await tellFailure(session, error, { command: 'verify' })
      throw error
    }
  },
})

/** The bodies to read: none, all, or a number of them that the seed chooses. */
type WantedBodies = { readonly bodies: 'none' | 'all' } | ReturnType<typeof sampleOf>

/** Without a seed each call chooses other bodies. */
export function sampleOf(bodies: number, seed = Math.floor(Math.random() * (maxSeed + 1))) {
  return { bodies, seed }
}

/** @param onDifference may return a promise, to slow the verification down @param options as in `VerifyOptions` */
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
  withdrawn: 'holds what may no longer be given out',
}

export const describeDifference = ({ key, what }: ObjectDifference): string =>
  `${escapeInvisible(key)} ${meanings[what]}`

/** What is published does not match its manifest. */
export class Mismatch extends Error {
  override readonly name = 'Mismatch'
}

/** @throws {Mismatch} that counts the differences, if there are any */
export function assertMatches({ name, found, kinds }: Awaited<ReturnType<typeof verifyBucket>>): void {
  const { snapshot, differences } = found
  if (differences === 0) return
  const differ = differences === 1 ? 'differs' : 'differ'
  // Only reading finds a body that changed while its size and ETag stayed the same.
  const repair = kinds.has('body') ? '--repair --deep' : '--repair'
  throw new Mismatch(
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
