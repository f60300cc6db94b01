/** Publishes and plans as the settings say, for `publish`, `plan` and `nightly`. */

import { routeTable } from '../../api/derive/route-table.ts'
import { endpoints } from '../../api/endpoints/index.ts'
import { isAlive, thisHolder } from '../../bucket/live/journal.ts'
import { describeLocalAddresses } from '../../bucket/publish/mistakes.ts'
import { costOfMonth, costOfRequests, type Preview, previewPublish } from '../../bucket/publish/preview.ts'
import { publish, type PublishSummary } from '../../bucket/publish/publish.ts'
import { readManifestHead } from '../../build/manifest.ts'
import { recoverSnapshot } from '../../build/staging.ts'
import { livePointer, withBucket } from '../bucket.ts'
import type { Session } from '../command.ts'
import { showProgress } from '../progress.ts'

export interface PublishFlags {
  readonly force?: boolean
  readonly repair?: boolean
  readonly deep?: boolean
  /** False with --no-lock. */
  readonly lock: boolean
}

/** Publishes the folder of the settings into their bucket. */
export function publishFolder(
  session: Session,
  flags: PublishFlags,
  onWarning: (warning: string) => void,
): Promise<PublishSummary> {
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
      pointer: await livePointer(session),
      signal,
      onWarning,
      onProgress: ({ done, of, bytes }) => {
        progress.update(done, of, `${(bytes / 1e6).toFixed(1)} MB`)
      },
    }).finally(progress.end)
  })
}

/** In dollars. */
export interface PublishCost {
  readonly publish: number
  /** Thirty such publishes, and the storage of two slots. */
  readonly month: number
}

/** What a publish of the settings' folder into their bucket would do and cost. */
export async function planFolder(
  session: Session,
  flags: PublishFlags,
): Promise<{ readonly preview: Preview; readonly cost: PublishCost }> {
  const { signal, settings } = session
  const { bucket, prices } = settings
  const preview = await withBucket(session, async (store) =>
    previewPublish(store, {
      maxDeletes: bucket.maxDeletes,
      concurrency: bucket.concurrency,
      signal,
      ...(await commonOptions(session, flags)),
    }),
  )
  const { requests, slotBytes } = preview
  const publish = costOfRequests(requests, prices)
  return { preview, cost: { publish, month: costOfMonth(requests, slotBytes, prices) } }
}

/** @throws {Error} if the folder holds no snapshot */
async function commonOptions({ settings }: Session, flags: PublishFlags) {
  const { out, baseUrl, docsUrl, freshness } = settings
  recoverSnapshot(out)
  await readManifestHead(out)
  return {
    out,
    baseUrl,
    table: routeTable(endpoints, docsUrl),
    maxStaleShare: freshness.maxStaleShare,
    isForced: flags.force === true,
    isRepair: flags.repair === true,
    isLocking: flags.lock,
    me: thisHolder(),
    isAlive,
  } as const
}
