/** States that last over nights: each is told when it begins and when it ends. Pure. */

import type { States } from '../../bucket/nightly/history.ts'
import type { MarkedFund } from '../../guards/assess.ts'
import type { BuildSummary } from '../../snapshot/build.ts'

export interface NightStates {
  /** Funds whose prices are stale, and were not before; the oldest price first. */
  readonly stale: readonly MarkedFund[]
  /** Funds whose prices were stale; `fund` is undefined if it is gone, or if its data may not be given out. */
  readonly notStale: readonly { readonly isin: string; readonly fund: MarkedFund | undefined }[]
  /** The day of which no prices came, though they were expected; null if that is not so, or told already. */
  readonly missing: string | null
  /** The day that was told to be missing, now that newer prices are there; null if none was. */
  readonly come: string | null
  /** For the next night. */
  readonly now: States
}

/** @param before as the last night has left them @param night null: nothing is known, so nothing begins or ends */
export function statesOfNight(before: States, night: BuildSummary['night']): NightStates {
  if (night === null) return { stale: [], notStale: [], missing: null, come: null, now: before }
  const { stale: staleBefore = [], load = [] } = before
  const byIsin = new Map(night.funds.map((fund) => [fund.isin, fund]))
  const stale = night.funds.filter(({ mark }) => mark === 'stale')
  const known = new Set(staleBefore)
  const begun = stale.filter(({ isin }) => !known.has(isin))
  const ended = staleBefore.filter((isin) => byIsin.get(isin)?.mark !== 'stale')
  const { missing, hasNewPrices } = night
  const missingNow = missing === null || load.length > 0 ? load : [missing]
  return {
    stale: begun.toSorted((one, other) => byText(one.newestPrice ?? '', other.newestPrice ?? '')),
    notStale: ended.map((isin) => ({ isin, fund: byIsin.get(isin) })),
    missing: load.length > 0 ? null : missing,
    come: hasNewPrices ? (load.at(-1) ?? null) : null,
    now: { stale: stale.map(({ isin }) => isin), load: hasNewPrices ? [] : missingNow },
  }
}

const byText = (one: string, other: string) => (one < other ? -1 : Number(one > other))
