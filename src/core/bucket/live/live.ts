/** `live.json`, which names the live slot: its shape, and reading it. `door.ts` writes it. */

import { hash } from 'node:crypto'
import { z } from 'zod'
import { aDay, address, count, dayOrNull, freshness, parseStrictly } from '../../snapshot/forms.ts'
import { aSnapshotId, aText, sha256, textThat, time } from '../../snapshot/forms.ts'
import { messageOf } from '../../system/message.ts'
import { readReplaceable } from '../store/read.ts'
import type { Condition, NewObject, ObjectStore } from '../store/store.ts'
import { type FoldersByMonth, isFolderOfSnapshot, type LiveDownloads } from './download-folders.ts'
import { allTorn, type Journal, type TornSlots } from './journal.ts'
import { isChangesKey, jsonType, liveKey, noCache, slots, stagedKey } from './layout.ts'

const downloads = z.object(
  {
    folder: textThat(isFolderOfSnapshot, 'a folder of downloads'),
    files: count,
    bytes: count,
    sums: sha256,
  },
  'a folder of downloads',
) satisfies z.ZodType<LiveDownloads>

const byMonth = 'folders of downloads by month'
const earlierDownloads = z.record(
  textThat((value) => /^\d{4}-\d\d$/.test(value), byMonth),
  textThat((value) => /^[0-9a-f -]*$/.test(value), byMonth),
  byMonth,
) satisfies z.ZodType<FoldersByMonth>

/** A snapshot, for edges, the next publish and operators: its manifest need not be read. */
const snapshotShape = z.object({
  slot: z.enum(slots, 'a slot'),
  snapshot: aSnapshotId,
  asOf: aDay,
  funds: count,
  objects: count,
  bytes: count,
  /** The day of the newest price; null without a price. */
  newestPrice: dayOrNull,
  docsUrl: address,
  edition: aText.optional(),
  downloads: downloads.optional(),
  freshness,
  /** Digest of the manifest's `restricted`; absent if that is absent. */
  restricted: aText.optional(),
  liveSince: time,
  /** The list of changes of its publish: the keys of this list are not torn. */
  changes: textThat(isChangesKey, 'the key of a list of changes').optional(),
})

/** Set by a rollback: nothing else goes live while it is there. No names: every reader of the bucket reads this file. */
const holdShape = z.object(
  {
    since: time,
    reason: z.nullable(z.string('a text or null')),
    /** The snapshot that was taken back. */
    reverted: aSnapshotId,
  },
  'what a rollback holds',
)

const liveShape = z.object(
  {
    format: z.literal(1, '1'),
    ...snapshotShape.shape,
    fence: aText.optional(),
    /** `return`: a publish went back by itself, since its sample of bodies was damaged. */
    broughtBy: z.enum(['rollback', 'return'], 'rollback or return').optional(),
    hold: holdShape.optional(),
    earlierDownloads,
    /** The ARN of CloudFront's KeyValueStore that follows the bucket; absent without one. */
    keyValueStore: z.string('an ARN').optional(),
    previous: z.nullable(z.object(snapshotShape.shape, 'an object or null')),
    /** What further slots hold, the one that was live last first. */
    older: z.array(z.object(snapshotShape.shape, 'an object'), 'a list').optional(),
  },
  'a JSON object',
)

export type LiveSnapshot = Readonly<z.infer<typeof snapshotShape>>
export type Live = Readonly<z.infer<typeof liveShape>>
export type Hold = NonNullable<Live['hold']>

export interface LiveObject {
  readonly live: Live | null
  readonly condition: Condition
  readonly ageMs: number
  /** By the store's clock. */
  readonly now: Date
  /** Only a repair goes on: `live` is then a guess from the slots. */
  readonly isDamaged: boolean
}

/** @throws {LiveDamaged} if `live.json` is damaged @throws {Error} if the store fails */
export const readLive = (store: ObjectStore) => readLiveFile(store, liveKey)

/** @param key of a file of this shape: `live.json` or `staged.json` */
export async function readLiveFile(store: ObjectStore, key: string): Promise<LiveObject> {
  const { text: body, ...found } = await readReplaceable(store, key)
  return { live: body === null ? null : parseLive(body, store, key), ...found, isDamaged: false }
}

/** True if the same snapshot went live at the same moment; a fence makes no difference. */
export const isSameLive = (one: LiveSnapshot | null, other: LiveSnapshot | null) =>
  one?.slot === other?.slot && one?.snapshot === other?.snapshot && one?.liveSince === other?.liveSince

/** The snapshots of all slots, each once, the one that was live last first. A slot may hold another one by now: its manifest says so. */
export const snapshotsIn = (live: Pick<Live, 'previous' | 'older'> & LiveSnapshot): LiveSnapshot[] => [
  live,
  ...(live.previous === null ? [] : [live.previous]),
  ...(live.older ?? []),
]

export const snapshotOf = (live: Live): LiveSnapshot => snapshotShape.parse(live)

/**
 * The torn slots. If a publish was killed after its flip, journal and `live.json` name the same list: that slot is whole. If
 * something is live and there is no journal, it was removed: no slot can be trusted.
 */
export function tornSlots(journal: Pick<Journal, 'changing'> | null, live: Live | null): TornSlots {
  const changing = journal?.changing ?? (live === null ? {} : allTorn)
  const done = live === null ? [] : snapshotsIn(live).map((one) => one.changes)
  return Object.fromEntries(Object.entries(changing).filter(([, list]) => !done.includes(list)))
}

export function smallObject(key: string, value: object): NewObject {
  const body = Buffer.from(`${JSON.stringify(value)}\n`)
  return { key, body, type: jsonType, cacheControl: noCache, sha256: hash('sha256', body) }
}

/** Forbids all writes to the bucket until `live.json` is repaired. Edges know the error by its name. */
export class LiveDamaged extends Error {
  override readonly name = 'LiveDamaged'
}

/** Checks every field: any writer of the bucket can write anything. @throws {LiveDamaged} with the first wrong field */
function parseLive(body: string, { name }: ObjectStore, key: string): Live {
  try {
    return parseStrictly(liveShape, body)
  } catch (error) {
    const advice =
      key === stagedKey
        ? 'Stage again (`fundpress publish --stage`)'
        : 'Restore its last version, if the bucket keeps versions; else run `fundpress publish --repair`, which replaces it. ' +
          'Do not remove it: edges go on with the last good one'
    throw new LiveDamaged(`${name}: ${key} is damaged: ${messageOf(error)}. ${advice}`, { cause: error })
  }
}
