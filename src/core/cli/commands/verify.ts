/** `fundpress verify`: compares the live slot with its manifest. */

import type { ObjectDifference } from '../../bucket/manifest/listing.ts'
import type { VerifyOptions } from '../../bucket/manifest/verify.ts'
import { defineCommand, printList } from '../command.ts'
import { UsageError } from '../failure.ts'
import { bucketSettings, option, wholeOption } from '../options.ts'
import { tellFailure } from '../end.ts'
import {
  assertMatches,
  describeDifference,
  describeMore,
  describeVerified,
  maxSeed,
} from '../nightly/verify.ts'
import { sampleOf, verifyBucket } from '../nightly/verify.ts'

/** Of each kind: an emptied slot lacks thousands of objects. */
const differencesShown = 10

export default defineCommand({
  description:
    'Compares a listing of the live slot with its manifest, and one of its downloads with their checksums: whether ' +
    'every object exists with its size and ETag, and whether downloads of earlier days hold anything that may no longer be ' +
    'given out. It names the first ten objects of each kind of difference, with --json all. The exit code is 1 if any differs: ' +
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
    const found = new Map<ObjectDifference['what'], number>()
    const lineOf = (difference: ObjectDifference) => {
      const count = (found.get(difference.what) ?? 0) + 1
      found.set(difference.what, count)
      return count > differencesShown ? '' : `${describeDifference(difference)}\n`
    }
    try {
      const verified = await printList(session, find, {
        name: 'differences',
        fields: ({ found: { slot, snapshot, objects, downloads, bodies } }) => {
          const files = downloads === null ? {} : { downloads }
          const chosenBy = 'seed' in wanted ? { seed: wanted.seed } : {}
          return { before: { slot, snapshot, objects, ...files, bodies, ...chosenBy } }
        },
        line: lineOf,
      })
      for (const [what, count] of found)
        if (count > differencesShown) stdout.write(`${describeMore(what, count - differencesShown)}\n`)
      assertMatches(verified)
      if (!isJson && !isQuiet) stdout.write(`${describeVerified(verified.found, wanted)}\n`)
    } catch (error) {
      await tellFailure(session, error, { command: 'verify' })
      throw error
    }
  },
})
