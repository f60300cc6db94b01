/** The corporate actions of what is live: a file of the snapshot that no edge serves. The next night tells from it which rows are new. */

import type { Database } from 'better-sqlite3'
import type { CorporateActionRow } from '../../api/contract/rows.ts'

export const actionsKey = 'corporate-actions.json'

/** In the order of their columns: day, kind, amount, currency, factor, successor. */
type Packed = readonly [
  exDate: string,
  kind: CorporateActionRow['kind'],
  amount: string | null,
  currency: string | null,
  factor: string | null,
  successorIsin: string | null,
]

interface ActionsFile {
  readonly format: 1
  readonly actions: Readonly<Record<string, readonly Packed[]>>
}

/** Rows of funds whose prices may be given out: pages and downloads show them, too. */
export function actionsJson(db: Database): string {
  const rows = db
    .prepare<[], readonly [string, ...Packed]>(
      `SELECT action.isin, ex_date, kind, amount, action.currency, factor, successor_isin
        FROM corporate_action AS action JOIN fund ON fund.isin = action.isin
        WHERE data_permitted = 1 AND prices_permitted = 1 ORDER BY action.isin, ex_date, kind`,
    )
    .raw()
    .all()
  const funds = Map.groupBy(rows, ([isin]) => isin)
  const actions = Object.fromEntries([...funds].map(([isin, all]) => [isin, all.map(([, ...row]) => row)]))
  return `${JSON.stringify({ format: 1, actions } satisfies ActionsFile)}\n`
}

export type LiveActions = ReadonlyMap<string, readonly CorporateActionRow[]>

/** @param json of the file, parsed @throws {Error} if it is of another form */
export function parseActions(json: unknown): LiveActions {
  const { format, actions } = json as Partial<ActionsFile>
  if (format !== 1 || typeof actions !== 'object') throw new Error('it is no list of corporate actions')
  return new Map(Object.entries(actions).map(([isin, rows]) => [isin, rows.map(unpacked)]))
}

function unpacked(row: Packed): CorporateActionRow {
  const [exDate, kind, amount, currency, factor, successorIsin] = row
  const values: readonly unknown[] = [exDate, kind, amount, currency, factor, successorIsin]
  const isRight = values.every((value, index) => typeof value === 'string' || (value === null && index > 1))
  if (!isRight) throw new Error(`${JSON.stringify(row)} is no corporate action`)
  return { exDate, kind, amount, currency, factor, successorIsin }
}
