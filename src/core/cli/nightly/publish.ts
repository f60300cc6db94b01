/** Publishes or plans the folder of the settings. */

import type { Live } from '../../bucket/live/live.ts'
import { clearAlone } from '../../bucket/live/removal.ts'
import { costOfMonth, costOfRequests, previewPublish } from '../../bucket/publish/preview.ts'
import { publish } from '../../bucket/publish/publish.ts'
import type { Plan } from '../../bucket/publish/snapshot.ts'
import { readManifestHead } from '../../snapshot/manifest.ts'
import { recoverSnapshot } from '../../snapshot/staging.ts'
import { isAlive, thisHolder } from '../../system/holder.ts'
import { type DoorFlags, doorOptions } from '../bucket.ts'
import type { Session } from '../command.ts'
import { describeRemoved } from '../format.ts'
import { describeAddresses, signatureRules, withBucket } from '../from-settings.ts'
import { showProgress } from '../progress.ts'

export interface PublishFlags extends DoorFlags {
  readonly repair?: boolean | undefined
  readonly stage?: boolean | undefined
  readonly deep?: boolean | undefined
}

interface Told {
  readonly onWarning: (warning: string) => void
  readonly onPlan?: (plan: Plan) => void
}

export function publishFolder(session: Session, flags: PublishFlags, told: Told) {
  const { settings } = session
  return withBucket(session, async (store) => {
    const local = describeAddresses(settings)
    const common = await commonOptions(session, flags)
    if (local !== null) told.onWarning(local)
    const progress = showProgress(session, 'objects')
    return publish(store, {
      ...common,
      signing: signatureRules(session, 'publish'),
      cacheControl: settings.edge.cacheControl,
      maxRate: settings.bucket.maxRate,
      isDeep: flags.deep === true,
      ...told,
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
  const options = {
    signal,
    isLocking,
    me: thisHolder(),
    isAlive,
    leaseSeconds: bucket.leaseSeconds,
    graceSeconds: bucket.graceSeconds,
    retention: { ...downloads, keepDays: null },
    today,
    onWarning: tell,
  }
  const removed = describeRemoved(await withBucket(session, (store) => clearAlone(store, live, options)))
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
