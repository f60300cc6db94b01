/** Files for analysts that nobody can read any more, or that are past their time. Source: keys.md. */

import { isDay } from '../routes/values.ts'
import { downloadsFolder } from './layout.ts'
import type { Live } from './live.ts'
import { dayOf, earlierFolders, isFolderOfSnapshot } from './live-downloads.ts'
import type { Garbage } from './prune.ts'
import type { ObjectStore } from './store.ts'

const dayMs = 24 * 3600 * 1000

/** A publish without a lease may be uploading: what is younger than this is left alone. */
const uploadMs = dayMs

export interface DownloadsInUse {
  /** Null: nobody knows which folders are of use, so only expired days go. */
  readonly live: Live | null
  /** Downloads older than so many days are expired; null: none is. */
  readonly keepDays: number | null
  /** ISO 8601 */
  readonly today: string
  readonly now: Date
  /** Whether a publish is under way, or a late flip of one may still name other folders. */
  readonly mayChange: boolean
}

/**
 * - Folders that `live.json` does not name although it names another one of that day, and those of later days than the
 *   live one: of publishes that died, and of snapshots that were replaced. Only those older than a day. An earlier day
 *   without any name may have been live: an older fundpress forgets the names, and so does whoever removes `live.json`.
 * - Folders of days that are past their time.
 *
 * What the live snapshot and the one before it have stays in any case. What is named otherwise is not ours.
 */
export async function* downloadGarbage(
  store: ObjectStore,
  { live, keepDays, today, now, mayChange }: DownloadsInUse,
): AsyncGenerator<Garbage> {
  // Earlier versions did not name folders: there the day's own folder is what is live.
  const kept = [live, live?.previous].flatMap((one) => one?.downloads?.folder ?? one?.asOf ?? [])
  const earlier = earlierFolders(live?.earlierDownloads)
  const named = new Set([...earlier, ...kept])
  const namedDays = new Set([...named].filter(isFolderOfSnapshot).map(dayOf))
  const oldest = keepDays === null ? '' : isoDay(Date.parse(today) - keepDays * dayMs)

  for await (const { key, bytes, lastModified } of store.list(downloadsFolder)) {
    const [, folder = '', file] = key.split('/')
    const isOurs = isDay(folder) || isFolderOfSnapshot(folder)
    if (file === undefined || !isOurs || kept.includes(folder)) continue
    const day = dayOf(folder)
    const isReplaced = !named.has(folder) && (namedDays.has(day) || isFromLiveDay(folder, live))
    const isOld = now.getTime() - lastModified.getTime() > uploadMs
    if (day < oldest) yield { kind: 'download', key, bytes }
    else if (isReplaced && isOld && !mayChange) yield { kind: 'replaced', key, bytes }
  }
}

/** Whether a snapshot's folder is of the day that is live, or of a later one. */
const isFromLiveDay = (folder: string, live: Live | null) =>
  live !== null && isFolderOfSnapshot(folder) && dayOf(folder) >= live.asOf

const isoDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
