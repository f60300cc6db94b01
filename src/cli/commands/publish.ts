/** `fundpress publish`: a snapshot goes live in the bucket. */

import { Command } from 'commander'
import type { PublishSummary } from '../../publish/publish.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { livePointer } from '../live-pointer.ts'
import { examples, withSettings } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Session, Start } from '../session.ts'
import { describeDownloads, describeSummary, formatBytes, formatCount } from '../summary.ts'

export interface PublishFlags {
  readonly force?: boolean
  readonly repair?: boolean
  readonly deep?: boolean
  /** False with --no-lock. */
  readonly lock: boolean
  readonly json?: boolean
}

export function publishCommand(start: Start): Command {
  return withSettings(
    new Command('publish'),
    'out',
    ...bucketFlags,
    'bucket.concurrency',
    'bucket.maxRate',
    'bucket.maxDeletes',
    'freshness.maxStaleShare',
    'bucket.leaseSeconds',
    'bucket.graceSeconds',
    'edge.liveTtlSeconds',
    'edge.keyValueStore',
  )
    .summary('bring a snapshot into the bucket and make it live')
    .description(
      'Puts what changed into the slot that is not live, then makes that slot live in one write. What is live stays ' +
        'as it is until then; a publish that was stopped or killed is taken up by the next one.',
    )
    .option(
      '--force',
      'Publish what looks like a mistake, too: an older snapshot, lost funds or prices, stale prices, many deletes',
    )
    .option('--repair', 'Compare the slots with listings of them, and put right what differs')
    .option('--deep', 'With --repair: read and hash every body, too')
    .option('--no-lock', 'Do without conditional writes: nothing protects against a second publish then')
    .option('--json', 'Print the summary as JSON')
    .addHelpText(
      'after',
      examples(
        ['publish --out out --bucket fund-data --region eu-central-1', 'To AWS'],
        ['publish --bucket fund-data --endpoint http://127.0.0.1:9000 --path-style', 'To a MinIO'],
        ['publish --bucket fund-data --flip-kvs arn:aws:cloudfront::…', 'To AWS with CloudFront before it'],
        ['publish --bucket fund-data --repair', 'After `fundpress verify` has found damage'],
      ),
    )
    .action(start(publishOut))
}

async function publishOut(session: Session, flags: PublishFlags): Promise<void> {
  const { isQuiet, stdout, stderr } = session
  const summary = await publishFolder(session, flags, (warning) => {
    stderr.tell(warning)
  })
  if (flags.json === true) stdout.data(`${JSON.stringify(summary)}\n`)
  else if (!isQuiet) stdout.write(describe(summary))
}

/** Publishes the folder of the settings into their bucket. */
export function publishFolder(
  session: Session,
  flags: PublishFlags,
  onWarning: (warning: string) => void,
): Promise<PublishSummary> {
  const { settings, signal } = session
  const { out, bucket, edge, freshness, baseUrl, docsUrl } = settings
  return withBucket(session, async (store) => {
    const { describeLocalAddresses } = await import('../../publish/local-address.ts')
    const { publish } = await import('../../publish/publish.ts')
    const { thisHolder, isAlive } = await import('../../publish/holder.ts')
    const { routeTable } = await import('../../derive/route-table.ts')
    const { endpoints } = await import('../../endpoints/index.ts')
    await assertSnapshot(out)
    const local = describeLocalAddresses({ baseUrl, docsUrl, endpoint: bucket.endpoint })
    if (local !== null) onWarning(local)
    const progress = showProgress(session, 'objects')
    return publish(store, {
      ...bucket,
      out,
      table: routeTable(endpoints, docsUrl),
      baseUrl,
      maxStaleShare: freshness.maxStaleShare,
      cacheControl: edge.cacheControl,
      isForced: flags.force === true,
      isRepair: flags.repair === true,
      isDeep: flags.deep === true,
      isLocking: flags.lock,
      me: thisHolder(),
      isAlive,
      pointer: await livePointer(session),
      signal,
      onWarning,
      onProgress: ({ done, of, bytes }) => {
        progress.update(done, of, `${(bytes / 1e6).toFixed(1)} MB`)
      },
    }).finally(progress.end)
  })
}

/** @throws {Error} that says how to make one */
export async function assertSnapshot(out: string): Promise<void> {
  const { recoverSnapshot } = await import('../../snapshot/staging.ts')
  const { readManifestHead } = await import('../../snapshot/manifest.ts')
  recoverSnapshot(out)
  await readManifestHead(out)
}

function describe({ snapshot, slot, hasFlipped, requests, seconds, ...changed }: PublishSummary): string {
  if (!hasFlipped) return `${snapshot} is live already in ${slot}, nothing to do\n`
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
    ...describeDownloads(downloads),
    requests: `${formatCount(sum)} (${byOperation.join(', ')})`,
    seconds: `${seconds.toFixed(1)} (${formatCount(pace)} objects a second)`,
  })
}
