/** The figures of the last nightly runs, for the charts of a summary: `nightly/history.json` in the bucket. */

import { smallObject } from '../live/live.ts'
import { readReplaceable, readSmall } from '../store/read.ts'
import { ConditionFailed, type ObjectStore } from '../store/store.ts'

export interface NightlyFigures {
  readonly asOf: string
  /** ISO 8601 with time */
  readonly finishedAt: string
  readonly snapshot: string
  /** As in `live.json`; earlier versions did not write it. */
  readonly edition?: string
  readonly funds: number
  readonly documents: number
  /**
   * Documents that differ from those that were live before, as `changes/<as-of>.json` counts them; null if that is not
   * known. Earlier versions did not write `written`, and have that figure here.
   */
  readonly changed: number | null
  readonly written?: number
  readonly bytes: number
  /** In dollars: what the store charges for the requests of the publish. */
  readonly cost: number
  readonly seconds: number
  /** The oldest of the newest prices of all watched funds, as a day; null without a price. */
  readonly oldestPrice: string | null
  /** Whether the live slot matched its manifest. */
  readonly isVerified: boolean
}

const historyKey = 'nightly/history.json'
const runsKept = 60

/** Adds a run: the history holds one per as-of date, ascending, so a repeated run replaces the earlier one. */
function withRun(runs: readonly NightlyFigures[], run: NightlyFigures) {
  const others = runs.filter(({ asOf }) => asOf !== run.asOf)
  const all = [...others, run].sort((one, other) => (one.asOf < other.asOf ? -1 : 1))
  return { format: 1, nights: all.slice(-runsKept) }
}

/** Nothing depends on the history: a damaged one, or that of another version, counts as empty. */
export function readHistory(text: string): readonly NightlyFigures[] {
  try {
    const file = JSON.parse(text) as { readonly format?: unknown; readonly nights?: readonly unknown[] }
    return file.format === 1 ? (file.nights ?? []).filter(isRun) : []
  } catch {
    return []
  }
}

function isRun(value: unknown): value is NightlyFigures {
  if (typeof value !== 'object' || value === null) return false
  const run = value as Readonly<Record<string, unknown>>
  return (
    ['funds', 'documents', 'bytes', 'cost', 'seconds'].every((field) => Number.isFinite(run[field])) &&
    (run['changed'] === null || Number.isFinite(run['changed'])) &&
    ['asOf', 'finishedAt', 'snapshot'].every((field) => typeof run[field] === 'string') &&
    /^\d{4}-\d\d-\d\d$/.test(String(run['asOf'])) &&
    typeof run['isVerified'] === 'boolean'
  )
}

export async function fetchHistory(store: ObjectStore): Promise<readonly NightlyFigures[]> {
  return readHistory((await readSmall(store, historyKey))?.text ?? '')
}

/**
 * @param isLocking false for a store without conditional writes: then one of two simultaneous runs is lost
 * @returns all runs that the history holds, this one included
 */
export async function keepFigures(store: ObjectStore, figures: NightlyFigures, isLocking: boolean) {
  for (let attempt = 1; ; attempt++) {
    const { text, condition } = await readReplaceable(store, historyKey)
    const history = withRun(readHistory(text ?? ''), figures)
    try {
      await store.put(smallObject(historyKey, history), isLocking ? condition : undefined)
      return history.nights
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === 5) throw error
    }
  }
}
