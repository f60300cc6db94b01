/** `live.json`: which slot is live. Source: keys.md. Written last, in one conditional put. */

import { createHash } from 'node:crypto'
import type { ManifestHead } from '../snapshot/manifest.ts'
import { jsonType, liveKey, noCache, slots, type Slot } from './layout.ts'
import { readSmall } from './manifest-reader.ts'
import type { Condition, NewObject, ObjectStore, PutObject } from './store.ts'

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
  /** When it went live, ISO 8601 with time. */
  readonly liveSince: string
}

export interface Live extends LiveSnapshot {
  readonly format: 1
  /** What stood before. */
  readonly previous: LiveSnapshot | null
}

export interface LiveObject {
  readonly live: Live | null
  /** What the next write has to find. */
  readonly condition: Condition
  /** How long ago it was written, by the store's clock, in milliseconds; infinite without one. */
  readonly ageMs: number
}

/** @throws {Error} if it is there but cannot be read */
export async function readLive(store: ObjectStore): Promise<LiveObject> {
  const object = await readSmall(store, liveKey)
  if (object === null) return { live: null, condition: { ifAbsent: true }, ageMs: Infinity }
  const live = parseLive(object.text, store)
  return {
    live,
    condition: { ifMatch: object.etag },
    ageMs: object.now.getTime() - object.lastModified.getTime(),
  }
}

function parseLive(text: string, store: ObjectStore): Live {
  let live: Partial<Live> | null = null
  try {
    live = JSON.parse(text) as Partial<Live> | null
  } catch {
    // Said below, with the place.
  }
  if (
    live?.format !== 1 ||
    live.slot === undefined ||
    !slots.includes(live.slot) ||
    live.snapshot === undefined
  ) {
    throw new Error(
      `${store.name}: ${liveKey} is not one of this fundpress: look at it, and remove it to start anew`,
    )
  }
  return live as Live
}

/** @param now ISO 8601 with time */
export function liveSnapshot(head: ManifestHead, slot: Slot, now: string): LiveSnapshot {
  const { snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl } = head
  return { slot, snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, liveSince: now }
}

/** The flip: one write. @throws {ConditionFailed} if somebody else flipped in between */
export function writeLive(
  store: ObjectStore,
  next: LiveSnapshot,
  before: Live | null,
  condition: Condition | undefined,
): Promise<PutObject> {
  const live: Live = { format: 1, ...next, previous: before === null ? null : snapshotOf(before) }
  return store.put(smallObject(liveKey, live), condition)
}

/** What `live.json` says of its snapshot alone. */
export function snapshotOf(live: Live): LiveSnapshot {
  const { slot, snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, liveSince } = live
  return { slot, snapshot, asOf, funds, objects, bytes, newestPrice, docsUrl, liveSince }
}

/** A small JSON object that changes under its key. */
export function smallObject(key: string, value: object): NewObject {
  const body = Buffer.from(`${JSON.stringify(value)}\n`)
  const sha256 = createHash('sha256').update(body).digest('hex')
  return { key, body, type: jsonType, cacheControl: noCache, sha256 }
}
