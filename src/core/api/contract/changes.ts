/** Types of `changes/`: the published changes of each publish. */

import type { listShapes } from './list-shapes.ts'
import type { ValueOf } from './shape.ts'

/**
 * `changes/<as-of>.json`.
 *
 * - `format`: 1. `as_of`, `snapshot`: of the snapshot that the newest publish made live. `before`: the snapshot that was
 *   live until then, with which it is compared; null for the first one.
 * - `funds`: `total` counts the published ones, `overdue` those whose price is late or stale, `stale` the stale ones among them, `held_back`
 *   those whose new prices are being checked; `awaited` names the first ten of both, absent if there is none; `added`, `removed` (gone, or no longer published) and `renamed` name
 *   published funds, by ISIN; `ending` those whose end has become known, is another one, or is no longer known (`last_day` null);
 *   `suspended` those of whose suspension the same is true (`from` null).
 *   A fund that is gone because it merged names its `successor`; `name` is null if it is not known.
 * - `documents`: objects that only the new snapshot has, that only the old one had, and that differ; `endpoints` has the
 *   same by endpoint, as `fundpress plan` names them.
 * - `prices`: changes in the past of funds that had prices before and have them now. A day after the last one that a fund
 *   had is not in the past. `counts` are complete; each list has the first ten thousand rows, by ISIN, then by day. Values
 *   are decimals with a point; null if there was none or is none. `totals` counts funds with prices of new days, prices
 *   (a fund's on one day) with a corrected value, and the funds of these.
 * - `other_data`: what else changed of funds that were published before and are now: tables of the downloads, but prices, and what
 *   follows them (performance, key figures, fund assets). `values` and `funds` are complete; `changed` has the first ten thousand
 *   rows, by ISIN. Values are texts, as the database has them.
 * - `not_compared`: keys of documents that could not be read, so that their changes are unknown.
 * - `allowed`: guards that objected to the snapshot, and reasons of the operator; absent if there is none. Without names of
 *   operators. `guard` is for programs: no page and no feed shows it.
 * - `publish`: the number of the newest publish among those of the day, 1 for the first.
 * - `published`: when the newest publish wrote it, in UTC and whole seconds; strictly later than all before it.
 * - `earlier`: the last twenty publishes before this one on the same day, in the same shape without `earlier`, the newest
 *   first. Their lists of prices together have ten thousand rows each at most; their counts stay complete.
 *
 * When prices of a fund may no longer be published, its rows in `prices` and `other_data` leave the files of all days; the counts stay.
 */
export type DayChanges = ValueOf<typeof listShapes.changesOfDay>
export type PublishChanges = DayChanges['earlier'][number]
export type SnapshotChanges = Omit<PublishChanges, 'publish' | 'published'>
/** Funds that `awaited` names: more are counted only. */
export const mostAwaited = 10

/** Which publish it was, and when. */
export type PublishMark = Pick<PublishChanges, 'publish' | 'published'>

/** An objection of a guard, and the reason why an operator has allowed it. */
export type AllowedChange = NonNullable<SnapshotChanges['allowed']>[number]
export type SnapshotName = NonNullable<SnapshotChanges['before']>
export type NamedFund = SnapshotChanges['funds']['added'][number]
export type RenamedFund = SnapshotChanges['funds']['renamed'][number]
export type EndingFund = SnapshotChanges['funds']['ending'][number]
export type SuspendedFund = SnapshotChanges['funds']['suspended'][number]
export type ChangedData = SnapshotChanges['other_data']['changed'][number]
export type PastDay = SnapshotChanges['prices']['added'][number]
export type CorrectedValue = SnapshotChanges['prices']['corrected'][number]

/** `changes/index.json`: the last published days, the newest first. */
export type ChangeHistory = ValueOf<typeof listShapes.changes>

/** `file` is the name beside the index. `earlier` has up to twenty publishes before this one, the newest first. */
export type HistoryDay = ChangeHistory['nights'][number]

/**
 * `funds` are the first two hundred that the page of the day names, by ISIN; `newest_correction` is that of the NAV, if it was
 * corrected. `counts` are complete.
 */
export type HistoryEntry = HistoryDay['earlier'][number]

/** Plain text, which the caller escapes. */
export type ChangeWords = Pick<HistoryEntry, 'title' | 'lines' | 'remarks'>

/** The numbers count days with prices that are corrected, added or removed in the past. */
export type ChangedFund = NonNullable<HistoryEntry['funds']>[number]

/** The publishes of a day, the newest first. */
export function publishesOf(day: HistoryDay): readonly HistoryEntry[] {
  const {
    as_of,
    snapshot,
    before,
    publish,
    published,
    title,
    lines,
    remarks,
    de,
    counts,
    awaited,
    funds,
    earlier,
  } = day
  const newest = { as_of, snapshot, before, publish, published, title, lines, de, counts }
  const optional = {
    ...(remarks !== undefined && { remarks }),
    ...(awaited !== undefined && { awaited }),
    ...(funds !== undefined && { funds }),
  }
  return [{ ...newest, ...optional }, ...earlier]
}
