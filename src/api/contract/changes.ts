/** What publishes changed, as it is published in `changes/`. */

import type { listShapes } from './list-shapes.ts'
import type { ValueOf } from './shape.ts'

/**
 * `changes/<as-of>.json`.
 *
 * - `format`: 2. `as_of`, `snapshot`: of the snapshot that the newest publish made live. `before`: the snapshot that was
 *   live until then, with which it is compared; null for the first one.
 * - `funds`: `total` counts all, those included of which nothing is published; `added`, `removed` and `renamed` name funds
 *   that are published and were not before, that were and are no more (gone, or withheld), or that have another name; by
 *   ISIN.
 * - `documents`: objects that only the new snapshot has, that only the old one had, and that differ; `endpoints` has the
 *   same by endpoint, as `fundpress plan` names them.
 * - `prices`: changes in the past of funds that had prices before and have them now. A day after the last one that a fund
 *   had is not in the past. `counts` are complete; each list has the first ten thousand rows, by ISIN, then by day. Values
 *   are decimals with a point; null if there was none or is none. `totals` counts funds with prices of new days, prices
 *   (a fund's on one day) with a corrected value, and the funds of these.
 * - `not_compared`: keys of documents that could not be read, so that nobody knows what changed in them.
 * - `allowed`: which guards objected to the snapshot, and why an operator has allowed it; absent if there is nothing. Nobody is
 *   named.
 * - `publish`: the number of the newest publish among those of the day, 1 for the first.
 * - `earlier`: what the publishes before it on this day changed, the same shape without `earlier`, the newest first; empty
 *   on most days. The last twenty are there. Their lists of prices together have ten thousand rows each at most, the newest
 *   publish's first; their counts stay complete.
 *
 * Rows with prices of a fund leave the files of all days when its prices may no longer be given out; the counts stay.
 */
export type DayChanges = ValueOf<typeof listShapes.changesOfDay>
export type PublishChanges = DayChanges['earlier'][number]
export type SnapshotChanges = Omit<PublishChanges, 'publish'>

/** A guard that objected to the data, and why somebody has allowed it. */
export type AllowedChange = NonNullable<SnapshotChanges['allowed']>[number]
export type SnapshotName = NonNullable<SnapshotChanges['before']>
export type NamedFund = SnapshotChanges['funds']['added'][number]
export type PastDay = SnapshotChanges['prices']['added'][number]
export type CorrectedValue = SnapshotChanges['prices']['corrected'][number]

/**
 * `changes/index.json`: the last days that were published, the newest first, with all that pages and feeds over all days need.
 */
export type ChangeHistory = ValueOf<typeof listShapes.changes>

/** `file` is the name beside the index, with its `sha256` (hex) and `bytes`. `earlier` has the last twenty publishes of the day before this one, the newest first. */
export type HistoryDay = ChangeHistory['nights'][number]

/** A publish. `funds` are the first two hundred that the page of the day names, by ISIN. */
export type HistoryEntry = HistoryDay['earlier'][number]

/** What a publish changed, in words: plain text, which the caller escapes. */
export type ChangeWords = Pick<HistoryEntry, 'title' | 'lines'>

/** What happened to a fund. The numbers count days with prices that are corrected, added or removed in the past. */
export type ChangedFund = NonNullable<HistoryEntry['funds']>[number]

/** The publishes of a day, the newest first. */
export function publishesOf(day: HistoryDay): readonly HistoryEntry[] {
  const { as_of, snapshot, before, publish, title, lines, de, funds, earlier } = day
  const more = { ...(de !== undefined && { de }), ...(funds !== undefined && { funds }) }
  return [{ as_of, snapshot, before, publish, title, lines, ...more }, ...earlier]
}
