/** What `fundpress status` finds: the state of the bucket, or what a deployment says of itself. Reads only, and judges nothing. */

import { heldMessage, isHeldByOther } from '../../bucket/live/journal.ts'
import { readStatus, type Status } from '../../bucket/live/status.ts'
import { fetchHistory, type NightlyEvent } from '../../bucket/nightly/history.ts'
import {
  type PublishedStaged,
  readPublishedStaged,
  readPublishedStatus,
  type StatusDocument,
} from '../../snapshot/status-document.ts'
import { isAlive, thisHolder } from '../../system/holder.ts'
import type { LiveFacts } from '../ages.ts'
import type { Session } from '../command.ts'
import { trustedKeys, withBucket } from '../from-settings.ts'

export type Found = FoundBucket | FoundDeployment

interface FoundBucket {
  readonly kind: 'bucket'
  readonly name: string
  readonly live: LiveInBucket | null
  /** ISO 8601; undefined: nothing is staged. */
  readonly stagedSince: string | undefined
  readonly status: Status
  /** A sentence about the holder of the lease, or null. */
  readonly heldBy: string | null
  /** The newest ones, the oldest of them first. */
  readonly events: readonly NightlyEvent[]
}

export type LiveInBucket = LiveFacts & NonNullable<Status['live']['live']>

interface FoundDeployment {
  readonly kind: 'deployment'
  /** The address that was asked, without a path. */
  readonly name: string
  readonly live: LiveFacts
  readonly stagedSince: string | undefined
  /** Address of the document. */
  readonly url: string
  readonly document: StatusDocument
  readonly staged: PublishedStaged | null
}

/** @param base address of a deployment; undefined: the bucket of the settings @throws {Error} if it does not answer */
export const readFound = (session: Session, base: string | undefined): Promise<Found> =>
  base === undefined ? readBucket(session) : readDeployment(session, base)

const eventsShown = 5

const readBucket = (session: Session): Promise<FoundBucket> =>
  withBucket(session, async (store) => {
    const status = await readStatus(store, session.settings.bucket.slots, trustedKeys(session))
    const { live, now } = status.live
    const isHeld = isHeldByOther(status.journal, thisHolder(), isAlive)
    // An unreadable history is no failure. Failed nights are no events of the live snapshot.
    const { events } = await fetchHistory(store).catch(() => ({ events: [] }))
    return {
      kind: 'bucket',
      name: store.name,
      live: live === null ? null : { ...live, now },
      stagedSince: status.staged?.liveSince,
      status,
      heldBy: isHeld ? heldMessage(store, status.journal) : null,
      events: events.filter(({ kind }) => kind !== 'failed').slice(-eventsShown),
    }
  })

async function readDeployment(session: Session, base: string): Promise<FoundDeployment> {
  const { url, document, liveSince } = await readPublishedStatus(base, session.signal)
  const { as_of: asOf, newest_price: newestPrice, oldest_price: oldestPrice, documents: objects } = document
  const since = liveSince.toISOString()
  // Uses this machine's clock: a cache that has stopped would report the time of its stop.
  const live = { ...document, asOf, newestPrice, oldestPrice, objects, liveSince: since, now: session.now() }
  const staged = await readPublishedStaged(base, session.signal)
  return { kind: 'deployment', name: base, live, stagedSince: staged?.staged_since, url, document, staged }
}
