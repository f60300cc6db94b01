/** `live.json`: which slot is live. Source: keys.md. Written last, in one conditional put. */

import { createHash } from 'node:crypto'
import type { FreshnessCounts } from '../freshness/assess.ts'
import type { ManifestHead } from '../snapshot/manifest.ts'
import { allTorn, type Journal, type Unknown } from './journal.ts'
import { earlierAfter, type EarlierDownloads, type LiveDownloads } from './live-downloads.ts'
import { jsonType, liveKey, noCache, type Slot } from './layout.ts'
import { readSmall } from './manifest-reader.ts'
import { parseLive } from './parse-live.ts'
import {
  ConditionFailed,
  type Condition,
  type NewObject,
  type ObjectStore,
  type PutObject,
  type WriteOptions,
} from './store.ts'

/** What the edge, the next publish and people have to know of a snapshot without reading its manifest. */
export interface LiveSnapshot {
  readonly slot: Slot
  readonly snapshot: string
  readonly asOf: string
  readonly funds: number
  readonly objects: number
  readonly bytes: number
  /** ISO 8601 day of the newest price, or null without a price. */
  readonly newestPrice: string | null
  readonly docsUrl: string
  /** What was published beside the objects (`edition.ts`); not in files of earlier versions. */
  readonly edition?: string | undefined
  /** Its files for analysts; absent if it has none, and in files of earlier versions. */
  readonly downloads?: LiveDownloads | undefined
  /** How new its funds' prices are; not in files of earlier versions. */
  readonly freshness?: FreshnessCounts | undefined
  /** When it went live, ISO 8601 with time. */
  readonly liveSince: string
  /** The list of changes of the publish that brought it in: what that list named is whole. */
  readonly changes?: string | undefined
}

export interface Live extends LiveSnapshot {
  readonly format: 1
  /** The lease that wrote this file anew, so that nothing older that is still on its way finds what it expects. */
  readonly fence?: string
  /** How it went live, where that was by no publish: what stood before was taken back. Earlier versions do not say. */
  readonly broughtBy?: 'rollback' | undefined
  /** Files for analysts of the days before; not in files of earlier versions. */
  readonly earlierDownloads?: EarlierDownloads | undefined
  /** What stood before. */
  readonly previous: LiveSnapshot | null
}

export interface LiveObject {
  readonly live: Live | null
  /** What the next write has to find. */
  readonly condition: Condition
  /** How long ago it was written, by the store's clock, in milliseconds; infinite without one. */
  readonly ageMs: number
  /** The store's clock; this machine's where there is no object yet. */
  readonly now: () => Date
}

/** @throws {Error} if it is there but cannot be read */
export async function readLive(store: ObjectStore): Promise<LiveObject> {
  const object = await readSmall(store, liveKey)
  if (object === null)
    return { live: null, condition: { ifAbsent: true }, ageMs: Infinity, now: () => new Date() }
  const live = parseLive(object.text, `${store.name}: ${liveKey}`)
  const readAt = performance.now()
  return {
    live,
    condition: { ifMatch: object.etag },
    ageMs: object.now.getTime() - object.lastModified.getTime(),
    now: () => new Date(object.now.getTime() + performance.now() - readAt),
  }
}

/** @param before what is live until then; now: by the store's clock */
export function liveSnapshot(
  head: ManifestHead,
  slot: Slot,
  {
    before,
    now,
    changes,
    edition,
    downloads,
  }: {
    readonly before: LiveSnapshot | null
    readonly now: Date
    readonly changes: string | undefined
    readonly edition: string | undefined
    readonly downloads: LiveDownloads | undefined
  },
): LiveSnapshot {
  const { snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl } = head
  const freshness = head.freshness === undefined ? undefined : countsOf(head.freshness)
  // Answers carry it as Last-Modified, in whole seconds: it never goes back, whatever clocks say.
  const earliest = before === null ? -Infinity : Date.parse(before.liveSince) + 1000
  const liveSince = new Date(Math.max(now.getTime(), earliest)).toISOString()
  return {
    ...{ slot, snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, edition, downloads, freshness },
    ...{ liveSince, changes },
  }
}

/** The first line names funds, too. */
const countsOf = ({
  fresh,
  late,
  stale,
  unwatched,
  unpriced,
  withheld,
}: FreshnessCounts): FreshnessCounts => ({
  fresh,
  late,
  stale,
  unwatched,
  unpriced,
  withheld,
})

/** Whether both say that the same went live at the same moment; a fence makes no difference. */
export const isSameLive = (one: LiveSnapshot | null, other: LiveSnapshot | null) =>
  one?.slot === other?.slot && one?.snapshot === other?.snapshot && one?.liveSince === other?.liveSince

const maxFences = 5

/**
 * Writes `live.json` anew, with the same meaning and another ETag: a flip that a publish before has sent, and that is
 * still on its way, finds another file than it expects.
 * @returns what the flip has to find @throws {Error} if another snapshot went live meanwhile
 */
export async function fence(store: ObjectStore, standing: LiveObject, leaseId: string): Promise<LiveObject> {
  let found = standing
  for (let attempt = 1; found.live !== null && isSameLive(found.live, standing.live); attempt++) {
    try {
      const { etag } = await store.put(
        smallObject(liveKey, { ...found.live, fence: leaseId }),
        found.condition,
      )
      return { ...standing, condition: { ifMatch: etag } }
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === maxFences) throw error
      found = await readLive(store)
    }
  }
  throw liveChanged(store, notFlipped)
}

export const notFlipped = 'nothing was flipped, publish again'

/** Somebody else has flipped, or taken back. @param undone what could not be done */
export const liveChanged = (store: ObjectStore, undone: string, cause?: unknown) =>
  new Error(`${store.name}: somebody else changed live.json meanwhile; ${undone}`, { cause })

/** The flip: one write. @throws {ConditionFailed} if somebody else flipped in between */
export function writeLive(
  store: ObjectStore,
  next: LiveSnapshot & Pick<Live, 'broughtBy'>,
  before: Live | null,
  condition: Condition | undefined,
  options?: WriteOptions,
): Promise<PutObject> {
  return store.put(smallObject(liveKey, liveAfter(next, before)), condition, options)
}

/** What `live.json` says when this snapshot follows upon what is live until then. */
export const liveAfter = (next: LiveSnapshot & Pick<Live, 'broughtBy'>, before: Live | null): Live => ({
  format: 1,
  ...next,
  earlierDownloads: earlierAfter(next, before),
  previous: before === null ? null : snapshotOf(before),
})

/** What `live.json` says of its snapshot alone. */
export function snapshotOf(live: Live): LiveSnapshot {
  const { slot, snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, edition, downloads } = live
  const { freshness, liveSince, changes } = live
  return {
    ...{ slot, snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, edition, downloads, freshness },
    ...{ liveSince, changes },
  }
}

/**
 * The torn slots. A publish that was killed after its flip could not say any more that it was done: its list is named by
 * `live.json` then. If something is live and there is no journal, somebody removed it: no slot can be trusted.
 */
export function tornSlots(journal: Pick<Journal, 'changing'> | null, live: Live | null): Unknown {
  const changing = journal?.changing ?? (live === null ? {} : allTorn)
  const done = [live?.changes, live?.previous?.changes]
  return Object.fromEntries(Object.entries(changing).filter(([, keys]) => !done.includes(keys)))
}

/** A small JSON object that changes under its key. */
export function smallObject(key: string, value: object): NewObject {
  const body = Buffer.from(`${JSON.stringify(value)}\n`)
  const sha256 = createHash('sha256').update(body).digest('hex')
  return { key, body, type: jsonType, cacheControl: noCache, sha256 }
}
