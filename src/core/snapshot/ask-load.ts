/** What a build for a night asks of the load, in the transaction that renders: is it complete, and have its prices come? */

import { objectionsToLoad } from '../data/read/loaded.ts'
import { readIsins, readPriceDays } from '../data/read/fund-reader.ts'
import type { FundDatabase } from '../data/read/open.ts'
import { daysOfRhythm, type PricedFund } from '../guards/assess.ts'
import { type AllowedObjection, refuseUnlessAllowed } from '../guards/guards.ts'
import { expectedDay, watchedFunds } from '../guards/load-day.ts'
import type { Rules } from '../guards/rules.ts'
import type { BuildOptions } from './options.ts'
import { readStatusDocument, statusKey } from './status-document.ts'

/** What a night knows of its load, and of its prices. */
export interface LoadFacts {
  /** Permissions of the guard `incomplete`. */
  readonly allowed: readonly AllowedObjection[]
  /** True if a watched fund has a newer price than what is live, or if nothing is live. */
  readonly hasNewPrices: boolean
  /** The day whose prices were expected since the live snapshot, and of which none came; null if there is none. */
  readonly missing: string | null
}

const noOverride = { allow: [], isForced: false, reason: null, who: '' }

/**
 * @param db in the transaction that renders @returns null for a build that is not for a night
 * @throws {Refusal} if the load is not there
 */
export async function askLoad(
  db: FundDatabase,
  rules: Rules,
  options: BuildOptions,
): Promise<LoadFacts | null> {
  const { asOf, load = null, live = null, part = null, override = noOverride } = options
  if (load === null) return null
  const objections = load.isRequired ? objectionsToLoad(db, rules, asOf, load.lagDays) : []
  const allowed = refuseUnlessAllowed('the snapshot', objections, override)
  if (part?.kind === 'shard' || live === null) return { allowed, hasNewPrices: true, missing: null }
  const status = readStatusDocument(await live(statusKey))
  if (status === null) return { allowed, hasNewPrices: true, missing: null }
  const funds = readPriceDays(db, readIsins(db), daysOfRhythm)
  return { allowed, ...compare(funds, rules, { asOf, lagDays: load.lagDays, status }) }
}

interface Compared {
  readonly asOf: string
  readonly lagDays: number
  /** Of the live snapshot. */
  readonly status: NonNullable<ReturnType<typeof readStatusDocument>>
}

function compare(funds: readonly PricedFund[], rules: Rules, { asOf, lagDays, status }: Compared) {
  const before = new Map(status.prices.map(({ isin, newest_price: day }) => [isin, day]))
  const watched = watchedFunds(funds, rules, asOf)
  // The database has had newer prices of these for some nights.
  const heldBack = new Set(status.held_back?.map(({ isin }) => isin))
  const others = watched.filter(({ isin }) => !heldBack.has(isin))
  const hasNewPrices = (others.length > 0 ? others : watched).some(
    ({ isin, priceDays: [newest = ''] }) => newest > (before.get(isin) ?? ''),
  )
  const expected = expectedDay(funds, rules, asOf, lagDays)
  // Prices that come a day late each day are no news: a day that was expected already is not expected anew.
  const earlier = expectedDay(funds, rules, status.as_of, lagDays) ?? ''
  return { hasNewPrices, missing: hasNewPrices || expected === null || expected <= earlier ? null : expected }
}
