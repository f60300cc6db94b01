/** What the publishes of a day changed: the published shape of `changes/<as-of>.json`. Pure. */

import type { AllowedObjection } from '../../guards/guards.ts'
import type { Counts } from '../manifest/compare.ts'

/**
 * `changes/<as-of>.json`. Names are in camel case as in `live.json`.
 *
 * - `format`: 1. `asOf`, `snapshot`: of the snapshot that the newest publish made live. `before`: the snapshot that was
 *   live until then, with which it is compared; null for the first one.
 * - `funds`: `total` counts all, those included of which nothing is published; `added`, `removed` and `renamed` name funds
 *   that are published and were not before, that were and are no more (gone, or withheld), or that have another name; by
 *   ISIN.
 * - `documents`: objects that only the new snapshot has, that only the old one had, and that differ; `endpoints` has the
 *   same by endpoint, as `fundpress plan` names them.
 * - `prices`: changes in the past of funds that had prices before and have them now. A day after the last one that a fund
 *   had is not in the past. `counts` are complete; each list has the first ten thousand rows, by ISIN, then by day. Values
 *   are decimals with a point; null if there was none or is none.
 * - `notCompared`: keys of documents that could not be read, so that nobody knows what changed in them.
 * - `allowed`: what a guard had against the snapshot, and who has allowed it why; absent if there is nothing.
 * - `publish`: the number of the newest publish among those of the day, 1 for the first.
 * - `earlier`: what the publishes before it on this day changed, the same shape without `earlier`, the newest first; empty
 *   on most days. The last twenty are there. Their lists of prices together have ten thousand rows each at most, the newest
 *   publish's first; their counts stay complete.
 */
export interface DayChanges extends PublishChanges {
  readonly earlier: readonly PublishChanges[]
}

interface PublishChanges extends SnapshotChanges {
  readonly publish: number
}

export interface SnapshotChanges {
  readonly format: 1
  readonly asOf: string
  readonly snapshot: string
  readonly before: SnapshotName | null
  readonly funds: {
    readonly total: number
    readonly added: readonly NamedFund[]
    readonly removed: readonly NamedFund[]
    readonly renamed: readonly { readonly isin: string; readonly before: string; readonly after: string }[]
  }
  readonly documents: Counts
  readonly endpoints: readonly (Counts & { readonly endpoint: string })[]
  readonly prices: {
    /** `corrected` counts values, the others days. */
    readonly counts: Readonly<Record<'corrected' | 'added' | 'removed', number>>
    readonly corrected: readonly CorrectedValue[]
    readonly added: readonly PastDay[]
    readonly removed: readonly PastDay[]
  }
  readonly notCompared: readonly string[]
  readonly allowed?: readonly Omit<AllowedObjection, 'figures'>[] | undefined
}

export interface SnapshotName {
  readonly asOf: string
  readonly snapshot: string
}

export interface NamedFund {
  readonly isin: string
  /** Null if no document of the fund could be read. */
  readonly name: string | null
}

export interface PastDay extends NamedFund {
  readonly date: string
}

export interface CorrectedValue extends PastDay {
  /** As the interface names it: `net_asset_value`. */
  readonly item: string
  readonly before: string | null
  readonly after: string | null
}

export const maxPriceRows = 10_000
/** How many publishes of a day are kept, beside the newest one. */
export const earlierKept = 20

/**
 * @param publish the number of this publish among those of the day @param live the file of this day as it is live, or null
 * @throws {Error} if that is no file of a day
 */
export function dayChanges(changes: SnapshotChanges, publish: number, live: string | null): DayChanges {
  return { ...changes, publish, earlier: live === null ? [] : shorten(publishesIn(live)) }
}

function publishesIn(text: string): PublishChanges[] {
  const day = JSON.parse(text) as Partial<DayChanges> | null
  if (day?.format !== 1 || day.prices === undefined) throw new Error('it is not one of this fundpress')
  // Earlier versions kept one publish a day, without a number.
  const { earlier = [], publish = 1, ...newest } = day
  return [{ ...(newest as SnapshotChanges), publish }, ...earlier]
}

/** The rows of the newest publish come first: those of the oldest are cut. */
function shorten(publishes: readonly PublishChanges[]): PublishChanges[] {
  const left = { corrected: maxPriceRows, added: maxPriceRows, removed: maxPriceRows }
  const cut = <Row>(kind: keyof typeof left, rows: readonly Row[]): readonly Row[] => {
    const some = rows.slice(0, left[kind])
    left[kind] -= some.length
    return some
  }
  return publishes.slice(0, earlierKept).map((one) => {
    const { counts, ...rows } = one.prices
    const corrected = cut('corrected', rows.corrected)
    const prices = {
      counts,
      corrected,
      added: cut('added', rows.added),
      removed: cut('removed', rows.removed),
    }
    return { ...one, prices }
  })
}
