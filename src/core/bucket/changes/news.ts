/** The news of a publish for operators: funds gone, new or restricted, changed prices, the largest moves. Pure. */

import type { CorrectedValue, NamedFund, SnapshotChanges } from '../../api/contract/changes.ts'
import type { RestrictedFunds } from '../../api/contract/fund.ts'
import type { ManifestHead } from '../../snapshot/manifest.ts'
import { restrictedBeside } from '../../guards/going-back.ts'
import type { Comparison } from '../live/options.ts'

export interface PermittedFund extends NamedFund {
  readonly what: keyof RestrictedFunds
}

/** The newest price of a fund before and after. NAVs are decimals with a point, days ISO 8601. */
export interface Move extends NamedFund {
  readonly before: { readonly date: string; readonly nav: string }
  readonly after: { readonly date: string; readonly nav: string }
  readonly percent: number
}

/** Differences from what is live. Funds come by ISIN, restricted ones by kind first. */
export interface News {
  /** Funds that the database no longer has, whether or not they were published. */
  readonly gone: readonly NamedFund[]
  readonly added: readonly NamedFund[]
  /** Given out now, restricted before. */
  readonly opened: readonly PermittedFund[]
  readonly restricted: readonly PermittedFund[]
  /** Lost values of funds that still exist: of a column (`profile.benchmark`), or rows of a table. */
  readonly emptied: readonly { readonly what: string; readonly values: number }[]
  readonly prices: {
    /** Prices with another value; a price is that of a fund on a day. */
    readonly corrected: number
    readonly correctedFunds: number
    readonly correctedIn: readonly string[]
    /** Prices of past days that are new, or gone. */
    readonly added: number
    readonly removed: number
    /** One value for each of the first corrected prices: the NAV, if it has changed. */
    readonly examples: readonly CorrectedValue[]
  }
  /** The ten largest moves of NAV; null if unknown. */
  readonly moves: readonly Move[] | null
}

/** @param changes null if names and prices are unknown */
export function newsOf(
  { head: before, documents }: Comparison,
  after: ManifestHead,
  changes: SnapshotChanges | null,
  moves: News['moves'],
): News {
  const names = new Map([...(changes?.funds.added ?? []), ...(changes?.funds.removed ?? [])].map(nameOf))
  const named = (isin: string): NamedFund => ({ isin, name: names.get(isin) ?? null })
  const { added = [], removed = [], loss } = documents ?? {}
  // Without the live head, earlier restrictions are unknown.
  const known = (before ?? after).restricted ?? {}
  const now = after.restricted ?? {}
  const wasHidden = new Set(known.data)
  const isHidden = new Set(now.data)
  const gone = (loss?.funds ?? []).filter((isin) => !isHidden.has(isin))
  const permitted = (funds: RestrictedFunds) =>
    kinds.flatMap((what) => (funds[what] ?? []).map((isin): PermittedFund => ({ ...named(isin), what })))
  return {
    gone: gone.map(named),
    added: added.filter((isin) => !wasHidden.has(isin)).map(named),
    // A fund with restricted data is absent from the other kinds.
    opened: permitted(restrictedBeside(known, now)).filter(
      ({ isin, what }) => !gone.includes(isin) && (what === 'data' || !isHidden.has(isin)),
    ),
    restricted: permitted(restrictedBeside(now, known)).filter(({ isin, what }) =>
      what === 'data' ? removed.includes(isin) : !added.includes(isin) && !wasHidden.has(isin),
    ),
    emptied: emptied(before?.counts, after.counts),
    prices: changedPrices(changes),
    moves,
  }
}

/** Tables with one row for each fund at most: a row that is gone belongs to one fund. */
const tablesOfFunds = ['profile', 'emt']

function emptied(before: ManifestHead['counts'], after: ManifestHead['counts']): News['emptied'] {
  if (before === undefined || after === undefined) return []
  const lostRows = (table: string) => Math.max(0, (before.rows[table] ?? 0) - (after.rows[table] ?? 0))
  const rows = tablesOfFunds.map((what) => ({ what, values: lostRows(what) - lostRows('fund') }))
  const values = Object.entries(before.values).flatMap(([what, had]) => {
    const [table = ''] = what.split('.')
    // Another version may count other columns.
    const has = after.values[what] ?? had
    return tablesOfFunds.includes(table) ? [{ what, values: had - has - lostRows(table) }] : []
  })
  return [...rows, ...values].filter((one) => one.values > 0)
}

function changedPrices(changes: SnapshotChanges | null): News['prices'] {
  const { totals, counts, corrected = [] } = changes?.prices ?? {}
  return {
    corrected: totals?.corrected_prices ?? 0,
    correctedFunds: totals?.corrected_funds ?? 0,
    correctedIn: [...new Set(corrected.map(({ isin }) => isin))].slice(0, fundsKept),
    added: counts?.added ?? 0,
    removed: counts?.removed ?? 0,
    examples: examplesOf(corrected),
  }
}

const kinds = ['data', 'prices', 'performance'] as const
const nameOf = ({ isin, name }: NamedFund) => [isin, name] as const

const fundsKept = 10
const examplesKept = 20

/** Rows come by fund, then by day, and a price may have several values. */
function examplesOf(rows: readonly CorrectedValue[]): readonly CorrectedValue[] {
  const byPrice = Map.groupBy(rows, ({ isin, date }) => `${isin} ${date}`)
  return [...byPrice.values()]
    .slice(0, examplesKept)
    .flatMap((values) => values.find(({ item }) => item === 'net_asset_value') ?? values.slice(0, 1))
}

/** By ISIN. */
export type NewestPrices = ReadonlyMap<string, Move['before'] & { readonly name: string | null }>

const movesKept = 10

export function largestMoves(before: NewestPrices, after: NewestPrices): readonly Move[] {
  const moves = [...after].flatMap(([isin, { name, ...now }]): Move[] => {
    const { date, nav } = before.get(isin) ?? {}
    if (date === undefined || nav === undefined || nav === now.nav) return []
    const percent = (Number(now.nav) / Number(nav) - 1) * 100
    return Number.isFinite(percent) ? [{ isin, name, before: { date, nav }, after: now, percent }] : []
  })
  return moves
    .sort((one, other) => Math.abs(other.percent) - Math.abs(one.percent) || (one.isin < other.isin ? -1 : 1))
    .slice(0, movesKept)
}
