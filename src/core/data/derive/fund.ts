/** Derives the figures of one fund: what its rows would be, and what differs from those that it has. Only reads. */

import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { mayGiveOutPrices } from '../../api/contract/fund.ts'
import type { FundRows } from '../../api/contract/rows.ts'
import { isDay } from '../../api/routes/values.ts'
import { daysOfYearEnd, isOfYearEnd } from '../../guards/year-end.ts'
import { firstDay } from '../model/limits.ts'
import { fundReader } from '../read/fund-reader.ts'
import { chargesReader } from './charges.ts'
import { derivedDigests, isAboveZero, pricingActions } from './derived.ts'
import { doubtfulSplits } from './doubt.ts'
import { comparePrices, type DatedNav, figureColumns, derivedFigure } from './figures.ts'
import type { DerivableTable, DeriveModes } from './modes.ts'
import { type DerivedReturns, deriveReturns } from './returns.ts'

export type ReturnsTable = Exclude<DerivableTable, 'price'>

/** The groups of the rows. */
export const groupsOfReturns = {
  performance_year: 'performanceYears',
  legal_period: 'legalPeriods',
  legal_point: 'legalPoints',
  launch_point: 'launchPoints',
} as const satisfies Readonly<Record<ReturnsTable, keyof FundRows>>

export const returnsTables = Object.keys(groupsOfReturns) as readonly ReturnsTable[]

type ReturnsRow = FundRows[(typeof groupsOfReturns)[ReturnsTable]][number]

/** New rows of a fund in a table, in place of all that it has there. */
interface NewRows {
  readonly table: ReturnsTable
  readonly rows: readonly ReturnsRow[]
  /** Rows that were not there, or had other values. */
  readonly changed: number
}

interface NewFigures {
  readonly date: string
  /** In the order of `figureColumns`. */
  readonly values: readonly (string | null)[]
}

export interface FundDerivation {
  readonly prices: readonly NewFigures[]
  readonly returns: readonly NewRows[]
  /** Tables for which the fund has rows of its own, which stay. */
  readonly kept: readonly ReturnsTable[]
  /** Tables for which its NAVs give no row. */
  readonly without: readonly ReturnsTable[]
  /** Why nothing is derived: a split that its NAVs contradict; null if nothing is against it. */
  readonly doubt: string | null
}

interface StoredPrice extends DatedNav {
  readonly change: string
  readonly change_percent: string
  readonly performance: string | null
}

/** Of a fund without prices, or whose prices may not be given out. */
const nothing: FundDerivation = { prices: [], returns: [], kept: [], without: [], doubt: null }

const noReturns: DerivedReturns = {
  performanceYears: [],
  legalPeriods: [],
  legalPoints: [],
  launchPoints: [],
}

/** Tells rows apart. */
export const digestOf = (rows: readonly object[]): string => hash('sha256', JSON.stringify(rows), 'base64url')

export function fundDeriver(db: Database, modes: DeriveModes) {
  const reader = fundReader(db)
  const actionsOf = pricingActions(db)
  const digests = derivedDigests(db)
  const pricesOf = db.prepare<[string], StoredPrice>(
    `SELECT date, net_asset_value AS nav, change, change_percent, performance FROM main.price WHERE isin = ? ORDER BY date`,
  )
  const chargesOf = chargesReader(db)
  const yearsWithout = db
    .prepare<[string], string>(
      'SELECT DISTINCT substr(date, 1, 4) FROM main.price WHERE isin = ? AND performance IS NULL',
    )
    .pluck()
  const daysBefore = db
    .prepare<[string, string], string>(
      `SELECT date FROM main.price WHERE isin = ? AND date < ? ORDER BY date DESC LIMIT ${daysOfYearEnd}`,
    )
    .pluck()

  /** A year without a price of the end of the year before has no performance: nothing is missing. */
  const lacksPerformance = (isin: string) =>
    yearsWithout.all(isin).some((year) => isOfYearEnd(daysBefore.all(isin, year).filter(isDay), year))

  const hasPricesToDerive = (isin: string) =>
    modes.price === 'derived' || (modes.price === 'missing' && lacksPerformance(isin))

  /** Own rows of a table stay, unless they were derived. */
  const stateOf = (table: ReturnsTable, isin: string) => {
    const rows: readonly ReturnsRow[] = reader.rows(groupsOfReturns[table], isin)
    const isOpen = rows.length === 0 || modes[table] === 'derived' || digests(isin, table) === digestOf(rows)
    return { table, rows, isDerived: modes[table] !== 'delivered' && isOpen }
  }

  return (isin: string): FundDerivation => {
    const fund = reader.fund(isin)
    // Figures made of prices tell them.
    if (fund === undefined || !mayGiveOutPrices(fund)) return nothing
    const states = returnsTables.map((table) => stateOf(table, isin))
    const kept = states
      .filter(({ rows, isDerived }) => !isDerived && rows.length > 0)
      .map(({ table }) => table)
    const derived = states.filter(({ isDerived }) => isDerived)
    const isPriceDerived = hasPricesToDerive(isin)
    if (!isPriceDerived && derived.length === 0) return { ...nothing, kept }
    const stored = pricesOf
      .all(isin)
      .filter(({ date, nav }) => isDay(date) && date >= firstDay && isAboveZero(nav))
    if (stored.length === 0) return { ...nothing, kept }
    const actions = actionsOf(isin)
    const [doubt] = doubtfulSplits(stored, actions)
    if (doubt !== undefined) return { ...nothing, kept, doubt: doubt.message }
    const { inceptionDate } = fund
    const { issueSurcharge } = chargesOf(isin)
    const history = { inceptionDate, issueSurcharge, prices: stored, actions }
    const made = derived.length === 0 ? noReturns : deriveReturns(history)
    const returns = derived.flatMap(({ table, rows: before }) => {
      const rows: readonly ReturnsRow[] = made[groupsOfReturns[table]]
      const known = new Set(before.map((row) => JSON.stringify(row)))
      const changed = rows.filter((row) => !known.has(JSON.stringify(row))).length
      return changed === 0 && rows.length === before.length ? [] : [{ table, rows, changed }]
    })
    const without = derived
      .filter(({ table }) => made[groupsOfReturns[table]].length === 0)
      .map(({ table }) => table)
    const prices = isPriceDerived ? [...newFigures(stored, actions, modes.price === 'derived')] : []
    return { prices, returns, kept, without, doubt: null }
  }
}

function* newFigures(
  stored: readonly StoredPrice[],
  actions: ReturnType<ReturnType<typeof pricingActions>>,
  isAll: boolean,
): Generator<NewFigures> {
  for (const compared of comparePrices(stored, actions)) {
    const { price } = compared
    const values = [price.change, price.change_percent, price.performance]
    const made = figureColumns.map((column, at) => {
      const own = values[at] ?? null
      return isAll || own === null ? derivedFigure(column, compared) : own
    })
    if (made.some((value, at) => value !== values[at])) yield { date: price.date, values: made }
  }
}
