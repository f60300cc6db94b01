/** `fundpress plan`: effects and cost of a publish. Runs the real publish over a store that keeps its writes to itself. */

import { join } from 'node:path'
import { parseKey } from '../../api/routes/parse-key.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import { manifestKey } from '../../snapshot/manifest.ts'
import type { Objection } from '../../guards/guards.ts'
import { heldMessage, isHeldByOther, readJournal } from '../live/journal.ts'
import { changesFolder, checksumsIn, inSlot, manifestIn, type Slot, slotPrefix } from '../live/layout.ts'
import { readLive } from '../live/live.ts'
import { findWholeStaged } from '../live/staged.ts'
import { entry } from '../manifest/compare.ts'
import { endpointOf, sortedEntries } from '../manifest/documents.ts'
import { openManifest } from '../manifest/manifest.ts'
import { overlayStore, type OverlayStore } from '../store/overlay.ts'
import type { ObjectStore } from '../store/store.ts'
import { type PublishOptions, namesSnapshot } from './snapshot.ts'
import { publish } from './publish.ts'

/** Options that a plan sets itself: it waits for nothing, and its writes reach no store. */
type Left =
  | ('leaseSeconds' | 'graceSeconds' | 'lateSeconds' | 'cacheControl' | 'maxRate' | 'isDeep')
  | ('onWarning' | 'onGone')

export interface EndpointWork {
  /** The route's id; `errors` and `status` for those of no endpoint, `other` for keys that are unknown to this version. */
  readonly endpoint: string
  put: number
  deleted: number
  bytes: number
}

/**
 * `slot`: for the snapshot; `slotBytes`: its size. `isStaged`: a publish would only flip. `objections`: of guards that would refuse;
 * `refusals`: their messages. `heldBy`: a sentence about the holder of the lease, or null.
 */
export type Preview = Awaited<ReturnType<typeof previewPublish>>

/** @throws {Error} if the publish would fail for another reason than a refusal */
export async function previewPublish(store: ObjectStore, options: Omit<PublishOptions, Left>) {
  const overlay = overlayStore(store)
  try {
    return await previewOver(overlay, store, options)
  } finally {
    overlay.close()
  }
}

async function previewOver(overlay: OverlayStore, store: ObjectStore, options: Omit<PublishOptions, Left>) {
  const [{ head }, { live }, held] = await Promise.all([
    openManifest(join(options.out, manifestKey)),
    readLive(store),
    readJournal(store, options.isRepair),
  ])
  const heldBy = isHeldByOther(held, options.me, options.isAlive) ? heldMessage(store, held) : null
  // Writes nothing; the publish still names the follower of the bucket.
  const pointer = options.pointer && {
    name: options.pointer.name,
    set: () => Promise.resolve(false),
    setStaged: () => Promise.resolve(),
  }
  const objections: Objection[] = []
  const summary = await publish(overlay, {
    ...options,
    pointer,
    // Another publish counts as dead, and nothing is waited for. The lease is so long that no renewal is counted.
    me: held.journal?.holder ?? options.me,
    isAlive: () => false,
    leaseSeconds: 24 * 3600,
    graceSeconds: 0,
    lateSeconds: 0,
    cacheControl: '',
    maxRate: null,
    isDeep: false,
    onRefusal: (objection) => objections.push(objection),
    onWarning: () => undefined,
    onGone: () => Promise.resolve(),
  })
  const { snapshot, slot, put, deleted, bytes, downloads, removed, news } = summary
  const isLive = namesSnapshot(live, summary)
  const isStaged = namesSnapshot(await findWholeStaged(store, live), summary)
  const endpoints = workByEndpoint(options.table, slot, overlay)
  const work = { snapshot, slot, isLive, isStaged, put, deleted, bytes, endpoints, downloads, removed, news }
  return {
    ...work,
    requests: { ...noRequests, ...summary.requests },
    slotBytes: head.bytes,
    objections,
    refusals: objections.map(({ message }) => message),
    heldBy,
  }
}

function workByEndpoint(table: RouteTable, slot: Slot, { written }: OverlayStore): EndpointWork[] {
  const found = new Map<string, EndpointWork>()
  const own = [inSlot(slot, changesFolder), manifestIn(slot), checksumsIn(slot)]
  for (const { key: place, object } of written(slotPrefix(slot))) {
    if (own.some((prefix) => place.startsWith(prefix))) continue
    const key = place.slice(slotPrefix(slot).length)
    const endpoint = endpointOf(parseKey(table, key), key)
    const counts = entry(found, endpoint, () => ({ endpoint, put: 0, deleted: 0, bytes: 0 }))
    if (object === null) counts.deleted++
    else {
      counts.put++
      counts.bytes += object.bytes
    }
  }
  return sortedEntries(found).map(([, counts]) => counts)
}

export const noRequests = { PutObject: 0, GetObject: 0, ListObjectsV2: 0, DeleteObjects: 0 }
type Requests = Readonly<typeof noRequests>

/** In dollars. Puts and lists cost the same. */
type Prices = Readonly<
  Record<'perMillionPuts' | 'perMillionGets' | 'perMillionDeletes' | 'perGbMonth', number>
>

/** In dollars, without traffic. */
export function costOfRequests(requests: Requests, prices: Prices): number {
  const { PutObject, GetObject, ListObjectsV2, DeleteObjects } = requests
  const puts = (PutObject + ListObjectsV2) * prices.perMillionPuts
  return (puts + GetObject * prices.perMillionGets + DeleteObjects * prices.perMillionDeletes) / 1e6
}

/** 30 such publishes, and storage of all slots, in dollars. @param bytes of all slots */
export function costOfMonth(requests: Requests, bytes: number, prices: Prices): number {
  return 30 * costOfRequests(requests, prices) + (bytes / 1e9) * prices.perGbMonth
}
