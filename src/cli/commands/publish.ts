/** `fundpress publish`: uploads a snapshot and makes it live. `plan` and `nightly` publish the same way. */

import { routeTable } from '../../api/derive/route-table.ts'
import { endpoints } from '../../api/endpoints/index.ts'
import { isAlive, thisHolder } from '../../system/holder.ts'
import type { Gone } from '../../bucket/live/options.ts'
import { describeLocalAddresses } from '../../bucket/publish/addresses.ts'
import { costOfMonth, costOfRequests, previewPublish } from '../../bucket/publish/preview.ts'
import { publish, type PublishSummary } from '../../bucket/publish/publish.ts'
import type { Live } from '../../bucket/live/live.ts'
import { clearAlone } from '../../bucket/live/removal.ts'
import { readManifestHead } from '../../build/manifest.ts'
import { recoverSnapshot } from '../../build/staging.ts'
import type { Override } from '../../guards/guards.ts'
import { followingOf, overrideOf, withBucket } from '../from-settings.ts'
import { defineCommand, type Session } from '../command.ts'
import {
  describeDownloads,
  describeRemoved,
  describeRequests,
  describeSummary,
  formatBytes,
  formatCount,
} from '../format.ts'
import { bucketSettings, forgetKvsOption, noLockOption, option, overrideOptions } from '../options.ts'
import { endRun } from '../monitoring/watch.ts'
import { eventsOfGone, keepRun } from '../nightly/events.ts'
import { factsOfFailure, factsOfPublish } from '../nightly/facts.ts'
import { describeNews } from '../nightly/news.ts'
import { showProgress } from '../progress.ts'

export default defineCommand({
  description:
    'Puts what changed into the slot that is not live, then makes that slot live with one write. Until then the live ' +
    'snapshot does not change. If a publish is stopped or killed, the next one continues. If the data, prices or performance ' +
    'of a fund may no longer be given out, the downloads of earlier days that hold them are removed.\n\n' +
    'Guards compare the snapshot with what is live: too many lost funds, documents, prices or rows are refused (exit code ' +
    '3), and so is a date in the future or before the live one. Nothing changes then. `fundpress plan` shows it before.\n\n' +
    '--stage does all of it but that one write: the live snapshot stays live. Look at the staged snapshot with `serve --bucket … ' +
    '--snapshot`; `flip` makes it live, under the same guards. A publish of the staged snapshot does so, too; of another one it ' +
    'takes its place.',
  settings: [
    'out',
    ...bucketSettings,
    ...(['bucket.maxDeletes', 'freshness.maxStaleShare', 'edge.keyValueStore'] as const),
  ],
  options: [
    ...overrideOptions(),
    option('--stage', 'Do not make the snapshot live: `flip` does'),
    option('--repair', 'Compare the slots with listings of them, and repair what differs'),
    option('--deep', 'With --repair: read and hash every body, too'),
    noLockOption(),
    forgetKvsOption(),
  ],
  json: 'Print the summary as JSON',
  examples: [
    ['publish --out out --bucket fund-data --region eu-central-1', 'To AWS'],
    ['publish --bucket fund-data --endpoint http://127.0.0.1:9000 --path-style', 'To MinIO'],
    [
      'publish --bucket file:///srv/fundpress',
      'Into a folder of this machine, which `fundpress serve` answers from',
    ],
    ['publish --bucket fund-data --flip-kvs arn:aws:cloudfront::…', 'To AWS behind CloudFront'],
    ['publish --bucket fund-data --stage', 'To look at it first'],
    ['publish --bucket fund-data --repair', 'After `fundpress verify` has found damage'],
  ],
  run: async (session, flags) => {
    const override = overrideOf(session, flags)
    const warn = session.stderr.tell
    const summary = await publishFolder(session, { ...flags, override }, warn).catch(
      async (error: unknown) => {
        const head = await readManifestHead(session.settings.out).catch(() => null)
        const known = { asOf: head?.asOf ?? null, snapshot: head?.snapshot ?? null }
        await endRun(session, factsOfFailure(session, error, { command: 'publish', ...known }), flags.lock)
        throw error
      },
    )
    session.print(summary, () => describe(summary))
    await endRun(session, factsOfPublish('publish', summary, override), flags.lock)
  },
})

function describe({ snapshot, slot, hasFlipped, requests, seconds, ...changed }: PublishSummary): string {
  const { hasStaged, isStaged } = changed
  if (isStaged && !hasStaged) return `${snapshot} is staged already in ${slot}, nothing to do\n`
  if (!hasFlipped && !hasStaged)
    return `${snapshot} is already live in ${slot}, ${describeRemoved(changed.removed) ?? 'nothing to do'}\n`
  const { put, deleted, bytes, downloads, mended } = changed
  const pace = Math.round((put + deleted) / Math.max(seconds, 0.001))
  const figures = describeSummary({
    snapshot,
    [hasStaged ? 'staged in' : 'live in']: slot,
    put: formatCount(put),
    deleted: formatCount(deleted),
    'put again': mended === 0 ? null : `${formatCount(mended)}, they were damaged`,
    bytes: formatBytes(bytes),
    downloads: describeDownloads(downloads),
    'earlier days': describeRemoved(changed.removed),
    requests: describeRequests(requests),
    seconds: `${seconds.toFixed(1)} (${formatCount(pace)} objects a second)`,
    next: hasStaged ? `\`fundpress flip ${snapshot}\` makes it live` : null,
  })
  return figures + describeNews(changed.news)
}

export interface PublishFlags {
  readonly override: Override
  readonly repair?: boolean | undefined
  readonly stage?: boolean | undefined
  readonly deep?: boolean | undefined
  /** False with --no-lock. */
  readonly lock: boolean
  readonly forgetKvs?: boolean | undefined
  /** Older downloads are removed; null, also if absent: none are for their age. */
  readonly keepDays?: number | null
}

/** Publishes the folder of the settings into their bucket. */
export function publishFolder(session: Session, flags: PublishFlags, onWarning: (warning: string) => void) {
  const { settings, signal } = session
  const { bucket, edge, baseUrl, docsUrl } = settings
  return withBucket(session, async (store) => {
    const local = describeLocalAddresses({ baseUrl, docsUrl, endpoint: bucket.endpoint })
    const common = await commonOptions(session, flags)
    if (local !== null) onWarning(local)
    const progress = showProgress(session, 'objects')
    return publish(store, {
      ...bucket,
      ...common,
      cacheControl: edge.cacheControl,
      isDeep: flags.deep === true,
      signal,
      onWarning,
      onProgress: ({ done, of, bytes }) => progress.update(done, of, `${(bytes / 1e6).toFixed(1)} MB`),
    }).finally(progress.end)
  })
}

/** Removes the withdrawn downloads that a publish which was killed after its flip has left. @param tell hears which */
export async function clearDownloads(
  session: Session,
  live: Live,
  isLocking: boolean,
  tell: (text: string) => void,
) {
  const { settings, signal, today } = session
  const { bucket, downloads } = settings
  const retention = { keepDays: null, keep: downloads.keep }
  const holding = { signal, isLocking, me: thisHolder(), isAlive }
  const common = { ...bucket, ...holding, retention, today, onWarning: tell }
  const removed = describeRemoved(await withBucket(session, (store) => clearAlone(store, live, common)))
  if (removed !== null) tell(removed)
}

/** What `publishFolder` would do and cost, in dollars: once, and a `month` of thirty times, with the storage of two slots. */
export async function planFolder(session: Session, flags: PublishFlags) {
  const { signal, settings } = session
  const { concurrency } = settings.bucket
  const preview = await withBucket(session, async (store) => {
    const common = await commonOptions(session, flags)
    return previewPublish(store, { ...common, concurrency, signal })
  })
  const { requests, slotBytes } = preview
  const once = costOfRequests(requests, settings.storePrices)
  return { preview, cost: { publish: once, month: costOfMonth(requests, slotBytes, settings.storePrices) } }
}

/** @throws {Error} if the folder holds no snapshot */
async function commonOptions(session: Session, flags: PublishFlags) {
  const { out, baseUrl } = session.settings
  recoverSnapshot(out)
  await readManifestHead(out)
  const isStaging = flags.stage === true
  return { ...(await doorOptions(session, flags)), out, baseUrl, isRepair: flags.repair === true, isStaging }
}

/** What every command gives that makes a snapshot live. */
export async function doorOptions(session: Session, flags: PublishFlags) {
  const { settings, today } = session
  const { docsUrl, freshness, guards, bucket, downloads } = settings
  return {
    table: routeTable(endpoints, docsUrl),
    limits: { ...guards, maxStaleShare: freshness.maxStaleShare, maxDeletes: bucket.maxDeletes },
    override: flags.override,
    today,
    isRepair: false,
    isLocking: flags.lock,
    ...(await followingOf(session, flags.forgetKvs)),
    retention: { keepDays: flags.keepDays ?? null, keep: downloads.keep },
    me: thisHolder(),
    isAlive,
    record: async (gone: Gone) => {
      const warn = session.stderr.tell
      await keepRun(session, { events: eventsOfGone(gone, flags.override.who) }, flags.lock, warn)
    },
  } as const
}
