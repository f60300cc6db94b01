/** `fundpress plan`: changes, requests and cost of a publish. Writes nothing. */

import type { EndpointWork, Preview } from '../../bucket/publish/preview.ts'
import { flagsThatAllow } from '../../guards/guards.ts'
import { defineCommand } from '../command.ts'
import {
  alignedTable,
  describeDownloads,
  describeObjections,
  describeRemoved,
  describeRequests,
  describeSummary,
  formatBytes,
  formatCount,
  formatDollars,
} from '../format.ts'
import { describeNews } from '../nightly/news.ts'
import { bucketSettings, option, overrideOptions } from '../options.ts'
import { overrideOf } from '../from-settings.ts'
import { planFolder } from '../nightly/publish.ts'

export default defineCommand({
  description:
    'Shows what a publish would put and delete, its requests, their cost (requests and storage, without traffic; ' +
    'the prices are settings), and what is new: funds that are gone, new, public or restricted, published prices that changed, and the largest moves. It writes nothing. If a publish would refuse, the plan says why; the exit code is 0.',
  settings: ['out', ...bucketSettings, 'edge.keyValueStore'],
  options: [
    ...overrideOptions(),
    option('--repair', 'See `publish`'),
    option('--no-lock', 'See `publish`'),
    option('--forget-kvs', 'See `publish`'),
  ],
  json: 'Print the plan as JSON',
  examples: [
    ['plan --out out --bucket fund-data --region eu-central-1', 'A table by endpoint, and the cost'],
    ['plan --bucket fund-data --json', 'The same for machines'],
  ],
  run: async (session, flags) => {
    const { preview, cost } = await planFolder(session, { ...flags, override: overrideOf(session, flags) })
    session.print({ ...preview, cost }, () => describe(preview, cost))
  },
})

function describe(preview: Preview, cost: Awaited<ReturnType<typeof planFolder>>['cost']): string {
  const { snapshot, slot, isLive, isStaged, put, deleted, bytes, endpoints, requests, refusals, objections } =
    preview
  const { PutObject: puts, GetObject: gets, ListObjectsV2: lists, DeleteObjects: deletes } = requests
  const changes = `${formatCount(put)} to put, ${formatCount(deleted)} to delete`
  const figures = describeSummary({
    snapshot: isLive
      ? `${snapshot}, already live`
      : isStaged
        ? `${snapshot}, staged: a publish only flips`
        : snapshot,
    slot,
    changes: puts > 0 ? changes : 'none: there is nothing to do',
    bytes: formatBytes(bytes),
    downloads: describeDownloads(preview.downloads),
    'earlier days': describeRemoved(preview.removed, 'to be removed'),
    requests: describeRequests({ puts, gets, lists, deletes }),
    cost: `${formatDollars(cost.publish)} for this publish, ${formatDollars(cost.month)} a month for one such publish a day and ${cost.slots} slots`,
    'held up': preview.heldBy,
    refused: refusals.length === 0 ? null : refusals.join('; '),
    'allow it': refusals.length === 0 ? null : flagsThatAllow(objections),
  })
  const refused = describeObjections(objections)
  return (
    describeEndpoints(endpoints) +
    figures +
    (refused === '' ? '' : `\n${refused}`) +
    describeNews(preview.news)
  )
}

function describeEndpoints(endpoints: readonly EndpointWork[]): string {
  if (endpoints.length === 0) return ''
  const rows = endpoints.map((one) => [one.endpoint, ...[one.put, one.deleted, one.bytes].map(formatCount)])
  return `${alignedTable([['endpoint', 'put', 'delete', 'bytes'], ...rows]).join('\n')}\n\n`
}
