/** Options of the door, the same for all commands that ask it: publish, plan, flip, rollback, nightly. */

import { routeTable } from '../api/derive/route-table.ts'
import { endpoints } from '../api/endpoints/index.ts'
import type { DoorOptions, Gone } from '../bucket/live/options.ts'
import type { Compared, PublishOptions } from '../bucket/publish/snapshot.ts'
import type { Override } from '../guards/guards.ts'
import { onlyHook } from '../snapshot/hooks.ts'
import { isAlive, thisHolder } from '../system/holder.ts'
import type { Session } from './command.ts'
import { askEdges } from './edges.ts'
import { followingOf, signatureRules } from './from-settings.ts'
import { eventsOfGone, keepRun } from './events.ts'

export interface DoorFlags {
  readonly override: Override
  /** False with --no-lock. */
  readonly lock: boolean
  readonly forgetKvs?: boolean | undefined
  /** Older downloads are removed; null or absent: none. */
  readonly keepDays?: number | null
}

/** The history keeps what goes live. @throws {UsageError} if the settings are wrong */
export async function doorOptions(
  session: Session,
  { override, lock: isLocking, forgetKvs, keepDays = null }: DoorFlags,
): Promise<Omit<DoorOptions, 'onWarning'> & Pick<PublishOptions, 'compared'>> {
  const { settings, today, signal, stderr } = session
  const { docsUrl, expectations, bucket, downloads } = settings
  const { pointer, isForgetting } = await followingOf(session, forgetKvs)
  const onGone = async (gone: Gone) => {
    await keepRun(session, { events: eventsOfGone(gone, override.who) }, isLocking, stderr.tell)
  }
  return {
    table: routeTable(endpoints, docsUrl),
    signing: signatureRules(session, 'nobody'),
    strictness: expectations.strictness,
    override,
    today,
    signal,
    concurrency: bucket.concurrency,
    slots: bucket.slots,
    leaseSeconds: bucket.leaseSeconds,
    graceSeconds: bucket.graceSeconds,
    lateSeconds: bucket.lateSeconds,
    isRepair: false,
    isLocking,
    me: thisHolder(),
    isAlive,
    pointer,
    isForgetting,
    askEdges: () => askEdges(session),
    compared: await comparedOf(session),
    retention: { keepDays, keep: downloads.keep, keepMonthEnds: downloads.keepMonthEnds },
    onGone,
  }
}

/** What tells readers of changes: loaded only by commands that make a snapshot live. */
async function comparedOf({ extensions }: Session): Promise<Compared | null> {
  const load = onlyHook(extensions.list, 'compared')
  return load === undefined ? null : (await load()).compared
}
