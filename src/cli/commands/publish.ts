/** `fundpress publish`: uploads a snapshot and makes it live. */

import { Option } from 'commander'
import type { PublishSummary } from '../../bucket/publish/publish.ts'
import { defineCommand } from '../command.ts'
import { describeDownloads, describeSummary, formatBytes, formatCount } from '../format.ts'
import { bucketSettings, forceOption, jsonOption, noLockOption } from '../options.ts'
import { publishFolder, type PublishFlags } from '../tasks/publish.ts'

export default defineCommand<PublishFlags & { readonly json?: boolean }>({
  description:
    'Puts what changed into the slot that is not live, then makes that slot live with one write. Until then the live ' +
    'snapshot does not change. If a publish is stopped or killed, the next one continues.',
  settings: [
    'out',
    ...bucketSettings,
    ...(['bucket.concurrency', 'bucket.maxRate', 'bucket.maxDeletes', 'freshness.maxStaleShare'] as const),
    ...(['bucket.leaseSeconds', 'bucket.graceSeconds', 'edge.liveTtlSeconds', 'edge.keyValueStore'] as const),
  ],
  options: [
    forceOption(),
    new Option('--repair', 'Compare the slots with listings of them, and repair what differs'),
    new Option('--deep', 'With --repair: read and hash every body, too'),
    noLockOption(),
    jsonOption(),
  ],
  examples: [
    ['publish --out out --bucket fund-data --region eu-central-1', 'To AWS'],
    ['publish --bucket fund-data --endpoint http://127.0.0.1:9000 --path-style', 'To MinIO'],
    ['publish --bucket fund-data --flip-kvs arn:aws:cloudfront::…', 'To AWS behind CloudFront'],
    ['publish --bucket fund-data --repair', 'After `fundpress verify` has found damage'],
  ],
  run: async (session, flags) => {
    const { isQuiet, stdout, stderr } = session
    const summary = await publishFolder(session, flags, stderr.tell)
    if (flags.json === true) stdout.data(`${JSON.stringify(summary)}\n`)
    else if (!isQuiet) stdout.write(describe(summary))
  },
})

function describe({ snapshot, slot, hasFlipped, requests, seconds, ...changed }: PublishSummary): string {
  if (!hasFlipped) return `${snapshot} is already live in ${slot}, nothing to do\n`
  const { put, deleted, bytes, downloads } = changed
  const sum = Object.values(requests).reduce((total, count) => total + count, 0)
  const byOperation = Object.entries(requests).map(([name, count]) => `${formatCount(count)} ${name}`)
  const pace = Math.round((put + deleted) / Math.max(seconds, 0.001))
  return describeSummary({
    snapshot,
    'live in': slot,
    put: formatCount(put),
    deleted: formatCount(deleted),
    bytes: formatBytes(bytes),
    downloads: describeDownloads(downloads),
    requests: `${formatCount(sum)} (${byOperation.join(', ')})`,
    seconds: `${seconds.toFixed(1)} (${formatCount(pace)} objects a second)`,
  })
}
