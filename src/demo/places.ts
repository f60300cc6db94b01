/** What each fund number stands for: twelve places with every kind and every exception, then the same kinds again. */

import type { Country } from './isin.ts'
import type { Kind } from './kinds.ts'
import { randomFor } from './random.ts'

/** What sets a fund apart from the ordinary: at most one thing. */
export type Exception =
  | 'dataDenied'
  | 'pricesDenied'
  | 'performanceDenied'
  | 'youngerThanAYear'
  | 'fundRowOnly'
  | 'undated'
  | 'withoutFigures'
  | 'none'

export interface Place {
  readonly kind: Kind
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

const firstPlaces: readonly Place[] = [
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
export function placeOf(seed: number, number: number): Place {
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
