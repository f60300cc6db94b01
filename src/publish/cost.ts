/** What a publish asks of the store, and what that costs. Pure. */

import type { DownloadCounts } from './downloads.ts'

/** Requests by operation, as stores bill them. */
export interface Requests {
  readonly PutObject: number
  readonly GetObject: number
  readonly ListObjectsV2: number
  readonly DeleteObjects: number
}

/** In dollars. */
export interface Prices {
  /** Puts and lists cost the same. */
  readonly perMillionPuts: number
  readonly perMillionGets: number
  readonly perMillionDeletes: number
  readonly perGbMonth: number
}

export interface PlannedWork {
  readonly put: number
  readonly deleted: number
  /** Reads that tell what has to change: manifest, ETags, listings. */
  readonly reads: Pick<Requests, 'GetObject' | 'ListObjectsV2'>
  /** Whether it takes up what a publish that was killed began. */
  readonly isTakingUp: boolean
  /** Whether a repair has to write down what is damaged in the live slot. */
  readonly hasDamage: boolean
  readonly isLocking: boolean
  /** Whether there is a journal: without one conditional puts are tried in both ways, and both manifests are asked for. */
  readonly hasJournal: boolean
  /** Whether late writes are to be reckoned with: then `live.json` is written twice, and the slot is listed. */
  readonly isUnsettled: boolean
  /** Of the new snapshot. */
  readonly objects: number
  readonly hasLive: boolean
  /** For what the publish says of the night. */
  readonly telling: ToldRequests
  readonly downloads: DownloadCounts
  /** Whether the snapshot has files for analysts: their list is written each time. */
  readonly hasDownloads: boolean
}

export interface ToldRequests {
  readonly puts: number
  readonly gets: number
  readonly deletes: number
  /** Objects that the slot has of it already: they are listed with the others. */
  readonly standing: number
}

const keysPerDelete = 1000
const keysPerList = 1000

/** What publish.ts does, counted. The lease's renewals and retries come on top. */
export function estimateRequests(work: PlannedWork): Requests {
  const { put, deleted, reads, isTakingUp, hasDamage, isLocking, telling, downloads } = work
  const probes = !isLocking ? 0 : work.hasJournal ? 1 : 2
  const looksOut = isLocking && work.hasLive
  // Taking the lease, checksums, manifest, the flip, the lease's end twice.
  const puts = 1 + 2 + 1 + 2
  // live.json, the journal, live.json again, the journal again before the flip.
  const gets = 4
  return {
    PutObject:
      puts +
      telling.puts +
      downloads.put +
      (work.hasDownloads ? 1 : 0) +
      probes +
      (looksOut && work.isUnsettled ? 1 : 0) +
      // A list, and its declaration; the ETags.
      3 +
      put +
      (hasDamage ? 2 : 0),
    // The journal that stopped a probe; live.json once more, where it is not written.
    GetObject: gets + telling.gets + probes + (looksOut && !work.isUnsettled ? 1 : 0) + reads.GetObject,
    // Without a journal, whether each slot is empty. A page more where the slot holds what is no object of the snapshot.
    ListObjectsV2:
      (work.hasJournal ? 0 : 2) +
      reads.ListObjectsV2 +
      (work.isUnsettled ? Math.ceil((work.objects + 2 + telling.standing) / keysPerList) : 0),
    // The list of changes, at the end, and that of the publish that was killed.
    DeleteObjects:
      Math.ceil(deleted / keysPerDelete) +
      telling.deletes +
      Math.ceil(downloads.deleted / keysPerDelete) +
      1 +
      (isTakingUp ? 1 : 0),
  }
}

/** Finding that a snapshot is live already takes one read. */
export const nothingToDo: Requests = { PutObject: 0, GetObject: 1, ListObjectsV2: 0, DeleteObjects: 0 }

/** In dollars; traffic is not in it. */
export function costOfRequests(requests: Requests, prices: Prices): number {
  const { PutObject, GetObject, ListObjectsV2, DeleteObjects } = requests
  const millionths =
    (PutObject + ListObjectsV2) * prices.perMillionPuts +
    GetObject * prices.perMillionGets +
    DeleteObjects * prices.perMillionDeletes
  return millionths / 1e6
}

const nightsAMonth = 30

/** Such a publish each night, and two slots of this size kept. @param bytes of one slot */
export function costOfMonth(requests: Requests, bytes: number, prices: Prices): number {
  return nightsAMonth * costOfRequests(requests, prices) + ((2 * bytes) / 1e9) * prices.perGbMonth
}
