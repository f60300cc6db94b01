/** `fundpress plan`: what a publish would change, ask of the store, and cost. No write. */

import { Command } from 'commander'
import { costOfMonth, costOfRequests } from '../../publish/cost.ts'
import type { EndpointChanges, Preview } from '../../publish/preview.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { examples, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'
import { describeDownloads, describeSummary, formatBytes, formatCount, formatDollars } from '../summary.ts'
import { assertSnapshot, type PublishFlags } from './publish.ts'

export function planCommand(start: Start): Command {
  return withSettings(
    new Command('plan'),
    'out',
    ...bucketFlags,
    'bucket.maxDeletes',
    'freshness.maxStaleShare',
  )
    .summary('show what a publish would do and cost')
    .description(
      'Shows what a publish would put and delete, its requests, and what they cost (requests and storage, without ' +
        'traffic; the prices are settings). Writes nothing. Exit code 0 also where a publish would refuse: it says why.',
    )
    .option('--force', 'As of publish')
    .option('--repair', 'As of publish')
    .option('--no-lock', 'As of publish')
    .option('--json', 'Print the plan as JSON')
    .addHelpText(
      'after',
      examples(
        ['plan --out out --bucket fund-data --region eu-central-1', 'A table by endpoint, and the cost'],
        ['plan --bucket fund-data --json', 'The same for machines'],
      ),
    )
    .action(start(plan))
}

/** In dollars. */
export interface Cost {
  readonly publish: number
  /** Thirty such publishes, and two slots kept. */
  readonly month: number
}

async function plan(session: Session, flags: PublishFlags): Promise<void> {
  const { isQuiet, stdout } = session
  const { preview, cost } = await planFolder(session, flags)
  if (flags.json === true) stdout.data(`${JSON.stringify({ ...preview, cost })}\n`)
  else if (!isQuiet) stdout.write(describe(preview, cost))
}

/** What a publish of the settings' folder into their bucket would do and cost. */
export async function planFolder(
  session: Session,
  flags: PublishFlags,
): Promise<{ readonly preview: Preview; readonly cost: Cost }> {
  const { settings } = session
  const { out, bucket, freshness, prices } = settings
  const preview = await withBucket(session, async (store) => {
    const { previewPublish } = await import('../../publish/preview.ts')
    const { routeTable } = await import('../../derive/route-table.ts')
    const { endpoints } = await import('../../endpoints/index.ts')
    const { thisHolder, isAlive } = await import('../../publish/holder.ts')
    await assertSnapshot(out)
    return previewPublish(store, {
      out,
      baseUrl: settings.baseUrl,
      table: routeTable(endpoints, settings.docsUrl),
      maxDeletes: bucket.maxDeletes,
      maxStaleShare: freshness.maxStaleShare,
      isForced: flags.force === true,
      isRepair: flags.repair === true,
      isLocking: flags.lock,
      me: thisHolder(),
      isAlive,
    })
  })
  const { requests, slotBytes } = preview
  const cost = {
    publish: costOfRequests(requests, prices),
    month: costOfMonth(requests, slotBytes, prices),
  }
  return { preview, cost }
}

function describe(preview: Preview, cost: Cost): string {
  const { snapshot, slot, isLive, put, deleted, bytes, endpoints, requests, refusals, heldBy } = preview
  const changes = `${formatCount(put)} to put, ${formatCount(deleted)} to delete`
  const figures = {
    snapshot: isLive ? `${snapshot}, live already` : snapshot,
    slot,
    changes: requests.PutObject > 0 ? changes : 'none: there is nothing to do',
    bytes: formatBytes(bytes),
    ...describeDownloads(preview.downloads),
    requests: describeRequests(requests),
    cost: `${formatDollars(cost.publish)} this publish, ${formatDollars(cost.month)} a month of such nights with two slots kept`,
  }
  const held = heldBy === null ? {} : { 'held up': heldBy }
  const refused = refusals.length === 0 ? {} : { refused: `${refusals.join('; ')} (--force publishes it)` }
  return describeEndpoints(endpoints) + describeSummary({ ...figures, ...held, ...refused })
}

function describeRequests({ PutObject, GetObject, ListObjectsV2, DeleteObjects }: Preview['requests']) {
  const sum = PutObject + GetObject + ListObjectsV2 + DeleteObjects
  const counts = [`${formatCount(PutObject)} puts`, `${formatCount(GetObject)} gets`]
  counts.push(`${formatCount(ListObjectsV2)} lists`, `${formatCount(DeleteObjects)} deletes`)
  return `${formatCount(sum)} (${counts.join(', ')})`
}

/** A table of what changes, followed by an empty line; nothing if nothing does. */
function describeEndpoints(endpoints: readonly EndpointChanges[]): string {
  if (endpoints.length === 0) return ''
  const counts = endpoints.map((one) => [one.endpoint, ...[one.put, one.deleted, one.bytes].map(formatCount)])
  const rows = [['endpoint', 'put', 'delete', 'bytes'], ...counts]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  )
  return `${lines.join('\n')}\n\n`
}
