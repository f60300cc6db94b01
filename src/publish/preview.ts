/** What a publish would do: the same reads, no write. */

import { join } from 'node:path'
import type { RouteTable } from '../routes/table.ts'
import { countFiles, manifestKey } from '../snapshot/manifest.ts'
import { estimateRequests, nothingToDo, type Requests } from './cost.ts'
import { countsOf, noDownloads, planDownloads, type DownloadCounts } from './downloads.ts'
import { editionOf, isLiveAlready } from './edition.ts'
import { endpointOf } from './endpoint-of.ts'
import { heldMessage, isHeldByOther, isLeftUnsettled, readJournal, type Holder } from './journal.ts'
import { otherSlot, type Slot } from './layout.ts'
import { tornSlots, readLive } from './live.ts'
import { openManifest } from './manifest-reader.ts'
import { findMistakes, type MistakeLimits } from './mistakes.ts'
import { readNdjson } from './ndjson.ts'
import type { Change } from './plan.ts'
import { prepareChanges } from './prepare.ts'
import { findRepairs } from './repair.ts'
import { withFolder } from './status.ts'
import type { ObjectStore } from './store.ts'
import { previewTelling } from './tell-changes.ts'

export interface PreviewOptions extends MistakeLimits {
  /** The snapshot's folder. */
  readonly out: string
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
  /** Tells endpoints from keys. */
  readonly table: RouteTable
  readonly isRepair: boolean
  readonly isLocking: boolean
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
}

/** Changes of one endpoint's objects. */
export interface EndpointChanges {
  /** The route's id; `errors` and `status` for those of no endpoint, `other` for keys that this version does not know. */
  readonly endpoint: string
  readonly put: number
  readonly deleted: number
  /** Of the bodies to put. */
  readonly bytes: number
}

export interface Preview {
  readonly snapshot: string
  /** The slot that it would be in. */
  readonly slot: Slot
  readonly isLive: boolean
  readonly put: number
  readonly deleted: number
  readonly bytes: number
  readonly endpoints: readonly EndpointChanges[]
  /** The analysts' files, which are in none of the figures above. */
  readonly downloads: DownloadCounts
  readonly requests: Requests
  /** Of the whole snapshot. */
  readonly slotBytes: number
  /** Why a publish would refuse; empty if it would not. */
  readonly refusals: readonly string[]
  /** Who publishes now, as a sentence, or null. */
  readonly heldBy: string | null
}

export async function previewPublish(store: ObjectStore, options: PreviewOptions): Promise<Preview> {
  const { out, isRepair, isLocking, me, isAlive } = options
  const manifest = await openManifest(join(out, manifestKey))
  const [{ live }, journal] = await Promise.all([readLive(store), readJournal(store)])
  const { snapshot, bytes: slotBytes } = manifest.head
  const heldBy = isHeldByOther(journal, me, isAlive) ? heldMessage(store, journal) : null
  const edition = await editionOf(out, manifest.head, options.baseUrl)
  if (isLiveAlready(live, snapshot, edition) && !isRepair) {
    const nothing = {
      put: 0,
      deleted: 0,
      bytes: 0,
      endpoints: [],
      downloads: noDownloads,
      requests: nothingToDo,
      refusals: [],
    }
    return { snapshot, slot: live.slot, isLive: true, slotBytes, heldBy, ...nothing }
  }

  const inherited = journal.journal?.changing ?? {}
  const isUnsettled = journal.journal !== null && isLeftUnsettled(journal.journal)
  const slot = live === null ? 'blue' : otherSlot(live.slot)
  const unknown = tornSlots(journal.journal, live)[slot] ?? null
  return withFolder(async (folder) => {
    const before = store.requests()
    const repair = isRepair ? { isDeep: false, concurrency: 1 } : null
    const prepared = await prepareChanges(store, { manifest, slot, unknown, folder, repair })
    const damage =
      repair !== null && live !== null ? await findRepairs(store, live.slot, folder, repair) : null
    const { table } = options
    const isTrusted = unknown === null && !isRepair
    const onWarning = () => undefined
    const telling = await previewTelling(store, {
      ...{ manifest, live, slot, out, folder, table, isTrusted, onWarning },
    })
    const { asOf } = manifest.head
    const downloadsPlan = await planDownloads(store, { out, asOf, snapshot, live, isDeep: false })
    const downloads = countsOf(downloadsPlan)
    const after = store.requests()
    const reads = {
      GetObject: (after['GetObject'] ?? 0) - (before['GetObject'] ?? 0),
      ListObjectsV2: (after['ListObjectsV2'] ?? 0) - (before['ListObjectsV2'] ?? 0),
    }
    const { put, deleted, bytes } = prepared
    return {
      snapshot,
      slot,
      isLive: isLiveAlready(live, snapshot, edition),
      put,
      deleted,
      bytes,
      endpoints: await changesByEndpoint(options.table, readNdjson(prepared.file) as AsyncIterable<Change>),
      downloads,
      requests: estimateRequests({
        put,
        deleted,
        reads,
        isTakingUp: inherited[slot] !== undefined,
        hasDamage: damage !== null,
        isLocking,
        hasJournal: journal.journal !== null,
        isUnsettled,
        objects: countFiles(manifest.head),
        hasLive: live !== null,
        telling,
        downloads,
        hasDownloads: downloadsPlan.live !== undefined,
      }),
      slotBytes,
      refusals: findMistakes(manifest.head, live, prepared, options),
      heldBy,
    }
  })
}

async function changesByEndpoint(
  table: RouteTable,
  changes: AsyncIterable<Change>,
): Promise<EndpointChanges[]> {
  const found = new Map<string, { endpoint: string; put: number; deleted: number; bytes: number }>()
  for await (const change of changes) {
    const endpoint = endpointOf(table, change.key)
    const counts = found.get(endpoint) ?? { endpoint, put: 0, deleted: 0, bytes: 0 }
    if (change.kind === 'delete') counts.deleted++
    else {
      counts.put++
      counts.bytes += change.bytes
    }
    found.set(endpoint, counts)
  }
  return [...found.values()].sort((one, other) => (one.endpoint < other.endpoint ? -1 : 1))
}
