/** Publishes or plans the folder of the settings. All commands that make a snapshot live share `doorOptions`. */

import type { Compared } from '../../bucket/publish/snapshot.ts'
import { routeTable } from '../../api/derive/route-table.ts'
import { endpoints } from '../../api/endpoints/index.ts'
import type { Live } from '../../bucket/live/live.ts'
import type { Gone } from '../../bucket/live/options.ts'
import { clearAlone } from '../../bucket/live/removal.ts'
import { costOfMonth, costOfRequests, previewPublish } from '../../bucket/publish/preview.ts'
import { publish } from '../../bucket/publish/publish.ts'
import { readManifestHead } from '../../snapshot/manifest.ts'
import { recoverSnapshot } from '../../snapshot/staging.ts'
import type { Override } from '../../guards/guards.ts'
import { isAlive, thisHolder } from '../../system/holder.ts'
import type { Session } from '../command.ts'
import { askEdges } from '../edges.ts'
import { describeRemoved } from '../format.ts'
import { describeAddresses, followingOf, signatureRules, withBucket } from '../from-settings.ts'
import { showProgress } from '../progress.ts'
import { eventsOfGone, keepRun } from './events.ts'

export interface PublishFlags {
  readonly override: Override
  readonly repair?: boolean | undefined
  readonly stage?: boolean | undefined
  readonly deep?: boolean | undefined
  /** False with --no-lock. */
  readonly lock: boolean
  readonly forgetKvs?: boolean | undefined
  /** Older downloads are removed; null or absent: none. */
  readonly keepDays?: number | null
}

export function publishFolder(session: Session, flags: PublishFlags, onWarning: (warning: string) => void) {
  const { settings } = session
  return withBucket(session, async (store) => {
    const local = describeAddresses(settings)
    const common = await commonOptions(session, flags)
    if (local !== null) onWarning(local)
    const progress = showProgress(session, 'objects')
    return publish(store, {
      ...common,
      signing: signatureRules(session, 'publish'),
      cacheControl: settings.edge.cacheControl,
      isDeep: flags.deep === true,
      onWarning,
      onProgress: ({ done, of, bytes }) => progress.update(done, of, `${(bytes / 1e6).toFixed(1)} MB`),
    }).finally(progress.end)
  })
}

/** Removes withdrawn downloads that a publish left because it was killed after its flip. */
export async function clearDownloads(
  session: Session,
  live: Live,
  isLocking: boolean,
  tell: (text: string) => void,
) {
  const { settings, signal, today } = session
  const { bucket, downloads } = settings
  const retention = { ...downloads, keepDays: null }
  const holding = { signal, isLocking, me: thisHolder(), isAlive }
  const common = { ...bucket, ...holding, retention, today, onWarning: tell }
  const removed = describeRemoved(await withBucket(session, (store) => clearAlone(store, live, common)))
  if (removed !== null) tell(removed)
}

/** @returns `cost` in dollars: of this publish, and of a `month` of thirty, with the storage of all slots */
export async function planFolder(session: Session, flags: PublishFlags) {
  const { bucket, storePrices } = session.settings
  const { slots } = bucket
  const preview = await withBucket(session, async (store) =>
    previewPublish(store, {
      ...(await commonOptions(session, flags)),
      signing: signatureRules(session, 'plan'),
    }),
  )
  const { requests, slotBytes } = preview
  const once = costOfRequests(requests, storePrices)
  const month = costOfMonth(requests, slots * slotBytes, storePrices)
  return { preview, cost: { publish: once, month, slots } }
}

async function commonOptions(session: Session, flags: PublishFlags) {
  const { out, baseUrl } = session.settings
  recoverSnapshot(out)
  await readManifestHead(out)
  const isStaging = flags.stage === true
  return { ...(await doorOptions(session, flags)), out, baseUrl, isRepair: flags.repair === true, isStaging }
}

/** What tells readers of changes: loaded only by commands that make a snapshot live. */
async function comparedOf({ extensions }: Session): Promise<Compared | null> {
  const [load] = extensions.list.flatMap((extension) => extension.compared ?? [])
  return load === undefined ? null : (await load()).compared
}

export async function doorOptions(session: Session, flags: PublishFlags) {
  const { settings, today, signal } = session
  const { docsUrl, freshness, guards, bucket, downloads } = settings
  return {
    ...bucket,
    table: routeTable(endpoints, docsUrl),
    signing: signatureRules(session, 'nobody'),
    limits: { ...guards, maxStaleShare: freshness.maxStaleShare, maxDeletes: bucket.maxDeletes },
    override: flags.override,
    today,
    signal,
    isRepair: false,
    isLocking: flags.lock,
    ...(await followingOf(session, flags.forgetKvs)),
    askEdges: () => askEdges(session),
    compared: await comparedOf(session),
    retention: { ...downloads, keepDays: flags.keepDays ?? null },
    me: thisHolder(),
    isAlive,
    record: async (gone: Gone) => {
      const warn = session.stderr.tell
      await keepRun(session, { events: eventsOfGone(gone, flags.override.who) }, flags.lock, warn)
    },
  } as const
}
