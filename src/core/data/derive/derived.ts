/**
 * What is derived, in two tables of its own. Of prices: the corporate actions that the figures of a fund were made from. When its
 * actions change, in whatever order files and rows come, the figures are derived again. A figure counts as derived if it is exactly
 * what those actions made of the NAVs. Of other tables: a digest of the rows of a fund as they were derived. Any other figure or row
 * is the company's own, and stays.
 */

import type { Database } from 'better-sqlite3'
import { isDay } from '../../api/routes/values.ts'
import { textFaults } from '../model/limits.ts'
import { tablesIn } from '../read/open.ts'
import { doubtfulSplits } from './doubt.ts'
import { comparePrices, figureColumns, derivedFigure, type DatedNav, type PricingAction } from './figures.ts'

const table = 'fundpress_derived'

/** Prices that were derived again, and the first of them: `DE0008471400 on 2026-11-20`. */
export interface DerivedAgain {
  readonly count: number
  readonly first: string
}

/** Why the prices of a fund were not derived: a split that its NAVs contradict. */
export interface DerivedDoubt {
  readonly isin: string
  readonly message: string
}

/**
 * Splits and distributions of a fund that prices can be compared by: the checks of values name others.
 * @param source a table, or a query in brackets, with the columns of `corporate_action`
 */
export function pricingActions(db: Database, source = 'main.corporate_action') {
  const rows = db.prepare<[string], PricingAction>(
    `SELECT ex_date AS exDate, factor, amount FROM ${source}
      WHERE isin = ? AND kind IN ('split', 'distribution') ORDER BY ex_date, kind`,
  )
  return (isin: string): readonly PricingAction[] => rows.all(isin).filter(isSound)
}

const isSound = ({ exDate, factor, amount }: PricingAction) =>
  isDay(exDate) && [factor, amount].every((text) => text === null || isAboveZero(text))

/** Whether a text is a plain decimal above zero. */
export const isAboveZero = (text: string) => textFaults.decimal(text) === undefined && Number(text) > 0

const rowsTable = 'fundpress_derived_rows'

/** @returns reads the digest of the rows of a fund in a table as they were when they were derived; undefined if they never were */
export function derivedDigests(db: Database): (isin: string, table: string) => string | undefined {
  if (!tablesIn(db).includes(rowsTable)) return () => undefined
  const digest = db
    .prepare<[string, string], string>(`SELECT digest FROM main.${rowsTable} WHERE isin = ? AND name = ?`)
    .pluck()
  return (isin, table) => digest.get(isin, table)
}

/** @returns notes that the rows of a fund in a table are derived, from now on */
export function derivedMarker(db: Database): (isin: string, table: string, digest: string) => void {
  db.exec(
    `CREATE TABLE IF NOT EXISTS main.${rowsTable} (isin TEXT NOT NULL, name TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (isin, name)) STRICT, WITHOUT ROWID`,
  )
  const insert = db.prepare(
    `INSERT INTO main.${rowsTable} VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET digest = excluded.digest`,
  )
  return (isin, table, digest) => insert.run(isin, table, digest)
}

/** Notes that prices of these funds are derived, from now on. A fund that is known keeps what its older prices were derived from. */
export function markDerived(db: Database, isins: readonly string[]): void {
  // A new table is a change of the schema, after which a complete load counts as changed.
  if (isins.length === 0) return
  db.exec(
    `CREATE TABLE IF NOT EXISTS main.${table} (isin TEXT NOT NULL PRIMARY KEY, actions TEXT NOT NULL) STRICT, WITHOUT ROWID`,
  )
  const actionsOf = pricingActions(db)
  const insert = db.prepare(`INSERT INTO main.${table} VALUES (?, ?) ON CONFLICT DO NOTHING`)
  for (const isin of isins) insert.run(isin, JSON.stringify(actionsOf(isin)))
}

/** The funds with prices that were derived. */
export function derivedFunds(db: Database): ReadonlySet<string> {
  if (!tablesIn(db).includes(table)) return new Set()
  return new Set(db.prepare<[], string>(`SELECT isin FROM main.${table}`).pluck().all())
}

/** The funds whose figures were derived from other corporate actions than there are. */
export function outdatedFunds(db: Database, actionsOf = pricingActions(db)): readonly string[] {
  if (!tablesIn(db).includes(table)) return []
  const marks = db.prepare<[], Mark>(`SELECT isin, actions FROM main.${table} ORDER BY isin`).all()
  return marks
    .filter(({ isin, actions }) => JSON.stringify(actionsOf(isin)) !== actions)
    .map(({ isin }) => isin)
}

interface Mark {
  readonly isin: string
  readonly actions: string
}

/** Nothing was derived again. */
export const noneAgain: ReturnType<typeof deriveAgain> = { count: 0, first: '', doubts: [] }

/** What figures are derived from, and whether they are written. */
interface AgainOptions {
  readonly actionsOf: ReturnType<typeof pricingActions>
  /** A table, or a query in brackets, with the columns of `price`. */
  readonly prices: string
  readonly isDryRun: boolean
}

/**
 * Derives the figures of all funds again whose corporate actions have changed. To be called in a transaction. Figures of a fund
 * whose NAVs contradict a split stay.
 */
export function deriveAgain(
  db: Database,
  { actionsOf, prices: source, isDryRun }: AgainOptions = {
    actionsOf: pricingActions(db),
    prices: 'main.price',
    isDryRun: false,
  },
): DerivedAgain & { readonly doubts: readonly DerivedDoubt[] } {
  const isins = outdatedFunds(db, actionsOf)
  const doubts: DerivedDoubt[] = []
  if (isins.length === 0) return { count: 0, first: '', doubts }
  const actions = db.prepare<[string], string>(`SELECT actions FROM main.${table} WHERE isin = ?`).pluck()
  const mark = db.prepare(`UPDATE main.${table} SET actions = ? WHERE isin = ?`)
  const prices = db.prepare<[string], StoredPrice>(
    `SELECT date, net_asset_value AS nav, change, change_percent, performance FROM ${source} WHERE isin = ? ORDER BY date`,
  )
  const update = db.prepare(
    'UPDATE main.price SET change = ?, change_percent = ?, performance = ? WHERE isin = ? AND date = ?',
  )
  let count = 0
  let first = ''
  for (const isin of isins) {
    const now = actionsOf(isin)
    const stored = prices.all(isin).filter(({ date, nav }) => isDay(date) && isAboveZero(nav))
    const [doubt] = doubtfulSplits(stored, now)
    if (doubt !== undefined) {
      doubts.push({ isin, message: doubt.message })
      continue
    }
    const before = [...comparePrices(stored, parsed(actions.get(isin)))]
    const after = [...comparePrices(stored, now)]
    for (const [index, price] of stored.entries()) {
      const old = before[index]
      const fresh = after[index]
      if (old === undefined || fresh === undefined) continue
      const values = figureColumns.map((column) => {
        const own = price[column as keyof StoredPrice]
        const made = derivedFigure(column, fresh)
        return own === derivedFigure(column, old) ? made : own
      })
      if (values.every((value, at) => value === price[figureColumns[at] as keyof StoredPrice])) continue
      if (!isDryRun) update.run(...values, isin, price.date)
      if (count++ === 0) first = `${isin} on ${price.date}`
    }
    if (!isDryRun) mark.run(JSON.stringify(now), isin)
  }
  return { count, first, doubts }
}

interface StoredPrice extends DatedNav {
  readonly change: string
  readonly change_percent: string
  readonly performance: string | null
}

/** Anybody may have written to the table. */
function parsed(actions: string | undefined): readonly PricingAction[] {
  try {
    const rows = JSON.parse(actions ?? '') as readonly PricingAction[]
    return rows.filter(isSound)
  } catch {
    return []
  }
}
