/** The kinds of fund, and which kind and exception each fund number has. */

import { randomFor } from '../system/random.ts'
import type { Country } from './isin.ts'

export type FundKind = 'equity' | 'bond' | 'mixed' | 'realEstate' | 'moneyMarket'

type Bounds = readonly [low: number, high: number]

interface KindTraits {
  readonly category: readonly [german: string, english: string]
  /** Digits after the point of prices and amounts. */
  readonly decimals: 2 | 4
  readonly startPrices: readonly number[]
  /**
   * Fractions: the annual return that does not come from the markets, the part of the daily returns of the equity market
   * and of the bond market that the fund takes, and the daily standard deviation of its own movement.
   */
  readonly returns: Readonly<Record<'drift' | 'equityBeta' | 'bondBeta' | 'volatility', Bounds>>
  /** The probability that the fund distributes, and the fraction of the NAV a year. */
  readonly distribution: { readonly chance: number; readonly yield: Bounds }
  /** Hundredths of a percent. */
  readonly fees: Readonly<Record<'surcharges' | 'redemption', readonly number[]> & { management: Bounds }>
  readonly sharesMillions: Bounds
}

export const kinds: Readonly<Record<FundKind, KindTraits>> = {
  equity: {
    category: ['Aktienfonds', 'Equity fund'],
    decimals: 2,
    startPrices: [50, 100, 100, 40.9],
    returns: { drift: [-0.015, 0.02], equityBeta: [0.75, 1.2], bondBeta: [0, 0], volatility: [0.002, 0.005] },
    distribution: { chance: 0.5, yield: [0.008, 0.032] },
    fees: { surcharges: [500, 500, 400, 525], redemption: [0, 0, 0, 100], management: [110, 180] },
    sharesMillions: [0.2, 18],
  },
  bond: {
    category: ['Rentenfonds', 'Bond fund'],
    decimals: 2,
    startPrices: [50, 100, 1000],
    returns: {
      drift: [0.012, 0.026],
      equityBeta: [0, 0.06],
      bondBeta: [0.4, 1.5],
      volatility: [3e-4, 9e-4],
    },
    distribution: { chance: 0.65, yield: [0.01, 0.03] },
    fees: { surcharges: [300, 250, 200], redemption: [0], management: [45, 90] },
    sharesMillions: [0.3, 12],
  },
  mixed: {
    category: ['Mischfonds', 'Mixed fund'],
    decimals: 2,
    startPrices: [50, 100],
    returns: {
      drift: [0.002, 0.014],
      equityBeta: [0.25, 0.65],
      bondBeta: [0.3, 0.8],
      volatility: [8e-4, 0.002],
    },
    distribution: { chance: 0.5, yield: [0.008, 0.025] },
    fees: { surcharges: [400, 300, 500], redemption: [0, 0, 50], management: [90, 150] },
    sharesMillions: [0.1, 9],
  },
  realEstate: {
    category: ['Offener Immobilienfonds', 'Open-ended real estate fund'],
    decimals: 2,
    startPrices: [50, 100],
    returns: {
      drift: [0.018, 0.034],
      equityBeta: [0, 0.004],
      bondBeta: [0, 0.02],
      volatility: [1e-4, 3e-4],
    },
    distribution: { chance: 1, yield: [0.012, 0.024] },
    fees: { surcharges: [500, 550], redemption: [0, 0, 100], management: [60, 100] },
    sharesMillions: [4, 90],
  },
  moneyMarket: {
    category: ['Geldmarktfonds', 'Money market fund'],
    decimals: 4,
    startPrices: [50, 100],
    returns: { drift: [0.006, 0.021], equityBeta: [0, 0], bondBeta: [0, 0.01], volatility: [2e-5, 6e-5] },
    distribution: { chance: 0, yield: [0, 0] },
    fees: { surcharges: [0], redemption: [0], management: [8, 25] },
    sharesMillions: [0.5, 30],
  },
}

export interface FundPlace {
  readonly kind: FundKind
  readonly country: Country
  readonly currency: string
  /** What makes a fund special: at most one thing. */
  readonly exception:
    | 'dataDenied'
    | 'pricesDenied'
    | 'performanceDenied'
    | 'youngerThanAYear'
    | 'fundRowOnly'
    | 'undated'
    | 'withoutFigures'
    | 'none'
  readonly hasWkn: boolean
  /** Long before the first price; in the year two before that of the last price; or two to six years before it. */
  readonly launched: 'longAgo' | 'twoYearsAgo' | 'recently'
  /** Has all structure types of its kind, not just some. */
  readonly complete: boolean
}

const german = { country: 'DE', currency: 'EUR' } as const
const ordinary = { ...german, exception: 'none', hasWkn: true, launched: 'longAgo', complete: false } as const
const undated = { exception: 'undated', hasWkn: false, launched: 'twoYearsAgo' } as const

const firstPlaces: readonly FundPlace[] = [
  { ...ordinary, kind: 'equity', complete: true },
  { ...ordinary, kind: 'bond', complete: true, country: 'LU', currency: 'USD' },
  { ...ordinary, kind: 'mixed', complete: true },
  { ...ordinary, kind: 'realEstate', complete: true },
  { ...ordinary, kind: 'moneyMarket', complete: true },
  { ...ordinary, kind: 'equity', exception: 'dataDenied' },
  { ...ordinary, kind: 'mixed', currency: 'CHF', exception: 'pricesDenied' },
  { ...ordinary, kind: 'equity', currency: 'USD', exception: 'youngerThanAYear' },
  { ...ordinary, kind: 'bond', country: 'AT', exception: 'performanceDenied' },
  { ...ordinary, kind: 'equity', exception: 'fundRowOnly' },
  { ...ordinary, kind: 'mixed', country: 'LU', ...undated },
  { ...ordinary, kind: 'bond', exception: 'withoutFigures' },
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
  const alike = (places: readonly FundPlace[]) => places.filter((place) => place.kind === kind).length
  return round * alike(firstPlaces) + alike(firstPlaces.slice(0, position))
}
