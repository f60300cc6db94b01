/** The kinds of fund, and which kind and exception each fund number has. */

import type { Country } from './isin.ts'
import { randomFor } from '../system/random.ts'

export type FundKind = 'equity' | 'bond' | 'mixed' | 'realEstate' | 'moneyMarket'

type Bounds = readonly [low: number, high: number]

export interface KindTraits {
  readonly categoryDe: string
  readonly categoryEn: string
  /** Digits after the point of prices and amounts. */
  readonly decimals: 2 | 4
  /** Annual return that does not come from the markets, as a fraction. */
  readonly drift: Bounds
  /** Part of the equity market's and of the bond market's daily return that the fund takes. */
  readonly equityBeta: Bounds
  readonly bondBeta: Bounds
  /** Daily standard deviation of the fund's own movement, as a fraction. */
  readonly ownVolatility: Bounds
  readonly startPrices: readonly number[]
  /** Whether the fund distributes: the probability, and the fraction of the NAV a year. */
  readonly distributing: number
  readonly distributionYield: Bounds
  /** Hundredths of a percent. */
  readonly surcharges: readonly number[]
  readonly redemptionFees: readonly number[]
  readonly managementFee: Bounds
  /** Number of shares, in millions. */
  readonly sharesMillions: Bounds
  readonly conformity: 0 | 1
}

export const kinds: Readonly<Record<FundKind, KindTraits>> = {
  equity: {
    categoryDe: 'Aktienfonds',
    categoryEn: 'Equity fund',
    decimals: 2,
    drift: [-0.015, 0.02],
    equityBeta: [0.75, 1.2],
    bondBeta: [0, 0],
    ownVolatility: [0.002, 0.005],
    startPrices: [50, 100, 100, 40.9],
    distributing: 0.5,
    distributionYield: [0.008, 0.032],
    surcharges: [500, 500, 400, 525],
    redemptionFees: [0, 0, 0, 100],
    managementFee: [110, 180],
    sharesMillions: [0.2, 18],
    conformity: 1,
  },
  bond: {
    categoryDe: 'Rentenfonds',
    categoryEn: 'Bond fund',
    decimals: 2,
    drift: [0.012, 0.026],
    equityBeta: [0, 0.06],
    bondBeta: [0.4, 1.5],
    ownVolatility: [0.0003, 0.0009],
    startPrices: [50, 100, 1000],
    distributing: 0.65,
    distributionYield: [0.01, 0.03],
    surcharges: [300, 250, 200],
    redemptionFees: [0],
    managementFee: [45, 90],
    sharesMillions: [0.3, 12],
    conformity: 1,
  },
  mixed: {
    categoryDe: 'Mischfonds',
    categoryEn: 'Mixed fund',
    decimals: 2,
    drift: [0.002, 0.014],
    equityBeta: [0.25, 0.65],
    bondBeta: [0.3, 0.8],
    ownVolatility: [0.0008, 0.002],
    startPrices: [50, 100],
    distributing: 0.5,
    distributionYield: [0.008, 0.025],
    surcharges: [400, 300, 500],
    redemptionFees: [0, 0, 50],
    managementFee: [90, 150],
    sharesMillions: [0.1, 9],
    conformity: 1,
  },
  realEstate: {
    categoryDe: 'Offener Immobilienfonds',
    categoryEn: 'Open-ended real estate fund',
    decimals: 2,
    drift: [0.018, 0.034],
    equityBeta: [0, 0.004],
    bondBeta: [0, 0.02],
    ownVolatility: [0.0001, 0.0003],
    startPrices: [50, 100],
    distributing: 1,
    distributionYield: [0.012, 0.024],
    surcharges: [500, 550],
    redemptionFees: [0, 0, 100],
    managementFee: [60, 100],
    sharesMillions: [4, 90],
    conformity: 0,
  },
  moneyMarket: {
    categoryDe: 'Geldmarktfonds',
    categoryEn: 'Money market fund',
    decimals: 4,
    drift: [0.006, 0.021],
    equityBeta: [0, 0],
    bondBeta: [0, 0.01],
    ownVolatility: [0.00002, 0.00006],
    startPrices: [50, 100],
    distributing: 0,
    distributionYield: [0, 0],
    surcharges: [0],
    redemptionFees: [0],
    managementFee: [8, 25],
    sharesMillions: [0.5, 30],
    conformity: 1,
  },
}

/** What makes a fund special: at most one thing. */
export type Exception =
  | 'dataDenied'
  | 'pricesDenied'
  | 'performanceDenied'
  | 'youngerThanAYear'
  | 'fundRowOnly'
  | 'undated'
  | 'withoutFigures'
  | 'none'

export interface FundPlace {
  readonly kind: FundKind
  readonly country: Country
  readonly currency: string
  readonly exception: Exception
  readonly hasWkn: boolean
  /** Long before the first price; in the year two before that of the last price; or two to six years before it. */
  readonly launched: 'longAgo' | 'twoYearsAgo' | 'recently'
  /** Has all structure types of its kind, not just some. */
  readonly complete: boolean
}

const ordinary = { exception: 'none', hasWkn: true, launched: 'longAgo', complete: false } as const
const complete = { ...ordinary, complete: true } as const

const firstPlaces: readonly FundPlace[] = [
  { ...complete, kind: 'equity', country: 'DE', currency: 'EUR' },
  { ...complete, kind: 'bond', country: 'LU', currency: 'USD' },
  { ...complete, kind: 'mixed', country: 'DE', currency: 'EUR' },
  { ...complete, kind: 'realEstate', country: 'DE', currency: 'EUR' },
  { ...complete, kind: 'moneyMarket', country: 'DE', currency: 'EUR' },
  { ...ordinary, kind: 'equity', country: 'DE', currency: 'EUR', exception: 'dataDenied' },
  { ...ordinary, kind: 'mixed', country: 'DE', currency: 'CHF', exception: 'pricesDenied' },
  { ...ordinary, kind: 'equity', country: 'DE', currency: 'USD', exception: 'youngerThanAYear' },
  { ...ordinary, kind: 'bond', country: 'AT', currency: 'EUR', exception: 'performanceDenied' },
  { ...ordinary, kind: 'equity', country: 'DE', currency: 'EUR', exception: 'fundRowOnly' },
  {
    ...ordinary,
    kind: 'mixed',
    country: 'LU',
    currency: 'EUR',
    exception: 'undated',
    hasWkn: false,
    launched: 'twoYearsAgo',
  },
  { ...ordinary, kind: 'bond', country: 'DE', currency: 'EUR', exception: 'withoutFigures' },
]

/** After the first twelve: mostly in euro, one in ten launched recently, one in sixty without a WKN. */
export function fundPlaceOf(seed: number, number: number): FundPlace {
  const place = firstPlaces[number % firstPlaces.length]
  if (place === undefined) throw new RangeError(`no fund number ${number}`)
  if (number < firstPlaces.length) return place
  const random = randomFor(seed, number, 'place')
  return {
    ...ordinary,
    kind: place.kind,
    country: place.country,
    currency: random.chance(0.78) ? 'EUR' : random.pick(['USD', 'USD', 'CHF', 'GBP']),
    hasWkn: number % 60 !== 10,
    launched: random.chance(0.1) ? 'recently' : 'longAgo',
  }
}

/** How many funds of the same kind come before this one. */
export function ordinalWithinKind(number: number): number {
  const round = Math.floor(number / firstPlaces.length)
  const position = number % firstPlaces.length
  const kind = firstPlaces[position]?.kind
  const alike = firstPlaces.map((place, i) => ({ i, same: place.kind === kind })).filter(({ same }) => same)
  return round * alike.length + alike.filter(({ i }) => i < position).length
}
