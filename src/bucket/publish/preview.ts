/** `fundpress plan`: what a publish would do. Runs the real publish over a store that keeps its writes in memory. */

import { join } from 'node:path'
import { parseKey } from '../../api/routes/parse-key.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import { manifestKey } from '../../build/manifest.ts'
import { heldMessage, isHeldByOther, readJournal } from '../live/journal.ts'
import { changesFolder, checksumsIn, inSlot, manifestIn, type Slot, slotPrefix } from '../live/layout.ts'
import { readLive } from '../live/live.ts'
import { endpointOf } from '../manifest/documents.ts'
import { openManifest } from '../manifest/manifest.ts'
import { overlayStore, type OverlayStore } from '../store/overlay.ts'
import type { ObjectStore } from '../store/store.ts'
import type { Requests } from './cost.ts'
import { publish, type PublishOptions, type PublishSummary } from './publish.ts'
import { isLiveAlready } from './snapshot.ts'

export type PreviewOptions = Pick<
  PublishOptions,
  | 'out'
  | 'table'
  | 'baseUrl'
  | 'concurrency'
  | 'isForced'
  | 'maxDeletes'
  | 'maxStaleShare'
  | 'isRepair'
  | 'isLocking'
  | 'me'
  | 'isAlive'
  | 'signal'
>

/** What a publish would do to one endpoint's objects. */
export interface EndpointWork {
  /** The route's id; `errors` and `status` for those of no endpoint, `other` for keys that this version does not know. */
  readonly endpoint: string
  readonly put: number
  readonly deleted: number
  /** The size of the bodies to put. */
  readonly bytes: number
}

export interface Preview extends Pick<
  PublishSummary,
  'snapshot' | 'put' | 'deleted' | 'bytes' | 'downloads'
> {
  /** The slot that it would be in. */
  readonly slot: Slot
  readonly isLive: boolean
  readonly endpoints: readonly EndpointWork[]
  readonly requests: Requests
  /** The size of the whole snapshot. */
  readonly slotBytes: number
  /** Why a publish would refuse; empty if it would not. */
  readonly refusals: readonly string[]
  /** Who publishes now, as a sentence, or null. */
  readonly heldBy: string | null
}

/** @throws {Error} if the publish would fail for another reason than a refusal */
export async function previewPublish(store: ObjectStore, options: PreviewOptions): Promise<Preview> {
  const [{ head }, { live }, held] = await Promise.all([
    openManifest(join(options.out, manifestKey)),
    readLive(store),
    readJournal(store, options.isRepair),
  ])
  const heldBy = isHeldByOther(held, options.me, options.isAlive) ? heldMessage(store, held) : null
  const overlay = overlayStore(store)
  const refusals: string[] = []
  const summary = await publish(overlay, {
    ...options,
    // Another publish counts as dead, and nothing is waited for. Renewals of the lease are not counted: it is too long.
    ...{ me: held.journal?.holder ?? options.me, isAlive: () => false },
    ...{ leaseSeconds: 24 * 3600, graceSeconds: 0, lateSeconds: 0 },
    ...{ cacheControl: '', maxRate: null, isDeep: false },
    onRefusal: (reason) => refusals.push(reason),
    onWarning: () => undefined,
  })
  const { snapshot, edition, slot, put, deleted, bytes, downloads } = summary
  const none: Requests = { PutObject: 0, GetObject: 0, ListObjectsV2: 0, DeleteObjects: 0 }
  return {
    ...{ snapshot, slot, isLive: isLiveAlready(live, { snapshot, edition }), put, deleted, bytes },
    endpoints: workByEndpoint(options.table, slot, overlay),
    downloads,
    requests: { ...none, ...summary.requests },
    slotBytes: head.bytes,
    refusals,
    heldBy,
  }
}

function workByEndpoint(table: RouteTable, slot: Slot, { written }: OverlayStore): EndpointWork[] {
  const found = new Map<string, { endpoint: string; put: number; deleted: number; bytes: number }>()
  const own = [inSlot(slot, changesFolder), manifestIn(slot), checksumsIn(slot)]
  for (const [place, object] of written) {
    if (!place.startsWith(slotPrefix(slot)) || own.some((prefix) => place.startsWith(prefix))) continue
    const key = place.slice(slotPrefix(slot).length)
    const endpoint = endpointOf(parseKey(table, key), key)
    const counts = found.get(endpoint) ?? { endpoint, put: 0, deleted: 0, bytes: 0 }
    if (object === null) counts.deleted++
    else {
      counts.put++
      counts.bytes += object.bytes
    }
    found.set(endpoint, counts)
  }
  return [...found.values()].sort((one, other) => (one.endpoint < other.endpoint ? -1 : 1))
}
