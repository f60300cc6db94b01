/** Whether shards belong together: all parts of one snapshot, each once. Pure. */

import type { ReadShard, ShardHead } from './shard.ts'

/**
 * @param code digest of the code that merges
 * @returns them in the order of their funds
 * @throws {Error} that names the folders that do not fit
 */
export function checkShards(shards: readonly ReadShard[], code: string): readonly ReadShard[] {
  const [first] = shards
  if (first === undefined) throw new Error('there are no shards to merge')
  for (const { name, of, advice } of common) {
    const [one, ...others] = shards.filter(({ head }) => of(head) !== null)
    const stranger = others.find(({ head }) => one !== undefined && of(head) !== of(one.head))
    if (one === undefined || stranger === undefined) continue
    throw new Error(
      `shards of different ${name}: ${one.folder} has ${of(one.head) ?? ''}, ${stranger.folder} has ` +
        `${of(stranger.head) ?? ''}: ${advice}`,
    )
  }
  if (first.head.code !== code)
    throw new Error(
      `${first.folder} was built by another version of fundpress: build the shards again with this one`,
    )
  const sorted = shards.toSorted((one, two) => one.head.number - two.head.number)
  const { of } = first.head
  const numbers = sorted.map(({ head }) => head.number)
  const twice = sorted.find(({ head }, index) => numbers[index - 1] === head.number)
  if (twice !== undefined) {
    const folders = sorted.filter(({ head }) => head.number === twice.head.number).map(({ folder }) => folder)
    throw new Error(`shard ${twice.head.number} of ${of} is there more than once: ${folders.join(', ')}`)
  }
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter(
    (number) => !numbers.includes(number),
  )
  if (missing.length > 0)
    throw new Error(`of ${of} shards ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`)
  return sorted
}

/** The snapshot that has the files that sparse shards lack, or null where none lacks any. @param shards that were checked */
export const lackedBy = (shards: readonly ReadShard[]): string | null =>
  shards.find(({ head }) => head.since !== null)?.head.since ?? null

interface Common {
  readonly name: string
  /** Null where a shard fits to any. */
  readonly of: (head: ShardHead) => string | null
  readonly advice: string
}

const common: readonly Common[] = [
  { name: 'as-of dates', of: ({ asOf }) => asOf, advice: 'build them with the same --as-of' },
  {
    name: 'databases',
    of: ({ source }) => `one with the SHA-256 ${source.slice(0, 12)}…`,
    advice: 'give each machine the same file',
  },
  { name: 'numbers of shards', of: ({ of }) => String(of), advice: 'build them with the same --shard …/n' },
  { name: 'docsUrl', of: ({ docsUrl }) => docsUrl, advice: 'build them with the same settings' },
  { name: 'baseUrl', of: ({ baseUrl }) => baseUrl, advice: 'build them with the same settings' },
  {
    name: 'pages',
    of: ({ hasPages }) => (hasPages ? 'pages' : 'none'),
    advice: 'build them with the same settings',
  },
  {
    name: 'freshness',
    of: ({ freshness }) => `settings ${freshness ?? 'none'}`,
    advice: 'build them with the same settings',
  },
  {
    name: 'downloads',
    of: ({ hasDownloads }) => (hasDownloads ? 'downloads' : 'none'),
    advice: 'build them with the same settings',
  },
  {
    name: 'versions of fundpress',
    of: ({ code }) => `code ${code.slice(0, 12)}…`,
    advice: 'build them with the same version',
  },
  {
    name: '--since',
    // One that found nothing to go on from has all its files.
    of: ({ since }) => since,
    advice: 'build them all from the same manifest',
  },
]
