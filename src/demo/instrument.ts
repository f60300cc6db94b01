/** One fund as it is before a price is known: numbers, name, kind, costs, launch. A pure function of seed and number. */

import { dateAt, indexOnOrAfter, shiftYears } from './calendar.ts'
import { fundName, type Region } from './fund-names.ts'
import { securityNumbers } from './isin.ts'
import { kinds, type Kind, type KindTraits } from './kinds.ts'
import type { Period } from './period.ts'
import { ordinalWithinKind, placeOf, type Place } from './places.ts'
import { randomFor, type Random } from './random.ts'

export interface Instrument {
  readonly number: number
  readonly isin: string
  readonly wkn: string | null
  readonly name: string
  readonly region: Region
  readonly kind: Kind
  readonly traits: KindTraits
  readonly place: Place
  /** Calendar indices of the launch, and of the first price that the database has. */
  readonly inception: number
  readonly firstPrice: number
  /** Hundredths of a percent. */
  readonly surcharge: number
  readonly redemptionFee: number
  readonly accumulating: boolean
  /** 'MM-DD' */
  readonly endOfFiscalYear: string
  /** A stream of random numbers of this fund alone, the same whenever the same topic is asked for. */
  readonly randomOf: (topic: string) => Random
}

export function instrument(seed: number, number: number, period: Period): Instrument {
  const randomOf = (topic: string) => randomFor(seed, number, topic)
  const place = placeOf(seed, number)
  const traits = kinds[place.kind]
  const random = randomOf('instrument')
  const inception = launchDay(place, randomOf('launch'), period)
  const { isin, wkn } = securityNumbers(seed, number, place.country)
  return {
    number,
    isin,
    wkn: place.hasWkn ? wkn : null,
    ...fundName(place.kind, ordinalWithinKind(number), place.currency),
    kind: place.kind,
    traits,
    place,
    inception,
    firstPrice: Math.max(inception, period.first),
    surcharge: random.pick(traits.surcharges),
    redemptionFee: random.pick(traits.redemptionFees),
    accumulating: !random.chance(traits.distributing),
    endOfFiscalYear: random.pick(['12-31', '12-31', '09-30', '03-31', '06-30']),
    randomOf,
  }
}

/** Calendar index. A longer past does not move it, so the prices of a day stay the same when `until` moves on. */
function launchDay(place: Place, random: Random, { calendar, first, last }: Period): number {
  const until = dateAt(calendar, last)
  const year = Number(until.slice(0, 4))
  const day = `${pad(random.whole(1, 12))}-${pad(random.whole(1, 28))}`
  if (place.exception === 'youngerThanAYear') return indexOnOrAfter(calendar, twoQuartersBefore(until))
  switch (place.launched) {
    case 'longAgo':
      return Math.min(first, indexOnOrAfter(calendar, `${random.whole(1992, 2013)}-${day}`))
    case 'twoYearsAgo':
      return indexOnOrAfter(calendar, `${year - 2}-${day}`)
    case 'recently':
      return indexOnOrAfter(calendar, `${year - random.whole(2, 6)}-${day}`)
    default:
      return place.launched satisfies never
  }
}

/** Start of a quarter: six to nine months before the date. */
function twoQuartersBefore(date: string): string {
  const quarter = Math.floor((Number(date.slice(5, 7)) - 1) / 3)
  const start = (earlier: string, month: number) => `${earlier.slice(0, 4)}-${pad(month)}-01`
  return quarter >= 2 ? start(date, quarter * 3 - 5) : start(shiftYears(date, -1), quarter * 3 + 7)
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
