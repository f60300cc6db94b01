/** `fundpress verify`: whether the live slot matches its manifest. */

import { Option } from 'commander'
import type { ObjectDifference } from '../../bucket/manifest/listing.ts'
import { defineCommand, type Session } from '../command.ts'
import { UsageError } from '../failure.ts'
import { withJsonList } from '../../bucket/manifest/ndjson.ts'
import { bucketSettings, jsonOption, wholeOption } from '../options.ts'
import {
  assertMatches,
  describeDifference,
  describeVerified,
  maxSeed,
  sampleOf,
  verifyBucket,
  type WantedBodies,
} from '../tasks/verify.ts'

interface Flags {
  readonly deep?: boolean
  readonly sample?: number
  readonly seed?: number
  readonly json?: boolean
}

export default defineCommand<Flags>({
  description:
    'Compares a listing of the live slot with its manifest, and one of its downloads with their checksums: whether ' +
    'every object exists with its size and ETag. It names each object that differs. The exit code is 1 if any does: ' +
    '`fundpress publish --repair` repairs it.',
  settings: [...bucketSettings, 'bucket.concurrency'],
  options: [
    new Option('--deep', 'Read all bodies, too, those of downloads included, and compare their SHA-256'),
    wholeOption('--sample <number>', 'Read this number of bodies, chosen at random', [1, 1e8]),
    wholeOption('--seed <number>', 'Read the bodies that a sample with this seed has read', [0, maxSeed]),
    jsonOption('Print { slot, snapshot, objects, downloads, bodies, seed, differences } as JSON'),
  ],
  examples: [
    ['verify --bucket fund-data --region eu-central-1', 'By listing: one request per thousand objects'],
    ['verify --bucket fund-data --sample 1000', 'And a thousand bodies'],
    ['verify --bucket fund-data --sample 1000 --seed 42', 'And the same thousand each time'],
  ],
  run: verify,
})

async function verify(session: Session, flags: Flags): Promise<void> {
  const { isQuiet, stdout } = session
  const wanted = bodiesOf(flags)
  if (flags.json === true) {
    await withJsonList<ObjectDifference>(async (list) => {
      const verified = await verifyBucket(session, wanted, list.add)
      const { slot, snapshot, objects, downloads, bodies } = verified.found
      const files = downloads === null ? {} : { downloads }
      const seed = 'seed' in wanted ? { seed: wanted.seed } : {}
      const before = { slot, snapshot, objects, ...files, bodies, ...seed }
      await list.write(stdout.data, { before, name: 'differences' })
      assertMatches(verified)
    })
    return
  }
  const verified = await verifyBucket(session, wanted, (difference) => {
    stdout.write(`${describeDifference(difference)}\n`)
  })
  assertMatches(verified)
  if (!isQuiet) stdout.write(`${describeVerified(verified.found, wanted)}\n`)
}

function bodiesOf({ deep = false, sample, seed }: Flags): WantedBodies {
  if (sample !== undefined) return sampleOf(sample, seed)
  if (seed !== undefined) throw new UsageError('--seed goes with --sample')
  return { bodies: deep ? 'all' : 'none' }
}
