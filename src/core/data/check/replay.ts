/** Replays the guards on the last nights: each day with prices counts as a night with new prices. */

import type { Database } from 'better-sqlite3'
import type { FundRows } from '../../api/contract/rows.ts'
import { isDay, isIsin } from '../../api/routes/values.ts'
import {
  assessFunds,
  daysOfRhythm,
  type FreshnessCounts,
  marks,
  type PricedFund,
} from '../../guards/assess.ts'
import type { GuardName, Objection } from '../../guards/guards.ts'
import { staleFunds } from '../../guards/loss.ts'
import { type Figures, figuresOf } from '../../guards/figures.ts'
import type { NewPrice } from '../../guards/habits.ts'
import type { ExpectationSettings } from '../../guards/plausibility.ts'
import type { Rules } from '../../guards/rules.ts'
import { fundReader, readIsins, readPriceDays } from '../read/fund-reader.ts'
import { databaseError, openFunds } from '../read/open.ts'
import { inTurn } from '../../system/in-turn.ts'
import { type Finding, objectionsIn, RefusedDatabase } from './finding.ts'
import { findingOf, findingsAcross, judgeFund, priceReader, strictnessToCheck } from './prices.ts'
import { checkStructure } from './structure.ts'

export interface ReplayOptions {
  readonly db: string
  /** The last night, ISO 8601: later prices are left out. */
  readonly asOf: string
  /** How many days with prices are replayed at most, back from there. */
  readonly nights: number
  readonly expectations: ExpectationSettings
  readonly rules: Rules
  readonly onFund?: (done: number, of: number) => void
  readonly signal?: AbortSignal
}

export type Replay = Awaited<ReturnType<typeof replayNights>>

interface Night {
  readonly day: string
  readonly findings: Finding[]
  readonly newPrices: NewPrice[]
  readonly freshness: Record<keyof FreshnessCounts, number>
  readonly stalest: { readonly isin: string; readonly newestPrice: string | null }[]
}

/**
 * Guards that compare tables or lists with what is live have nothing to compare with: a database knows no older state of
 * these. @throws {Error} if the database cannot be read, or if it is aborted
 */
export async function replayNights(options: ReplayOptions) {
  const { db: file, asOf, nights: count, expectations, onFund, signal } = options
  const db = openFunds(file)
  try {
    db.exec('BEGIN')
    const structureFindings = checkStructure(db)
    if (structureFindings.length > 0) throw new RefusedDatabase(file, structureFindings)
    const nights = lastDays(db, asOf, count).map(emptyNight)
    const pricesOf = priceReader(db)
    const { rows } = fundReader(db)
    const funds = readPriceDays(db, readIsins(db), 0)
    for await (const fund of inTurn(funds, onFund, signal))
      replayFund(
        fund,
        pricesOf(fund.isin).map(figuresOf),
        rows('corporateActions', fund.isin),
        nights,
        options,
      )
    const replayed = nights.map(({ day, findings, newPrices, freshness, stalest }) => {
      const objections = objectionsIn([
        ...findings,
        ...findingsAcross({ newPrices, arrivals: [] }, day, expectations),
      ])
      stalest.sort((one, other) => ((one.newestPrice ?? '') < (other.newestPrice ?? '') ? -1 : 1))
      const stale = staleFunds({ freshness: { ...freshness, stalest } }, expectations.strictness)
      return { day, funds: newPrices.length, objections: [...objections, ...stale] }
    })
    return { nights: replayed, guards: countRefused(replayed) }
  } catch (error) {
    throw databaseError(file, error)
  } finally {
    db.close()
  }
}

function lastDays(db: Database, asOf: string, count: number): string[] {
  const days = db.prepare<[string], string>(
    'SELECT DISTINCT date FROM price WHERE date <= ? ORDER BY date DESC',
  )
  return days.pluck().all(asOf).filter(isDay).slice(0, count).reverse()
}

const emptyNight = (day: string): Night => ({
  day,
  findings: [],
  newPrices: [],
  freshness: Object.fromEntries(marks.map((mark) => [mark, 0])) as Night['freshness'],
  stalest: [],
})

function replayFund(
  fund: PricedFund,
  prices: readonly Figures[],
  actions: FundRows['corporateActions'],
  nights: readonly Night[],
  { expectations, rules }: ReplayOptions,
): void {
  const { isin } = fund
  const strictness = strictnessToCheck(expectations, fund)
  const { calendar } = rules(fund)
  let until = 0
  for (const { day, findings, newPrices, freshness, stalest } of nights) {
    while ((prices[until]?.texts[0] ?? '~') <= day) until++
    const priceDays = prices.slice(Math.max(0, until - daysOfRhythm), until).map(({ texts }) => texts[0])
    const assessed = assessFunds([{ ...fund, priceDays: priceDays.reverse() }], rules, day)
    for (const mark of marks) freshness[mark] += assessed.counts[mark]
    stalest.push(...assessed.overdue.filter(({ mark }) => mark === 'stale'))
    const newest = prices[until - 1]?.texts
    if (strictness === null || newest?.[0] !== day) continue
    const known = prices.slice(0, until)
    const { found, newPrice } = judgeFund(fund, known, actions, calendar, strictness, until - 1)
    for (const one of found) findings.push(findingOf(isin, one))
    newPrices.push(newPrice)
  }
}

/** For each guard the nights that it would have refused, and the new prices in these that it was about. */
function countRefused(
  nights: readonly { readonly funds: number; readonly objections: readonly Objection[] }[],
) {
  const counts = new Map<GuardName, { nights: number; fundNights: number }>()
  for (const { funds, objections } of nights)
    for (const [guard, some] of Map.groupBy(objections, (one) => one.guard)) {
      // A subject that is a column is about all funds, as none is.
      const isins = new Set(some.flatMap(({ subject }) => subject?.split(',').filter(isIsin) ?? []))
      const before = counts.get(guard) ?? { nights: 0, fundNights: 0 }
      const fundNights = before.fundNights + (isins.size === 0 ? funds : isins.size)
      counts.set(guard, { nights: before.nights + 1, fundNights })
    }
  return [...counts].map(([guard, count]) => ({ guard, ...count }))
}
