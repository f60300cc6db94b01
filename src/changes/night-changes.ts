/**
 * What a night changed, as `changes/<as-of>.json` says it. Published shapes: names are in camel case as in `live.json`.
 *
 * - `format`: 1. `asOf`, `snapshot`: of the night. `before`: what it is compared with, the snapshot that was live until
 *   then; null for the first one.
 * - `funds`: how many the snapshot has, those included of which nothing is given out; those that are given out and were
 *   not before, that were and are no more (gone, or withheld), or that have another name; by ISIN.
 * - `documents`: objects that only the new snapshot has, that only the old one had, and that differ; `endpoints` has the
 *   same by endpoint, as `fundpress plan` names them.
 * - `prices`: what changed in the past of funds that had prices before and have them now. A day after the last one that a
 *   fund had is none of the past. `counts` are complete; of each list the first ten thousand rows are there, by ISIN,
 *   then by day. Values are decimals with a point; null where there was none or is none.
 * - `notCompared`: keys of documents that could not be read, so that it is not known what changed in them.
 *
 * The file of a day, `DayChanges`, has two more:
 * - `publish`: the how manieth publish of this day it tells of, 1 for the first.
 * - `earlier`: what the publishes before it on this day changed, the same shape without `earlier`, the newest first;
 *   empty on most days. The last twenty are there. Their lists of prices together have ten thousand rows each at most,
 *   the newest publish's first; their counts stay complete.
 */
export interface NightChanges {
  readonly format: 1
  /** ISO 8601 day. */
  readonly asOf: string
  readonly snapshot: string
  readonly before: SnapshotName | null
  readonly funds: {
    readonly total: number
    readonly added: readonly NamedFund[]
    readonly removed: readonly NamedFund[]
    readonly renamed: readonly RenamedFund[]
  }
  readonly documents: DocumentCounts
  readonly endpoints: readonly EndpointChanges[]
  readonly prices: PastPrices
  readonly notCompared: readonly string[]
}

/** What one publish of a day changed. */
export interface ToldPublish extends NightChanges {
  readonly publish: number
}

/** `changes/<as-of>.json` */
export interface DayChanges extends ToldPublish {
  readonly earlier: readonly ToldPublish[]
}

export interface SnapshotName {
  readonly asOf: string
  readonly snapshot: string
}

export interface NamedFund {
  readonly isin: string
  /** Null where no document of the fund could be read. */
  readonly name: string | null
}

export interface RenamedFund {
  readonly isin: string
  readonly before: string
  readonly after: string
}

export interface DocumentCounts {
  readonly added: number
  readonly removed: number
  readonly changed: number
}

export interface EndpointChanges extends DocumentCounts {
  readonly endpoint: string
}

export interface PastPrices {
  readonly counts: {
    /** Values. */
    readonly corrected: number
    /** Days. */
    readonly added: number
    readonly removed: number
  }
  readonly corrected: readonly CorrectedValue[]
  readonly added: readonly PastDay[]
  readonly removed: readonly PastDay[]
}

export interface PastDay extends NamedFund {
  /** ISO 8601 day. */
  readonly date: string
}

export interface CorrectedValue extends PastDay {
  /** As the interface names it: `net_asset_value`. */
  readonly item: string
  readonly before: string | null
  readonly after: string | null
}

/** Rows that a list has at most. */
export const maxRows = 10_000

export const nothingCorrected: PastPrices = {
  counts: { corrected: 0, added: 0, removed: 0 },
  corrected: [],
  added: [],
  removed: [],
}
