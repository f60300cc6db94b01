/** The data that the demo is made from: kinds of fund, regions, names. Companies, debtors and indices are invented. */

import type { Draws } from '../../core/system/random.ts'
import file from './market.json' with { type: 'json' }

/** Lowest and highest value. */
type Bounds = readonly number[]

/** German, then ` = ` and the English text if it differs. `{4}` is the year four years after that of the data. */
type Names = readonly string[]

interface Kind {
  readonly category: string
  /** Digits after the point of prices and amounts. */
  readonly decimals: number
  readonly startPrices: readonly number[]
  /** Annual return that does not come from the markets, as a fraction. */
  readonly drift: Bounds
  /** Part of the daily returns of a market that the fund takes. */
  readonly equityBeta: Bounds
  readonly bondBeta: Bounds
  /** Daily standard deviation of the fund's own movement, as a fraction. */
  readonly volatility: Bounds
  /** The probability that a fund distributes, and the fraction of the NAV that a distribution pays. */
  readonly distributionChance: number
  readonly distribution: Bounds
  /** Hundredths of a percent, like the other fees. */
  readonly surcharges: readonly number[]
  readonly redemptionFees: readonly number[]
  readonly managementFee: Bounds
  readonly sharesMillions: Bounds
  /** Tax figures by the fund's assets: `interim`, `shares`, `realEstate`. */
  readonly taxed: readonly string[]
  /** The name of a fund, and the region that the fund invests in. */
  readonly themes: Readonly<Record<string, string>>
  readonly benchmarks: readonly string[]
  /** A way to buy that is missing is unknown. */
  readonly purchases: Readonly<Partial<Record<Way, Purchase>>>
  /** Asset classes with their usual weights. The last is cash. */
  readonly classes: Readonly<Record<string, number>>
  /** Percentage points in derivatives; hedges are negative. */
  readonly derivatives: Bounds
  readonly figures: readonly Figure[]
  /** By structure type. */
  readonly structures: Readonly<Record<string, Breakdown>>
}

export type Way = 'savingsPlan' | 'oneTimeInvestment' | 'capitalFormingPayments'

interface Purchase {
  readonly possible: boolean
  readonly minimums: readonly (string | null)[]
}

/** A key figure. `kind`: `percent` (of fractions), `number`, `count`, `choice`, or `invested` (by the first asset class). */
interface Figure {
  readonly name: string
  readonly kind: string
  readonly between?: Bounds | undefined
  /** How much smaller a second value is. */
  readonly less?: Bounds | undefined
  readonly choices?: readonly string[] | undefined
}

/** How the items of a structure are made. */
interface Breakdown {
  /** A list of names, or `countries` or `currencies` of the fund's region. */
  readonly names: string
  /** So many of the names, in any order. Without it, all of them in their order. */
  readonly draw?: number
  /** Each item weighs about this fraction of the one before. Without it, all have similar weights. */
  readonly ratio?: number
  /** Hundredths of a percent. Without it, 100 percent. */
  readonly total?: number
  /** Derivatives move the last item and so many hundredths more to the first. */
  readonly hedge?: Bounds
}

interface Region {
  readonly name: string
  readonly countries: Names
  readonly currencies: Names
}

export type FundKind = keyof typeof file.kinds

export const kinds: Readonly<Record<FundKind, Kind>> = file.kinds
export const regions: Readonly<Record<string, Region>> = file.regions
export const currencies: Readonly<Record<string, string>> = file.currencies
export const nameLists: Readonly<Record<string, Names>> = file.lists

/** @throws {RangeError} if `market.json` has no such entry */
export function entryNamed<V>(entries: Readonly<Record<string, V>>, name: string): V {
  const entry = entries[name]
  if (entry === undefined) throw new RangeError(`market.json has no ${name}`)
  return entry
}

export const within = (random: Draws, [low = 0, high = low]: Bounds) => random.between(low, high)
export const wholeWithin = (random: Draws, [low = 0, high = low]: Bounds) => random.whole(low, high)

/** The two columns of a name. The English one is null if it is like the German one. */
export function inBoth<N extends string>(column: N, name: string) {
  const [german, english = null] = name.split(' = ')
  return { [`${column}De`]: german, [`${column}En`]: english } as Record<`${N}De`, string> &
    Record<`${N}En`, string | null>
}
